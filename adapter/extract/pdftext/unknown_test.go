package pdftext_test

import (
	"slices"
	"testing"

	"docledger/domain/invoice"
)

// "Transport" is the label of a sum carried over in some languages, and goods in others.
func TestTransportBetweenLinesIsALine(t *testing.T) {
	t.Parallel()
	at := slices.Index(simple, "Drill|250@1|330@80.00|450@80.00")
	lines := slices.Insert(slices.Clone(simple), at, "Transport|450@15.00")
	lines[at+3] = "330@Net total|450@£115.00"
	d := read(t, lines...)
	if len(d.Content.Lines) != 3 {
		t.Errorf("%d lines", len(d.Content.Lines))
	}
	lines = slices.Insert(slices.Clone(simple), at, "Transport|450@20.00")
	if d := read(t, lines...); len(d.Content.Lines) != 2 {
		t.Errorf("a sum carried over is a line: %d lines", len(d.Content.Lines))
	}
}

// Before the first line, only a word that also names goods is a line: the other lines are on
// another page.
func TestSumsBroughtForwardAreNoLines(t *testing.T) {
	t.Parallel()
	at := slices.Index(simple, "Steel bracket|250@2|330@10.00|450@20.00")
	for text, want := range map[string]int{"Brought forward": 2, "Transport": 3} {
		lines := slices.Insert(slices.Clone(simple), at, text+"|450@500.00")
		lines[at+4] = "330@Net total|450@£600.00"
		if d := read(t, lines...); len(d.Content.Lines) != want {
			t.Errorf("%s: %d lines, want %d", text, len(d.Content.Lines), want)
		}
	}
}

// A charge with an unknown label is no tax of an invoice without tax.
func TestUnknownChargesAreNoTaxes(t *testing.T) {
	t.Parallel()
	d := read(t, withTotals("", "300@Sum|450@100.00", "300@Botengang|450@5.00", "300@Total|450@105.00")...)
	if e := d.Fields["tax_total"]; d.Content.TaxTotal != nil && e.Confidence >= 0.8 {
		t.Errorf("the tax is %s with %.2f", d.Content.TaxTotal, e.Confidence)
	}
}

// A net total that has another label is stated if the gross total less the tax is printed below
// the lines.
func TestNetTotalsWithOtherLabelsAreStated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		below []string
		net   string
	}{
		"printed":     {[]string{"300@SUBSTOTAL LESS DISCOUNT|450@80", "300@TAX RATE|450@3.00%", "300@TOTAL TAX|450@2.40", "300@BALANCE DUE|450@$82.40"}, "80.00"},
		"not printed": {[]string{"300@TAX RATE|450@3.00%", "300@TOTAL TAX|450@2.40", "300@BALANCE DUE|450@$82.40"}, ""},
	} {
		d := read(t, withTotals(append([]string{"", "300@SUBTOTAL|450@100", "300@DISCOUNT|450@20"}, test.below...)...)...)
		if got := invoice.Show(d.Content.NetTotal); got != test.net {
			t.Errorf("%s: the net total is %q, want %q", name, got, test.net)
		}
	}
}
