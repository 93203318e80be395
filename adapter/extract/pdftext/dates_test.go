package pdftext_test

import "testing"

// The only date after the issue date in a text about payment is the due date. A second one, a range or
// another meaning needs a person.
func TestTheOnlyDateOfAPaymentIsDue(t *testing.T) {
	t.Parallel()
	for text, sure := range map[string]bool{
		"Der Betrag wird am 02.06.2024 von Ihrem Konto abgebucht.":            true,
		"Kindly transfer 120.00 before 2 June 2024.":                          true,
		"Beløbet bedes indbetalt senest 02.06.2024.":                          true,
		"Angebot gültig bis 02.06.2024.":                                      false,
		"Kindly transfer 120.00 before 2 June 2024, delivery by 9 June 2024.": false,
	} {
		lines := with(7, "9 High Road")
		d := read(t, append(lines, "", "", text)...)
		if e, ok := d.Fields["due_date"]; (ok && e.Confidence >= 0.8) != sure || sure && d.Content.DueDate.String() != "2024-06-02" {
			t.Errorf("%q: due date %s, confidence %v", text, d.Content.DueDate, e.Confidence)
		}
	}
}

// If labels are below their dates, the date of issue can be the due date.
func TestLabelsBelowDatesNeedAPerson(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows []string
		sure bool
	}{
		"above": {[]string{"350@Invoice date", "350@3 May 2024", "350@Due date", "350@2 June 2024"}, true},
		"below": {[]string{"350@3 May 2024", "350@Date", "", "350@2 June 2024", "350@Quux date"}, false},
		"order": {[]string{"350@Invoice date: 3 May 2024", "350@Order date: 1 April 2024"}, true},
	} {
		lines := append([]string{"Maple Tools Ltd", "12 Oak Street", "Leeds LS1 4AP", "VAT No GB999999973", "", "INVOICE A-17", ""}, test.rows...)
		lines = append(lines, "", "Bill to:", "Granite plc", "9 High Road", "Leeds LS2 7QR", "")
		d := read(t, append(lines, simple[9:]...)...)
		if got := d.Fields["issue_date"].Confidence >= 0.8; got != test.sure {
			t.Errorf("%s: issue date %s, due date %s, confidence %v", name, d.Content.IssueDate, d.Content.DueDate, d.Fields["issue_date"].Confidence)
		}
	}
}
