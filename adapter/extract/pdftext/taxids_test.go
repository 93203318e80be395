package pdftext_test

import "testing"

// A telephone number after a tax identifier, with only a space between them, is no part of it.
func TestTaxIDEndsBeforeAnotherNumber(t *testing.T) {
	t.Parallel()
	for line, id := range map[string]string{
		"Maple Tools Lda NIF 558767249 910300278":       "558767249",
		"Maple Tools Lda NIF 558767249 912345678 geral": "558767249",
		"Maple Tools Lda NIF 558 767 249":               "558 767 249",
		"Maple Tools Lda NIF 558.767.249":               "558.767.249",
	} {
		lines := append([]string(nil), simple...)
		lines[0], lines[3] = "Maple Tools Lda|400@INVOICE", line
		d := read(t, lines...)
		if got := d.Content.Seller.TaxID; got != id {
			t.Errorf("%s: the tax id is %q with %.2f, want %q", line, got, d.Fields["seller.tax_id"].Confidence, id)
		}
	}
}
