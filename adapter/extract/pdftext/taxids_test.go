package pdftext_test

import (
	"slices"
	"strings"
	"testing"
)

// A telephone number after a tax identifier, with only a space between them, is no part of it.
func TestTaxIDEndsBeforeAnotherNumber(t *testing.T) {
	t.Parallel()
	for line, id := range map[string]string{
		"Maple Tools Lda NIF 558767249 910300278":       "558767249",
		"Maple Tools Lda NIF 558767249 912345678 geral": "558767249",
		"Maple Tools Lda NIF 558767249 91 030 02 78":    "558767249",
		"Maple Tools Lda NIF 558767249 28001 Lisboa":    "558767249",
		"Maple Tools Lda NIF 558767249 4711":            "558767249",
		"Maple Tools Lda P.IVA 01234567897 20121":       "01234567897",
		"Maple Tools Lda SIRET 303265045 00012":         "303265045 00012",
		"Maple Tools Lda GST No. 303265045 RT0001":      "303265045 RT0001",
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

// Digits behind a group that can be an identifier, but is a valid one in no country, can be another number.
func TestTaxIDBeforeOtherDigitsIsUncertain(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Tax No. 12345678901 20121", "NIF 558767241234 4711"} {
		lines := append([]string(nil), simple...)
		lines[0], lines[3] = "Maple Tools Lda|400@INVOICE", line
		d := read(t, lines...)
		if e := d.Fields["seller.tax_id"]; strings.Contains(d.Content.Seller.TaxID, " ") && e.Confidence >= 0.8 {
			t.Errorf("%s: the tax id is %q with %.2f", line, d.Content.Seller.TaxID, e.Confidence)
		}
	}
}

// The beginning of an account number is no tax identifier.
func TestTheBeginningOfAnIBANIsNoTaxIdentifier(t *testing.T) {
	t.Parallel()
	d := read(t, with(3, "Cod fiscal|350@Tel 0733 511 312")...)
	if d.Content.Seller.TaxID != "" {
		t.Fatalf("tax identifier %q without one", d.Content.Seller.TaxID)
	}
	lines := append(slices.Clone(simple[:3]), "Cod fiscal", "RO49 AAAA 1B31 0075 9384 0000", "")
	d = read(t, append(lines, simple[5:]...)...)
	if d.Content.Seller.TaxID != "" {
		t.Errorf("tax identifier %q", d.Content.Seller.TaxID)
	}
}
