package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConnectorsShareTheirCode fails if two connectors have the same long run of lines. Such code belongs to
// adapter/connector or infrastructure/httpclient.
func TestConnectorsShareTheirCode(t *testing.T) {
	const longest = 11 // lines
	type place struct{ connector, file string }
	first := map[string]place{}
	folders, err := filepath.Glob(filepath.Join("..", "..", "..", "adapter", "*", "*", "client"))
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) < 4 {
		t.Fatalf("%d connectors were found", len(folders))
	}
	for _, folder := range folders {
		connector := filepath.Dir(folder)
		err := filepath.WalkDir(connector, func(file string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			for n := range lines {
				lines[n] = strings.TrimSpace(lines[n])
			}
			for n := 0; n+longest < len(lines); n++ {
				run := strings.Join(lines[n:n+longest+1], "\n")
				other, known := first[run]
				switch {
				case !known:
					first[run] = place{connector, file}
				case other.connector != connector:
					t.Errorf("%s and %s:%d have the same %d lines", other.file, file, n+1, longest+1)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
