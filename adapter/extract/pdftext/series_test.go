package pdftext_test

import (
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
)

// header is a document in which other lines print the number and the dates.
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

// Wide spaces, as of a typewriter, separate the letters of a series from their number.
func TestSeriesBehindWideSpacesBelongsToTheNumber(t *testing.T) {
	t.Parallel()
	for line, number := range map[string]string{
		"Bill to:|340@Faktura|387.8@nr|408.1@LS|428.4@12/2025": "LS 12/2025",
		"Bill to:|340@Invoice|387.8@no.|413.6@KX|433.9@4711":   "KX 4711",
	} {
		d := read(t, header(line, "Granite plc|340@Invoice date: 3 May 2024")...)
		if e := d.Fields["invoice_number"]; d.Content.Number != number || e.Confidence >= 0.8 || !slices.Contains(e.Alternatives, number[3:]) {
			t.Errorf("%s: the number is %q with %.2f, %v", line, d.Content.Number, e.Confidence, e.Alternatives)
		}
	}
	// Letters in a column of their own are another value.
	d := read(t, header("Bill to:|250@Invoice no.|340@EUR|440@4711", "Granite plc|340@Invoice date: 3 May 2024")...)
	if d.Content.Number == "EUR 4711" {
		t.Errorf("the number is %q", d.Content.Number)
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

// Behind the letters of a series another value can follow: a year, a customer, a post code.
func TestSeriesTakesNoOtherValue(t *testing.T) {
	t.Parallel()
	others := []string{
		"Ejercicio 2024", "Año 2024", "Cliente 8812", "Teléfono 910300278", "C.P.: 64000", "Lugar de expedición: 64000", "Forma de pago: 03",
		"Página 1", "Tel. 8112345678", "Régimen fiscal: 601", "Anno 2024", "Anul 2024", "Année 2024", "Rok 2024", "Yıl 2024", "Έτος 2024",
		"Folha 1", "FOLHA 1", "Guia 8812", "Nr klienta 8812", "Nº cliente 8812", "Müşteri No 8812", "Aviz 5512", "Código 123", "8812",
	}
	numbers := []string{"Número 4711", "Folio: 4711", "Faktura nr 4711"}
	for i, series := range []string{"Serie A", "Serie: A", "Série A", "Sezionale A", "Seria A", "Seri A", "Σειρά A"} {
		for k, other := range others {
			number := numbers[(i+k)%len(numbers)]
			for _, line := range []string{"200@" + series + "|270@" + other + "|450@" + number, "200@" + number + "|330@" + series + "|400@" + other} {
				d := read(t, header(line, "Granite plc|340@Invoice date: 3 May 2024")...)
				e := d.Fields["invoice_number"]
				if right := d.Content.Number == "4711" || d.Content.Number == "A 4711"; !right && (e.Confidence >= 0.8 || strings.HasPrefix(d.Content.Number, "A ")) {
					t.Errorf("%s: the number is %q with %.2f", line, d.Content.Number, e.Confidence)
				}
			}
		}
	}
	for _, headings := range []string{"250@Serie|330@Ejercicio|420@Número", "250@Serie|330@Cliente|420@Número", "250@Sezionale|330@Anno|420@Numero", "250@Seria|330@Rok|420@Numer", "250@Série|330@Page|420@Numéro"} {
		d := read(t, header("Bill to:|"+headings, "Granite plc|250@A|330@2024|420@4711", "340@Invoice date: 3 May 2024")...)
		if d.Content.Number != "4711" && d.Content.Number != "A 4711" {
			t.Errorf("%s: the number is %q with %.2f", headings, d.Content.Number, d.Fields["invoice_number"].Confidence)
		}
	}
}

// A series without the label of a number makes a number with a label no less certain.
func TestSeriesWithoutNumberIsNoRival(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Serie A TIM 2024", "Serie M 5", "Seria RX nr. 802431", "Serie AB n. 123456", "Serie EUR 120", "Serie SAT 000504465028", "Delegat|Seria RX|Nr. 802431",
		"Seria CI|RX|Nr.|802431", "Seri A|Sıra No 802431",
	} {
		d := read(t, append(slices.Clone(simple), "", line)...)
		if e := d.Fields["invoice_number"]; d.Content.Number != "A-17" || e.Confidence < 0.8 {
			t.Errorf("%s: the number is %q with %.2f, %v", line, d.Content.Number, e.Confidence, e.Alternatives)
		}
		alone := read(t, append(header("Bill to:", "Granite plc|340@Invoice date: 3 May 2024", "9 High Road|350@Invoice A-17"), "", line)...)
		if e := alone.Fields["invoice_number"]; alone.Content.Number != "A-17" && e.Confidence >= 0.8 {
			t.Errorf("%s: the number is %q with %.2f, %v", line, alone.Content.Number, e.Confidence, e.Alternatives)
		}
	}
}

// A short count behind a sign that pages have as well can be the number of a page.
func TestShortNumberOfASeriesIsUncertain(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Série A|400@Folio 1", "Serie: A|400@Folio: 12", "Seria A|400@Nr. 2", "Seri A|400@No 3"} {
		d := read(t, header("Bill to:|300@"+line, "Granite plc|340@Invoice date: 3 May 2024")...)
		if e := d.Fields["invoice_number"]; e.Confidence >= 0.8 {
			t.Errorf("%s: the number is %q with %.2f", line, d.Content.Number, e.Confidence)
		}
	}
}

