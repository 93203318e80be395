package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIndexOfTests checks that test/README.md lists every folder of test/.
func TestIndexOfTests(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("../../*/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("the folders of test/: %v, %v", folders, err)
	}
	for _, f := range folders {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(f); info.IsDir() && !strings.Contains(string(index), "`"+name+"`") {
			t.Errorf("test/README.md does not list %s", name)
		}
	}
}
