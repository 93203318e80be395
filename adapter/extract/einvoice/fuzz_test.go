package einvoice_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/test/lib/cputime"
)

func FuzzUBL(f *testing.F)       { fuzzDialect(f, "ubl-*.xml") }
func FuzzCII(f *testing.F)       { fuzzDialect(f, "cii-*.xml") }
func FuzzZUGFeRD1(f *testing.F)  { fuzzDialect(f, "zugferd1*.xml") }
func FuzzFatturaPA(f *testing.F) { fuzzDialect(f, "fatturapa-*.xml") }
func FuzzFacturae(f *testing.F)  { fuzzDialect(f, "facturae*.xml") }
func FuzzKSeF(f *testing.F)      { fuzzDialect(f, "ksef-*.xml") }

// fuzzDialect changes the bytes, or one text, of the samples of a dialect. Parsing
// must end with an explained failure or with valid drafts.
func fuzzDialect(f *testing.F, pattern string) {
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	var samples [][]byte
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		samples = append(samples, data)
		f.Add(data, uint8(i), uint16(0), "")
		for at, value := range []string{"12,34", "-0.00", "2024-02-30", "381", "EUR", "<x/>", "&#x20AC;"} {
			f.Add([]byte(nil), uint8(i), uint16(at*5), value)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, sample uint8, at uint16, value string) {
		if len(data) == 0 {
			data = replaceText(samples[int(sample)%len(samples)], int(at), value)
		}
		var found *einvoice.Found
		var err error
		cputime.Within(t, len(data), func() { found, err = einvoice.Parse(t.Context(), data) })
		if err != nil {
			var failure *extraction.Failure
			if !errors.As(err, &failure) || failure.Message == "" || failure.Code() == "" {
				t.Fatalf("unexplained error %v", err)
			}
			return
		}
		if len(found.Drafts) == 0 {
			t.Fatal("neither drafts nor a failure")
		}
		for _, d := range found.Drafts {
			keepsPromises(t, d)
		}
	})
}

// FuzzTime checks that the time for a document that repeats any XML is proportional
// to its size.
func FuzzTime(f *testing.F) {
	for _, piece := range []string{"<a/>", "<cbc:Note>x</cbc:Note>", `<a b="1" c="2"/>`, "&lt;&#65;", "<![CDATA[<>]]>", `<p:a xmlns:p="u"/>`, "<a>"} {
		f.Add(piece, uint16(9000))
	}
	head := `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">`
	f.Fuzz(func(t *testing.T, piece string, times uint16) {
		if len(piece) > 500 {
			return
		}
		data := []byte(head + strings.Repeat(piece, int(times)) + "</Invoice>")
		cputime.Within(t, len(data), func() { einvoice.Parse(t.Context(), data) }) //nolint:errcheck // only the time matters
	})
}

// replaceText replaces one of the texts of a document by a value.
func replaceText(doc []byte, at int, value string) []byte {
	texts := leaf.FindAllSubmatchIndex(doc, -1)
	where := texts[at%len(texts)]
	return slices.Concat(doc[:where[2]], []byte(value), doc[where[3]:])
}

var leaf = regexp.MustCompile(`>([^<>]*)</`)

func keepsPromises(t *testing.T, d extraction.Draft) {
	t.Helper()
	c := d.Content
	for path, e := range d.Fields {
		if !utf8.ValidString(e.SourceText) || utf8.RuneCountInString(e.SourceText) > 200 {
			t.Errorf("evidence of %s: %q", path, e.SourceText)
		}
	}
	for path, total := range map[string]*money.Decimal{
		"net_total": c.NetTotal, "tax_total": c.TaxTotal, "gross_total": c.GrossTotal, "amount_due": c.AmountDue, "prepaid_total": c.PrepaidTotal,
	} {
		if total == nil {
			continue
		}
		if _, ok := d.Fields[path]; !ok {
			t.Errorf("%s has no evidence", path)
		}
		if total.Decimals() > money.MaxAmountScale {
			t.Errorf("%s is %s", path, total)
		}
	}
	if c.Number != "" && d.Fields["invoice_number"].SourceText == "" {
		t.Error("the number has no evidence")
	}
	for i, l := range c.Lines {
		if l.Position != i+1 {
			t.Errorf("line %d has position %d", i+1, l.Position)
		}
	}
	if c.Type == invoice.TypeCreditNote && c.GrossTotal != nil && c.GrossTotal.Sign() < 0 {
		t.Errorf("a credit note over %s", c.GrossTotal)
	}
	checks := checked(d)
	if c.Number == "" && invoice.StatusAfter(checks) != invoice.NeedsReview {
		t.Error("high confidence without a number")
	}
}
