package pdftext

import (
	"slices"
	"strings"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// Compare compares the embedded data of a PDF with its pages: the number, the date
// and the total must be printed. ok is false if the pages contain no text.
func Compare(pages []layout.Page, c *invoice.Content) (check invoice.Check, ok bool) {
	s := parseDocument(pages)
	words := 0
	for _, seg := range s.segments {
		words += len(seg.words)
	}
	if words < fewWords || unreadable(s.segments) {
		return invoice.Check{}, false
	}
	s.readAmounts()
	check = invoice.Check{Rule: invoice.RulePageAgrees, Severity: invoice.Warning, Passed: true}
	for _, v := range []struct {
		path, stated string
		printed      bool
	}{
		{"invoice_number", c.Number, s.prints(c.Number)},
		{"gross_total", invoice.Show(total(c)), s.printsAmount(total(c))},
		{"issue_date", c.IssueDate.String(), s.printsDate(c)},
	} {
		if v.stated != "" && !v.printed {
			check.Passed, check.Path, check.Expected, check.Found = false, v.path, v.stated, "not on the pages"
			return check, true
		}
	}
	return check, true
}

func total(c *invoice.Content) *money.Decimal {
	if c.GrossTotal != nil {
		return c.GrossTotal
	}
	return c.AmountDue
}

// prints reports whether a text is printed, ignoring spaces and case.
func (s *parsedDocument) prints(text string) bool {
	text = compact(text)
	return slices.ContainsFunc(s.lines, func(l *line) bool {
		var all []string
		for _, seg := range l.segments {
			all = append(all, seg.text)
		}
		return strings.Contains(compact(strings.Join(all, "")), text)
	})
}

func compact(text string) string {
	return strings.ReplaceAll(textrules.Fold(textrules.Digits(text)), " ", "")
}

func (s *parsedDocument) printsAmount(v *money.Decimal) bool {
	if v == nil {
		return false
	}
	is := func(d money.Decimal) bool { return d.Abs().Equal(v.Abs()) }
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return slices.ContainsFunc(seg.amounts, func(a amount) bool { return is(a.value) || slices.ContainsFunc(a.alternatives, is) })
	})
}

func (s *parsedDocument) printsDate(c *invoice.Content) bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return slices.ContainsFunc(seg.dates, func(d textrules.PrintedDate) bool {
			date, other, ok := d.Read(textrules.OrderUnknown)
			return ok && (date == c.IssueDate || other != nil && *other == c.IssueDate)
		})
	})
}
