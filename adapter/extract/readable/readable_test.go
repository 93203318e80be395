package readable_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docledger/adapter/extract/content"
	"docledger/adapter/extract/readable"
	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

func amount(t *testing.T, s string) *money.Decimal {
	t.Helper()
	var d money.Decimal
	if err := d.UnmarshalText([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return &d
}

func sample(t *testing.T, lines int) readable.Document {
	t.Helper()
	date, err := calendar.Parse("2026-05-03")
	if err != nil {
		t.Fatal(err)
	}
	c := invoice.Content{
		Type: invoice.TypeInvoice, Number: "R-77", IssueDate: date, Currency: "EUR",
		Seller:     invoice.Party{Name: "Żółć Łódź Sp. z o.o. Ελλάς Россия", TaxID: "PL1234567890"},
		Buyer:      invoice.Party{Name: "Buyer 株式会社 😀"},
		Taxes:      []invoice.Tax{{Category: "S", Rate: amount(t, "19"), Base: amount(t, "100.00"), Amount: amount(t, "19.00")}},
		GrossTotal: amount(t, "119.00"), AmountDue: amount(t, "119.00"),
		Note: "Thank you.\nBye.",
	}
	for i := range lines {
		c.Lines = append(c.Lines, invoice.Line{Description: fmt.Sprintf("Item %d", i+1), Quantity: amount(t, "2"), Unit: "C62", UnitPrice: amount(t, "50.00"), NetAmount: amount(t, "100.00")})
	}
	return readable.Document{Format: "ubl", Invoices: []invoice.Content{c}}
}

func TestHTMLStatesTheData(t *testing.T) {
	t.Parallel()
	page, err := readable.HTML(sample(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Invoice R-77", "2026-05-03", "Żółć", "株式会社", "119.00 EUR", "Item 2", "50.00", "rendering of an electronic invoice (ubl)", "Thank you. Bye."} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestHTMLIsInert writes markup into every text.
func TestHTMLIsInert(t *testing.T) {
	t.Parallel()
	const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)><a href=javascript:alert(1)>{{.}}</style>`
	d := sample(t, 1)
	d.Format = attack
	c := &d.Invoices[0]
	c.Number, c.Note, c.Currency, c.TaxCurrency, c.PurchaseOrder, c.TypeCode = attack, attack, attack, attack, attack, attack
	c.Seller, c.Payment.Terms = invoice.Party{Name: attack, Email: attack, Address: invoice.Address{City: attack, Country: attack}}, attack
	c.Lines[0].Description, c.Lines[0].Unit = attack, attack
	c.Taxes[0].Category = attack
	c.TaxTotalInTaxCurrency = amount(t, "1")
	c.PrecedingInvoices = []invoice.Reference{{Number: attack}}
	c.AllowancesCharges = []invoice.AllowanceCharge{{Reason: attack}}
	page, err := readable.HTML(d)
	if err != nil {
		t.Fatal(err)
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	allowed := regexp.MustCompile(`^</?(html lang="en"|html|head|meta [^>]*|title|style|body|p|p class="notice"|h1|h2|div|div class="columns"|table|table class="pairs( totals)?"|tr|th|td|(td|th) class="(right)?")>$|^<!doctype html>$`)
	for _, tag := range tags.FindAllString(string(page), -1) {
		if !allowed.MatchString(tag) {
			t.Errorf("the page has %s", tag)
		}
	}
	if !strings.Contains(readable.Policy, "default-src 'none'") || !strings.Contains(string(page), "Content-Security-Policy") {
		t.Error("the page has no policy")
	}
	if _, err := readable.PDF(d); err != nil {
		t.Errorf("as PDF: %v", err)
	}
}

func TestRenderingsAreBounded(t *testing.T) {
	t.Parallel()
	d := sample(t, 2001)
	d.Invoices[0].Note = strings.Repeat("x", 1_000_000) + "\u202e\x00"
	d.Invoices[0].Lines[0].Description = strings.Repeat("W", 100_000)
	page, err := readable.HTML(d)
	if err != nil || len(page) > 1_000_000 || !strings.Contains(string(page), "1 more lines are in the electronic invoice") {
		t.Errorf("%d bytes, %v", len(page), err)
	}
	file, err := readable.PDF(d)
	if err != nil || len(file) > 3_000_000 {
		t.Errorf("as PDF %d bytes, %v", len(file), err)
	}
	again, err := readable.PDF(d)
	if err != nil || !bytes.Equal(file, again) {
		t.Error("the same document gives two files")
	}
	for range 100 {
		d.Invoices = append(d.Invoices, sample(t, 1).Invoices...)
	}
	if page, err = readable.HTML(d); err != nil || !strings.Contains(string(page), "51 more invoices") {
		t.Errorf("many invoices: %v", err)
	}
}

// TestCorpusIsRendered renders every electronic invoice of the corpus.
func TestCorpusIsRendered(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/corpus/*/*.xml")
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "TestCorpusIsRendered SKIPPED: ../shared/corpus is missing")
		fmt.Println("THE CORPUS IS ABSENT: none of its invoices was rendered.")
		t.Skip("the corpus is missing")
	}
	rendered := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		result, err := content.XML(t.Context(), data)
		if err != nil {
			continue
		}
		d := readable.Document{Format: result.Drafts[0].Format}
		for _, draft := range result.Drafts {
			d.Invoices = append(d.Invoices, draft.Content)
		}
		if _, err := readable.HTML(d); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		_, err = readable.PDF(d)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		rendered++
	}
	if rendered < 10 {
		t.Errorf("%d files were rendered", rendered)
	}
}
