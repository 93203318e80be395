package docs_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger"
)

var (
	outlined = regexp.MustCompile(`\]\((/docs/[^)]+)\.md\): (.+)`)
	hrefs    = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
)

// addressesOf returns the addresses of all pages, as /llms.txt lists them.
func addressesOf(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, match := range outlined.FindAllStringSubmatch(read(t, get(t, "/llms.txt").Body), -1) {
		list = append(list, strings.Replace(match[1], "/docs/index", "/docs", 1))
	}
	if len(list) < 30 {
		t.Fatalf("the outline lists %d pages", len(list))
	}
	return list
}

// TestEveryGuideIsListed finds each guide and each page on a third party in
// /llms.txt, in the navigation and in the search.
func TestEveryGuideIsListed(t *testing.T) {
	t.Parallel()
	listed := addressesOf(t)
	navigation := read(t, get(t, "/docs").Body)
	var entries []struct{ A, P, T, X string }
	if err := json.Unmarshal([]byte(read(t, get(t, "/docs/search.json").Body)), &entries); err != nil {
		t.Fatal(err)
	}
	searched, operations := map[string]bool{}, 0
	for _, e := range entries {
		address, _, _ := strings.Cut(e.A, "#")
		searched[address] = true
		if address == "/docs/reference" {
			operations++
		}
	}
	if operations < 40 {
		t.Errorf("the search has %d operations", operations)
	}
	for _, folder := range []string{"docs/guides", "docs/connecting"} {
		files, err := fs.ReadDir(docledger.Pages, folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			address := strings.TrimSuffix(strings.Replace("/"+folder+"/"+strings.TrimSuffix(file.Name(), ".md"), "/guides", "", 1), "/README")
			if !slices.Contains(listed, address) {
				t.Errorf("%s is not in the outline; add it to contents.go", address)
			}
		}
	}
	for _, address := range listed {
		if !strings.Contains(navigation, `<a href="`+address+`"`) || !searched[address] {
			t.Errorf("%s is not in the navigation or in the search", address)
		}
	}
}

// TestPagesOfTheSite follows every link of every page, and verifies the policy
// and the Markdown form.
func TestPagesOfTheSite(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{}
	for _, address := range addressesOf(t) {
		resp := get(t, address)
		body := read(t, resp.Body)
		bodies[address] = body
		policy := resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d, policy %s", address, resp.StatusCode, policy)
		}
		if again := get(t, address, "If-None-Match", resp.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %d", address, again.StatusCode)
		}
		if regexp.MustCompile(`<script>|<style|style="|onclick`).MatchString(body) {
			t.Errorf("%s has an inline script or style", address)
		}
		if strings.Count(body, "<h1") != 1 || !strings.Contains(body, `aria-current="page"`) {
			t.Errorf("%s has no single heading of level 1, or is not marked in the navigation", address)
		}
		source := get(t, strings.Replace(address+".md", "/docs.md", "/docs/index.md", 1))
		if text := read(t, source.Body); source.StatusCode != http.StatusOK || !strings.HasPrefix(text, "# ") || !strings.HasPrefix(source.Header.Get("Content-Type"), "text/markdown") {
			t.Errorf("%s as Markdown: %d %s", address, source.StatusCode, source.Header.Get("Content-Type"))
		}
	}
	for address, body := range bodies {
		for _, match := range hrefs.FindAllStringSubmatch(body, -1) {
			target, fragment, _ := strings.Cut(match[1], "#")
			switch {
			case target == "":
				target = address
			case strings.HasPrefix(target, "data:"), strings.HasPrefix(target, "https://"):
				continue
			case !strings.HasPrefix(target, "/"):
				t.Errorf("%s has the relative link %s", address, match[1])
				continue
			}
			if _, known := bodies[target]; !known {
				resp := get(t, target)
				if resp.StatusCode != http.StatusOK {
					t.Errorf("%s leads to %s, which returns %d", address, match[1], resp.StatusCode)
				}
				bodies[target] = ""
				continue
			}
			if fragment != "" && bodies[target] != "" && !strings.Contains(bodies[target], `id="`+fragment+`"`) {
				t.Errorf("%s leads to %s, which has no such section", address, match[1])
			}
		}
	}
}

// TestRawHTMLIsNotRendered verifies that no page has HTML of its source.
func TestRawHTMLIsNotRendered(t *testing.T) {
	t.Parallel()
	for _, address := range addressesOf(t) {
		if body := read(t, get(t, address).Body); strings.Contains(body, "<!-- raw HTML omitted -->") {
			t.Errorf("%s has raw HTML in its source, which is not shown", address)
		}
	}
}

// TestSiteIsSmall limits what the pages add to the program.
func TestSiteIsSmall(t *testing.T) {
	t.Parallel()
	total := 0
	err := fs.WalkDir(docledger.Pages, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += int(info.Size())
		return err
	})
	if err != nil || total > 900_000 {
		t.Errorf("the pages have %d bytes, %v", total, err)
	}
	if index := len(read(t, get(t, "/docs/search.json").Body)); index > 400_000 {
		t.Errorf("the index of the search has %d bytes", index)
	}
}
