package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// readRow parses a line as a row of the table. A line without an amount is not a row.
func (s *parsedDocument) readRow(l *line, t *table) (item, bool) {
	it := item{cells: map[textrules.Column]*amount{}}
	first := true
	placed := s.placeNumbers(l, t)
	for _, seg := range l.segments {
		if t.outside(seg, s.height) {
			continue
		}
		taken := make([]bool, len(seg.words))
		for i := range seg.amounts {
			a := &seg.amounts[i]
			kind, ok := placed[a]
			if !ok {
				continue
			}
			it.cells[kind] = a
			if kind == textrules.ColumnAmount || it.at == nil {
				it.at = seg
			}
			for k := a.from; k < a.to; k++ {
				taken[k] = true
			}
		}
		it.collect(seg, taken, t, first)
		first = false
	}
	it.numbers = len(placed)
	if it.cells[textrules.ColumnAmount] == nil && it.cells[textrules.ColumnGross] != nil && !t.has(textrules.ColumnAmount) {
		it.cells[textrules.ColumnAmount] = it.cells[textrules.ColumnGross]
	}
	need := textrules.ColumnAmount
	if !t.has(textrules.ColumnAmount) && !t.has(textrules.ColumnGross) {
		need = textrules.ColumnPrice
	}
	if it.cells[need] == nil || len(it.description) == 0 && len(it.cells) < 3 {
		return item{}, false
	}
	it.row = l
	return it, !numbersPage(l) || it.consistent()
}

// numbersPage reports whether a line is a page number, or another number with its label.
// A description can begin with such a word: "Mesa 4" is a table of guests, "Mesa de
// pino" is a product, and so is "Mobile plan 20 GB".
func numbersPage(l *line) bool {
	first := l.segments[0]
	if len(first.labels) == 0 || first.labels[0].From > 0 || !announcesOther(first.labels[0].Role) {
		return false
	}
	next := first.labels[0].To
	return pureLabel(first) || next < len(first.tokens) && hasDigit(first.tokens[next].Text) || next+1 < len(first.tokens) && hasDigit(first.tokens[next+1].Text)
}

// collect adds the words of a segment that are not numbers of a column to the
// description or the unit.
func (it *item) collect(seg *segment, taken []bool, t *table, first bool) {
	var words []string
	for i, w := range seg.words {
		if !taken[i] {
			words = append(words, w.text)
		}
	}
	text := strings.Join(words, " ")
	if !strings.ContainsFunc(text, unicode.IsLetter) || len(words) == 0 {
		return
	}
	switch kind := t.nearest(seg.x0, seg.x1); {
	case kind == textrules.ColumnUnit, kind == textrules.ColumnQuantity && len([]rune(text)) <= 12:
		it.unit = text
	case kind == textrules.ColumnCode && len(seg.words) <= 2 && !t.onlyText():
	case kind == textrules.ColumnDescription, kind == textrules.ColumnPosition, kind == textrules.ColumnCode, len(it.description) == 0 && first:
		it.description = append(it.description, text)
	}
}

// onlyText reports whether the table has no separate column for descriptions.
func (t *table) onlyText() bool { return !t.has(textrules.ColumnDescription) }

// nearest returns the column above a horizontal range.
func (t *table) nearest(x0, x1 float64) textrules.Column {
	best, kind := math.Inf(1), textrules.Column("")
	for _, c := range t.columns {
		if d := apartness(x0, x1, c.x0, c.x1); d < best {
			best, kind = d, c.kind
		}
	}
	return kind
}

// apartness returns the smallest distance of the left edges, right edges or centers
// of two ranges.
func apartness(a0, a1, b0, b1 float64) float64 {
	return min(math.Abs(a0-b0), math.Abs(a1-b1), math.Abs((a0+a1)/2-(b0+b1)/2))
}

// outside reports whether a segment belongs to a text at the left of the table.
func (t *table) outside(seg *segment, height float64) bool {
	return seg.x1 < t.left-2*height && strings.ContainsFunc(seg.text, unicode.IsLetter)
}

