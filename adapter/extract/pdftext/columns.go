package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
)

// cell is a possible amount of a line: an amount in a column with aligned right
// edges.
type cell struct {
	seg    *segment
	amount *amount
	units  int64
	total  bool // the label of its row is that of a total
	soft   bool // the label of its row is that of a charge or a partial sum
	closes bool // a labelled sum of this cell and those before it follows
}

// maxSkipped is the maximum number of amounts in a column above its lines.
const maxSkipped = 4

// byColumns finds the table of lines only by arithmetic: a column of amounts that add
// up to an amount below it. It needs no heading, so it finds tables with unknown,
// wrapped or missing headings. It reads each column in one pass.
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
	line  int // the last line that contains it
	label float64
}

// targets returns the amounts of the document by value.
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

// maybeMoney reports whether a number can be the amount of a line in the document's
// number style.
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

// rowLabel reports whether the label of an amount's row is that of a total, or one
// that may also be a line.
func (s *parsedDocument) rowLabel(seg *segment, a *amount) (total, soft bool) {
	if dated(s.lines[seg.line]) {
		return false, false
	}
	for _, b := range s.lines[seg.line].segments {
		if b.x0 > a.x1 && b != seg {
			continue
		}
		for _, m := range b.labels {
			if m.From > 1 && strings.ContainsFunc(b.text[:b.tokens[m.From].Start], unicode.IsLetter) {
				break
			}
			switch m.Role {
			case textrules.RoleNet, textrules.RoleGross, textrules.RoleDue, textrules.RoleTotal, textrules.RoleTaxTotal:
				total = total || !m.Weak || pureLabel(b)
			case textrules.RoleCarried, textrules.RolePrevious, textrules.RolePrepaid, textrules.RoleWithheld, textrules.RoleRounding:
				total = total || pureLabel(b) || !m.Weak && len(b.tokens) <= 3*(m.To-m.From)
			case textrules.RoleTax, textrules.RoleSubtotal:
				total = total || m.From <= 3 && (!m.Weak || len(b.tokens) <= m.To+3)
			case textrules.RoleCharge, textrules.RoleAllowance:
				soft = true
			}
		}
	}
	return total, soft
}

// dated reports whether a line is a row of a list of events: a date and several cells.
func dated(l *line) bool {
	const fewest = 5 // cells
	if len(l.segments) < fewest || len(l.segments[0].dates) == 0 {
		return false
	}
	return l.segments[0].dates[0].Start == 0
}

// withoutSubtotals drops amounts labelled as totals, and those that equal the sum of
// the amounts since the previous such sum.
func (s *parsedDocument) withoutSubtotals(column []cell) []cell {
	var out []cell
	since, n := int64(0), 0
	for _, c := range column {
		switch {
		case c.total:
			if c.units == since && n > 0 {
				out[len(out)-1].closes = true
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

// addsUp returns how many of the first cells add up to an amount that is printed
// below them, and the strength of this evidence.
func (s *parsedDocument) addsUp(cells []cell, targets map[int64]target) (n int, strength float64) {
	sum := int64(0)
	closed := 0 // groups with a sum
	for i, c := range cells {
		if i > 0 && c.seg.page == cells[i-1].seg.page && c.seg.line == cells[i-1].seg.line {
			break
		}
		sum += c.units
		if c.closes {
			closed++
			if t, ok := targets[sum]; ok && closed > 1 && t.line > c.seg.line {
				n, strength = i+1, max(strength, 2+math.Min(float64(i), 4)*0.3)
			}
		}
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

// showsRow reports whether the row of a cell contains words.
func (s *parsedDocument) showsRow(c cell) bool {
	for _, seg := range s.lines[c.seg.line].segments {
		if seg.wordy() {
			return true
		}
	}
	return false
}

// tableOf creates a table from the rows of cells; nil if a row cannot be a line.
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

// product finds the quantity and the price with the amount as their product.
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

// likelyLine reports whether a single row can be the only line of an invoice: its
// quantity times its price equals its amount, or there is a heading above it.
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
			if codes := textrules.Currencies(strings.Trim(seg.text, "()")); len(codes) > 0 {
				heads++ // the heading of a column of amounts
			}
		}
		if heads >= 2 {
			return true
		}
	}
	return false
}

// consistent returns the number of items with quantity times price equal to the
// amount.
func (t *table) consistent() int {
	n := 0
	for i := range t.items {
		if t.items[i].consistent() {
			n++
		}
	}
	return n
}

// sum returns the sum of the items' amounts.
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
