package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedClients verifies the table of clients: each configuration is
// JSON and names the endpoint.
func TestDocumentedClients(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "assistants.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| client | setup |")
	if !found {
		t.Fatal("the table of clients is missing")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := regexp.MustCompile("`([^`]+)`")
	rows := 0
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(line, " | ")
		rows++
		if len(cells) != 3 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		for _, match := range code.FindAllStringSubmatch(cells[1], -1) {
			if strings.HasPrefix(match[1], "{") && !json.Valid([]byte(match[1])) {
				t.Errorf("not JSON: %s", match[1])
			}
			if strings.Contains(match[1], "://") && !strings.Contains(match[1], "https://docs.example.com/mcp") {
				t.Errorf("leads elsewhere: %s", match[1])
			}
		}
	}
	if rows < 8 {
		t.Errorf("%d clients", rows)
	}
}

// TestWhatHoldsTheToolServer verifies that every test exists that the document
// names.
func TestWhatHoldsTheToolServer(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	document, err := os.ReadFile(filepath.Join(root, "docs", "tool-server.md"))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	named := 0
	for _, match := range regexp.MustCompile("`([a-z/]+) ([A-Za-z]+)`").FindAllStringSubmatch(string(document), -1) {
		dir, name := match[1], match[2]
		named++
		if dir == "make" {
			if !strings.Contains(string(makefile), "\n"+name+":") || !strings.Contains(string(ci), "make "+name) {
				t.Errorf("make %s is missing, or not in CI", name)
			}
			continue
		}
		if sources[dir] == "" {
			files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				sources[dir] += string(source)
			}
		}
		if !strings.Contains(sources[dir], "\nfunc "+name+"(") {
			t.Errorf("%s has no test %s", dir, name)
		}
	}
	if named < 60 {
		t.Errorf("only %d are named", named)
	}
}
