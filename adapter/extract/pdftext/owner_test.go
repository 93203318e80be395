package pdftext_test

import (
	"slices"
	"testing"
)

// Of two addresses without labels, the seller's is the one with the only tax identifier, account or contact.
func TestTheAddressWithTheTaxIdentifierIsTheSellers(t *testing.T) {
	t.Parallel()
	rest := append([]string{"", "INVOICE", "Invoice No: A-17", "Invoice date: 3 May 2024", ""}, simple[9:]...)
	own := []string{"400@VAT No GB999999973"}
	buyer, seller := []string{"Granite Works", "9 High Road", "Leeds LS2 7QR"}, []string{"Maple Tools", "12 Oak Street", "Leeds LS1 4AP"}
	side := func(left, right, below []string) []string {
		var out []string
		for i := range left {
			out = append(out, left[i]+"|400@"+right[i])
		}
		return append(append(out, below...), rest...)
	}
	d := read(t, side(buyer, seller, own)...)
	want(t, d, map[string]string{"seller.name": "Maple Tools", "buyer.name": "Granite Works"})
	for _, path := range []string{"seller.name", "buyer.name"} {
		if d.Fields[path].Confidence < 0.8 {
			t.Errorf("%s with %v", path, d.Fields[path].Confidence)
		}
	}
	d = read(t, append(side(buyer, seller, own), "", "", "Flint Factors Ltd, 4 Bank Road, Leeds LS9 1AA, VAT No GB888888888")...)
	if d.Fields["seller.name"].Confidence >= 0.8 && d.Fields["buyer.name"].Confidence >= 0.8 {
		t.Error("two companies state a tax identifier")
	}
}

// A name that is printed in two lines is one name.
func TestNamesInTwoLinesAreComplete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"legal form in parts": {[]string{"Granite Works GmbH & Co.", "KG"}, "Granite Works GmbH & Co. KG"},
		"sign at the end":     {[]string{"Granite Works GmbH &", "Co. KG"}, "Granite Works GmbH & Co. KG"},
	} {
		lines := slices.Concat(simple[:6], test.lines, []string{"9 High Road", "Leeds LS2 7QR", "350@Invoice date: 3 May 2024", ""}, simple[9:])
		d := read(t, lines...)
		if got := d.Content.Buyer.Name; got != test.want && d.Fields["buyer.name"].Confidence >= 0.8 {
			t.Errorf("%s: %q with %v", name, got, d.Fields["buyer.name"].Confidence)
		}
		want(t, d, map[string]string{"buyer.name": test.want})
	}
}

// A name in two columns, such as those of the recipients of the invoice and of the goods, is not doubled.
func TestNamesInTwoColumnsAreNotJoined(t *testing.T) {
	t.Parallel()
	lines := slices.Concat(simple[:5], []string{"Bill to:|200@Ship to:", "Sá Lda.|200@Sá Lda.", "9 High Road|200@9 High Road", "Leeds LS2 7QR|200@Leeds LS2 7QR",
		"Invoice No: A-17", "Invoice date: 3 May 2024", ""}, simple[9:])
	want(t, read(t, lines...), map[string]string{"buyer.name": "Sá Lda."})
}
