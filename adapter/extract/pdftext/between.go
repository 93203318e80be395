package pdftext

import (
	"math"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// mostBetween is the maximum number of rows between two totals.
const mostBetween = 6

// mostSegments is the maximum number of segments that one search between two totals reads. Beyond
// it nothing is found, so that a column with one amount in each of many rows takes little time.
const mostSegments = 20_000

// between returns the amounts with unknown labels between two totals of one column or row. The words
// for freight and fees are many. The position between the sum of the lines and the net total
// shows what such an amount is, if the amounts add up.
func (v *solver) between(from, to money.Decimal) []*sum {
	left := mostSegments
	for _, l := range v.s.lines {
		for _, seg := range l.segments {
			for i := range seg.amounts {
				a := &seg.amounts[i]
				if seg.used || !v.s.maybeMoney(a) || !a.value.Equal(to) {
					continue
				}
				if rows := v.rowsAbove(seg, a, from, &left); len(rows) > 0 {
					return rows
				}
				if cells := v.cellsBefore(seg, a, from, &left); len(cells) > 0 {
					return cells
				}
			}
		}
	}
	return nil
}

// rowsAbove returns the rows with unknown labels above an amount, up to the amount of the
// lines or the end of the table. It returns nil if another total is among them.
func (v *solver) rowsAbove(below *segment, total *amount, from money.Decimal, left *int) []*sum {
	var out []*sum
	for at := below.line - 1; at >= 0 && len(out) <= mostBetween; at-- {
		l := v.s.lines[at]
		if l.page != below.page {
			return nil
		}
		for _, seg := range l.segments {
			if *left--; *left < 0 {
				return nil
			}
			if seg.used {
				return out
			}
			for i := range seg.amounts {
				a := &seg.amounts[i]
				if !v.s.maybeMoney(a) || math.Abs(a.x1-total.x1) > v.s.height && math.Abs(a.x0-total.x0) > v.s.height {
					continue
				}
				if a.value.Equal(from) || a.value.Equal(*v.lines) {
					return out
				}
				x, other := v.unknownRow(seg, a)
				if other {
					return nil
				}
				if x != nil {
					out = append(out, x)
				}
			}
		}
	}
	return nil
}

// cellsBefore returns the amounts with unknown headings before an amount in its row, back to
// the amount of the lines.
func (v *solver) cellsBefore(seg *segment, total *amount, from money.Decimal, left *int) []*sum {
	var out []*sum
	l := v.s.lines[seg.line]
	for i := seg.at - 1; i >= 0 && len(out) <= mostBetween; i-- {
		cell := l.segments[i]
		if cell.used || len(cell.amounts) != 1 || cell.wordy() {
			return nil
		}
		a := &cell.amounts[0]
		if a.value.Equal(from) || a.value.Equal(*v.lines) {
			return out
		}
		role, head := textrules.Role(""), v.s.headingAbove(cell, left)
		if head == nil {
			return nil
		}
		for _, m := range head.labels {
			if _, ok := moneyGroupOf(m.Role); ok {
				role = m.Role
			}
		}
		units, ok := toUnits(a.value)
		switch {
		case role == textrules.RoleTax || role == textrules.RoleTaxTotal || !ok || units == 0:
		case role == "" || role == textrules.RoleCarried:
			out = append(out, &sum{value: a.value, units: units, seg: cell, amount: a, extraAt: head, unknown: true})
		case role != textrules.RoleAllowance && role != textrules.RoleCharge && role != textrules.RoleRounding:
			return nil
		}
	}
	return nil
}

// headingAbove returns the text directly above a segment.
func (s *parsedDocument) headingAbove(seg *segment, left *int) *segment {
	for i := seg.line - 1; i >= 0 && s.lines[i].page == seg.page && seg.y0-s.lines[i].y1 < 3*s.height; i-- {
		for _, b := range s.lines[i].segments {
			if *left--; *left < 0 {
				return nil
			}
			if b.x0 < seg.x1 && b.x1 > seg.x0 {
				if b.wordy() {
					return b
				}
				return nil
			}
		}
	}
	return nil
}

// unknownRow returns an amount with a label that no word list contains. other reports that
// the amount has the label of another total. A tax is neither.
func (v *solver) unknownRow(seg *segment, a *amount) (x *sum, other bool) {
	extra := false
	v.s.moneyTags(seg, a, func(side int, _ *segment, m textrules.Match) {
		switch {
		case side == sideAbove || m.Role == textrules.RoleCarried:
		case m.Role == textrules.RoleTax, m.Role == textrules.RoleTaxTotal:
			extra = true
		case m.Role == textrules.RoleAllowance, m.Role == textrules.RoleCharge, m.Role == textrules.RoleRounding:
			extra = true
		default:
			other = true
		}
	})
	units, ok := toUnits(a.value)
	if other || extra || !ok || units == 0 {
		return nil, other
	}
	label := seg
	if !seg.wordyBefore(a) {
		if label = v.s.wordsLeft(seg); label == nil {
			return nil, false
		}
	}
	return &sum{value: a.value, units: units, seg: seg, amount: a, extraAt: label, unknown: true}, false
}

// wordsLeft returns the nearest segment with words to the left of a segment.
func (s *parsedDocument) wordsLeft(seg *segment) *segment {
	l := s.lines[seg.line]
	for i := seg.at - 1; i >= 0; i-- {
		if l.segments[i].wordy() {
			return l.segments[i]
		}
	}
	return nil
}
