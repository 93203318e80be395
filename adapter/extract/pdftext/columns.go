package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// cell is an amount that may be that of a line: one of a column of amounts
// whose right edges are aligned.
type cell struct {
	seg    *segment
	amount *amount
	units  int64
	total  bool // its row is labelled as a total
	soft   bool // its row is labelled as a charge or the sum of a part
}

// maxSkipped is how many amounts a column may hold above its lines.
const maxSkipped = 4

// byColumns finds the table of lines by arithmetic alone: a column of amounts
// that add up to an amount printed below it. It needs no heading, so it finds
// tables whose headings are unknown, wrapped or missing. Each column is read in
// one pass over its amounts.
func (s *parsedDocument) byColumns() *table {
	targets := s.targets()
	var best *table
	bestScore := 0.0
	for _, column := range s.amountColumns() {
		cells := s.withoutSubtotals(column)
		for skip := 0; skip < maxSkipped && skip < len(cells); skip++ {
			n, strength := s.addsUp(cells[skip:], targets)
			if n == 0 {
				continue
			}
			t := s.tableOf(cells[skip : skip+n])
			if t == nil {
				continue
			}
			if score := strength + float64(t.consistent())*0.5 + float64(len(t.items))*0.2 - float64(skip)*0.1; score > bestScore {
				best, bestScore = t, score
			}
		}
	}
	return best
}

// target is an amount that lines may add up to.
type target struct {
	line  int // the last one it stands in
	label float64
}

// targets are the amounts of the document by value.
func (s *parsedDocument) targets() map[int64]target {
	out := map[int64]target{}
	for _, seg := range s.segments {
		for k := range seg.amounts {
			a := &seg.amounts[k]
			units, ok := toUnits(a.value)
			if a.percent || !ok || units == 0 || !s.maybeMoney(a) {
				continue
			}
			t := out[units]
			t.line = max(t.line, seg.line)
			s.moneyTags(seg, a, func(side int, _ *segment, m textrules.Match) {
				weight := 0.0
				switch g, _ := moneyGroupOf(m.Role); g {
				case moneyNet, moneySubtotal:
					weight = 2
				case moneyGross, moneyTotal, moneyDue:
					weight = 1.6
				}
				if m.Weak {
					weight *= 0.7
				}
				if side == sideAbove {
					weight *= 0.8
				}
				t.label = max(t.label, weight)
			})
			out[units] = t
		}
	}
	return out
}

// maybeMoney reports whether a number can be the amount of a line in the
// notation of the document.
func (s *parsedDocument) maybeMoney(a *amount) bool {
	if a.percent || !a.isMoney() {
		return false
	}
	return a.showsMoney() || s.whole
}

// amountColumns groups the amounts of the document by their right edges.
func (s *parsedDocument) amountColumns() [][]cell {
	var all []cell
	for _, seg := range s.segments {
		for k := range seg.amounts {
			a := &seg.amounts[k]
			units, ok := toUnits(a.value)
			if !ok || !s.maybeMoney(a) {
				continue
			}
			c := cell{seg: seg, amount: a, units: units}
			c.total, c.soft = s.rowLabel(seg, a)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b cell) int { return cmp.Compare(a.amount.x1, b.amount.x1) })
	var out [][]cell
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].amount.x1-all[to-1].amount.x1 < 0.55*s.height && all[to].amount.x1-all[from].amount.x1 < 2.5*s.height {
			to++
		}
		column := slices.Clone(all[from:to])
		slices.SortStableFunc(column, func(a, b cell) int { return cmp.Compare(a.seg.line, b.seg.line) })
		out = append(out, column)
		from = to
	}
	return out
}

// rowLabel reports whether the row of an amount is labelled as a total, or as
// something that may be a line too.
func (s *parsedDocument) rowLabel(seg *segment, a *amount) (total, soft bool) {
	for _, b := range s.lines[seg.line].segments {
		if b.x0 > a.x1 && b != seg {
			continue
		}
		for _, m := range b.labels {
			if m.From > 1 && strings.ContainsFunc(b.text[:b.tokens[m.From].Start], unicode.IsLetter) {
				break
			}
			switch m.Role {
			case textrules.RoleNet, textrules.RoleGross, textrules.RoleDue, textrules.RoleTotal, textrules.RoleTaxTotal, textrules.RoleCarried,
				textrules.RolePrevious, textrules.RolePrepaid, textrules.RoleWithheld, textrules.RoleRounding:
				total = total || !m.Weak || pureLabel(b)
			case textrules.RoleTax, textrules.RoleSubtotal:
				total = total || m.From <= 3 && (!m.Weak || len(b.tokens) <= m.To+3)
			case textrules.RoleCharge, textrules.RoleAllowance:
				soft = true
			}
		}
	}
	return total, soft
}

