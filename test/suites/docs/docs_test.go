// Package docs compares the documentation with the code.
package docs

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"

	"docledger/test/suites/docs/configdocs"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile("../../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestConfigurationIsDocumented compares docs/configuration.md and .env.example
// with the variables that the code reads.
func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	for _, v := range configdocs.Variables() {
		if v.Meaning == "" || v.Group == "" {
			t.Errorf("%s has no meaning or no group in infrastructure/config/variables.go", v.Name)
		}
	}
	files, err := configdocs.Files("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if read(t, path) != want {
			t.Errorf("%s is stale; run make gen", path)
		}
	}
}

func TestNoUnfinishedText(t *testing.T) {
	t.Parallel()
	for _, path := range pages(t) {
		for _, word := range []string{"@@", "TODO", "FIXME", "TBD"} {
			if strings.Contains(read(t, path), word) {
				t.Errorf("%s still has %s", path, word)
			}
		}
	}
}

func TestMakefileListsItsTargets(t *testing.T) {
	t.Parallel()
	targets := regexp.MustCompile(`(?m)^([a-z-]+):.*## .+$`).FindAllString(read(t, "Makefile"), -1)
	phony := regexp.MustCompile(`(?m)^\.PHONY: `).FindAllString(read(t, "Makefile"), -1)
	if len(targets) != len(phony) || len(targets) > 32 {
		t.Errorf("%d targets are described of %d, at most 32 are allowed", len(targets), len(phony))
	}
}

func TestEveryDependencyIsExplained(t *testing.T) {
	t.Parallel()
	explained := read(t, "docs/dependencies.md")
	direct := false
	for s := bufio.NewScanner(strings.NewReader(read(t, "go.mod"))); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		direct = line == "require (" || direct && line != ")"
		fields := strings.Fields(line)
		if !direct || len(fields) != 2 || fields[0] == "require" {
			continue
		}
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(fields[0], "")
		if parts := strings.Split(name, "/"); len(parts) > 3 && strings.HasPrefix(name, "github.com/riverqueue/") {
			name = strings.Join(parts[:3], "/")
		}
		if !strings.Contains(explained, name) && !strings.Contains(explained, strings.TrimPrefix(name, "github.com/oapi-codegen/")) {
			t.Errorf("docs/dependencies.md does not explain %s", fields[0])
		}
	}
}
