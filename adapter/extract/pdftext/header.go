package pdftext

import (
	"slices"
	"strings"
	"unicode"

	"docledger/domain/calendar"
	"docledger/domain/extraction/textrules"
)

// found is a candidate of a value.
type found struct {
	value        string
	date         calendar.Date
	weight       float64
	seg          *segment
	from, to     int // indices of words of the segment
	alternatives []string
	ambiguous    bool // an ambiguous date
}

// place is a possible position of a label's value: a segment from a byte offset.
type place struct {
	seg    *segment
	from   int
	factor float64 // quality of the position
}

// places returns the possible positions of a label's value, most likely first: after
// it, to its right, below it.
func (s *parsedDocument) places(at, k, m int) []place {
	l := s.lines[at]
	seg := l.segments[k]
	var out []place
	end := seg.tokens[seg.labels[m].To-1].End
	if rest := strings.Trim(seg.text[end:], " :.-=#)("); rest != "" {
		out = append(out, place{seg, end, 1})
		if m+1 < len(seg.labels) || len(rest) > 3 {
			return out
		}
	}
	if m != len(seg.labels)-1 {
		return out
	}
	next := k + 1
	if l.right {
		next = k - 1
	}
	if next >= 0 && next < len(l.segments) {
		out = append(out, place{l.segments[next], 0, 0.98})
	}
	for _, below := range s.lines[at+1:] {
		if below.page != seg.page || below.y0-seg.y1 > 8*s.height {
			break
		}
		for _, b := range below.segments {
			if b.x1 >= seg.x0 && b.x0 <= seg.x1 {
				return append(out, place{b, 0, 0.95})
			}
		}
	}
	return out
}

// identifier reads a number such as an invoice number from a place: a word with a
// digit, or two words if the first is a short prefix.
func (s *parsedDocument) identifier(p place) (found, bool) {
	seg := p.seg
	rest := seg.text[p.from:]
	trimmed := strings.TrimLeft(rest, " :.=#-–№º°")
	for _, filler := range []string{"nr.", "nr ", "no.", "no ", "n.", "num.", "nummer", "number"} {
		if strings.HasPrefix(textrules.Fold(trimmed), filler) {
			trimmed = strings.TrimLeft(trimmed[min(len(filler), len(trimmed)):], " :.=#-–№º°")
		}
	}
	start := p.from + len(rest) - len(trimmed)
	words := strings.Fields(trimmed)
	if len(words) == 0 || strings.HasPrefix(trimmed, "(") || strings.HasPrefix(trimmed, "_") {
		return found{}, false
	}
	value := words[0]
	if !hasDigit(value) {
		short := len([]rune(value)) <= 5 && !strings.HasSuffix(value, ":")
		if !short || len(words) < 2 || !hasDigit(words[1]) || value != strings.ToUpper(value) {
			return found{}, false
		}
		value += " " + words[1]
	} else if len(words) > 1 && isPrefixPart(words[0], words[1]) {
		value += " " + words[1]
	}
	end := start + len(value)
	value = strings.Trim(value, " .,;:()[]'\"")
	if !hasDigit(value) || value == "" || value[0] == '_' || len([]rune(value)) > 40 || strings.ContainsAny(value, "@%€$£") {
		return found{}, false
	}
	for _, d := range seg.dates {
		if prefixed := strings.Contains(value, " ") && d.Start > start; prefixed {
			continue // "FS 6/05/2024" is a number within a month
		}
		if start < d.End && d.Start < end {
			return found{}, false
		}
	}
	from, to := seg.wordsAt(start, end)
	return found{value: value, weight: p.factor, seg: seg, from: from, to: to}, true
}

// isPrefixPart reports whether a number continues in a second word: FT 2024/17.
func isPrefixPart(first, second string) bool {
	return strings.HasSuffix(first, "/") || strings.HasPrefix(second, "/") && len(second) > 1
}

// hasDigit reports whether a text has an ASCII digit.
func hasDigit(s string) bool {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}

// wordsAt returns the indices of the words in a range of bytes of the text.
func (seg *segment) wordsAt(start, end int) (from, to int) {
	from = -1
	for i, at := range seg.starts {
		if at < end && start < at+len(seg.words[i].text) {
			if from < 0 {
				from = i
			}
			to = i + 1
		}
	}
	return max(from, 0), to
}

// numbers returns the candidates of the invoice number.
func (s *parsedDocument) numbers() []found {
	var out []found
	for _, p := range s.numbersInTwoParts(true) {
		out = append(out, found{value: p.value(), weight: p.weight, seg: p.number, from: p.from, to: p.from + 1})
	}
	for i, l := range s.lines {
		heading := isHeading(l)
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			for m, label := range seg.labels {
				weight := numberWeight(seg, label)
				if weight == 0 {
					continue
				}
				for _, p := range s.places(i, k, m) {
					title := label.Role != textrules.RoleNumber
					if title && (p.seg != seg && !heading || m > 0 && p.seg != seg) {
						continue
					}
					if p.seg != seg && p.seg.startsWithLabel() {
						continue
					}
					if f, ok := s.identifier(p); ok {
						f.weight *= weight
						out = append(out, f)
						break
					}
				}
			}
		}
	}
	return out
}

