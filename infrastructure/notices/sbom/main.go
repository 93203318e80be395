// Command sbom completes the bill of materials of a binary. It adds the embedded
// components that are not Go modules, and fails if a module of the binary is missing.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// embedded lists the components that the Go tools do not report.
var embedded = []map[string]any{
	{
		"type": "library", "name": "pdfium", "bom-ref": "embedded:pdfium", "scope": "required",
		"description": "PDF engine in WebAssembly, embedded in github.com/klippa-app/go-pdfium",
		"licenses":    []any{map[string]any{"license": map[string]any{"id": "BSD-3-Clause"}}},
	},
	{
		"type": "library", "name": "@scalar/api-reference", "version": "1.46.4", "bom-ref": "pkg:npm/%40scalar/api-reference@1.46.4",
		"purl": "pkg:npm/%40scalar/api-reference@1.46.4", "scope": "required",
		"description": "viewer of the documentation",
		"licenses":    []any{map[string]any{"license": map[string]any{"id": "MIT"}}},
	},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY FILE")
		os.Exit(2)
	}
	if err := complete(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// complete adds the embedded components to the bill of materials in file.
func complete(binary, file string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var bill map[string]any
	if err := json.Unmarshal(text, &bill); err != nil {
		return err
	}
	components, _ := bill["components"].([]any)
	listed := map[string]bool{}
	for _, c := range components {
		if c, ok := c.(map[string]any); ok {
			listed[fmt.Sprint(c["name"], " ", c["version"])] = true
		}
	}
	var missing []string
	for _, m := range info.Deps {
		for ; m.Replace != nil; m = m.Replace {
		}
		if !listed[m.Path+" "+m.Version] {
			missing = append(missing, m.Path+" "+m.Version)
		}
	}
	if len(info.Deps) == 0 || len(missing) > 0 {
		return errors.New("modules of the binary are missing: " + strings.Join(missing, ", "))
	}
	for _, c := range embedded {
		components = append(components, c)
	}
	bill["components"] = components
	if text, err = json.MarshalIndent(bill, "", "  "); err != nil {
		return err
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil { //nolint:gosec // the file is public
		return err
	}
	fmt.Printf("%s: %d components\n", file, len(components))
	return nil
}