// withoutSubtotals drops amounts that are labelled as totals, and those that are
// the sum of the amounts since the last such sum.
func (s *parsedDocument) withoutSubtotals(column []cell) []cell {
	var out []cell
	since, n := int64(0), 0
	for _, c := range column {
		switch {
		case c.total:
			if c.units == since {
				since, n = 0, 0
			}
		case n >= 2 && c.units == since:
			since, n = 0, 0
		default:
			out = append(out, c)
			since += c.units
			n++
		}
	}
	return out
}

// addsUp returns how many of the cells, from the first on, add up to an amount
// that is printed below them, and how much that says.
func (s *parsedDocument) addsUp(cells []cell, targets map[int64]target) (n int, strength float64) {
	sum := int64(0)
	for i, c := range cells {
		if i > 0 && c.seg.page == cells[i-1].seg.page && c.seg.line == cells[i-1].seg.line {
			break
		}
		sum += c.units
		slack := int64(unitsAmount / 100)
		if s.whole {
			slack = 0
		}
		for _, at := range []int64{sum, sum + slack, sum - slack} {
			t, ok := targets[at]
			if !ok || t.line <= c.seg.line || at != sum && i < 2 {
				continue
			}
			weight := t.label
			if i == 0 && weight < 1 || i > 0 && weight == 0 && !s.showsRow(c) {
				continue
			}
			if i > 0 {
				weight += 1 + math.Min(float64(i), 4)*0.3
			}
			if weight >= strength*0.9 {
				n, strength = i+1, max(weight, strength)
			}
			break
		}
	}
	return n, strength
}

// showsRow reports whether the row of a cell holds words.
func (s *parsedDocument) showsRow(c cell) bool {
	for _, seg := range s.lines[c.seg.line].segments {
		if seg.wordy() {
			return true
		}
	}
	return false
}

// tableOf makes a table of the rows of cells; nil where a row cannot be one of
// a line.
func (s *parsedDocument) tableOf(cells []cell) *table {
	t := &table{start: cells[0].seg.line, end: cells[len(cells)-1].seg.line}
	if len(cells) == 1 && !s.likelyLine(cells[0]) {
		return nil
	}
	for _, c := range cells {
		it := item{row: s.lines[c.seg.line], cells: map[textrules.Column]*amount{textrules.ColumnAmount: c.amount}, page: c.seg.page, at: c.seg}
		var numbers []*amount
		for _, seg := range it.row.segments {
			if seg.x0 > c.amount.x1 {
				continue
			}
			var words []string
			taken := make([]bool, len(seg.words))
			for k := range seg.amounts {
				a := &seg.amounts[k]
				if a != c.amount && a.x1 < c.amount.x1 {
					numbers = append(numbers, a)
				}
				if a == c.amount || len(seg.words) == a.to-a.from {
					for w := a.from; w < a.to; w++ {
						taken[w] = true
					}
				}
			}
			for i, w := range seg.words {
				if !taken[i] {
					words = append(words, w.text)
				}
			}
			if text := strings.Join(words, " "); strings.ContainsFunc(text, unicode.IsLetter) {
				it.description = append(it.description, text)
			}
		}
		it.product(numbers)
		if len(it.description) == 0 && c.seg.line > 0 {
			above := s.lines[c.seg.line-1]
			if above.page == c.seg.page && !hasAmount(above) && len(above.segments) > 0 {
				it.description = append(it.description, above.segments[0].text)
			}
		}
		t.items = append(t.items, it)
	}
	return t
}

// product finds the quantity and the price whose product is the amount.
func (it *item) product(numbers []*amount) {
	const most = 6
	if len(numbers) > most {
		numbers = numbers[len(numbers)-most:]
	}
	want := it.cells[textrules.ColumnAmount].value
	for i, q := range numbers {
		for _, p := range numbers[i+1:] {
			if q.percent || p.percent || q.value.IsZero() {
				continue
			}
			if q.value.Mul(p.value).Abs().Within(want.Abs(), cent) {
				it.cells[textrules.ColumnQuantity], it.cells[textrules.ColumnPrice] = q, p
				return
			}
		}
	}
}

