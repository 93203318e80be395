package docs

import (
	"os"
	"path/filepath"
	"regexp"
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

// ownFile matches a file that a script of test/ names by its own folder, and rootFile one that it names from the root.
var (
	ownFile  = regexp.MustCompile(`(?:\$here|\$\(dirname "\$0"\))/([\w./-]+)`)
	rootFile = regexp.MustCompile(`\./(test/[\w./-]+)`)
)

// TestScriptsNameFiles checks that the files that the scripts of test/ name exist, also those of scripts that no gate runs.
func TestScriptsNameFiles(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("../../*.sh")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for base, pattern := range map[string]*regexp.Regexp{"../..": ownFile, "../../..": rootFile} {
			for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
				named++
				if _, err := os.Stat(filepath.Join(base, strings.TrimSuffix(m[1], "/..."))); err != nil {
					t.Errorf("%s names %s: %v", filepath.Base(script), m[1], err)
				}
			}
		}
	}
	if named < 3 {
		t.Errorf("only %d files are named", named)
	}
}
