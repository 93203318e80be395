package pdftext

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// chooseTable returns the table of lines: the one below a known heading, or the one
// found by arithmetic if the first does not add up to a total.
func (s *parsedDocument) chooseTable() *table {
	targets := s.targets()
	first := s.chooseHeaded(targets)
	one := s.explained(first, targets)
	if one >= 1.9 || one >= 1 && first.consistent() == len(first.items) && s.otherAmounts(first) == 0 {
		return first
	}
	second := s.byColumns()
	if second == nil || len(second.items) == 1 && len(first.items) > 0 {
		return first
	}
	two := s.explained(second, targets)
	switch {
	case len(first.items) == 0:
	case two < 1 || two < one || len(second.items) < 2*len(first.items) && !second.covers(first):
		return first
	case len(second.items) <= len(first.items) && one >= 1, s.addsOnlySums(second, first, targets):
		return first
	}
	for _, seg := range s.segments {
		seg.used = seg.used && first.start >= 0 && seg.line <= second.start && !hasAmount(s.lines[seg.line]) // headings stay marked
	}
	for i := range second.items {
		second.left = max(second.left, first.left)
		s.markRow(second.items[i].row, second)
	}
	if len(second.items) > invoice.MaxLines {
		second.items = second.items[:invoice.MaxLines]
	}
	return second
}

// trim drops rows that are not lines: those below a total if the rows above add up
// without them, and a single row if the others add up without it.
func (s *parsedDocument) trim(t *table, targets map[int64]target) {
	const most = 6
	for range most {
		n := len(t.items)
		if n < 2 || !s.totalBetween(t.items[n-2].at, t.items[n-1].at) || s.explained(t, targets) >= 1.4 || s.groupEnds(t, targets) {
			break
		}
		if rest := (&table{items: t.items[:n-1]}); s.explained(rest, targets) < 1 {
			break
		}
		s.drop(t, n-1)
	}
	total, ok := t.sum()
	if !ok || len(t.items) < 2 || s.explained(t, targets) > 0 {
		return
	}
	if rest := t.withoutGroups(); len(rest) < len(t.items) && s.explained(&table{items: rest}, targets) >= 1 {
		for i := len(t.items) - 1; i >= 0; i-- {
			if !slices.ContainsFunc(rest, func(it item) bool { return it.row == t.items[i].row }) {
				s.drop(t, i)
			}
		}
		return
	}
	found := -1
	for i := range t.items {
		units, _ := toUnits(*t.items[i].value(textrules.ColumnAmount))
		if t.items[i].consistent() || targets[total-units].label < 1.4 {
			continue
		}
		if found >= 0 {
			return
		}
		found = i
	}
	if found >= 0 {
		s.drop(t, found)
	}
}

// withoutGroups returns the items without the headings of groups. The amount of such
// a heading is the sum of the items that follow it, and it has no other numbers.
func (t *table) withoutGroups() []item {
	const most = 40 // items of a group
	var out []item
	for i := range t.items {
		own, ok := t.items[i].units()
		if !ok || t.items[i].numbers > 1 {
			out = append(out, t.items[i])
			continue
		}
		sum, group := int64(0), false
		for k := i + 1; k < len(t.items) && k <= i+most; k++ {
			units, ok := t.items[k].units()
			if !ok || t.items[k].numbers < 2 {
				break
			}
			if sum += units; sum == own {
				group = true
				break
			}
		}
		if !group {
			out = append(out, t.items[i])
		}
	}
	return out
}

// units returns the amount of an item.
func (it *item) units() (int64, bool) {
	if v := it.value(textrules.ColumnAmount); v != nil {
		return toUnits(*v)
	}
	return 0, false
}

// drop removes an item from the table.
func (s *parsedDocument) drop(t *table, i int) {
	if row := t.items[i].row; row != nil {
		for _, seg := range row.segments {
			seg.used = false
		}
	}
	t.items = slices.Delete(t.items, i, i+1)
}

// totalBetween reports whether a row of totals is between two rows, or is the second
// of them.
func (s *parsedDocument) totalBetween(a, b *segment) bool {
	for _, l := range s.lines[min(a.line+1, len(s.lines)):min(b.line+1, len(s.lines))] {
		for _, seg := range l.segments {
			for k := range seg.amounts {
				if !s.maybeMoney(&seg.amounts[k]) {
					continue
				}
				if total, soft := s.rowLabel(seg, &seg.amounts[k]); total || soft && l != s.lines[a.line] && l == s.lines[b.line] {
					return true
				}
			}
		}
	}
	return false
}

// covers reports whether the table contains each row of another table.
func (t *table) covers(other *table) bool {
	rows := t.lines()
	return !slices.ContainsFunc(other.items, func(it item) bool { return !rows[it.at.line] })
}

// lines returns the indices of the lines of the items. A row can be a copy of its line
// without the texts at the left of the table.
func (t *table) lines() map[int]bool {
	out := map[int]bool{}
	for i := range t.items {
		out[t.items[i].at.line] = true
	}
	return out
}

// explained returns the quality of the label of the amount that the items add up to;
// 0 if there is no such amount.
func (s *parsedDocument) explained(t *table, targets map[int64]target) float64 {
	total, ok := t.sum()
	if !ok {
		return 0
	}
	best := 0.0
	for _, at := range []int64{total, total - unitsAmount/100, total + unitsAmount/100} {
		best = max(best, targets[at].label)
	}
	return best
}

// otherAmounts returns the number of amounts below the items in their amount column
// that have no label of a total.
func (s *parsedDocument) otherAmounts(t *table) int {
	if len(t.items) == 0 {
		return 0
	}
	x1 := t.items[0].cells[textrules.ColumnAmount]
	if x1 == nil {
		return 0
	}
	n := 0
	for _, seg := range s.segments {
		if seg.used || seg.line < t.start {
			continue
		}
		for k := range seg.amounts {
			a := &seg.amounts[k]
			if !s.maybeMoney(a) || math.Abs(a.x1-x1.x1) > s.height {
				continue
			}
			if total, _ := s.rowLabel(seg, a); !total {
				n++
			}
		}
	}
	return n
}

// dropNumbering drops a row that numbers the columns: "1 2 3 4 5 (3x4)".
func (t *table) dropNumbering(whole bool) {
	if whole {
		return
	}
	t.items = slices.DeleteFunc(t.items, func(it item) bool {
		if len(it.cells) < 3 {
			return false
		}
		for _, a := range it.cells {
			if len(a.digits) > 2 || len(a.currencies) > 0 {
				return false
			}
		}
		return !strings.ContainsFunc(strings.Join(it.description, ""), unicode.IsLetter)
	})
}
