package pdftext_test

import (
	"strings"
	"testing"
)

// A scan is recognized without the space or the colon between a label and its value.
func TestLabelWithoutASpaceIsNoPartOfTheNumber(t *testing.T) {
	t.Parallel()
	for line, number := range map[string]string{
		"請求書番号2025883717": "2025883717", "請求書番号INV-2025-17": "INV-2025-17", "Factura N.°:F5333928": "F5333928",
		"Invoice no#:F5333928": "F5333928", "Invoice Nr.2025672489": "2025672489", "Invoice No.A-1789": "A-1789",
		"Rechnungsnummer2025672489": "2025672489", "Rechnung-Nr.2025672489": "2025672489", "InvoiceNo2025-17": "2025-17",
		"InvoiceNo.2025672489": "2025672489", "Fattura n.2025672489": "2025672489",
		// Letters that are a part of the number.
		"Rechnungsnummer R2025-67": "R2025-67", "Invoice no. NO2025-77": "NO2025-77", "Invoice no. FA2025-77": "FA2025-77",
		"Invoice number INV2025-77": "INV2025-77",
	} {
		d := read(t, with(5, "Bill to:|350@"+line)...)
		if e := d.Fields["invoice_number"]; d.Content.Number != number || e.Confidence < 0.8 {
			t.Errorf("%s: the number is %q with %.2f", line, d.Content.Number, e.Confidence)
		}
	}
}

// The word for an invoice directly before digits can be a title or a part of the number.
func TestTitleWithoutASpaceMakesTheNumberUncertain(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Factuur2025672489", "Invoice no. FACTURA2025672489"} {
		e := read(t, with(5, "Bill to:|350@"+line)...).Fields["invoice_number"]
		if e.Confidence >= 0.8 || len(e.Alternatives) == 0 || e.Alternatives[0] != "2025672489" {
			t.Errorf("%s: the evidence is %+v", line, e)
		}
	}
}

// Behind the label of a number its sign can be a part of the number.
func TestSignBehindTheLabelMakesTheNumberUncertain(t *testing.T) {
	t.Parallel()
	for number, rest := range map[string]string{"N.17/2024": "17/2024", "NR.17/2024": "17/2024", "NO.A-17/2024": "A-17/2024"} {
		for _, lines := range [][]string{with(5, "Bill to:|350@Invoice no. "+number), with(5, "Bill to:|300@Invoice no.|400@"+number), header("Bill to:|350@Invoice no.", "Granite plc|350@"+number, "340@Invoice date: 3 May 2024")} {
			d := read(t, lines...)
			e := d.Fields["invoice_number"]
			if d.Content.Number != number || e.Confidence >= 0.8 || len(e.Alternatives) == 0 || e.Alternatives[0] != rest {
				t.Errorf("%s: the number is %q, %+v", lines[5], d.Content.Number, e)
			}
		}
	}
}

// A name can begin with the sign of a number.
func TestSignOfANumberBeginsAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"No.1 Traders Ltd", "N.Rossi4You Srl", "Nr.1 Handels GmbH", "No.17 Cafe Ltd", "N.V.4U Holding"} {
		if d := read(t, with(0, name+"|400@INVOICE")...); d.Content.Seller.Name != name {
			t.Errorf("the seller of %s is %q", name, d.Content.Seller.Name)
		}
	}
}

// The sign º is no letter of a number that follows it without a space.
func TestOrdinalSignIsNoPartOfTheNumber(t *testing.T) {
	t.Parallel()
	for line, number := range map[string]string{
		"Factura n.º4711": "4711", "Factura Nº4711": "4711", "Factura nº4711": "4711", "Fatura N.ºFT4711": "FT4711", "Factura N.ºA4711": "A4711",
		"Factura NºA-4711": "A-4711", "Factura N.º 4711": "4711", "Factura N.º:A4711": "A4711", "Núm. factura Nº4711": "4711",
	} {
		d := read(t, with(5, "Bill to:|350@"+line)...)
		if e := d.Fields["invoice_number"]; !strings.HasSuffix(d.Content.Number, number) || d.Content.Number != number && e.Confidence >= 0.8 {
			t.Errorf("%s: the number is %q with %.2f", line, d.Content.Number, e.Confidence)
		}
	}
}

// A sign or a currency behind a label of ideographs belongs to the amount.
func TestSignsAndCurrenciesBehindIdeographs(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"": "11000 JPY", "¥": "11000 JPY", "$": "11000 USD", "€": "11000 EUR", "-": "-11000 JPY", "-¥": "-11000 JPY", "△": "-11000 JPY", "▲": "-11000 JPY",
	} {
		d := read(t, "株式会社メープル|400@請求書", "東京都千代田区1-2-3", "", "グラナイト株式会社 御中|350@請求書番号 A-17", "350@請求日 2024年5月3日", "",
			"品名|250@数量|330@単価|450@金額", "鋼材|250@2|330@1,000|450@2,000", "ドリル|250@1|330@9,000|450@9,000", "",
			"330@小計"+before+"10,000", "330@消費税"+before+"1,000", "330@合計"+before+"11,000")
		if got := d.Content.GrossTotal; got == nil || got.String()+" "+string(d.Content.Currency) != want {
			t.Errorf("after %q the total is %v %s, want %s", before, got, d.Content.Currency, want)
		}
	}
}

// The number of a telephone or of an account is no sure number of an invoice.
func TestOtherNumbersBehindIdeographsAreUncertain(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"電話番号0312345678", "電話番号 0312345678", "口座番号1234567", "口座番号 1234567"} {
		d := read(t, header("Bill to:", "Granite plc|340@Invoice date: 3 May 2024", "9 High Road|350@"+line)...)
		if e := d.Fields["invoice_number"]; e.Confidence >= 0.8 {
			t.Errorf("%s: the number is %q with %.2f", line, d.Content.Number, e.Confidence)
		}
	}
}
