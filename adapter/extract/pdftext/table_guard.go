package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// chooseHeaded returns the table below a known heading. Lines can follow a partial sum,
// such as the sum of a group or of a page. Those without a quantity and a price count
// only if the amounts add up to a labelled total with them, and do not without them.
func (s *parsedDocument) chooseHeaded(targets map[int64]target) *table {
	before := s.usedSegments()
	t := s.headed(false, targets)
	if !t.hasGroups || s.explained(t, targets) >= 1 && !s.partial(t, targets) {
		return t
	}
	narrow := s.usedSegments()
	s.restoreUsed(before)
	wide := s.headed(true, targets)
	if len(wide.items) > len(t.items) && s.explained(wide, targets) >= 1 && !s.partial(wide, targets) {
		return wide
	}
	s.restoreUsed(narrow)
	return t
}

// headed returns the table below a known heading without rows of totals.
func (s *parsedDocument) headed(wide bool, targets map[int64]target) *table {
	before := s.usedSegments()
	t := s.findTable(wide, len(s.lines))
	t.readProducts()
	t.dropNumbering(s.whole)
	if end := s.summaryStart(t, targets); end >= 0 {
		s.restoreUsed(before)
		t = s.findTable(wide, end)
		t.readProducts()
		t.dropNumbering(s.whole)
	}
	s.trim(t, targets)
	return t
}

// summaryStart returns the line from which rows that look like totals are totals, or -1
// if they are lines. A commission states an amount, a rate and their product, as a tax
// does. So the rows are lines if all items add up to the net total. They are totals if the
// items without them add up to a total, or if they have the label of a tax.
func (s *parsedDocument) summaryStart(t *table, targets map[int64]target) int {
	all := s.explanation(t, targets).label
	if all >= netLabel {
		return -1
	}
	sum, known := t.sum()
	for k := max(t.summaries(), 1); k < len(t.items); k++ {
		row := &t.items[k]
		if !row.summary {
			continue
		}
		rest, dropped := t.parted(k)
		if total, ok := rest.sum(); ok && known && total == sum {
			continue // free lines
		}
		without := s.explanation(rest, targets)
		switch {
		case without.label >= 1 && without.line >= row.at.line,
			all < 1 && s.containsSum(row.row, rest),
			s.taxesOf(dropped, rest, all),
			s.labelsTax(row.row) && !s.stateTaxes(t.items[:k]):
			return row.at.line
		}
	}
	return -1
}

// summaries returns the index of the first of the last rows that look like totals.
func (t *table) summaries() int {
	const most = 16 // rows
	first := len(t.items)
	for n := 0; first > 0 && n < most; first-- {
		if t.items[first-1].summary {
			n++
		}
	}
	return first
}

// parted returns the items that remain if rows of totals begin at an index, and the
// others.
func (t *table) parted(k int) (rest, dropped *table) {
	rest, dropped = &table{items: slices.Clone(t.items[:k])}, &table{}
	for _, it := range t.items[k:] {
		if it.consistent() {
			rest.items = append(rest.items, it)
		} else {
			dropped.items = append(dropped.items, it)
		}
	}
	return rest, dropped
}

// netLabel is the least quality of the label of a net total that is not weak.
const netLabel = 1.9

// explanation returns the amount with the best label that the items add up to.
func (s *parsedDocument) explanation(t *table, targets map[int64]target) (best target) {
	total, ok := t.sum()
	if !ok {
		return target{}
	}
	for _, at := range []int64{total, total - unitsAmount/100, total + unitsAmount/100} {
		if targets[at].label > best.label {
			best = targets[at]
		}
	}
	return best
}

// taxesOf reports whether rows state taxes of amounts that add up to the items. A single
// row can be a fee on all items. So its tax needs a label elsewhere, and with the items it
// must add up to an amount with a label of the quality all.
func (s *parsedDocument) taxesOf(rows, items *table, all float64) bool {
	var bases, taxes, sum money.Decimal
	for i := range rows.items {
		base, tax, ok := s.statedTax(rows.items[i].row)
		if !ok {
			return false
		}
		bases, taxes = bases.Add(base), taxes.Add(tax)
	}
	for i := range items.items {
		v := items.items[i].value(textrules.ColumnAmount)
		if v == nil {
			return false
		}
		sum = sum.Add(*v)
	}
	return len(rows.items) > 0 && bases.Within(sum, cent) && (len(rows.items) > 1 || all >= 1 && s.labelledTax(taxes))
}

// containsSum reports whether a line consists of numbers that add up, and one of them is
// the sum of the items.
func (s *parsedDocument) containsSum(l *line, items *table) bool {
	total, ok := items.sum()
	if !ok || slices.ContainsFunc(l.segments, (*segment).wordy) || !s.addsUpAlone(l) {
		return false
	}
	sums, _ := s.amountsOf(l)
	return slices.ContainsFunc(sums, func(v money.Decimal) bool {
		units, ok := toUnits(v)
		return ok && units == total
	})
}

