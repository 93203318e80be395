package pdftext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// fewestOfNumber is the least length of a text that counts as a number without a label.
const fewestOfNumber = 4

// namedInvoices returns the texts that can be numbers of the invoices that a reminder names: those that
// labels announce, else all identifiers. Another number, such as that of the customer, can be the
// number of an unrelated invoice, so it counts only without labels.
func (s *parsedDocument) namedInvoices() []string {
	var out []string
	add := func(value string) {
		if len(out) < extraction.MaxNumbers && hasDigit(value) && utf8.RuneCountInString(value) <= maxIdentifier && !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	const sure = 0.8 // of the weights of labels
	for _, f := range s.numbers() {
		if f.weight >= sure {
			add(f.value)
		}
	}
	for _, seg := range s.segments {
		for i, label := range seg.labels {
			if label.Weak || label.Role != textrules.RoleNumber && label.Role != textrules.RoleTitle {
				continue
			}
			end := len(seg.text)
			if i+1 < len(seg.labels) && seg.labels[i+1].From >= label.To {
				end = seg.tokens[seg.labels[i+1].From].Start
			}
			for _, value := range seg.identifiers(seg.tokens[label.To-1].End, end) {
				add(value)
			}
			if !hasDigit(seg.text) {
				for _, below := range s.column(seg) {
					add(below)
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, seg := range s.segments {
		if !announcesAnother(seg) && !s.followsOther(seg) {
			for _, value := range seg.identifiers(0, len(seg.text)) {
				add(value)
			}
		}
	}
	return out
}

// identifiers returns the words in a range of the text that are neither dates, years nor amounts.
func (seg *segment) identifiers(start, end int) []string {
	var out []string
	for i, w := range seg.words {
		value := trimIdentifier(w.text)
		from, to := seg.starts[i], seg.starts[i]+len(w.text)
		switch {
		case from < start || to > end, !hasDigit(value), strings.ContainsAny(value, "@%€$£*"):
		case utf8.RuneCountInString(value) < fewestOfNumber, len(value) == 4 && (strings.HasPrefix(value, "19") || strings.HasPrefix(value, "20")):
		case isDate(seg, from, to) || isDate(seg, from, from+len(value)), isMoneyAt(seg, i, i+1):
		default:
			out = append(out, value)
		}
	}
	return out
}

// column returns the identifiers below the heading of a column, up to the first line without a digit.
func (s *parsedDocument) column(heading *segment) []string {
	var out []string
	for _, l := range s.lines[heading.line+1:] {
		if l.page != heading.page || !slices.ContainsFunc(l.segments, func(seg *segment) bool { return hasDigit(seg.text) }) {
			break
		}
		for _, seg := range l.segments {
			if seg.x0 <= heading.x1 && heading.x0 <= seg.x1 && !seg.startsWithLabel() {
				out = append(out, seg.identifiers(0, len(seg.text))...)
			}
		}
	}
	return out
}

// followsOther reports whether the segment before in the line is a label of another value.
func (s *parsedDocument) followsOther(seg *segment) bool {
	return seg.at > 0 && announcesAnother(s.lines[seg.line].segments[seg.at-1])
}

// announcesAnother reports whether a segment has the label of a number that is not that of an invoice.
func announcesAnother(seg *segment) bool {
	return hasRole(seg, textrules.RoleOrder, textrules.RoleOtherNumber, textrules.RoleTaxID, textrules.RoleBuyerTaxID, textrules.RoleNationalTaxID,
		textrules.RoleRegistration, textrules.RoleIBAN, textrules.RoleBIC, textrules.RoleBank, textrules.RoleAddress, textrules.RoleContact)
}
