package docs

import (
	"os"
	"strings"
	"testing"
)

// TestIndexOfTests checks that test/README.md lists every folder of test/.
func TestIndexOfTests(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !strings.Contains(string(index), "`"+f.Name()+"`") {
			t.Errorf("test/README.md does not list %s", f.Name())
		}
	}
}