// labelledTax reports whether an amount has the label of a tax.
func (s *parsedDocument) labelledTax(value money.Decimal) bool {
	found := false
	for _, seg := range s.segments {
		for k := range seg.amounts {
			if a := &seg.amounts[k]; !a.percent && a.value.Equal(value) {
				s.moneyTags(seg, a, func(_ int, _ *segment, m textrules.Match) {
					found = found || m.Role == textrules.RoleTax || m.Role == textrules.RoleTaxTotal
				})
			}
		}
	}
	return found
}

// labelsTax reports whether a row states a tax and has its label.
func (s *parsedDocument) labelsTax(l *line) bool {
	return s.statesTax(l) && slices.ContainsFunc(l.segments, func(seg *segment) bool {
		return hasRole(seg, textrules.RoleTax, textrules.RoleTaxTotal)
	})
}

// stateTaxes reports whether one of the items states a tax of its own.
func (s *parsedDocument) stateTaxes(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool { return s.statesTax(it.row) })
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

// isSummary reports whether a row looks like one of totals and not of the table: it
// mentions an account, or states the tax of an amount at a rate, or it consists of
// numbers that add up. Lines can look like it as well.
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
	return !wordy && s.addsUpAlone(l) || s.statesTax(l)
}

// statesAccount reports whether a row contains the number of an account with its label.
func (s *parsedDocument) statesAccount(l *line, t *table) bool {
	return slices.ContainsFunc(l.segments, func(seg *segment) bool {
		return !t.outside(seg, s.height) && slices.ContainsFunc(seg.labels, func(m textrules.Match) bool {
			return m.Role == textrules.RoleIBAN && m.To < len(seg.tokens) && beginsAccount(seg.tokens[m.To].Text)
		})
	})
}

// showsAccount reports whether the amount of a row is the number of an account, such as "A/c 5020001245954"
// in the imprint: many digits behind words, in a table with cents in its amounts.
func (it *item) showsAccount(t *table) bool {
	const fewest = 8
	a := it.cells[textrules.ColumnAmount]
	if a == nil || it.at == nil || a.from == 0 || len(a.digits) < fewest || strings.Trim(a.digits, "0123456789") != "" || len(a.currencies) > 0 || !it.at.wordyBefore(a) {
		return false
	}
	return slices.ContainsFunc(t.items, func(o item) bool {
		b := o.cells[textrules.ColumnAmount]
		return b != nil && b.showsMoney()
	})
}

// beginsAccount reports whether a word begins with a country and two digits.
func beginsAccount(word string) bool {
	const prefix = 4
	return len(word) >= prefix && !hasDigit(word[:2]) && strings.Trim(word[2:prefix], "0123456789") == ""
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

// statesTax reports whether a line can state a tax.
func (s *parsedDocument) statesTax(l *line) bool {
	_, _, ok := s.statedTax(l)
	return ok
}

// statedTax returns the last amount of a line and another one if the last one is the tax
// of the other one at a rate of the line. The rate can lack its sign if it is not zero.
func (s *parsedDocument) statedTax(l *line) (base, tax money.Decimal, ok bool) {
	sums, rates := s.amountsOf(l)
	if len(sums) < 2 {
		return base, tax, false
	}
	const highest = 30 // per cent
	bases, tax := sums[:len(sums)-1], sums[len(sums)-1]
	for i, r := range slices.Concat(rates, bases) {
		signed := i < len(rates)
		if r.Sign() < 0 || r.IsZero() && !signed || r.IsZero() != tax.IsZero() || r.Cmp(money.FromInt(highest)) > 0 {
			continue
		}
		for _, base := range bases {
			if !base.IsZero() && (signed || !base.Equal(r)) && textrules.IsTaxOf(base, r, tax, cent) {
				return base, tax, true
			}
		}
	}
	return base, tax, false
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
	added := &table{items: slices.DeleteFunc(slices.Clone(t.items), func(it item) bool { return rows[it.at.line] })}
	all := s.explained(t, targets)
	apart := all < netLabel && (s.explained(complete, targets) >= 1 || s.taxesOf(added, complete, all))
	for i := range added.items {
		it := &added.items[i]
		if s.statesAccount(it.row, complete) || apart && s.isSummary(it.row, it, complete) {
			continue
		}
		_, charge := s.rowLabel(it.at, it.cells[textrules.ColumnAmount])
		if !charge || it.consistent() || !ok || targets[sum].line <= complete.items[len(complete.items)-1].at.line {
			return false
		}
	}
	return true
}