// numberWeight returns the confidence that a label is that of the invoice number.
func numberWeight(seg *segment, label textrules.Match) float64 {
	atStart := label.From == 0
	switch {
	case label.Role == textrules.RoleNumber && seg.refers(label):
		return 0.6
	case label.Role == textrules.RoleNumber && !label.Weak:
		return 1
	case label.Role == textrules.RoleNumber && atStart:
		return 0.7
	case label.Role == textrules.RoleNumber:
		for _, other := range seg.labels {
			if (other.Role == textrules.RoleTitle || other.Role == textrules.RoleCreditTitle) && other.To <= label.From && label.From-other.To <= 4 {
				return 0.9
			}
		}
	case (label.Role == textrules.RoleTitle || label.Role == textrules.RoleCreditTitle) && atStart:
		return 0.85
	}
	return 0
}

// refers reports whether the label of another number ends where a label begins or
// overlaps it: "Ref. Invoice no." is the number of another document.
func (seg *segment) refers(label textrules.Match) bool {
	return slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
		return announcesOther(m.Role) && m.From < label.From && m.To >= label.From
	})
}

func (seg *segment) startsWithLabel() bool {
	return len(seg.labels) > 0 && seg.labels[0].From == 0
}

// isHeading reports whether a line is the heading of a small table: several labels
// and no values.
func isHeading(l *line) bool {
	labelled := 0
	for _, seg := range l.segments {
		if hasDigit(seg.text) {
			return false
		}
		if seg.startsWithLabel() {
			labelled++
		}
	}
	return labelled >= 2 && labelled == len(l.segments) || labelled >= 3
}

// datesOf returns the candidates of a date according to its labels.
func (s *parsedDocument) datesOf(role textrules.Role) []found {
	var out []found
	for i, l := range s.lines {
		for k, seg := range l.segments {
			if seg.used {
				continue
			}
			for n := range seg.dates {
				d := &seg.dates[n]
				weight := s.dateWeight(role, i, k, n)
				if weight == 0 {
					continue
				}
				date, alternative, ok := s.readDate(*d)
				if !ok {
					continue
				}
				from, to := seg.wordsAt(d.Start, d.End)
				f := found{value: date.String(), date: date, weight: weight, seg: seg, from: from, to: to}
				if alternative != nil {
					f.alternatives, f.ambiguous = []string{alternative.String()}, true
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// dateWeight returns the confidence that the n-th date of a segment has a role.
func (s *parsedDocument) dateWeight(role textrules.Role, at, k, n int) float64 {
	label, place := s.labelOfDate(at, k, n)
	if label == nil {
		return 0
	}
	switch label.Role {
	case role:
		return place
	case textrules.RoleDate:
		if role == textrules.RoleIssueDate {
			return 0.85 * place
		}
	case textrules.RoleTitle, textrules.RoleCreditTitle, textrules.RoleNumber:
		if role == textrules.RoleIssueDate && place == 1 && (label.From == 0 || !label.Weak) {
			return 0.8
		}
	case textrules.RoleTerms:
		if role == textrules.RoleDueDate {
			return 0
		}
	}
	return 0
}

// labelOfDate returns the label of a date and the quality of its position: before the
// date in its segment, in the previous segment, or above.
func (s *parsedDocument) labelOfDate(at, k, n int) (*textrules.Match, float64) {
	l := s.lines[at]
	seg := l.segments[k]
	var nearest *textrules.Match
	for m := range seg.labels {
		if seg.tokens[seg.labels[m].To-1].End <= seg.dates[n].Start {
			nearest = &seg.labels[m]
		}
	}
	if nearest != nil {
		return nearest, 1
	}
	if n > 0 || seg.dates[0].Start > 0 && strings.ContainsFunc(seg.text[:seg.dates[0].Start], unicode.IsLetter) {
		return nil, 0
	}
	before := k - 1
	if l.right {
		before = k + 1
	}
	if before == k-1 && before > 0 && isFiller(l.segments[before].text) {
		before--
		if before > 0 && hasDigit(l.segments[before].text) && !l.segments[before].startsWithLabel() {
			before-- // the number between "No." and "of"
		}
		if l.segments[before].startsWithLabel() {
			return &l.segments[before].labels[0], 1
		}
	}
	if before >= 0 && before < len(l.segments) {
		if b := l.segments[before]; len(b.labels) > 0 && len(b.dates) == 0 && !hasDigit(b.text) {
			return &b.labels[len(b.labels)-1], 0.98
		}
	}
	return s.labelAbove(at, seg)
}

// isFiller reports whether a text only connects a date with its meaning.
func isFiller(text string) bool {
	switch textrules.Fold(strings.Trim(text, " .:")) {
	case "vom", "von", "of", "dated", "du", "de", "del", "van", "z", "z dnia", "da", "от", "av":
		return true
	}
	return false
}

// labelAbove returns the label of the nearest segment above.
func (s *parsedDocument) labelAbove(at int, seg *segment) (*textrules.Match, float64) {
	for i := at - 1; i >= 0; i-- {
		l := s.lines[i]
		if l.page != seg.page || seg.y0-l.y1 > 8*s.height {
			break
		}
		for _, a := range l.segments {
			if a.x1 < seg.x0 || a.x0 > seg.x1 {
				continue
			}
			if len(a.labels) > 0 && len(a.dates) == 0 && !hasDigit(a.text) {
				return &a.labels[len(a.labels)-1], 0.95
			}
			return nil, 0
		}
	}
	return nil, 0
}