// likelyLine reports whether a single row can be the only line of an invoice:
// its quantity times its price is its amount, or a heading stands above it.
func (s *parsedDocument) likelyLine(c cell) bool {
	it := item{cells: map[textrules.Column]*amount{textrules.ColumnAmount: c.amount}}
	var numbers []*amount
	words := false
	for _, seg := range s.lines[c.seg.line].segments {
		if seg.startsWithLabel() && seg.labels[0].Role == textrules.RoleBuyer {
			return false
		}
		words = words || seg.wordy()
		for k := range seg.amounts {
			if a := &seg.amounts[k]; a != c.amount && a.x1 < c.amount.x1 {
				numbers = append(numbers, a)
			}
		}
	}
	if !words || c.soft {
		return false
	}
	if it.product(numbers); it.cells[textrules.ColumnPrice] != nil && !it.cells[textrules.ColumnQuantity].value.Equal(it.cells[textrules.ColumnAmount].value) {
		return true
	}
	for i := c.seg.line - 1; i >= 0 && i >= c.seg.line-4; i-- {
		l := s.lines[i]
		if l.page != c.seg.page {
			break
		}
		heads := 0
		for _, seg := range l.segments {
			if !hasDigit(seg.text) {
				heads += len(textrules.FindHeads(seg.text, seg.tokens))
			}
		}
		if heads >= 2 {
			return true
		}
	}
	return false
}

// consistent is how many items multiply up to their amount.
func (t *table) consistent() int {
	n := 0
	for i := range t.items {
		if t.items[i].consistent() {
			n++
		}
	}
	return n
}

// sum is what the amounts of the items add up to.
func (t *table) sum() (int64, bool) {
	total := int64(0)
	for i := range t.items {
		v := t.items[i].value(textrules.ColumnAmount)
		if v == nil {
			return 0, false
		}
		units, ok := toUnits(*v)
		if !ok {
			return 0, false
		}
		total += units
	}
	return total, len(t.items) > 0
}

// chooseTable returns the table of lines: that under a known heading, or the
// one that arithmetic shows where the first does not add up to a total.
func (s *parsedDocument) chooseTable() *table {
	first := s.findTable()
	first.dropNumbering(s.whole)
	targets := s.targets()
	s.trim(first, targets)
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
	case len(second.items) <= len(first.items) && one >= 1:
		return first
	}
	for _, seg := range s.segments {
		seg.used = seg.used && first.start >= 0 && seg.line <= second.start && !hasAmount(s.lines[seg.line]) // headings stay
	}
	for i := range second.items {
		markUsed(second.items[i].row)
	}
	if len(second.items) > invoice.MaxLines {
		second.items = second.items[:invoice.MaxLines]
	}
	return second
}

// trim drops rows that are no lines: those below a total where the lines above
// it add up without them, and a single row without which all others do.
func (s *parsedDocument) trim(t *table, targets map[int64]target) {
	const most = 6
	for range most {
		n := len(t.items)
		if n < 2 || !s.totalBetween(t.items[n-2].at, t.items[n-1].at) {
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

// drop takes an item out of the table.
func (s *parsedDocument) drop(t *table, i int) {
	if row := t.items[i].row; row != nil {
		for _, seg := range row.segments {
			seg.used = false
		}
	}
	t.items = slices.Delete(t.items, i, i+1)
}

// totalBetween reports whether a row of totals stands between two rows, or is
// the second of them.
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

// covers reports whether each row of another table is one of this table too.
func (t *table) covers(other *table) bool {
	rows := map[*line]bool{}
	for i := range t.items {
		rows[t.items[i].row] = true
	}
	for i := range other.items {
		if !rows[other.items[i].row] {
			return false
		}
	}
	return true
}

// explained returns how well a label fits to the amount that the items add up
// to; 0 where they add up to none.
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

// otherAmounts is how many amounts stand in the column of the items' amounts
// below them without a label of a total.
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

// dropNumbering drops a row that numbers the columns instead of stating a line:
// "1 2 3 4 5 (3x4)".
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
