//go:build linux && !race

package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"
)

// shaded is a PDF without text. Its pages share a content that fills the page
// with a computed color, repeatedly.
func shaded(pages, times int) []byte {
	b := pdftest.New()
	compute := b.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]", []byte("{ 2 copy mul sin exch cos 3 1 roll add }"))
	shading := b.Add("<< /ShadingType 1 /ColorSpace /DeviceRGB /Domain [0 1 0 1] /Matrix [600 0 0 800 0 0] /Function %d 0 R >>", compute)
	content := b.Stream("", []byte(strings.Repeat("/S sh\n", times)))
	tree := b.Reserve()
	var kids strings.Builder
	for range pages {
		page := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 600 800] /Contents %d 0 R /Resources << /Shading << /S %d 0 R >> >> >>", tree, content, shading)
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}

// TestSlowPagesEndTheirDocument checks that pages just under the limit of a page
// end their document, and that ordinary pages and slow scans do not.
func TestSlowPagesEndTheirDocument(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{})
	const blank = 100 * time.Millisecond
	for _, tt := range []struct {
		what              string
		render, recognize time.Duration
		ends              bool
	}{
		{"ordinary", 300 * time.Millisecond, 5 * time.Second, true},
		{"JPEG of 600 dpi", 1600 * time.Millisecond, 8 * time.Second, true},
		{"slow to render", p.RenderCPU() - blank, blank, false},
		{"slow to recognize", blank, 19 * time.Second, false},
		{"beyond the limit of a page", 19 * time.Second, blank, false},
	} {
		pages, took := p.Pages(tt.render, tt.recognize)
		if ends := pages == 100; ends != tt.ends {
			t.Errorf("%s: %d pages are read", tt.what, pages)
		}
		if !tt.ends && took > 150*time.Second {
			t.Errorf("%s: the document takes %v", tt.what, took)
		}
	}
	// A longer deadline is for a slow machine, where each page takes longer.
	slow := open(t, worker.Config{Deadline: 16 * time.Second})
	if pages, _ := slow.Pages(time.Second, 12*time.Second); pages != 100 {
		t.Errorf("on a slow machine %d pages are read", pages)
	}
}

// TestSlowPageIsNotRenderedToItsEnd checks that the first page that exceeds its
// limit ends the document. It does not run in parallel, because it measures all
// child processes.
func TestSlowPageIsNotRenderedToItsEnd(t *testing.T) {
	p := open(t, worker.Config{Deadline: time.Second})
	if err := p.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := store(t, "shaded.pdf", shaded(3, 2000))
	before := cputime.Children()
	_, err := p.Scan(t.Context(), p, worker.Document{Path: path}, true)
	wantReason(t, err, extraction.TimedOut)
	took := cputime.Children() - before
	t.Logf("CPU time %v", took)
	if took > 2*p.RenderCPU() {
		t.Errorf("the CPU time is %v, of one page %v", took, p.RenderCPU())
	}
}

func TestRenderingOfADocumentIsLimited(t *testing.T) {
	t.Parallel()
	p := open(t, worker.Config{})
	p.UseUp(0)
	path := store(t, "shaded.pdf", shaded(1, 1))
	_, err := p.Scan(t.Context(), p, worker.Document{Path: path}, true)
	wantReason(t, err, extraction.TimedOut)
}
