// Command ordered generates Go code from one specification with the members of
// every schema in the order of the specification. The generator itself sorts
// them by name, and a response has its keys in the order of the Go fields.
//
// It also removes the validator of struct tags from the generated code. The
// specification is validated before, and no generated type has such tags. The
// validator calls methods by names that it computes, and a program that does so
// keeps every exported method of every type: the linker removes none.
//
//	ordered config/backend.yaml backend.yaml
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

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
	if err := cmd.Run(); err != nil {
		return err
	}
	return removeValidator(config)
}

// validated is the generator's code that runs the validator, and decoded is what
// replaces it.
const (
	validated = `		err = ctx.ShouldBindJSON(&body)
	} else if binding.Validator != nil {
		// ShouldBindJSON runs the struct validator after decoding; keep that.
		err = binding.Validator.ValidateStruct(&body)
	}
`
	decoded = `		err = json.NewDecoder(ctx.Request.Body).Decode(&body)
	}
`
)

var indentedLine = regexp.MustCompile(`(?m)^\t+`)

// removeValidator rewrites the output of a configuration. It fails when the
// generator writes other code than expected.
func removeValidator(config string) error {
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var c struct {
		Output string `yaml:"output"`
	}
	if err := yaml.Unmarshal(data, &c); err != nil {
		return err
	}
	code, err := os.ReadFile(c.Output)
	if err != nil {
		return err
	}
	out := string(code)
	for _, indent := range []string{"", "\t"} {
		deeper := func(text string) string { return indentedLine.ReplaceAllString(text, "$0"+indent) }
		out = strings.ReplaceAll(out, deeper(validated), deeper(decoded))
	}
	out = strings.ReplaceAll(out, "\t\"github.com/gin-gonic/gin/binding\"\n", "")
	if strings.Contains(out, "binding.") || strings.Contains(out, "ShouldBindJSON") {
		return fmt.Errorf("%s: the generator's code that validates struct tags has changed; change its pattern here too", c.Output)
	}
	return os.WriteFile(c.Output, []byte(out), 0o600)
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
