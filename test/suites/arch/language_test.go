package arch

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided matches words that plain technical English replaces. Each has a standard term: again,
// continues, automatically, generated, unreachable, reported.
var avoided = regexp.MustCompile(`\b(?i:anew|afresh|made-up|beside|goes on|by itself|comes to nothing|leads back|taken for|on its way|out of reach|held back|mend(?:s|ed)?|heals|told|tells)\b|\b[Nn]obody\b`)

// permitted lists the places in which such a word is a name or a quotation.
var permitted = map[string][]string{
	"Dockerfile":                              {"nobody"},       // the user of the image
	"test/lib/postgres/instance.go":           {"nobody"},       // a user of the operating system
	"test/suites/arch/language_test.go":       nil,              // nil permits every word
	"test/suites/vendornames/neutral_test.go": {"out of reach"}, // an example of a message
}

// TestPlainLanguage refuses these words in comments and texts of Go code, in the documentation and
// in the specifications.
func TestPlainLanguage(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if !hasText(path) {
			continue
		}
		words, exempt := permitted[path]
		if exempt && words == nil {
			continue
		}
		source, err := os.ReadFile(filepath.Join("..", "..", "..", path))
		if os.IsNotExist(err) {
			continue // deleted, but not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for line, text := range texts(path, source) {
			for _, word := range avoided.FindAllString(text, -1) {
				if !slices.Contains(words, strings.ToLower(word)) {
					t.Errorf("%s:%d: replace %q by a standard term (CONTRIBUTING): %s", path, line, word, strings.TrimSpace(text))
				}
			}
		}
	}
}

// hasText reports whether people read the texts of a file. Released specifications and changelog
// sections do not change.
func hasText(path string) bool {
	for _, prefix := range []string{"gen/", "openapi/released/", "infrastructure/notices/"} {
		if strings.HasPrefix(path, prefix) {
			return false
		}
	}
	if strings.Contains(path, "testdata/") || strings.HasSuffix(path, "CHANGELOG.md") {
		return false
	}
	return slices.Contains([]string{".go", ".md", ".yaml"}, filepath.Ext(path)) || slices.Contains([]string{"Makefile", "Dockerfile"}, path)
}

// texts returns the texts of a file by line: the comments and strings of Go code, and every line of
// another file.
func texts(path string, source []byte) map[int]string {
	lines := map[int]string{}
	if filepath.Ext(path) != ".go" {
		for n, line := range strings.Split(string(source), "\n") {
			lines[n+1] = line
		}
		return lines
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return lines
		case token.COMMENT, token.STRING:
			for n, line := range strings.Split(literal, "\n") {
				lines[file.Line(pos)+n] += line + " "
			}
		}
	}
}
