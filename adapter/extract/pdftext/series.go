package pdftext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// twoParts is a number with a series, such as "FAC", that is printed apart from it: in two cells, or with
// a label between both.
type twoParts struct {
	series, number *segment
	first          int     // index of the word of the series
	from           int     // index of the word of the number
	weight         float64 // confidence that the label between both is that of the invoice number
}

// maxBetween is the maximum number of words of the label between a series and its number.
const maxBetween = 3

// value returns both parts as one number.
func (t *twoParts) value() string {
	return code(t.series.words[t.first].text) + " " + trimIdentifier(t.number.words[t.from].text)
}

func code(word string) string { return strings.Trim(word, "#:.,;()") }

// numbersInTwoParts returns the numbers in two parts: those with the label of a series if labelled,
// otherwise also each number after letters that can be a series.
func (s *parsedDocument) numbersInTwoParts(labelled bool) []twoParts {
	var out []twoParts
	for i, l := range s.lines {
		for k, seg := range l.segments {
			if len(out) >= maxCandidates {
				return out
			}
			if seg.used || l.right {
				continue
			}
			if !labelled {
				for w := range seg.words {
					if p, ok := s.after(l, k, w); ok && len(out) < maxCandidates {
						out = append(out, p)
					}
				}
				continue
			}
			if len(seg.labels) == 0 || seg.labels[0].From > 0 || seg.labels[0].Role != textrules.RoleSeries {
				continue
			}
			if p, ok := s.ofSeries(i, k); ok {
				p.weight = withOwner(l, k, p.weight)
				out = append(out, p)
			}
		}
	}
	return out
}

// ofSeries returns the number in two parts of which a segment begins with the label of the series:
// both in its line, or both below a heading.
func (s *parsedDocument) ofSeries(at, k int) (twoParts, bool) {
	l := s.lines[at]
	seg := l.segments[k]
	end := seg.tokens[seg.labels[0].To-1].End
	for w, start := range seg.starts {
		if start >= end {
			return s.numbered(l, k, w)
		}
	}
	if k+1 < len(l.segments) {
		if p, ok := s.numbered(l, k+1, 0); ok {
			return p, true
		}
	}
	// A heading: the number is in the line of the series, below the label to the right.
	below := s.cellBelow(seg)
	if below == nil || len(below.words) != 1 || !isSeries(below.words[0].text) || k+1 >= len(l.segments) {
		return twoParts{}, false
	}
	weight := labelOfNumber(l.segments[k+1].text)
	if weight == 0 {
		return twoParts{}, false
	}
	number := s.cellBelow(l.segments[k+1])
	if number == nil || number.line != below.line || len(number.words) != 1 || !isCount(number.words[0].text) {
		return twoParts{}, false
	}
	return twoParts{series: below, number: number, weight: weight}, true
}

// numbered returns the number in two parts of which a word of a segment is the series, if the text between
// both is a label of the invoice number and nothing else. Behind any other text is another value: a
// year, a customer, a post code.
func (s *parsedDocument) numbered(l *line, k, w int) (twoParts, bool) {
	p, ok := s.after(l, k, w)
	if !ok {
		return twoParts{}, false
	}
	p.weight = labelOfNumber(p.between(l))
	return p, p.weight > 0
}

// withOwner returns the weight of a number in two parts, which is low if the label to the left of its
// series announces another document, such as a delivery note or an identity card.
func withOwner(l *line, k int, weight float64) float64 {
	const low = 0.6
	if k == 0 {
		return weight
	}
	left := l.segments[k-1]
	if n := len(left.labels); n > 0 && !hasDigit(left.text) && left.labels[n-1].To == len(left.tokens) && announcesOther(left.labels[n-1].Role) {
		return min(weight, low)
	}
	return weight
}

// between returns the text between both parts of a number in a line.
func (t *twoParts) between(l *line) string {
	var out []string
	for _, seg := range l.segments[t.series.at : t.number.at+1] {
		for i := range seg.words {
			if (seg != t.series || i > t.first) && (seg != t.number || i < t.from) {
				out = append(out, seg.words[i].text)
			}
		}
	}
	return strings.Join(out, " ")
}

