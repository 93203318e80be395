// Command ordered generates Go code from one specification with the members of
// every schema in the order of the specification. The generator itself sorts
// them by name, and a response has its keys in the order of the Go fields.
//
//	ordered config/backend.yaml backend.yaml
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ordered CONFIG SPEC")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "ordered:", err)
		os.Exit(1)
	}
}

func run(config, spec string) error {
	dir, err := os.MkdirTemp("", "docledger-openapi-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// References lead to the other specifications, so all of them are copied.
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := order(file, filepath.Join(dir, file)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	cmd := exec.Command("go", "tool", "oapi-codegen", "-config", config, filepath.Join(dir, spec))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// order copies a specification and gives each member of a schema its position
// as x-order.
func order(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return err
	}
	number(&doc, false)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	if err := encoder.Encode(&doc); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o600)
}

// number walks the document. within says that the node is the value of
// properties, whose keys are names of members and whose values are schemas.
func number(node *yaml.Node, within bool) {
	if node.Kind != yaml.MappingNode {
		for _, child := range node.Content {
			number(child, false)
		}
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if within && value.Kind == yaml.MappingNode {
			value.Content = append(value.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "x-order"},
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i / 2)})
		}
		number(value, !within && key.Value == "properties")
	}
}
