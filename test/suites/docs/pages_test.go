package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxFrontPageWords is the maximum length of README.
const maxFrontPageWords = 900

// pages returns the Markdown pages of the project, relative to its root.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, folder := range []string{"docs/", "docs/guides/", "docs/connecting/"} {
		files, err := filepath.Glob("../../../" + folder + "*.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			out = append(out, folder+filepath.Base(f))
		}
	}
	return out
}

func TestFrontPageIsShort(t *testing.T) {
	t.Parallel()
	if n := len(strings.Fields(read(t, "README.md"))); n > maxFrontPageWords {
		t.Errorf("README has %d words, at most %d are allowed", n, maxFrontPageWords)
	}
}

// TestLinksResolve verifies that the target of each relative link and picture
// exists.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "/") {
				continue // adapter/httpapi/docs follows the links of the served pages
			}
			if _, err := os.Stat(filepath.Join("../../..", filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			}
		}
	}
}

// TestFrontPageLeadsToEveryPage finds each page of docs/ from README by one link.
func TestFrontPageLeadsToEveryPage(t *testing.T) {
	t.Parallel()
	front := read(t, "README.md")
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") && !strings.Contains(front, "]("+page+")") {
			t.Errorf("README has no link to %s", page)
		}
	}
}

// TestFrontPageLeadsToWhatIsPublished verifies that README leads by one link to
// each part that users take from the project, that the link has a target, and
// that CI runs the test of the part.
func TestFrontPageLeadsToWhatIsPublished(t *testing.T) {
	t.Parallel()
	front, ci := read(t, "README.md"), read(t, ".ci/run")
	for _, part := range []struct{ target, gate string }{
		{"docs/guides/README.md", "make test"},    // the pages at /docs, and their examples in curl
		{"docs/guides/README.md", "make browser"}, // the pages in a browser
		{"gen/typescript/README.md", "make client-test"},
		{"client/python/README.md", "make python-test"},
		{"examples/integration", "make python-test"},
		{"docs/api.md", "make contract"},
		{"docs/guides/versioning.md", "make changes"},
		{"CHANGELOG.md", "make changes"},
		{"docs/deployment.md", "make release"}, // binaries, checksums, bill of materials
		{"docs/deployment.md", "make image"},
		{"deploy/kubernetes/base", "make manifests"},
		{"deploy/grafana/docledger.json", "make test"},
		{"docs/alerts.yaml", "make test"},
		{"docs/command-line.md", "make test"}, // docledger organization report
		{"docs/web-application.md", "make browser"},
	} {
		if !strings.Contains(front, "]("+part.target+")") {
			t.Errorf("README has no link to %s", part.target)
		}
		if _, err := os.Stat(filepath.Join("../../..", part.target)); err != nil {
			t.Errorf("%s does not exist", part.target)
		}
		if !regexp.MustCompile(`(?m)^gate .*\b` + part.gate + `\b`).MatchString(ci) {
			t.Errorf("CI does not run %s, the test of %s", part.gate, part.target)
		}
	}
}

var (
	citation = regexp.MustCompile(`\b(domain|interface|decisions) (D[0-9]{1,2}|[0-9]{1,2}(?:\.[0-9]{1,2})?)\b(?:, (row|rows|rule) [0-9])?`)
	oldForm  = regexp.MustCompile(`\b(records D[0-9]+|contract (section )?[0-9]+(\.[0-9]+)?)\b`)
)

// TestCitationsResolve finds the rule behind each citation in the sources.
func TestCitationsResolve(t *testing.T) {
	t.Parallel()
	rules := map[string]string{"domain": read(t, "docs/domain.md"), "interface": read(t, "docs/interface.md"), "decisions": read(t, "docs/decisions.md")}
	cited := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "bin", "gen":
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".sql", ".yaml", ".sh", ".ts", ".tsx", ".mjs":
		default:
			return nil
		}
		if strings.HasSuffix(path, filepath.Join("test", "suites", "docs", "pages_test.go")) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := strings.NewReplacer("\n\t// ", " ", "\n// ", " ", "\n# ", " ", "\n-- ", " ").Replace(string(b))
		if old := oldForm.FindString(text); old != "" {
			t.Errorf("%s cites %q; cite docs/domain.md as `domain D1`, docs/interface.md as `interface 4.2`", path, old)
		}
		for _, m := range citation.FindAllStringSubmatch(text, -1) {
			page, rule := m[1], m[2]
			cited++
			heading := regexp.MustCompile(`(?m)^(## |- \*\*)` + regexp.QuoteMeta(rule) + `(\*\*| )`)
			if !heading.MatchString(rules[page]) {
				t.Errorf("%s cites %s, which docs/%s.md does not have", path, m[0], page)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited < 100 {
		t.Errorf("only %d citations were found; is the pattern right?", cited)
	}
}

// TestRecipesNameExistingFiles verifies that each path in CONTRIBUTING exists.
func TestRecipesNameExistingFiles(t *testing.T) {
	t.Parallel()
	named := 0
	for _, m := range regexp.MustCompile("`([a-z]+(?:/[A-Za-z._-]+)+/?)`").FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1) {
		if strings.HasPrefix(m[1], "bin/") {
			continue // a build creates it
		}
		named++
		if _, err := os.Stat(filepath.Join("../../..", m[1])); err != nil {
			t.Errorf("CONTRIBUTING names %s, which does not exist", m[1])
		}
	}
	if named < 8 {
		t.Errorf("only %d paths were found; is the pattern right?", named)
	}
}
