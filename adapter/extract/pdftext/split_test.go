package pdftext_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/test/lib/generator"
)

// generated returns the pages of generated invoices with one to four pages.
func generated(seeds int) [][]layout.Page {
	var out [][]layout.Page
	for seed := range seeds {
		if pages := generator.New(uint64(seed), "").Words(); len(pages) <= 4 {
			out = append(out, pages)
		}
	}
	return out
}

// TestFilesOfSeveralInvoicesAreCut cuts 200 files with two to nine invoices of one to
// four pages each.
func TestFilesOfSeveralInvoicesAreCut(t *testing.T) {
	t.Parallel()
	pool := generated(600)
	var long [][]layout.Page
	for _, pages := range pool {
		if len(pages) > 1 {
			long = append(long, pages)
		}
	}
	const files = 200
	exact, merged := 0, 0
	for file := range files {
		r := rand.New(rand.NewPCG(uint64(file), 3)) //nolint:gosec // repeatable, not secret
		var all []layout.Page
		var want []int
		for range 2 + r.IntN(8) {
			pages := pool[r.IntN(len(pool))]
			if r.IntN(3) == 0 {
				pages = long[r.IntN(len(long))]
			}
			want = append(want, len(all))
			all = append(all, pages...)
		}
		for i := range all {
			all[i].Number = i + 1
		}
		got := pdftext.Split(all)
		if slices.Equal(got, want) {
			exact++
			continue
		}
		for _, start := range want {
			if !slices.Contains(got, start) {
				merged++
			}
		}
		t.Logf("file %d: cut at %v, want %v", file, got, want)
	}
	t.Logf("%d of %d files are cut exactly, %d invoices are merged", exact, files, merged)
	if 100*exact < 97*files || merged > 0 {
		t.Errorf("%d of %d files are cut exactly, %d invoices are merged", exact, files, merged)
	}
}

func TestOneInvoiceIsNotCut(t *testing.T) {
	t.Parallel()
	for seed := range 600 {
		d := generator.New(uint64(seed), "")
		if got := pdftext.Split(d.Words()); len(got) != 1 {
			t.Errorf("seed %d, layout %s: cut at %v", seed, d.Layout, got)
		}
	}
}

// sheetOf returns a page with one line for each text.
func sheetOf(lines ...string) layout.Page {
	p := layout.Page{Number: 1, Width: 595, Height: 842}
	for i, l := range lines {
		y := 0.05 + 0.02*float64(i)
		x := 0.1
		for _, w := range strings.Fields(l) {
			width := 0.012 * float64(len(w))
			p.Words = append(p.Words, layout.Word{Text: w, Box: layout.Box{x, y, x + width, y + 0.012}})
			x += width + 0.008
		}
	}
	return p
}

func TestEvidenceOfPages(t *testing.T) {
	t.Parallel()
	first := func(number, counter string) layout.Page {
		return sheetOf("Maple Tools Ltd", "INVOICE", "Invoice No: "+number, "Invoice date: 3 May 2024", "Steel bracket 2 20.00", "Total due: 120.00", counter)
	}
	next := func(counter string) layout.Page {
		return sheetOf("Terms of delivery", "Goods remain our property until they are paid.", "The courts of Toronto decide.", counter)
	}
	for name, c := range map[string]struct {
		pages []layout.Page
		want  []int
	}{
		"one page each":             {[]layout.Page{first("A-17", ""), first("A-18", "")}, []int{0, 1}},
		"terms stay":                {[]layout.Page{first("A-17", ""), next(""), first("A-18", ""), next("")}, []int{0, 2}},
		"counters":                  {[]layout.Page{first("A-17", "Page 1 of 2"), next("Page 2 of 2"), first("A-18", "Page 1 of 1")}, []int{0, 2}},
		"the same number continues": {[]layout.Page{first("A-17", ""), sheetOf("Maple Tools Ltd", "INVOICE", "Invoice No: A-17", "Carried forward 20.00", "Drill 1 80.00", "Total due: 100.00")}, []int{0}},
		"counters of the scanner":   {[]layout.Page{first("A-17", "Page 1 of 3"), first("A-18", "Page 2 of 3"), first("A-19", "Page 3 of 3")}, []int{0, 1, 2}},
		"empty pages":               {[]layout.Page{first("A-17", ""), {Number: 2, Width: 595, Height: 842}, first("A-18", "")}, []int{0, 2}},
		"a copy of the first page":  {[]layout.Page{first("A-17", ""), first("A-17", "")}, []int{0, 1}},
	} {
		for i := range c.pages {
			c.pages[i].Number = i + 1
		}
		if got := pdftext.Split(c.pages); !slices.Equal(got, c.want) {
			t.Errorf("%s: cut at %v, want %v", name, got, c.want)
		}
	}
}

// BenchmarkSplit measures a file of 300 pages.
func BenchmarkSplit(b *testing.B) {
	pool := generated(600)
	var all []layout.Page
	for i := 0; len(all) < 300; i++ {
		all = append(all, pool[i%len(pool)]...)
	}
	all = all[:300]
	for b.Loop() {
		pdftext.Split(all)
	}
}
