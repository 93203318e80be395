// Package configdocs writes the documentation of the configuration from the
// variables that the code reads: the tables of docs/configuration.md and the
// assignments of .env.example.
package configdocs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
)

// The generated part of each file is between these two markers.
const (
	begin = "generated from the code by make gen"
	end   = "end of the generated part"
)

// containerValues are the values of .env.example that are not defaults: choices
// with which a start succeeds, and those that depend on the reader's machine.
var containerValues = map[string]string{
	"BILLING": "none", "IDENTITY": "local", "BLOB_BUCKET": "docledger", "BLOB_ACCESS_KEY": "docledger", "COMPILE_CACHE_DIR": "",
}

// Variables returns every variable of the product in its documented order.
func Variables() []config.Variable {
	return config.Variables(service.ProviderSpecs(service.Registrations())...)
}

// Files returns the files that document the configuration, by their path below
// root, with their generated parts renewed.
func Files(root string) (map[string]string, error) {
	out := map[string]string{}
	for path, generated := range map[string]string{
		"docs/configuration.md": tables(Variables()),
		".env.example":          assignments(Variables()),
	} {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		if out[path], err = replace(string(text), generated); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return out, nil
}

// replace puts generated between the lines of text with the two markers.
func replace(text, generated string) (string, error) {
	head, rest, found := strings.Cut(text, begin)
	opening, _, closed := strings.Cut(rest, "\n")
	_, tail, finished := strings.Cut(rest, end)
	if !found || !closed || !finished {
		return "", errors.New("the markers of the generated part are missing")
	}
	lead := text[:strings.Index(text, end)]
	lead = lead[strings.LastIndex(lead, "\n")+1:]
	return head + begin + opening + "\n" + generated + lead + end + tail, nil
}

func tables(variables []config.Variable) string {
	var b strings.Builder
	title := ""
	for _, v := range variables {
		if v.Group != title {
			title = v.Group
			fmt.Fprintf(&b, "\n### %s\n\n| variable | default | meaning |\n|---|---|---|\n", title)
		}
		fallback := v.Default
		if home, err := os.UserCacheDir(); err == nil {
			fallback = strings.Replace(fallback, home, "the user's cache", 1)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, fallback, v.Meaning)
	}
	return b.String() + "\n"
}

func assignments(variables []config.Variable) string {
	var b strings.Builder
	title := ""
	for _, v := range variables {
		if v.Group != title {
			title = v.Group
			fmt.Fprintf(&b, "\n## %s\n", title)
		}
		value, chosen := containerValues[v.Name]
		if !chosen {
			value = v.Default
		}
		fmt.Fprintf(&b, "\n# %s\n%s=%s\n", strings.ReplaceAll(v.Meaning, "`", ""), v.Name, value)
	}
	return b.String() + "\n"
}
