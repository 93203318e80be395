package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
)

// leastPaying is the minimum probability of a due date that is the only date in a text about payment.
const leastPaying = 0.2

// onlyPaying reports whether a date is in a text about payment, after the issue date, and no other date of
// the document is after the issue date.
func (s *parsedDocument) onlyPaying(due *candidate, all []candidate) bool {
	const longest = 190 // days
	if s.issued.IsZero() || !s.issued.Before(due.date) || s.issued.AddDays(longest).Before(due.date) || due.ambiguous ||
		!paysIn(due.seg) && !hasRole(due.seg, textrules.RoleDueDate) || len(due.seg.dates) > 1 || due.seg.used {
		return false
	}
	if hasRole(due.seg, textrules.RoleDelivery, textrules.RoleOtherDate, textrules.RoleOrder, textrules.RoleTax) || discounts(due.seg) {
		return false
	}
	return !slices.ContainsFunc(all, func(o candidate) bool { return o.date != due.date && s.issued.Before(o.date) })
}

// doubtIssueDate lowers the confidence of the issue date of a document without a due date if an earlier
// date has no other meaning, and either the issue date has no label or the label of a date is directly
// below the earlier one: the issue date can be the due date.
func (s *parsedDocument) doubtIssueDate(d *draft, chosen *found) {
	issued := chosen.date
	e, ok := d.fields["issue_date"]
	if !ok || issued.IsZero() || chosen.seg == nil {
		return
	}
	labelled := slices.ContainsFunc(chosen.seg.dates, func(p textrules.PrintedDate) bool {
		date, _, ok := s.readDate(p)
		return ok && date == issued && s.isLabelledDate(chosen.seg, &p)
	})
	for _, seg := range s.segments {
		if seg.used || seg.page > 1 || len(seg.dates) != 1 || seg.isProse() {
			continue
		}
		p := &seg.dates[0]
		date, _, ok := s.readDate(*p)
		if !ok || !date.Before(issued) || date.Before(issued.AddDays(-maxTermDays)) || s.hasOtherMeaning(seg, p) || labelled && !s.headsDateLabel(seg) {
			continue
		}
		e.Confidence = min(e.Confidence, contestedConfidence)
		e.Alternatives = appendNew(e.Alternatives, date.String())
		d.fields["issue_date"] = e
	}
}

// isLabelledDate reports whether the label of a date or of the issue date belongs to a date.
func (s *parsedDocument) isLabelledDate(seg *segment, p *textrules.PrintedDate) bool {
	at := s.around(seg, p.Start, p.End)
	return slices.ContainsFunc([]tag{at.same, at.left, at.above}, func(t tag) bool {
		return t.group == groupDate || t.group == groupIssue || t.group == groupTitle
	})
}

// headsDateLabel reports whether the label of a date is directly below a date that is alone in its segment.
func (s *parsedDocument) headsDateLabel(seg *segment) bool {
	for _, p := range s.under(seg.line, seg) {
		return p.seg.y0-seg.y1 < 1.5*s.height && hasRole(p.seg, textrules.RoleDate, textrules.RoleIssueDate) && pureLabel(p.seg) &&
			len(seg.dates[0].Text) >= len(seg.text)-1
	}
	return false
}

// maxTermDays is the maximum number of days between the issue date and the due date.
const maxTermDays = 100

// hasOtherMeaning reports whether the label of a date, or the text around it, shows that it is neither the
// issue date nor the due date.
func (s *parsedDocument) hasOtherMeaning(seg *segment, p *textrules.PrintedDate) bool {
	at := s.around(seg, p.Start, p.End)
	for _, t := range []tag{at.same, at.left, at.above} {
		switch t.group {
		case groupOrder, groupDelivery, groupOtherDate, groupOther:
			return true
		}
	}
	return strings.TrimSpace(seg.text[:p.Start]) != "" && at.same.group != groupDate && at.same.group != groupIssue
}
