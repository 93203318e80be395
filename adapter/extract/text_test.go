//go:build !race

package extract_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/domain/invoice"
	"docledger/test/lib/generator"
)

func TestPDFsWithoutUsableDataAndText(t *testing.T) {
	t.Parallel()
	bomb := pdftest.Hybrid("", []string{"factur-x.xml"}, append([]byte("<a>"), make([]byte, 40<<20)...))
	cases := map[string]struct {
		data []byte
		code string
	}{
		"PDF with text alone":        {pdftest.Hybrid("Invoice 1", nil), "no_text_layer"},
		"PDF without text":           {pdftest.Hybrid("", nil), "no_text_layer"},
		"PDF with some other XML":    {pdftest.Hybrid("", []string{"settings.xml"}, []byte("<settings/>")), "no_text_layer"},
		"PDF with broken other XML":  {pdftest.Hybrid("", []string{"settings.xml"}, []byte("<settings>")), "no_text_layer"},
		"PDF with an entity":         {pdftest.Hybrid("", []string{"factur-x.xml"}, xxe()), "entity_declaration"},
		"PDF with a cut off invoice": {pdftest.Hybrid("", []string{"factur-x.xml"}, cii("1", "1.00")[:500]), "truncated"},
		"PDF with a bomb":            {bomb, "expands_too_far"},
	}
	p := open(t, extract.Options{})
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			_, err := p.Read(t.Context(), store(t, c.data))
			wantFailure(t, err, c.code)
		})
	}
}

// generated returns the first generated document that can be printed.
func generated(t *testing.T) (*generator.Document, []byte) {
	t.Helper()
	for seed := uint64(1); ; seed++ {
		d := generator.New(seed, generator.None)
		if data, ok := d.PDF(); ok {
			return d, data
		}
	}
}

func TestPagesAreExtractedWithoutEmbeddedData(t *testing.T) {
	t.Parallel()
	d, data := generated(t)
	p := open(t, extract.Options{CacheDir: t.TempDir()})
	if err := p.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := p.Read(t.Context(), store(t, data))
	if err != nil {
		t.Fatal(err)
	}
	c := result.Drafts[0].Content
	if result.Method != invoice.Text || result.EngineVersion != extract.EngineVersion || result.PageCount != len(d.Pages) {
		t.Errorf("result = %+v", result)
	}
	if c.Number != d.Truth.Number || c.GrossTotal == nil || !c.GrossTotal.Equal(d.Truth.Gross) {
		t.Errorf("number %q and total %v, want %q and %s", c.Number, c.GrossTotal, d.Truth.Number, d.Truth.Gross)
	}
	e := result.Drafts[0].Fields["gross_total"]
	if e.Source != invoice.FromText || e.Page == 0 || e.Box == nil || e.SourceText == "" {
		t.Errorf("evidence = %+v", e)
	}
}

func TestDamagedDataIsReported(t *testing.T) {
	t.Parallel()
	d, _ := generated(t)
	data, _ := d.Hybrid("factur-x.xml", []byte("<rsm:CrossIndustryInvoice"))
	p := open(t, extract.Options{})
	result, err := p.Read(t.Context(), store(t, data))
	if err != nil {
		t.Fatal(err)
	}
	failed := false
	for _, c := range result.Checks {
		failed = failed || c.Rule == invoice.RuleEmbeddedReadable && !c.Passed && c.Severity == invoice.Blocking
	}
	if result.Method != invoice.Text || !failed {
		t.Errorf("method %s, checks %+v", result.Method, result.Checks)
	}
}

func TestPagesAreComparedWithEmbeddedData(t *testing.T) {
	t.Parallel()
	d, _ := generated(t)
	p := open(t, extract.Options{ComparePages: true})
	for number, agrees := range map[string]bool{d.Truth.Number: true, "OTHER-77": false} {
		file := bytes.ReplaceAll(cii(number, d.Truth.Gross.String()), []byte("20260504"), []byte(strings.ReplaceAll(d.Truth.IssueDate.String(), "-", "")))
		data, _ := d.Hybrid("factur-x.xml", file)
		result, err := p.Read(t.Context(), store(t, data))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(result.Checks, func(c invoice.Check) bool { return c.Rule == invoice.RulePageAgrees })
		if at < 0 || result.Checks[at].Passed != agrees || result.Checks[at].Severity != invoice.Warning {
			t.Errorf("number %s: checks %+v", number, result.Checks)
		}
	}
}

// TestGeneratedPDFs extracts generated documents with the real engine. The words must
// equal those of the generator.
func TestGeneratedPDFs(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{})
	read := 0
	for seed := uint64(0); read < 30; seed++ {
		d := generator.New(seed, generator.None)
		data, ok := d.PDF()
		if !ok {
			continue
		}
		read++
		result, err := p.Read(t.Context(), store(t, data))
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		c := result.Drafts[0].Content
		if c.Number != d.Truth.Number || c.IssueDate != d.Truth.IssueDate || c.Currency != d.Truth.Currency || c.GrossTotal == nil || !c.GrossTotal.Equal(d.Truth.Gross.Abs()) {
			t.Errorf("seed %d %s: %q %s %s %v, want %q %s %s %s", seed, d.Locale.Name, c.Number, c.IssueDate, c.Currency, c.GrossTotal,
				d.Truth.Number, d.Truth.IssueDate, d.Truth.Currency, d.Truth.Gross)
		}
		if len(c.Lines) != len(d.Truth.Lines) {
			t.Errorf("seed %d %s: %d lines, want %d", seed, d.Locale.Name, len(c.Lines), len(d.Truth.Lines))
		}
	}
}
