package pdftext_test

import (
	"slices"
	"strings"
	"testing"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// withTotals replaces the totals of the simple invoice.
func withTotals(lines ...string) []string {
	at := slices.Index(simple, "Drill|250@1|330@80.00|450@80.00") + 1
	return append(slices.Clone(simple[:at]), lines...)
}

func prepaid(d *extraction.Draft) string { return invoice.Show(d.Content.PrepaidTotal) }

func TestPaymentsOfAFinalInvoiceAddUp(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00", "",
		"300@Part 1|445@-30.50", "300@Part 2|445@-40.25", "300@Amount due|450@49.25")...)
	want(t, d, map[string]string{"gross_total": "120.00", "amount_due": "49.25"})
	if prepaid(d) != "70.75" {
		t.Errorf("prepaid %s", prepaid(d))
	}
}

func TestARoundedTotalIsTheAmountDue(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Net total|450@100.00", "300@VAT 20.02%|450@20.02", "300@Total|450@120.02", "300@Rounding|450@-0.02", "300@Total|450@120.00")...)
	want(t, d, map[string]string{"gross_total": "120.02", "amount_due": "120.00"})
	if got := invoice.Show(d.Content.PayableRounding); got != "-0.02" {
		t.Errorf("rounding %s", got)
	}
}

func TestAnAmountDueBeforeAPaymentIsDoubtful(t *testing.T) {
	t.Parallel()
	totals := []string{"", "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00", "300@Amount due|450@120.00"}
	sure := read(t, withTotals(totals...)...).Fields["amount_due"].Confidence
	paid := read(t, withTotals(append(totals, "300@Amount paid|450@50.00")...)...).Fields["amount_due"].Confidence
	if sure < 0.8 || paid >= 0.8 {
		t.Errorf("confidence %v without a payment, %v with one", sure, paid)
	}
}

