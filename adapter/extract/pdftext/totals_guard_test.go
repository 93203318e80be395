package pdftext_test

import (
	"testing"
)

// TestACurrencyAloneOrdersNoDate expects a doubtful date where only the currency is of a country
// that prints the day first.
func TestACurrencyAloneOrdersNoDate(t *testing.T) {
	t.Parallel()
	for address, sure := range map[string]bool{
		"San Francisco, California 94104, United States": false,
		"San Francisco, California 94104":                false,
		"San Francisco, CA 94104":                        false,
		"Manila, Philippines":                            false,
		"12 High Road, Kingston":                         false,
		"12 High Road, Geelong VIC 3220":                 true,
		"12 High Road, Australia":                        true,
	} {
		lines := with(6, "Granite Inc|350@Invoice date: 03/05/2024")
		lines[1], lines[3], lines[7] = address, "", "9 High Road"
		lines[13], lines[14], lines[15] = "330@Net total|450@AUD 100.00", "330@Tax 20%|450@AUD 20.00", "330@Total|450@AUD 120.00"
		got := read(t, lines...).Fields["issue_date"]
		if isSure := got.Confidence >= 0.8; isSure != sure {
			t.Errorf("%s: the confidence of the issue date is %v", address, got.Confidence)
		}
	}
}

// TestASubtotalOfWholeUnits expects a doubtful gross total if a larger amount has no decimals
// because its currency has none.
func TestASubtotalOfWholeUnits(t *testing.T) {
	t.Parallel()
	for currency, amounts := range map[string][3]string{"JPY": {"12,000", "1,200", "13,200"}, "GBP": {"120.00", "12.00", "132.00"}} {
		lines := with(11, "Oak panel|250@1|330@"+amounts[0]+"|450@"+amounts[0])
		lines[10], lines[12] = "", "All prices in "+currency
		lines[13], lines[14], lines[15] = "330@Total amount|450@"+amounts[0], "330@Handling|450@"+amounts[1], "330@Pay this|450@"+amounts[2]
		lines = append(lines, "330@Total|450@"+amounts[0])
		if got := read(t, lines...).Fields["gross_total"]; got.Confidence >= 0.8 {
			t.Errorf("%s: the confidence of the gross total is %v", currency, got.Confidence)
		}
	}
}
