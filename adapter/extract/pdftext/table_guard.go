package pdftext

import (
	"slices"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// chooseHeaded returns the table below a known heading. Lines can follow a partial sum,
// such as the sum of a group or of a page. Those without a quantity and a price count
// only if the amounts add up to a labelled total with them, and do not without them.
func (s *parsedDocument) chooseHeaded(targets map[int64]target) *table {
	before := s.usedSegments()
	t := s.findTable(false)
	t.dropNumbering(s.whole)
	s.trim(t, targets)
	if !t.hasGroups || s.explained(t, targets) >= 1 && !s.partial(t, targets) {
		return t
	}
	narrow := s.usedSegments()
	s.restoreUsed(before)
	wide := s.findTable(true)
	wide.dropNumbering(s.whole)
	s.trim(wide, targets)
	if len(wide.items) > len(t.items) && s.explained(wide, targets) >= 1 && !s.partial(wide, targets) {
		return wide
	}
	s.restoreUsed(narrow)
	return t
}

func (s *parsedDocument) usedSegments() []bool {
	out := make([]bool, len(s.segments))
	for i, seg := range s.segments {
		out[i] = seg.used
	}
	return out
}

func (s *parsedDocument) restoreUsed(used []bool) {
	for i, seg := range s.segments {
		seg.used = used[i]
	}
}

// partial reports whether the items add up to a sum that is printed only before the last
// one of the partial sums: it is the sum of some groups.
func (s *parsedDocument) partial(t *table, targets map[int64]target) bool {
	total, ok := t.sum()
	return ok && targets[total].line < t.lastGroup
}

// groupEnds reports whether the last item belongs to a group of its own: the items
// before it add up to a sum that is printed only above it, and all items add up to an
// amount below it.
func (s *parsedDocument) groupEnds(t *table, targets map[int64]target) bool {
	n := len(t.items)
	all, ok := t.sum()
	rest, known := (&table{items: t.items[:n-1]}).sum()
	last := t.items[n-1].at.line
	return ok && known && targets[all].line > last && targets[rest].line < last
}

// isSummary reports whether a row is one of totals and not of the table: it states an
// account, or the tax of an amount at a rate, or it consists of numbers that add up.
func (s *parsedDocument) isSummary(l *line, it *item, t *table) bool {
	if it.consistent() {
		return false
	}
	wordy := false
	for _, seg := range l.segments {
		if t.outside(seg, s.height) {
			continue
		}
		if hasRole(seg, textrules.RoleIBAN, textrules.RoleBIC) {
			return true
		}
		wordy = wordy || seg.wordy()
	}
	return !wordy && s.addsUpAlone(l) || len(t.items) > 0 && s.statesTax(l) &&
		!slices.ContainsFunc(t.items, func(other item) bool { return s.statesTax(other.row) })
}

// amountsOf returns the amounts of money and the rates of a line.
func (s *parsedDocument) amountsOf(l *line) (sums, rates []money.Decimal) {
	const most = 8
	for _, seg := range l.segments {
		for i := range seg.amounts {
			switch a := &seg.amounts[i]; {
			case len(sums) == most || len(rates) == most:
			case a.percent:
				rates = append(rates, a.value)
			case s.maybeMoney(a):
				sums = append(sums, a.value)
			}
		}
	}
	return sums, rates
}

// addsUpAlone reports whether two amounts of a line are the sums of others before them:
// parts, net total, tax and gross total.
func (s *parsedDocument) addsUpAlone(l *line) bool {
	sums, _ := s.amountsOf(l)
	n := 0
	for k := range sums {
		found := false
		for j := range k {
			for i := range j {
				found = found || !sums[i].IsZero() && !sums[j].IsZero() && sums[i].Add(sums[j]).Equal(sums[k])
			}
		}
		if found {
			n++
		}
	}
	return n >= 2
}

// statesTax reports whether the last amount of a line is the tax of another one at a
// rate of the line.
func (s *parsedDocument) statesTax(l *line) bool {
	sums, rates := s.amountsOf(l)
	if len(sums) < 2 || sums[len(sums)-1].IsZero() {
		return false
	}
	const highest = 30 // per cent
	bases, tax := sums[:len(sums)-1], sums[len(sums)-1]
	for _, r := range append(rates, bases...) {
		if r.Sign() <= 0 || r.Cmp(money.FromInt(highest)) > 0 {
			continue
		}
		if slices.ContainsFunc(bases, func(base money.Decimal) bool { return !base.Equal(r) && textrules.IsTaxOf(base, r, tax, cent) }) {
			return true
		}
	}
	return false
}

// sumsUp reports whether a line has the label of a partial sum.
func sumsUp(l *line) bool {
	return slices.ContainsFunc(l.segments, func(seg *segment) bool { return hasRole(seg, textrules.RoleSubtotal) })
}

// addsOnlySums reports whether a table contains the rows of a complete one and besides
// only rows of totals: taxes, or charges below the printed sum of the complete one.
func (s *parsedDocument) addsOnlySums(t, complete *table, targets map[int64]target) bool {
	if !t.covers(complete) || complete.consistent() < len(complete.items) {
		return false
	}
	rows := complete.lines()
	sum, ok := complete.sum()
	for i := range t.items {
		it := &t.items[i]
		if rows[it.at.line] || s.isSummary(it.row, it, complete) {
			continue
		}
		_, charge := s.rowLabel(it.at, it.cells[textrules.ColumnAmount])
		if !charge || it.consistent() || !ok || targets[sum].line <= complete.items[len(complete.items)-1].at.line {
			return false
		}
	}
	return true
}
