package openapi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"go.yaml.in/yaml/v3"
)

// TestGeneratorsAreSetAlike holds what the generated packages need of each
// other: responses of common.yaml are used by strict servers, so its package
// must be generated as one too, and an absent key must not read as null.
// Webhooks are the exception: a strict server would decode what is signed.
func TestGeneratorsAreSetAlike(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("config/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations of the generator: %v", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c codegen.Configuration
		dec := yaml.NewDecoder(bytes.NewReader(text))
		if err := dec.Decode(&c); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		strict := !slices.Contains([]string{"webhooks.yaml", "toolserver.yaml", "authserver.yaml"}, filepath.Base(path))
		if !c.Generate.GinServer || c.Generate.Strict != strict || !c.Generate.Models || !c.OutputOptions.NullableType {
			t.Errorf("%s: must generate models, a gin server and, except for webhooks, a strict server, with nullable types", path)
		}
	}
}
