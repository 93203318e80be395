// Package docs compares the documentation with the code.
package docs

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestConfigurationIsDocumented(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(read(t, "docs/configuration.md"), "<!-- configuration table")
	table, _, _ = strings.Cut(table, "<!-- end of the configuration table -->")
	var want strings.Builder
	for _, v := range config.Variables(service.ProviderSpecs(service.Registrations())...) {
		fallback := v.Default
		if home, err := os.UserCacheDir(); err == nil {
			fallback = strings.Replace(fallback, home, "the user's cache", 1)
		}
		if v.Meaning == "" {
			t.Errorf("%s has no meaning", v.Name)
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", v.Name, fallback, v.Meaning)
	}
	if !strings.Contains(table, want.String()) {
		t.Errorf("the table of docs/configuration.md should be\n%s", want.String())
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
	if len(targets) != len(phony) || len(targets) > 20 {
		t.Errorf("%d targets are described of %d, at most 20 are wanted", len(targets), len(phony))
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
