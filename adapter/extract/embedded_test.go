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

// TestSeveralEmbeddedFiles checks what is extracted if some of the embedded files are
// damaged or other documents.
func TestSeveralEmbeddedFiles(t *testing.T) {
	t.Parallel()
	d, _ := generated(t)
	p := open(t, extract.Options{})
	valid, damaged, order := cii("A-1", "1.00"), cii("A-2", "1.00")[:500], orderX()
	type file struct {
		name string
		data []byte
	}
	for title, c := range map[string]struct {
		files    []file
		method   invoice.Method   // "" if the document is refused as an order
		severity invoice.Severity // of the failed check; "" for none
	}{
		"damaged data under a standard name and an invoice": {[]file{{"factur-x.xml", damaged}, {"other.xml", valid}}, invoice.Structured, invoice.Blocking},
		"the same in another order":                         {[]file{{"other.xml", valid}, {"ZUGFeRD-invoice.xml", damaged}}, invoice.Structured, invoice.Blocking},
		"other XML under a standard name and an invoice":    {[]file{{"factur-x.xml", []byte("<settings/>")}, {"other.xml", valid}}, invoice.Structured, invoice.Warning},
		"damaged data under another name and an invoice":    {[]file{{"factur-x.xml", valid}, {"other.xml", damaged}}, invoice.Structured, ""},
		"an order and an invoice":                           {[]file{{"order-x.xml", order}, {"factur-x.xml", valid}}, invoice.Structured, ""},
		"an order under another name":                       {[]file{{"attachment.xml", order}}, invoice.Text, invoice.Warning},
		"an order and damaged data":                         {[]file{{"attachment.xml", order}, {"factur-x.xml", damaged}}, invoice.Text, invoice.Blocking},
		"an order under the name of an order":               {[]file{{"Order-X.xml", order}}, "", ""},
		"an order under the name of an invoice":             {[]file{{"factur-x.xml", order}}, "", ""},
		"orders under both kinds of names":                  {[]file{{"attachment.xml", order}, {"order-x.xml", order}}, "", ""},
	} {
		var names []string
		var data [][]byte
		for _, f := range c.files {
			names, data = append(names, f.name), append(data, f.data)
		}
		document, _ := d.HybridOf(names, data)
		result, err := p.Read(t.Context(), store(t, document))
		if c.method == "" {
			if err == nil {
				t.Errorf("%s: extracted by %s", title, result.Method)
			} else {
				wantFailure(t, err, "order")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		at := slices.IndexFunc(result.Checks, func(k invoice.Check) bool { return k.Rule == invoice.RuleEmbeddedReadable })
		if result.Method != c.method || (at >= 0) != (c.severity != "") || at >= 0 && (result.Checks[at].Passed || result.Checks[at].Severity != c.severity) {
			t.Errorf("%s: method %s, checks %+v", title, result.Method, result.Checks)
		}
	}
	// Neither the pages nor another file of a portfolio give an invoice.
	for title, data := range map[string][]byte{
		"no text":             pdftest.Hybrid("", []string{"attachment.xml"}, order),
		"no invoice":          pdftest.Hybrid("Good morning", []string{"attachment.xml"}, order),
		"an empty portfolio":  portfolio("", []string{"attachment.xml", "empty.pdf"}, order, pdftest.Hybrid("", nil)),
		"the name of a quote": pdftest.Hybrid("", []string{"quote.xml"}, order),
	} {
		if _, err := p.Read(t.Context(), store(t, data)); err == nil {
			t.Errorf("%s: extracted", title)
		} else {
			wantFailure(t, err, "order")
		}
	}
	_, printed := generated(t)
	result, err := p.Read(t.Context(), store(t, portfolio("", []string{"attachment.xml", "invoice.pdf"}, order, printed)))
	if err != nil || result.Drafts[0].Content.Number != d.Truth.Number {
		t.Errorf("an order and an invoice in a portfolio: %+v, %v", result, err)
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
