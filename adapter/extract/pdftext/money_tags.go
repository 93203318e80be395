package pdftext

import (
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
)

// moneyTags finds the labels of an amount.
func (s *parsedDocument) moneyTags(seg *segment, a *amount, set func(side int, at *segment, m textrules.Match)) {
	start := seg.starts[a.from]
	for m := len(seg.labels) - 1; m >= 0; m-- {
		label := seg.labels[m]
		if _, ok := moneyGroupOf(label.Role); ok && seg.tokens[label.To-1].End <= start {
			set(sideSame, seg, label)
			break
		}
	}
	l := s.lines[seg.line]
	step := -1
	if l.right {
		step = 1
	}
	if !seg.wordyBefore(a) {
		for i := seg.at + step; i >= 0 && i < len(l.segments); i += step {
			b := l.segments[i]
			if !b.wordy() {
				continue
			}
			// The first label describes the row; the last one is the nearest.
			for m := len(b.labels) - 1; m >= 0; m-- {
				if _, ok := moneyGroupOf(b.labels[m].Role); ok {
					set(sideLeft, b, b.labels[m])
				}
			}
			break
		}
	}
	reach := 0
	for i := seg.line - 1; i >= 0 && reach < 10; i-- {
		above := s.lines[i]
		if above.page != seg.page || seg.y0-above.y1 > 16*s.height {
			break
		}
		boxed := s.boxAbove(above, seg, a, reach)
		for _, b := range above.segments {
			if b != boxed && (b.x1 < a.x0-s.height || b.x0 > a.x1+s.height) {
				continue
			}
			reach++
			if !b.wordy() {
				continue
			}
			if pureLabel(b) || len(b.amounts) == 0 {
				for _, m := range b.labels {
					if _, ok := moneyGroupOf(m.Role); !ok {
						continue
					}
					if x0, x1 := b.span(b.tokens[m.From].Start, b.tokens[m.To-1].End); b == boxed || x1 >= a.x0-2*s.height && x0 <= a.x1+2*s.height {
						set(sideAbove, b, m)
					}
				}
			}
			return
		}
	}
}

// boxAbove returns the label of a box with an amount at its right edge: the label is at
// the left edge of the box, directly above, between labels of other boxes. It returns
// nil if another text is above the amount.
func (s *parsedDocument) boxAbove(above *line, seg *segment, a *amount, reach int) *segment {
	const few, widest = 3, 15
	if reach > 0 || seg.y0-above.y1 > 1.5*s.height || len(above.segments) < few {
		return nil
	}
	var box *segment
	for _, b := range above.segments {
		switch {
		case hasDigit(b.text), b.x1 >= a.x0-s.height && b.x0 <= a.x1+s.height:
			return nil
		case b.x1 < a.x0 && (box == nil || b.x0 > box.x0):
			box = b
		}
	}
	if box == nil || a.x0-box.x1 > widest*s.height || seg.x0 < box.x0 {
		return nil
	}
	return box
}

// wordyBefore reports whether there are letters before an amount in its segment.
func (seg *segment) wordyBefore(a *amount) bool {
	for _, w := range seg.words[:a.from] {
		if strings.ContainsFunc(w.text, unicode.IsLetter) && textrules.Currencies(w.text) == nil {
			return true
		}
	}
	return false
}
