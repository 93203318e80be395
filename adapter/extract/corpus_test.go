//go:build !race

// The race detector makes the compilation of the page engine take minutes.

package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"docledger/adapter/extract"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// corpus is the optional folder of the corpus next to the repository.
var corpus = filepath.Join("..", "..", "..", "shared", "corpus")

// record contains the known facts of a file in the corpus.
type record struct {
	File     string
	Category string
	Format   string
	Outcome  string
	Expected map[string]any
}

func records(t testing.TB) []record {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus, "expected.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("THE CORPUS IS ABSENT: none of its files was tested. Put it into %s.", corpus)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Files []record }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all.Files, func(r record) bool {
		return r.Category != "hybrid" && r.Category != "broken" && r.Category != "text-pdf"
	})
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{})
	for _, r := range records(t) {
		t.Run(r.File, func(t *testing.T) {
			t.Parallel()
			// A document that never ends must not end the whole run.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			result, err := p.Read(ctx, extraction.Source{Path: filepath.Join(corpus, r.File)})
			var failure *extraction.Failure
			if err != nil && !errors.As(err, &failure) {
				t.Fatalf("error = %v, want a failure of the document", err)
			}
			switch {
			case r.Outcome == "reject" || r.Outcome == "needs_ocr":
				if failure == nil || failure.Reason == extraction.NotAnInvoice {
					t.Errorf("failure = %v, want a reason", failure)
				}
			case r.Outcome == "not_an_invoice":
				if failure == nil || failure.Reason != extraction.NotAnInvoice {
					t.Errorf("failure = %v, want not_an_invoice", failure)
				}
			case failure == nil && result.Method == invoice.Text:
				rightOrFlagged(t, r.Expected, result)
			case failure == nil:
				compare(t, r.Expected, result)
			case r.Outcome != "extract_or_reject":
				t.Errorf("failure = %v, want an invoice", failure)
			}
		})
	}
}

// compare compares the identifying values of an invoice. The tests of the XML parsers
// compare all values.
func compare(t *testing.T, want map[string]any, r *extraction.Result) {
	t.Helper()
	if want == nil {
		return
	}
	c := r.Drafts[0].Content
	got := map[string]string{
		"invoice_number": c.Number,
		"issue_date":     c.IssueDate.String(),
		"currency":       c.Currency,
		"document_type":  strings.ToLower(string(c.Type)),
	}
	for field, value := range got {
		if stated, ok := want[field].(string); ok && stated != value && value != "" {
			t.Errorf("%s = %q, want %q", field, value, stated)
		}
	}
	if stated, ok := want["gross_total"].(string); ok && c.GrossTotal != nil {
		if total, err := money.Parse(stated); err != nil || !total.Abs().Equal(c.GrossTotal.Abs()) {
			t.Errorf("gross_total = %v, want %s", c.GrossTotal, stated)
		}
	}
	if lines, ok := want["line_count"].(float64); ok && int(lines) != len(c.Lines) {
		t.Errorf("%d lines, want %v", len(c.Lines), lines)
	}
}

// rightOrFlagged checks that each wrong value from a page has a confidence that
// requires a review.
func rightOrFlagged(t *testing.T, want map[string]any, r *extraction.Result) {
	t.Helper()
	d := r.Drafts[0]
	inv := &invoice.Invoice{Content: d.Content, Fields: d.Fields}
	for _, path := range []string{"invoice_number", "issue_date", "currency", "gross_total", "net_total", "tax_total"} {
		stated, ok := want[path].(string)
		got := invoice.Fields[path].Get(inv)
		if !ok || got == "" {
			continue
		}
		right := strings.TrimLeft(got, "#") == strings.TrimLeft(stated, "#")
		if a, err := money.Parse(stated); err == nil {
			b, err := money.Parse(got)
			right = right || err == nil && a.Abs().Equal(b.Abs())
		}
		const looked = 0.8 // the usual review threshold
		if !right && d.Fields[path].Confidence >= looked {
			t.Errorf("%s = %q with confidence %.2f, want %q", path, got, d.Fields[path].Confidence, stated)
		}
	}
}

func BenchmarkHybrid(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		benchmark(b, []string{store(b, pdfSample()).Path})
	})
	b.Run("corpus", func(b *testing.B) {
		var paths []string
		for _, r := range records(b) {
			if r.Category == "hybrid" {
				paths = append(paths, filepath.Join(corpus, r.File))
			}
		}
		benchmark(b, paths)
	})
}

// benchmark extracts documents with running children. It reports the CPU time of all
// processes and the peak memory of the largest child.
func benchmark(b *testing.B, paths []string) {
	p := extract.New(extract.Options{})
	read := func() {
		for _, path := range paths {
			if _, err := p.Read(b.Context(), extraction.Source{Path: path}); err != nil {
				b.Fatal(err)
			}
		}
	}
	read()
	before := processorTime()
	documents := 0
	for b.Loop() {
		read()
		documents += len(paths)
	}
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	// The time of a child is counted when it has ended, and includes its start.
	spent := processorTime() - before
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(documents), "cpu-ms/document")
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(children.Maxrss)/1024, "child-peak-MB")
}

func processorTime() time.Duration {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}