// signWeight is the weight of a number behind a sign that other numbers have as well. It is lower than
// that of an unambiguous label, so that the number contests none that has one.
const signWeight = 0.9

// labelOfNumber returns the weight of a text as the label of a number within a series: 0 unless the
// whole text is a label of the invoice number, or the sign of a number.
func labelOfNumber(text string) float64 {
	tokens := textrules.Tokens(text)
	if len(tokens) == 0 {
		return 0
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Text
	}
	switch strings.Join(words, " ") {
	case "folio":
		return strongLabel // pages have it as well
	case "n", "no", "nr", "nro", "num", "n o", "numar", "numarul", "sira no", "#", "№":
		return signWeight
	}
	m := textrules.FindLabels(tokens)
	switch {
	case len(m) != 1 || m[0].From > 0 || m[0].To < len(tokens) || m[0].Role != textrules.RoleNumber:
		return 0
	case m[0].Weak:
		return signWeight
	}
	return 1
}

// belowTable reports whether a segment is below lines of the table, where the identity card of a driver
// is printed.
func (s *parsedDocument) belowTable(seg *segment) bool {
	return slices.ContainsFunc(s.segments, func(o *segment) bool { return o.used && o.line < seg.line })
}

// ownedByUnknown reports whether a label that is not known is to the left of a series: "C.I.:".
func (s *parsedDocument) ownedByUnknown(t *twoParts) bool {
	l := s.lines[t.series.line]
	k := t.series.at - 1
	if k >= 0 && !t.series.startsWithLabel() {
		k-- // the label of the series
	}
	return k >= 0 && len(l.segments[k].labels) == 0 && strings.HasSuffix(l.segments[k].text, ":")
}

// continues reports whether letters follow the number, as in an address: "No. 28001 Madrid".
func (t *twoParts) continues() bool {
	if t.from+1 >= len(t.number.words) {
		return false
	}
	next := t.number.words[t.from+1].text
	return lettersOnly(next) && !isFiller(next) && textrules.Fold(next) != "din" && !textrules.KnownWord(next)
}

// pairAmong returns the number in two parts with a label that is a value, or nil.
func (s *parsedDocument) pairAmong(value string) *twoParts {
	for _, p := range s.numbersInTwoParts(true) {
		if strings.EqualFold(p.value(), value) {
			return &p
		}
	}
	return nil
}

// doubts reports whether a number in two parts needs a person: its count is short, or it has only the
// sign of a number while another number has a label.
func (s *parsedDocument) doubts(t *twoParts, labelled []found) bool {
	count := trimIdentifier(t.number.words[t.from].text)
	switch {
	case t.weight < signWeight || t.weight < 1 && len(count) < shortNumber:
		return true
	case t.weight >= strongLabel:
		return false
	case s.belowTable(t.series) || s.ownedByUnknown(t) || t.continues():
		return true
	}
	const relevant = 0.6
	for _, f := range labelled {
		if f.weight >= relevant && !strings.EqualFold(f.value, t.value()) && f.value != count {
			return true
		}
	}
	return false
}

// after returns the number in two parts of which a word of a segment is the series. At most a short label
// is between both. A number directly after the letters in one segment is read as a whole anyway.
func (s *parsedDocument) after(l *line, k, w int) (twoParts, bool) {
	seg := l.segments[k]
	if !isSeries(seg.words[w].text) || seg.labelAt(w) {
		return twoParts{}, false
	}
	out := twoParts{series: seg, first: w}
	between := 0
	for _, next := range l.segments[k:] {
		from := 0
		if next == seg {
			from = w + 1
		}
		for i := from; i < len(next.words); i++ {
			text := next.words[i].text
			if isCount(text) {
				out.number, out.from = next, i
				return out, !next.used && !isDate(next, next.starts[i], next.starts[i]+len(text))
			}
			if between++; between > maxBetween || hasDigit(text) {
				return twoParts{}, false
			}
		}
	}
	return twoParts{}, false
}

