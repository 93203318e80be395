package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxFrontPageWords is the length at which README is still read.
const maxFrontPageWords = 900

// pages lists the project's Markdown pages, relative to its root.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		out = append(out, "docs/"+filepath.Base(f))
	}
	return out
}

func TestFrontPageIsShort(t *testing.T) {
	t.Parallel()
	if n := len(strings.Fields(read(t, "README.md"))); n > maxFrontPageWords {
		t.Errorf("README has %d words, at most %d are allowed", n, maxFrontPageWords)
	}
}

// TestLinksResolve finds the file behind each relative link and picture.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			}
		}
	}
}

// TestFrontPageLeadsToEveryPage finds each page of docs/ from README by one link,
// or by two where an overview page lists it.
func TestFrontPageLeadsToEveryPage(t *testing.T) {
	t.Parallel()
	linked := read(t, "README.md")
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") && strings.Contains(linked, page) {
			linked += strings.ReplaceAll(read(t, page), "](", "](docs/")
		}
	}
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") && !strings.Contains(linked, page) {
			t.Errorf("no link leads to %s", page)
		}
	}
}

// TestRecipesNameExistingFiles finds each path that CONTRIBUTING names.
func TestRecipesNameExistingFiles(t *testing.T) {
	t.Parallel()
	named := 0
	for _, m := range regexp.MustCompile("`([a-z]+(?:/[A-Za-z._-]+)+/?)`").FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1) {
		named++
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("CONTRIBUTING names %s, which does not exist", m[1])
		}
	}
	if named < 8 {
		t.Errorf("only %d paths were found; is the pattern right?", named)
	}
}