// leftEdge returns the left edge of the table below a heading if there is another
// text at its left, and 0 otherwise. Lines without a cell of the table show that text.
func (s *parsedDocument) leftEdge(columns []column, at int) float64 {
	const reach = 60 // lines below the heading
	first := columns[0]
	for _, c := range columns {
		if c.x0 < first.x0 {
			first = c
		}
	}
	switch first.kind {
	case textrules.ColumnDescription, textrules.ColumnCode, textrules.ColumnPosition, textrules.ColumnDate:
	default:
		return 0
	}
	below := s.lines[at+1 : min(at+1+reach, len(s.lines))]
	left := first.x0
	for _, l := range below {
		for _, seg := range l.segments {
			if l.page == s.lines[at].page && seg.x0 < first.x1 && first.x0 < seg.x1 {
				left = min(left, seg.x0)
			}
		}
	}
	alone := 0
	for _, l := range below {
		if l.page == s.lines[at].page && !slices.ContainsFunc(l.segments, func(seg *segment) bool { return seg.x1 >= left-2*s.height }) {
			alone++
		}
	}
	if alone < 2 {
		return 0
	}
	return left
}

// placeNumbers assigns the numbers of a row to columns, the closest pairs first. A
// number within a text belongs to the text.
func (s *parsedDocument) placeNumbers(l *line, t *table) map[*amount]textrules.Column {
	type pair struct {
		seg      *segment
		a        *amount
		column   *column
		distance float64
	}
	const most = 40 // numbers of a row
	var pairs []pair
	nearest := map[*amount]float64{}
	for _, seg := range l.segments {
		if t.outside(seg, s.height) {
			continue
		}
		for i := range seg.amounts {
			a := &seg.amounts[i]
			if len(nearest) >= most {
				break
			}
			nearest[a] = math.Inf(1)
			for c := range t.columns {
				column := &t.columns[c]
				if a.percent && column.kind != textrules.ColumnTaxRate && column.kind != textrules.ColumnDiscount && column.kind != textrules.ColumnDescription {
					continue
				}
				d := apartness(a.x0, a.x1, column.x0, column.x1)
				nearest[a] = min(nearest[a], d)
				pairs = append(pairs, pair{seg, a, column, d})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	out, done, kinds := map[*amount]textrules.Column{}, map[*amount]bool{}, map[textrules.Column]bool{}
	for _, p := range pairs {
		first := p.distance == nearest[p.a]
		if done[p.a] || !first && p.distance > 4*s.height {
			continue
		}
		switch p.column.kind {
		case textrules.ColumnDescription, textrules.ColumnCode, textrules.ColumnUnit, textrules.ColumnDate, "":
			done[p.a] = first
			continue
		}
		if kinds[p.column.kind] {
			continue
		}
		inText := p.a.from > 0 && !isNumeric(p.seg.words[p.a.from-1].text) && p.distance > 1.5*s.height && p.seg.words[p.a.from].x0-p.seg.words[p.a.from-1].x1 < s.height*0.7
		if inText || p.distance >= 12*s.height {
			done[p.a] = true
			continue
		}
		out[p.a], done[p.a], kinds[p.column.kind] = p.column.kind, true, true
	}
	return out
}

func isNumeric(text string) bool { return takeApart(text).digits != "" }

// consistent reports whether quantity times price, less the discount, equals the
// amount. Any two numbers before the amount may be the quantity and the price.
func (it *item) consistent() bool {
	q, p, n := it.value(textrules.ColumnQuantity), it.value(textrules.ColumnPrice), it.value(textrules.ColumnAmount)
	if n == nil {
		return false
	}
	if q != nil && p != nil {
		product := q.Mul(*p)
		if d := it.cells[textrules.ColumnDiscount]; d != nil && !product.Within(*n, cent) {
			hundred := money.FromInt(100)
			product = product.Mul(hundred.Sub(d.value)).Div(hundred)
		}
		if product.Abs().Within(n.Abs(), cent) {
			return true
		}
	}
	return it.multiplies()
}

// multiplies reports whether the amount of a row is the product of two other numbers
// of the row.
func (it *item) multiplies() bool {
	if it.row == nil || it.cells[textrules.ColumnAmount] == nil {
		return false
	}
	var numbers []*amount
	for _, seg := range it.row.segments {
		for i := range seg.amounts {
			if a := &seg.amounts[i]; a != it.cells[textrules.ColumnAmount] && a.x1 < it.cells[textrules.ColumnAmount].x1 {
				numbers = append(numbers, a)
			}
		}
	}
	other := item{cells: map[textrules.Column]*amount{textrules.ColumnAmount: it.cells[textrules.ColumnAmount]}}
	other.product(numbers)
	return other.cells[textrules.ColumnPrice] != nil
}