// labelAt reports whether a word belongs to a label of another value: "No.".
func (seg *segment) labelAt(w int) bool {
	start := seg.starts[w]
	for _, m := range seg.labels {
		title := m.Role == textrules.RoleTitle || m.Role == textrules.RoleCreditTitle
		if !title && seg.tokens[m.From].Start <= start && start < seg.tokens[m.To-1].End {
			return true
		}
	}
	return false
}

// announcesOther reports whether a label is that of another number than the invoice's, or of a part
// of a number.
func announcesOther(r textrules.Role) bool {
	return r == textrules.RoleOtherNumber || r == textrules.RoleSeries
}

// cellBelow returns the nearest segment below another one in its column, or nil.
func (s *parsedDocument) cellBelow(seg *segment) *segment {
	const reach = 3
	for _, l := range s.lines[seg.line+1:] {
		if l.page != seg.page || l.y0-seg.y1 > reach*s.height {
			return nil
		}
		for _, b := range l.segments {
			if b.x1 >= seg.x0 && b.x0 <= seg.x1 {
				return b
			}
		}
	}
	return nil
}

// isSeries reports whether a word can be a series: a few capital letters.
func isSeries(word string) bool {
	return isPrefix(word) && utf8.RuneCountInString(code(word)) <= 4 && !strings.ContainsAny(word, "-/#")
}

// isCount reports whether a word can be the number within a series: digits alone.
func isCount(word string) bool {
	word = trimIdentifier(word)
	return word != "" && len(word) <= 12 && strings.Trim(word, "0123456789") == ""
}

// readingsInTwoParts returns the numbers in two parts that a person can have corrected, in each of
// the forms in which the parts can be joined.
func (s *parsedDocument) readingsInTwoParts() []extraction.Reading {
	var out []extraction.Reading
	for _, p := range s.numbersInTwoParts(false) {
		if p.series == p.number && p.from == p.first+1 {
			continue // a reading of one segment
		}
		series, number := code(p.series.words[p.first].text), trimIdentifier(p.number.words[p.from].text)
		r := s.reading(extraction.NumberReading, p.series, p.first, p.first+1,
			[]string{series + " " + number, series + "-" + number, series + "/" + number, series + number})
		// The label of the number is a part of the place: behind the same series another value can follow.
		if between := labelText(p.between(s.lines[p.series.line])); between != "" && r.Before != "" {
			r.Before += " " + between
		} else if between != "" {
			r.Left = strings.TrimSpace(r.Left + " " + between)
		}
		box := [4]float64(union(p.series.boxOf(p.first, p.first+1), p.number.boxOf(p.from, p.from+1)))
		r.Box = box
		out = append(out, r)
	}
	return out
}

// seriesBefore returns the letters between the label of a number and the number, "" without any, also
// if wide spaces separate them: "Invoice no. LS 12/2025". They are a part of most numbers.
func (s *parsedDocument) seriesBefore(c *candidate) string {
	if c.seg == nil || c.to > c.from+1 {
		return ""
	}
	seg, at, ok := s.wordBefore(c.seg, c.from)
	if !ok || !isSeries(seg.words[at].text) || seg.labelAt(at) {
		return ""
	}
	label, end, ok := s.wordBefore(seg, at)
	if !ok {
		return ""
	}
	if isNumberSign(label.words[end].text) {
		return code(seg.words[at].text)
	}
	behind := label.starts[end] + len(label.words[end].text)
	for _, m := range label.labels {
		last := label.tokens[m.To-1].End
		if m.Role == textrules.RoleNumber && last > label.starts[end] && strings.Trim(label.text[last:behind], " .:#°") == "" {
			return code(seg.words[at].text)
		}
	}
	return ""
}

// wordBefore returns the word to the left of a word in its line, if only a space separates them.
func (s *parsedDocument) wordBefore(seg *segment, at int) (*segment, int, bool) {
	const space = 1.3 // of the height of capitals; that of a typewriter is 0.9
	before, i := seg, at-1
	if i < 0 {
		segments := s.lines[seg.line].segments
		k := slices.Index(segments, seg)
		if k < 1 {
			return nil, 0, false
		}
		before, i = segments[k-1], len(segments[k-1].words)-1
	}
	a, b := &before.words[i], &seg.words[at]
	return before, i, b.x0-a.x1 <= space*(b.y1-b.y0)
}
