package pdftext_test

import (
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
)

// TestTheEntityChoosesTheOrderOfDates reads the same page with every order.
func TestTheEntityChoosesTheOrderOfDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		printed, due string
		want         map[extraction.DateOrder]string
		sure         map[extraction.DateOrder]bool // without an alternative
	}{
		{"03/05/2024", "", map[extraction.DateOrder]string{
			"": "2024-05-03", extraction.AnyOrder: "2024-05-03", extraction.DayMonthYear: "2024-05-03", extraction.MonthDayYear: "2024-03-05", extraction.YearMonthDay: "2024-05-03",
		}, map[extraction.DateOrder]bool{extraction.DayMonthYear: true, extraction.MonthDayYear: true}},
		{"24-03-05", "", map[extraction.DateOrder]string{
			extraction.AnyOrder: "2005-03-24", extraction.DayMonthYear: "2005-03-24", extraction.MonthDayYear: "2005-03-24", extraction.YearMonthDay: "2024-03-05",
		}, map[extraction.DateOrder]bool{extraction.AnyOrder: true, extraction.DayMonthYear: true, extraction.MonthDayYear: true, extraction.YearMonthDay: true}},
		// An order that the document shows takes precedence.
		{"03/05/2024", "31/05/2024", map[extraction.DateOrder]string{
			extraction.AnyOrder: "2024-05-03", extraction.MonthDayYear: "2024-05-03", extraction.YearMonthDay: "2024-05-03",
		}, map[extraction.DateOrder]bool{extraction.AnyOrder: true, extraction.MonthDayYear: true, extraction.YearMonthDay: true}},
		{"2024-03-05", "", map[extraction.DateOrder]string{extraction.DayMonthYear: "2024-03-05", extraction.MonthDayYear: "2024-03-05"},
			map[extraction.DateOrder]bool{extraction.DayMonthYear: true, extraction.MonthDayYear: true}},
	} {
		lines := with(6, "Granite Inc|350@Invoice date: "+c.printed)
		lines[3], lines[7] = "", "9 High Road"
		if c.due != "" {
			lines[7] = "9 High Road|350@Due date: " + c.due
		}
		for order, want := range c.want {
			d, err := pdftext.Read([]layout.Page{page(lines...)}, pdftext.Options{DateOrder: order})
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Content.IssueDate.String(); got != want {
				t.Errorf("%s as %q is %s, want %s", c.printed, order, got, want)
			}
			if sure := len(d.Fields["issue_date"].Alternatives) == 0; sure != c.sure[order] {
				t.Errorf("%s as %q names %v", c.printed, order, d.Fields["issue_date"].Alternatives)
			}
		}
	}
}
