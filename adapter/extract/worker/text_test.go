//go:build !race

// Compiling the PDF engine under the race detector takes minutes and gigabytes,
// and the engine runs in a process of its own: nothing could race with it.

package worker_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// printed is a document with one page per content stream; extra holds further
// entries of each page.
func printed(extra string, contents ...string) []byte {
	b := pdftest.New()
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	tree := b.Reserve()
	var kids strings.Builder
	for _, c := range contents {
		stream := b.Stream("", []byte(c))
		fmt.Fprintf(&kids, "%d 0 R ", b.Add("<< /Type /Page /Parent %d 0 R /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R %s >>", tree, font, stream, extra))
	}
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(contents)))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}

func texts(page layout.Page) string {
	var out []string
	for _, w := range page.Words {
		out = append(out, w.Text)
	}
	return strings.Join(out, "|")
}

// twoCells is what a page of 500 by 1000 points prints: one line, two cells.
const (
	twoCells = "BT /F1 10 Tf 100 700 Td (Total due) Tj 300 0 Td (EUR 119.00) Tj ET"
	mediaBox = "/MediaBox [0 0 500 1000]"
)

// openEngine starts the PDF engine in this process: what it reads is tested
// here, and how children run it elsewhere.
func openEngine(t *testing.T) *worker.Engine {
	t.Helper()
	if err := open(t, worker.Config{Size: 1}).Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := worker.OpenEngine("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() }) //nolint:errcheck // the test has ended
	return e
}

func pagesOf(t *testing.T, data []byte, o worker.TextOptions) []layout.Page {
	t.Helper()
	pages, err := openEngine(t).Text(store(t, "text.pdf", data), o)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestWordsAndBoxes(t *testing.T) {
	t.Parallel()
	pages := pagesOf(t, printed(mediaBox, twoCells), worker.TextOptions{})
	page := pages[0]
	if len(pages) != 1 || page.Number != 1 || page.Width != 500 || page.Height != 1000 || page.Rotation != 0 {
		t.Fatalf("pages = %+v", pages)
	}
	if got := texts(page); got != "Total|due|EUR|119.00" {
		t.Errorf("words = %q", got)
	}
	wantBox(t, page.Words[0].Box, layout.Box{0.2, 0.29, 0.245, 0.30})
	wantBox(t, page.Words[2].Box, layout.Box{0.8, 0.29, 0.84, 0.30})
}

func TestRotatedPage(t *testing.T) {
	t.Parallel()
	page := pagesOf(t, printed(mediaBox+" /Rotate 90", twoCells), worker.TextOptions{})[0]
	if page.Rotation != 90 || page.Width != 1000 || page.Height != 500 {
		t.Errorf("page = %+v", page)
	}
	if got := texts(page); got != "Total|due|EUR|119.00" {
		t.Errorf("words = %q", got)
	}
	// After a clockwise turn, a point at 100, 700 is 700 from the left and 100 from the top.
	wantBox(t, page.Words[0].Box, layout.Box{0.70, 0.2, 0.71, 0.245})
}

func TestCroppedPage(t *testing.T) {
	t.Parallel()
	page := pagesOf(t, printed(mediaBox+" /CropBox [100 600 500 800]", twoCells), worker.TextOptions{})[0]
	if page.Width != 400 || page.Height != 200 {
		t.Errorf("page = %+v", page)
	}
	wantBox(t, page.Words[0].Box, layout.Box{0, 0.465, 0.055, 0.5})
}

func TestTextLimits(t *testing.T) {
	t.Parallel()
	data := printed(mediaBox, twoCells, "", twoCells, twoCells)
	if got := pagesOf(t, data, worker.TextOptions{Pages: 2}); len(got) != 2 || len(got[1].Words) != 0 {
		t.Errorf("two pages: %+v", got)
	}
	if got := pagesOf(t, data, worker.TextOptions{Words: 5}); len(got) != 3 {
		t.Errorf("five words took %d pages", len(got))
	}
}

func TestTextOfEncryptedDocuments(t *testing.T) {
	t.Parallel()
	p := openEngine(t)
	for name, want := range map[string]extraction.Reason{"password-r6.pdf": extraction.Encrypted, "aes-256-r6.pdf": "", "rc4-40-r2.pdf": ""} {
		pages, err := p.Text(filepath.Join("..", "pdf", "testdata", name), worker.TextOptions{})
		if want != "" {
			wantReason(t, err, want)
			continue
		}
		if err != nil || texts(pages[0]) != "Invoice|SECRET-1" {
			t.Errorf("%s: %+v, %v", name, pages, err)
		}
	}
}

func TestTextOfNoPDF(t *testing.T) {
	t.Parallel()
	_, err := openEngine(t).Text(store(t, "x.pdf", []byte("hello")), worker.TextOptions{})
	wantReason(t, err, extraction.Malformed)
}

func TestTextAfterABomb(t *testing.T) {
	t.Parallel()
	p := openEngine(t)
	bomb := bytes.Repeat([]byte("BT (x) Tj ET "), 24<<20)
	b := pdftest.New()
	b.Page("", fmt.Sprintf("/Contents %d 0 R", b.Stream("/Filter /FlateDecode", pdftest.Deflate(bomb))))
	if pages, err := p.Text(store(t, "bomb.pdf", b.Table()), worker.TextOptions{}); err == nil && len(pages[0].Words) > 0 {
		t.Errorf("the bomb has words: %d", len(pages[0].Words))
	}
	pages, err := p.Text(store(t, "good.pdf", printed(mediaBox, twoCells)), worker.TextOptions{})
	if err != nil || texts(pages[0]) != "Total|due|EUR|119.00" {
		t.Errorf("after a bomb: %+v, %v", pages, err)
	}
}

// TestNothingRemains reads documents with one engine: a document finds nothing of
// the one before it, and its words do not depend on it.
func TestNothingRemains(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	// The comments fill more memory than the engine uses at its start.
	comments := strings.Repeat("% MARKER-OF-THE-FIRST\n", 100_000)
	secret := store(t, "secret.pdf", printed(mediaBox, comments+"BT /F1 10 Tf 100 700 Td (MARKER-OF-THE-FIRST) Tj ET"))
	plain := store(t, "plain.pdf", printed(mediaBox+" /Rotate 90", twoCells, twoCells))
	first, err := e.Text(plain, worker.TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if pages, err := e.Text(secret, worker.TextOptions{}); err != nil || texts(pages[0]) != "MARKER-OF-THE-FIRST" {
			t.Fatalf("pages = %+v, %v", pages, err)
		}
		found, kept := e.Holds("MARKER-OF-THE-FIRST")
		if found || kept != worker.Kept {
			t.Fatalf("the memory holds the document: %t; an instance is kept: %t, want %t", found, kept, worker.Kept)
		}
		if again, err := e.Text(plain, worker.TextOptions{}); err != nil || !reflect.DeepEqual(again, first) {
			t.Fatalf("pages = %+v, %v, want %+v", again, err, first)
		}
		if err := e.Render(plain); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTextOfALargeDocument reads a document that the engine gets in parts.
func TestTextOfALargeDocument(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	data := printed(mediaBox, twoCells)
	large := append(append([]byte("%PDF-1.7\n%"), bytes.Repeat([]byte("x"), 9<<20)...), '\n')
	for range 2 {
		pages, err := e.Text(store(t, "large.pdf", append(large, data...)), worker.TextOptions{})
		if err != nil || texts(pages[0]) != "Total|due|EUR|119.00" {
			t.Fatalf("pages = %+v, %v", pages, err)
		}
	}
}

// wantBox compares boxes to within three points of 1000.
func wantBox(t *testing.T, got, want layout.Box) {
	t.Helper()
	for i := range got {
		if math.Abs(got[i]-want[i]) > 0.006 {
			t.Errorf("box = %v, want about %v", got, want)
			return
		}
	}
}

func TestCacheIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // what must be refused
		t.Fatal(err)
	}
	p := open(t, worker.Config{CacheDir: dir})
	if err := p.Prewarm(t.Context()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error = %v, want a refusal of %s", err, dir)
	}
}
