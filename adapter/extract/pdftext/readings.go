package pdftext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/extraction"
	"docledger/domain/extraction/textrules"
)

// maxReadings is the maximum number of readings of a document.
const maxReadings = 2000

// longestLabel is the number of bytes of a segment in which the label of a reading is looked for.
const longestLabel = 600

// readings returns the printed texts that can be values of the ranked fields. It follows
// the extraction, which finds the table of lines and the order of day and month.
func (s *parsedDocument) readings() []extraction.Reading {
	var out []extraction.Reading
	add := func(kind extraction.ReadingKind, seg *segment, from, to int, values ...string) {
		if len(out) < maxReadings && len(seg.words) > 0 {
			out = append(out, s.reading(kind, seg, from, to, values))
		}
	}
	for _, c := range s.numberCandidates(false) {
		add(extraction.NumberReading, c.seg, c.from, c.to, c.value)
	}
	for _, c := range s.nameCandidates() {
		from, to := c.seg.wordsAt(c.start, c.end)
		add(extraction.NameReading, c.seg, from, to, c.name)
	}
	for _, c := range s.taxIDCandidates(nil, nil, false) {
		add(extraction.TaxIDReading, c.seg, c.from, c.to, c.value)
	}
	for _, seg := range s.segments {
		for _, p := range seg.dates {
			date, other, ok := s.readDate(p)
			if !ok {
				continue
			}
			values := []string{date.String()}
			if other != nil {
				values = append(values, other.String())
			}
			from, to := seg.wordsAt(p.Start, p.End)
			add(extraction.DateReading, seg, from, to, values...)
		}
		if seg.used && !s.totalsRow(seg) {
			continue
		}
		for i := range seg.amounts {
			a := &seg.amounts[i]
			if a.percent || !s.maybeMoney(a) {
				continue
			}
			values := []string{a.value.String()}
			for _, other := range a.alternatives {
				values = append(values, other.String())
			}
			add(extraction.AmountReading, seg, a.from, a.to, values...)
		}
	}
	// Last, because a page can have many letters before numbers.
	parts := s.readingsInTwoParts()
	return append(out, parts[:min(len(parts), maxReadings-len(out))]...)
}

func (s *parsedDocument) reading(kind extraction.ReadingKind, seg *segment, from, to int, values []string) extraction.Reading {
	r := extraction.Reading{Kind: kind, Values: values, Page: seg.page, Box: seg.boxOf(from, to), Text: shorten(seg.text)}
	if from > 0 && from < len(seg.words) {
		r.Before = labelText(seg.text[:min(seg.starts[from], longestLabel)])
	}
	if l := s.lines[seg.line]; seg.at > 0 {
		r.Left = labelText(l.segments[seg.at-1].text)
	}
	r.Above = s.textAbove(seg)
	return r
}

// textAbove returns the nearest text without digits above a segment.
func (s *parsedDocument) textAbove(seg *segment) string {
	for i := seg.line - 1; i >= 0; i-- {
		l := s.lines[i]
		if l.page != seg.page || seg.y0-l.y1 > maxReach*s.height {
			return ""
		}
		for _, a := range l.segments {
			if a.x1 >= seg.x0 && a.x0 <= seg.x1 && !hasDigit(a.text) {
				return labelText(a.text)
			}
		}
	}
	return ""
}

// labelText returns the words of a label: folded, and without numbers and signs.
func labelText(text string) string {
	const most = 60
	var words []string
	for w := range strings.FieldsSeq(textrules.Fold(text)) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		if w != "" && !hasDigit(w) {
			words = append(words, w)
		}
	}
	out := strings.Join(words, " ")
	if utf8.RuneCountInString(out) > most {
		out = string([]rune(out)[:most])
	}
	return out
}
