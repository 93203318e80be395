package pdftext_test

import "testing"

// Banks print an address above the number of the account, as companies do. The name in the letterhead, or a
// tax identifier, shows which it is.
func TestCompaniesAboveTheirAccountsNeedAPerson(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		top, account string
		sure         bool
	}{
		"alone":                 {"", "", false},
		"with a brand":          {"Barclays", "", true},
		"with a tax identifier": {"", " VAT No GB999999973", true},
	} {
		d := read(t, test.top+"|400@INVOICE", "", "Bill to:|350@Invoice No: A-17", "Granite plc|350@Invoice date: 3 May 2024", "9 High Road|350@Due date: 2 June 2024",
			"London N1 4AP", "Description|250@Qty|330@Unit price|450@Amount", "Steel bracket|250@2|330@10.00|450@20.00", "Drill|250@1|330@80.00|450@80.00", "",
			"330@Net total|450@100.00", "330@VAT 20%|450@20.00", "330@Total|431@GBP 120.00", "", "", "",
			"Barclays plc, Leicester LE87 2BB", "IBAN GB33BUKB20201555555555 BIC BUKBGB22"+test.account)
		want(t, d, map[string]string{"seller.name": "Barclays plc"})
		if c := d.Fields["seller.name"].Confidence; c >= 0.8 != test.sure {
			t.Errorf("%s: %v", name, c)
		}
	}
}
