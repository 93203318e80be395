package pdftext_test

import (
	"slices"
	"testing"

	"docledger/domain/invoice"
)

// Totals in a row below their labels end the lines, also if the labels have rates. Each tax has its rate.
func TestTotalsInARowBelowTheirLabels(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows  []string
		want  map[string]string
		taxes int
	}{
		"a rate": {
			[]string{"", "60@Net total|250@VAT 20 %|450@Total", "60@100.00|250@20.00|450@120.00"},
			map[string]string{"net_total": "100.00", "tax_total": "20.00", "gross_total": "120.00"}, 1,
		},
		"two rates": {
			[]string{"", "60@Net total|180@VAT 20 %|300@VAT 5 %|450@Total", "60@100.00|180@16.00|300@1.00|450@117.00"},
			map[string]string{"net_total": "100.00", "tax_total": "17.00", "gross_total": "117.00"}, 2,
		},
		"a charge": {
			[]string{"", "60@Shipping|180@Subtotal|300@VAT 10 %|450@Total", "60@10.00|180@110.00|300@11.00|450@121.00"},
			map[string]string{"net_total": "110.00", "tax_total": "11.00", "gross_total": "121.00"}, 1,
		},
		"no net total": {
			[]string{"", "60@VAT 20 %|450@Total due", "60@20.00|450@120.00"},
			map[string]string{"tax_total": "20.00", "gross_total": "120.00"}, 1,
		},
	} {
		d := read(t, withTotals(test.rows...)...)
		if n := len(d.Content.Lines); n != 2 {
			t.Errorf("%s: %d lines", name, n)
		}
		if n := len(d.Content.Taxes); n != test.taxes {
			t.Errorf("%s: %d taxes", name, n)
		}
		want(t, d, test.want)
	}
}

// A heading without a rate can have several rows of taxes.
func TestRowsOfTaxesBelowAHeading(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "60@Rate|180@Net amount|300@VAT|450@Total", "60@20 %|180@80.00|300@16.00|450@96.00", "60@5 %|180@20.00|300@1.00|450@21.00",
		"", "300@Net total|450@100.00", "300@VAT|450@17.00", "300@Total|450@117.00")...)
	want(t, d, map[string]string{"net_total": "100.00", "tax_total": "17.00", "gross_total": "117.00"})
}

// A heading such as "Net (EUR)" can be that of the price. The products of quantities and prices show it.
func TestProductsShowWhichColumnHasThePrices(t *testing.T) {
	t.Parallel()
	lines := append(slices.Clone(simple[:9]), "Description|250@Qty|330@Net|450@Amount",
		"Steel bracket|250@2|330@500.00|450@1,000.00", "Drill|250@1|330@8.00|450@8.00", "Nail|250@10|330@10.25|450@102.50",
		"", "330@Net total|450@£1,110.50", "330@VAT 20%|450@£222.10", "330@Total|450@£1,332.60")
	d := read(t, lines...)
	if len(d.Content.Lines) != 3 {
		t.Fatalf("%d lines", len(d.Content.Lines))
	}
	if l := d.Content.Lines[0]; invoice.Show(l.UnitPrice) != "500.00" || invoice.Show(l.NetAmount) != "1000.00" {
		t.Errorf("price %s, amount %s", invoice.Show(l.UnitPrice), invoice.Show(l.NetAmount))
	}
}
