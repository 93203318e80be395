package pdftext_test

import (
	"slices"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
)

// header is a document whose number and dates are printed by other lines.
func header(lines ...string) []string {
	return append(append(slices.Clone(simple[:5]), lines...), simple[8:]...)
}

// The series of a number is printed in a cell of its own, or before the label of the number.
func TestNumberInTwoPartsIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"four cells":          header("Bill to:|340@Serie|400@B|430@Folio|510@67756", "Granite plc|340@Invoice date: 3 May 2024"),
		"two cells":           header("Bill to:|300@Serie: B|430@Folio: 67756", "Granite plc|340@Invoice date: 3 May 2024"),
		"one cell":            header("Bill to:|340@Seria B nr. 67756", "Granite plc|340@Invoice date: 3 May 2024"),
		"below a heading":     header("Bill to:|300@Serie|360@Folio|420@Fecha", "Granite plc|300@B|360@67756|420@2024-05-03"),
		"another certificate": header("Bill to:|340@Serie|400@B|430@Folio|510@67756", "Granite plc|340@Invoice date: 3 May 2024", "340@No. de certificado|430@35280206267730229019"),
	} {
		d := read(t, lines...)
		e := d.Fields["invoice_number"]
		if d.Content.Number != "B 67756" || e.Confidence < 0.8 {
			t.Errorf("%s: the number is %q with %.2f, %v", name, d.Content.Number, e.Confidence, e.Alternatives)
		}
	}
}

// Letters that are not the series of the invoice do not change its number.
func TestOtherSeriesAreNoPartOfTheNumber(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"an identity card":      append(slices.Clone(simple), "", "B.I./C.I. seria RX nr. 802431"),
		"a series of digits":    with(8, "350@Serie 001"),
		"a series of a product": with(10, "Drill Serie X 2000|250@2|330@10.00|450@20.00"),
	} {
		d := read(t, lines...)
		if e := d.Fields["invoice_number"]; d.Content.Number != "A-17" || e.Confidence < 0.8 {
			t.Errorf("%s: the number is %q with %.2f, %v", name, d.Content.Number, e.Confidence, e.Alternatives)
		}
	}
}

// A person can correct a number in two parts of which the labels are unknown.
func TestReadingsContainNumbersInTwoParts(t *testing.T) {
	t.Parallel()
	lines := with(7, "9 High Road|350@Kette|400@KX|430@Glied|500@4711")
	d, err := pdftext.Read([]layout.Page{page(lines...)}, pdftext.Options{Readings: true})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(d.Readings, func(r extraction.Reading) bool { return slices.Contains(r.Values, "KX 4711") })
	if at < 0 {
		t.Fatal("there is no reading of the number in two parts")
	}
	r := d.Readings[at]
	if r.Kind != extraction.NumberReading || r.Left != "kette" || !slices.Equal(r.Values, []string{"KX 4711", "KX-4711", "KX/4711"}) || r.Box[0] > 401.0/595 || r.Box[2] < 520.0/595 {
		t.Errorf("the reading is %+v", r)
	}
}
