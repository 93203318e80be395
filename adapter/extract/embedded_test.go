//go:build !race

package extract_test

import (
	"slices"
	"testing"

	"docledger/adapter/extract"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/domain/invoice"
)

// TestEmbeddedDataUnderAnyName checks that XML with any name is parsed. If it is
// unreadable, this is reported and the pages are extracted.
func TestEmbeddedDataUnderAnyName(t *testing.T) {
	t.Parallel()
	d, _ := generated(t)
	p := open(t, extract.Options{})
	for title, c := range map[string]struct {
		name, data string
		method     invoice.Method
		severity   invoice.Severity // of the failed check; "" for none
	}{
		"an invoice under another name": {"data-2026.bin", string(cii("A-1", "1.00")), invoice.Structured, ""},
		"a damaged invoice":             {"export.xml", string(cii("A-1", "1.00")[:500]), invoice.Text, invoice.Blocking},
		"a file that is not XML":        {"Invoice.XML", "%!PS rubbish", invoice.Text, invoice.Blocking},
		"XML of an unknown kind":        {"settings.xml", "<settings/>", invoice.Text, invoice.Warning},
		"a file of another type":        {"photo.jpg", "rubbish", invoice.Text, ""},
	} {
		data, _ := d.Hybrid(c.name, []byte(c.data))
		result, err := p.Read(t.Context(), store(t, data))
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		at := slices.IndexFunc(result.Checks, func(k invoice.Check) bool { return k.Rule == invoice.RuleEmbeddedReadable })
		if result.Method != c.method || (at >= 0) != (c.severity != "") || at >= 0 && (result.Checks[at].Passed || result.Checks[at].Severity != c.severity) {
			t.Errorf("%s: method %s, checks %+v", title, result.Method, result.Checks)
		}
	}
}

// portfolio returns a PDF with the content in embedded files.
func portfolio(cover string, names []string, files ...[]byte) []byte {
	b := pdftest.New()
	b.Catalog += " /Collection << /Type /Collection /View /D >>"
	b.Page(cover, "")
	var specs []int
	for i, name := range names {
		specs = append(specs, b.Embed(name, "", files[i]))
	}
	b.Names(specs...)
	return b.Table()
}

// TestPortfolios extracts the files of a portfolio: XML, PDFs with embedded invoices
// and printed invoices.
func TestPortfolios(t *testing.T) {
	t.Parallel()
	d, printed := generated(t)
	hybrid, _ := d.Hybrid("factur-x.xml", cii("H-1", "1.00"))
	cover := "This is a portfolio. Open it with a newer viewer."
	empty := pdftest.Hybrid("", nil)
	p := open(t, extract.Options{})
	for title, c := range map[string]struct {
		data   []byte
		number string
		method invoice.Method
	}{
		"a printed invoice":             {portfolio(cover, []string{"invoice.pdf"}, printed), d.Truth.Number, invoice.Text},
		"a hybrid invoice":              {portfolio(cover, []string{"invoice.pdf"}, hybrid), "H-1", invoice.Structured},
		"XML":                           {portfolio(cover, []string{"invoice.xml"}, cii("X-1", "1.00")), "X-1", invoice.Structured},
		"an invoice after another file": {portfolio(cover, []string{"empty.pdf", "invoice.pdf"}, empty, printed), d.Truth.Number, invoice.Text},
		"an invoice and a text file":    {portfolio(cover, []string{"readme.txt", "invoice.pdf"}, []byte("Hello"), hybrid), "H-1", invoice.Structured},
	} {
		result, err := p.Read(t.Context(), store(t, c.data))
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		if result.Drafts[0].Content.Number != c.number || result.Method != c.method || len(result.Attachments) == 0 {
			t.Errorf("%s: %s by %s, attachments %v", title, result.Drafts[0].Content.Number, result.Method, result.Attachments)
		}
	}
	damaged := portfolio(cover, []string{"factur-x.xml", "invoice.pdf"}, []byte("<rsm:CrossIndustryInvoice"), printed)
	result, err := p.Read(t.Context(), store(t, damaged))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(result.Checks, func(c invoice.Check) bool {
		return c.Rule == invoice.RuleEmbeddedReadable && !c.Passed && c.Severity == invoice.Blocking
	}) {
		t.Errorf("damaged data in a portfolio has the checks %v", result.Checks)
	}
	_, err = p.Read(t.Context(), store(t, portfolio(cover, []string{"empty.pdf"}, empty)))
	wantFailure(t, err, "no_text_layer")
	// A portfolio in a portfolio is ignored.
	nested := portfolio(cover, []string{"inner.pdf"}, portfolio(cover, []string{"invoice.pdf"}, printed))
	if _, err := p.Read(t.Context(), store(t, nested)); err == nil {
		t.Error("a portfolio in a portfolio was opened")
	}
}
