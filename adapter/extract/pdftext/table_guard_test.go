package pdftext_test

import (
	"slices"
	"testing"
)

// descriptions returns the lines of a document by their descriptions.
func descriptions(t *testing.T, lines []string) []string {
	t.Helper()
	var out []string
	for _, l := range read(t, lines...).Content.Lines {
		out = append(out, l.Description)
	}
	return out
}

// rows are the totals of a document with the given lines of the table.
func rows(between ...string) []string {
	at := slices.Index(simple, "Drill|250@1|330@80.00|450@80.00") + 1
	return append(slices.Clone(simple[:at]), between...)
}

func TestLinesFollowAPartialSum(t *testing.T) {
	t.Parallel()
	got := descriptions(t, rows("300@Subtotal goods|450@100.00", "", "Expenses", "Photography|450@30.00", "Travel|450@20.00", "300@Subtotal expenses|450@50.00", "",
		"300@Net total|450@150.00", "300@VAT 20%|450@30.00", "300@Total|450@180.00"))
	if !slices.Equal(got, []string{"Steel bracket", "Drill", "Photography", "Travel"}) {
		t.Errorf("lines %q", got)
	}
	got = descriptions(t, rows("300@Subtotal|450@100.00", "300@Shipping|450@10.00", "300@Net total|450@110.00", "300@VAT 20%|450@22.00", "300@Total|450@132.00"))
	if !slices.Equal(got, []string{"Steel bracket", "Drill"}) {
		t.Errorf("lines with a charge below a partial sum: %q", got)
	}
}

func TestRowsOfTotalsAreNoLines(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]string{
		"taxes":   "Rate I|250@20.00|330@100.00|450@20.00",
		"account": "12 Oak Street 2|250@IBAN GB33 BUKB 2020 1555|330@5555.00|450@55.00",
		"totals":  "150@40.00|200@60.00|250@100.00|330@20.00|450@120.00",
	} {
		if got := descriptions(t, rows(row, "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00")); len(got) != 2 {
			t.Errorf("%s: lines %q", name, got)
		}
	}
}

func TestTextsNextToTheTableDoNotHideItsRows(t *testing.T) {
	t.Parallel()
	lines := []string{
		"20@Maple Tools Ltd|330@INVOICE", "20@12 Oak Street|330@Invoice No: A-17", "20@Leeds LS1 4AP|330@Invoice date: 3 May 2024",
		"180@Item|330@Hours|400@Rate|500@Amount",
		"20@Bill to|180@Writer|330@2.00|400@10.00|500@20.00", "20@Granite plc|180@Project Manager|330@1.00|400@80.00|500@80.00", "20@9 High Road",
		"20@Leeds LS2 9XY|180@Developer|330@3.00|400@10.00|500@30.00", "20@United Kingdom|180@Strategist|330@4.00|400@10.00|500@40.00",
		"180@Translation|500@15.00", "400@Subtotal fees|500@185.00", "", "180@Expenses", "180@Photography|500@50.00", "400@Subtotal expenses|500@50.00", "",
		"180@Net|300@235.00", "180@VAT 20%|300@47.00", "180@Invoice total|300@282.00",
	}
	if got := descriptions(t, lines); len(got) != 6 {
		t.Errorf("lines %q", got)
	}
}

func TestAPaymentOfAFormerBalanceIsExplained(t *testing.T) {
	t.Parallel()
	totals := []string{"", "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00", "300@Amount due|450@120.00"}
	d := read(t, rows(append(totals, "300@Previous balance|450@50.00", "300@Amount paid|450@-50.00")...)...)
	if e := d.Fields["amount_due"]; e.Confidence < 0.8 {
		t.Errorf("the amount due has %+v", e)
	}
}