// The series and number of an identity card, and an address, are not a sure number of an invoice.
func TestSeriesOfAnotherDocumentIsUncertain(t *testing.T) {
	t.Parallel()
	dated := "Granite plc|340@Invoice date: 3 May 2024"
	for name, lines := range map[string][]string{
		"below the table":  append(header("Bill to:", dated), "", "Seria RX nr. 802431"),
		"a driver":         append(header("Bill to:", dated), "", "Delegat: Ion Popescu|250@Seria RX|340@Nr. 802431"),
		"an unknown label": header("Bill to:|300@C.I.:|350@Seria RX|420@Nr. 802431", dated),
		"an address":       header("Bill to:|300@Serie RX|400@Nº 802431 Madrid", dated),
	} {
		d := read(t, lines...)
		if e := d.Fields["invoice_number"]; e.Confidence >= 0.8 {
			t.Errorf("%s: the number is %q with %.2f", name, d.Content.Number, e.Confidence)
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
	if r.Kind != extraction.NumberReading || r.Left != "kette glied" || !slices.Equal(r.Values, []string{"KX 4711", "KX-4711", "KX/4711", "KX4711"}) || r.Box[0] > 401.0/595 || r.Box[2] < 520.0/595 {
		t.Errorf("the reading is %+v", r)
	}
}

// The label of the number is a part of the place that a correction teaches: behind the same series the
// number of a customer can follow.
func TestReadingInTwoPartsNamesTheLabelOfTheNumber(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"300@Kette KX|400@Glied 4711": "kette glied", "300@Kette KX|400@Kunde 4711": "kette kunde", "300@Kette KX|400@4711": "kette",
	} {
		d, err := pdftext.Read([]layout.Page{page(with(7, line)...)}, pdftext.Options{Readings: true})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(d.Readings, func(r extraction.Reading) bool { return slices.Contains(r.Values, "KX4711") })
		if at < 0 || d.Readings[at].Before != want {
			t.Errorf("%s: the readings are %+v", line, d.Readings)
		}
	}
}

// Many letters before numbers take no place from the other readings of a document.
func TestReadingsInTwoPartsAreLimited(t *testing.T) {
	t.Parallel()
	p := page(simple...)
	for i := range 2100 {
		y := 0.45 + float64(i)*0.0002
		for k, text := range []string{"DE", "via", "7"} {
			x := 0.2 + 0.2*float64(k)
			p.Words = append(p.Words, layout.Word{Text: text, Box: layout.Box{x, y, x + 0.02, y + 0.0001}})
		}
	}
	d, err := pdftext.Read([]layout.Page{p}, pdftext.Options{Readings: true, Forced: true})
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	kinds := map[extraction.ReadingKind]int{}
	for _, r := range d.Readings {
		kinds[r.Kind]++
		if len(r.Values) == 4 {
			pairs++
		}
	}
	if len(d.Readings) > 2000 || pairs > 400 || kinds[extraction.AmountReading] == 0 {
		t.Errorf("of %d readings %d are in two parts, %v", len(d.Readings), pairs, kinds)
	}
}
