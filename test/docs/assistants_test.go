package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClientsOfTheREADME holds the ways to connect clients to what the tool
// server can be: configurations are JSON, and each leads to the one endpoint.
func TestClientsOfTheREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(readme), "| client | the shortest way |")
	if !found {
		t.Fatal("the table of clients is not there")
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
				t.Errorf("no JSON: %s", match[1])
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