// The words for a payment and for what remains are many. The rows below the gross total add up.
func TestPaymentsWithUnknownLabelsReduceTheTotal(t *testing.T) {
	t.Parallel()
	net := []string{"", "300@Net total|450@100.00", "300@VAT 20%|450@20.00"}
	for name, test := range map[string]struct {
		rows      []string
		due, paid string
		sure      bool
	}{
		"minus sign":          {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Corge|450@100.00"}, "100.00", "20.00", true},
		"several payments":    {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Grault|445@-30.00", "300@Corge|450@70.00"}, "70.00", "50.00", true},
		"label of a payment":  {[]string{"300@Total|450@120.00", "300@Amount paid|450@50.00", "300@Corge|450@70.00"}, "70.00", "50.00", true},
		"total to pay":        {[]string{"300@Amount due|450@120.00", "300@Quux|445@-20.00", "300@Corge|450@100.00"}, "100.00", "20.00", true},
		"a second payment":    {[]string{"300@Total|450@120.00", "300@Quux|445@-60.00", "300@Paid by card|450@60.00"}, "", "", false},
		"a net total":         {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Net amount|450@100.00"}, "", "", false},
		"an early payment":    {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Corge 10 May 2024|450@100.00"}, "100.00", "20.00", false},
		"after a payment":     {[]string{"300@Total|450@120.00", "300@Quux|445@-60.00", "300@Corge after deposit|450@60.00"}, "60.00", "60.00", true},
		"another amount due":  {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Corge|450@100.00", "", "", "", "", "300@Amount due|450@33.00"}, "100.00", "20.00", false},
		"no sign and label":   {[]string{"300@Total|450@120.00", "300@Quux|450@20.00", "300@Corge|450@100.00"}, "", "", false},
		"a discount":          {[]string{"300@Total|450@120.00", "300@Discount|445@-20.00", "300@Corge|450@100.00"}, "", "", false},
		"a percentage":        {[]string{"300@Total|450@120.00", "300@Quux 2%|450@-2.40", "300@Corge|450@117.60"}, "", "", false},
		"another remainder":   {[]string{"300@Total|450@120.00", "300@Quux|445@-20.00", "300@Corge|450@90.00"}, "", "", false},
		"far below the total": {[]string{"300@Total|450@120.00", "", "", "", "", "", "300@Quux|445@-20.00", "300@Corge|450@100.00"}, "", "", false},
	} {
		d := read(t, withTotals(append(net, test.rows...)...)...)
		confidence := d.Fields["amount_due"].Confidence
		if due := invoice.Show(d.Content.AmountDue); due != test.due || prepaid(d) != test.paid || test.due != "" && test.sure != (confidence >= 0.8) {
			t.Errorf("%s: due %q, prepaid %q, confidence %v", name, due, prepaid(d), confidence)
		}
	}
}

func TestANetTotalThatIsNotPrintedIsComputed(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Subtotal|450@100.00", "300@Shipping|450@10.00", "300@Sales tax 10%|450@11.00", "300@Total|450@121.00")...)
	want(t, d, map[string]string{"net_total": "110.00", "tax_total": "11.00", "gross_total": "121.00"})
	if source := d.Fields["net_total"].Source; source != invoice.Computed {
		t.Errorf("the source of the net total is %s", source)
	}
}

func TestATaxOfTheLinesAloneHasTheirBase(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Subtotal|450@100.00", "300@Shipping|450@7.50", "300@Sales tax 8.25%|450@8.25", "300@Total|450@115.75")...)
	want(t, d, map[string]string{"net_total": "107.50", "tax_total": "8.25"})
	if len(d.Content.Taxes) != 1 || invoice.Show(d.Content.Taxes[0].Base) != "100.00" {
		t.Errorf("taxes %+v", d.Content.Taxes)
	}
}

func TestAChargeIsNoTax(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Subtotal|450@100.00", "300@Shipping|450@10.00", "300@Total|450@110.00")...)
	want(t, d, map[string]string{"tax_total": "", "gross_total": "110.00"})
}

func TestACodeOfARateIsNoRate(t *testing.T) {
	t.Parallel()
	lines := slices.Clone(simple)
	for i, l := range lines {
		switch l {
		case "Description|250@Qty|330@Unit price|450@Amount":
			lines[i] = l + "|520@VAT"
		case "Steel bracket|250@2|330@10.00|450@20.00", "Drill|250@1|330@80.00|450@80.00":
			lines[i] = l + "|520@1"
		}
	}
	d := read(t, lines...)
	for _, l := range d.Content.Lines {
		if l.TaxRate != nil {
			t.Errorf("%s has the rate %s", l.Description, l.TaxRate)
		}
	}
}

func TestTermsOfADiscountAreNoAmountDue(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Netto|450@100,00", "300@MwSt 20 %|450@20,00", "300@Rechnungsbetrag EUR|450@120,00", "",
		"50@2 % Skonto bei Zahlung bis 13.06.2026: 2,40 EUR, Zahlbetrag 117,60 EUR")...)
	if due := invoice.Show(d.Content.AmountDue); due == "117.60" {
		t.Error("the amount after a discount is the amount due")
	}
	if d.Content.DueDate.String() == "2026-06-13" {
		t.Error("the date of a discount is the due date")
	}
}

func TestAPersonAboveACompanyIsADoubtfulBuyer(t *testing.T) {
	t.Parallel()
	lines := with(6, "Hayley Cashman|350@Invoice date: 3 May 2024")
	lines = slices.Insert(slices.Clone(lines), 7, "Granite and Daughters")
	if e := read(t, lines...).Fields["buyer.name"]; e.Confidence >= 0.8 {
		t.Errorf("the buyer has the confidence %v", e.Confidence)
	}
}

// A person below a company may be its contact, but a company with a legal form is no contact.
func TestACompanyWithALegalFormIsNoContact(t *testing.T) {
	t.Parallel()
	buyer := slices.IndexFunc(simple, func(l string) bool { return strings.HasPrefix(l, "Granite") })
	withPerson := func(name string) float64 {
		lines := slices.Clone(simple)
		lines[buyer] = strings.ReplaceAll(lines[buyer], "Granite plc", name)
		d := read(t, slices.Insert(lines, buyer+1, "Gareth Whitcombe|350@Terms: 30 days")...)
		return d.Fields["buyer.name"].Confidence
	}
	if company, other := withPerson("Granite plc"), withPerson("Granite Works"); company < 0.8 || other >= 0.8 {
		t.Errorf("confidence %v of a company, %v of another name", company, other)
	}
}

// A former balance with a payment of the same amount below it is not the amount due.
func TestASettledBalanceIsNotDue(t *testing.T) {
	t.Parallel()
	rows := []string{"", "300@Balance|450@70.00", "300@Quux|445@-70.00", "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00"}
	d := read(t, withTotals(rows...)...)
	want(t, d, map[string]string{"gross_total": "120.00", "amount_due": ""})
	rows[2] = "300@Quux|445@-40.00"
	d = read(t, withTotals(rows...)...)
	if d.Content.AmountDue != nil && d.Fields["amount_due"].Confidence >= 0.8 {
		t.Errorf("the amount due %s is sure", d.Content.AmountDue)
	}
}
