package pdftext_test

import (
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
)

// An amount is centred next to a label of two lines, so that it is in a line of its own.
func TestAmountNextToALabelOfTwoLines(t *testing.T) {
	t.Parallel()
	lines := append(simple[:12:12], "", "330@Subtotal|450@$100.00", "330@GST (5%)", "450@$5.00", "330@#447712647RT0001",
		"330@PST (7%)", "450@$7.00", "330@#PST-6795-3936", "330@Total|450@$112.00")
	p := page(lines...)
	for i, w := range p.Words {
		if w.Text == "$5.00" || w.Text == "$7.00" {
			const up = 11.0 / 842
			p.Words[i].Box[1], p.Words[i].Box[3] = w.Box[1]-up, w.Box[3]-up
		}
	}
	d, err := pdftext.Read([]layout.Page{p}, pdftext.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, d, map[string]string{"net_total": "100.00", "tax_total": "12.00", "gross_total": "112.00"})
	for _, path := range []string{"net_total", "tax_total", "gross_total"} {
		if c := d.Fields[path].Confidence; c < 0.8 {
			t.Errorf("the confidence of %s is %.2f", path, c)
		}
	}
}
