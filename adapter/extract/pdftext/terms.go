package pdftext

import (
	"cmp"
	"slices"

	"docledger/domain/calendar"
	"docledger/domain/extraction/textrules"
)

// maxTerms is the maximum length of a text with the payment terms, in bytes. Longer
// texts are paragraphs of general conditions.
const maxTerms = 160

// dueFromTerms computes the due date of an invoice without one from the payment
// period (BT-9 from BT-20). If the texts state several periods, it uses the longest.
// The others, and the dates for the alternatives of the issue date, are alternatives.
func (s *parsedDocument) dueFromTerms(d *draft) {
	c := &d.content
	issued := d.fields["issue_date"]
	if !c.DueDate.IsZero() || c.IssueDate.IsZero() {
		return
	}
	from, days := s.termsOfPayment()
	if len(days) == 0 {
		return
	}
	c.DueDate = c.IssueDate.AddDays(days[0])
	confidence := min(probable, issued.Confidence)
	if len(days) > 1 {
		confidence = min(confidence, doubtful)
	}
	d.computed("due_date", confidence, from.text)
	e := d.fields["due_date"]
	e.Page = from.page
	for _, n := range days[1:] {
		e.Alternatives = appendNew(e.Alternatives, c.IssueDate.AddDays(n).String())
	}
	for _, other := range issued.Alternatives {
		if date, err := calendar.Parse(other); err == nil {
			e.Alternatives = appendNew(e.Alternatives, date.AddDays(days[0]).String())
		}
	}
	d.fields["due_date"] = e
}

// termsOfPayment returns the payment periods of the document in days, longest first,
// and the first text that states them.
func (s *parsedDocument) termsOfPayment() (first *segment, days []int) {
	for i, l := range s.lines {
		for k, seg := range l.segments {
			if seg.used || len(seg.text) > maxTerms {
				continue
			}
			for _, text := range append([]string{seg.text}, s.termsBeside(i, k)...) {
				found := textrules.PaymentDays(text)
				if len(found) == 0 {
					continue
				}
				if first == nil {
					first = seg
				}
				days = merge(days, found)
				break
			}
		}
	}
	return first, days
}

// termsBeside returns the possible values of a segment that is a label of the payment
// terms.
func (s *parsedDocument) termsBeside(at, k int) []string {
	seg := s.lines[at].segments[k]
	var out []string
	for m, label := range seg.labels {
		if label.Role != textrules.RoleTerms && label.Role != textrules.RoleDueDate {
			continue
		}
		for _, p := range s.places(at, k, m) {
			if p.seg != seg && len(p.seg.labels) == 0 && len(p.seg.text) <= maxTerms {
				out = append(out, "pay "+p.seg.text)
			}
		}
	}
	return out
}

// merge adds days, longest first.
func merge(days, more []int) []int {
	days = append(slices.Clone(days), more...)
	slices.SortFunc(days, func(a, b int) int { return cmp.Compare(b, a) })
	return slices.Compact(days)
}
