package pdftext

import (
	"cmp"
	"math"
	"slices"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// column is a column of the table of lines at the position of its heading.
type column struct {
	kind   textrules.Column
	x0, x1 float64
}

// item is a row of the table of lines.
type item struct {
	row         *line
	description []string
	unit        string
	cells       map[textrules.Column]*amount
	page        int
	at          *segment // segment of the amount
	numbers     int      // of the row, in its columns
	summary     bool     // it looks like a row of totals
}

func (it *item) value(c textrules.Column) *money.Decimal {
	if a := it.cells[c]; a != nil {
		v := a.value
		return &v
	}
	return nil
}

// table is the table of lines over all pages.
type table struct {
	items   []item
	columns []column
	left    float64 // left edge, if there is another text at the left of the table
	// start and end are the indices of the first line and of the line after the
	// table.
	start, end int
	// hasGroups reports partial sums within the table; lastGroup is the line of the last
	// one.
	hasGroups bool
	lastGroup int
}

func (t *table) has(c textrules.Column) bool {
	return slices.ContainsFunc(t.columns, func(col column) bool { return col.kind == c })
}

// headColumns returns the columns if a line can be the heading of the table, or nil.
func (s *parsedDocument) headColumns(l *line) []column {
	var out []column
	kinds := map[textrules.Column]bool{}
	text, covered := 0, 0
	for _, seg := range l.segments {
		if len(seg.dates) > 0 || slices.ContainsFunc(seg.amounts, func(a amount) bool { return !a.percent }) {
			return nil
		}
		text += len(seg.tokens)
		for _, h := range textrules.FindHeads(seg.text, seg.tokens) {
			x0, x1 := seg.span(seg.tokens[h.From].Start, seg.tokens[h.To-1].End)
			covered += h.To - h.From
			kind := h.Column
			if kinds[kind] && kind == textrules.ColumnDescription {
				continue
			}
			out = append(out, column{kind, x0, x1})
			kinds[kind] = true
		}
	}
	if kinds[textrules.ColumnPrice] && !kinds[textrules.ColumnAmount] && !kinds[textrules.ColumnGross] {
		last := l.segments[len(l.segments)-1]
		if !slices.ContainsFunc(out, func(c column) bool { return c.x1 > last.x0 }) && len(last.words) <= 3 {
			out = append(out, column{textrules.ColumnAmount, last.x0, last.x1}) // an unknown heading after the price
			kinds[textrules.ColumnAmount] = true
			covered += len(last.tokens)
		}
	}
	value := kinds[textrules.ColumnAmount] || kinds[textrules.ColumnPrice] || kinds[textrules.ColumnGross]
	named := kinds[textrules.ColumnDescription] || kinds[textrules.ColumnQuantity] && kinds[textrules.ColumnPrice]
	if !value || !named || len(kinds) < 2 || covered*2 < text || len(l.segments) < 2 {
		return nil
	}
	return oneAmount(out)
}

// oneAmount keeps one column of amounts: "amount" before the price is the heading of
// quantities, and the first of several sums is without tax.
func oneAmount(columns []column) []column {
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(a.x0, b.x0) })
	columns = lastPrice(columns)
	var amounts []int
	price, quantity := -1, false
	for i, c := range columns {
		switch c.kind {
		case textrules.ColumnAmount:
			amounts = append(amounts, i)
		case textrules.ColumnPrice:
			price = i
		case textrules.ColumnQuantity:
			quantity = true
		}
	}
	if len(amounts) < 2 {
		return columns
	}
	if !quantity && amounts[0] < price {
		columns[amounts[0]].kind = textrules.ColumnQuantity
		amounts = amounts[1:]
	}
	for _, i := range amounts[1:] {
		columns[i].kind = textrules.ColumnGross
	}
	return columns
}

// lastPrice makes the last of several price columns the column of amounts if no other
// heading is: "Unit price | Price".
func lastPrice(columns []column) []column {
	last, prices := -1, 0
	for i, c := range columns {
		switch c.kind {
		case textrules.ColumnAmount, textrules.ColumnGross:
			return columns
		case textrules.ColumnPrice:
			last = i
			prices++
		}
	}
	if prices > 1 {
		columns[last].kind = textrules.ColumnAmount
	}
	return columns
}

// span returns the horizontal position of a range of bytes of the text.
func (seg *segment) span(from, to int) (x0, x1 float64) {
	x0, x1 = math.Inf(1), math.Inf(-1)
	for i, w := range seg.words {
		start, end := seg.starts[i], seg.starts[i]+len(w.text)
		if start < to && from < end {
			x0, x1 = min(x0, w.x0), max(x1, w.x1)
		}
	}
	return x0, x1
}

// findTable finds the table of lines: the rows from a heading to the totals, on every
// page that repeats the heading or continues without one.
// With wide, lines can follow a partial sum. Rows that look like totals end the table from
// the line end on.
func (s *parsedDocument) findTable(wide bool, end int) *table {
	t := &table{start: -1}
	open, hard, paused := false, false, false
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		if paused && l.page > s.lines[i-1].page {
			open, paused = !hard, false // the account was at the foot of a page
		}
		if t.start >= 0 {
			l = t.inside(l, s.height)
		}
		if columns := s.headColumns(l); columns != nil && (t.start < 0 || !hard || sameKinds(columns, t.columns)) {
			if t.start < 0 {
				t.start = i
			}
			if t.start == i || !open || sameKinds(columns, t.columns) {
				markUsed(l)
				t.left = s.leftEdge(columns, i)
				t.columns, i = s.widen(columns, i)
				open, hard = true, false
				t.end = i
				continue
			}
		}
		if t.start >= 0 && len(t.items) > 0 && headsTotals(l) {
			open, hard = false, true
		}
		if t.start < 0 || hard {
			continue
		}
		switch s.totalRow(l, t) {
		case "hard":
			open, hard = false, true
			continue
		case "soft":
			paused = false
			open = wide && open && sumsUp(l)
			if sumsUp(l) {
				t.hasGroups, t.lastGroup = true, i
			}
			continue
		case "carried":
			if s.carries(l, t) {
				continue
			}
		}
		it, ok := s.readRow(l, t)
		switch {
		case ok && !it.consistent() && (s.statesAccount(l, t) || it.showsAccount(t)):
			open, paused = false, open || paused
		case ok && i >= end && s.isSummary(l, &it, t):
			open = false
		case ok && (open || it.consistent()):
			it.page, it.summary = l.page, s.isSummary(l, &it, t)
			t.items = append(t.items, it)
			t.end, open = i, true
			s.markRow(l, t)
		case open && len(t.items) > 0 && it.row == nil:
			t.continueRow(s, l, i)
		}
	}
	return t
}

// carries reports whether a row with a label such as "transport" carries a sum over to another
// page. Between lines of its page, with another amount than their sum, it is a line. Before the
// first line, only a word that also names goods is a line.
func (s *parsedDocument) carries(l *line, t *table) bool {
	page := s.lines[t.start].page
	if n := len(t.items); n > 0 {
		page = t.items[n-1].page
	}
	sum, ok := t.sum()
	if l.page != page || len(t.items) > 0 && !ok {
		return true
	}
	return slices.ContainsFunc(l.segments, func(seg *segment) bool {
		if len(t.items) == 0 {
			return len(seg.labels) > 0 && seg.labels[0].Role == textrules.RoleCarried && !seg.labels[0].Weak
		}
		return slices.ContainsFunc(seg.amounts, func(a amount) bool {
			units, ok := toUnits(a.value)
			return ok && near(units, sum)
		})
	})
}

func markUsed(l *line) {
	for _, seg := range l.segments {
		seg.used = true
	}
}

// markRow marks a row of the table. Texts at its left are not marked.
func (s *parsedDocument) markRow(l *line, t *table) {
	for _, seg := range l.segments {
		seg.used = seg.used || !t.outside(seg, s.height)
	}
}

func sameKinds(a, b []column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].kind != b[i].kind {
			return false
		}
	}
	return true
}

// widen adds the headings of the lines directly above and below, for headings with
// several lines.
func (s *parsedDocument) widen(columns []column, at int) ([]column, int) {
	last := at
	for _, i := range []int{at - 1, at + 1, at + 2} {
		if i < 0 || i >= len(s.lines) || s.lines[i].page != s.lines[at].page {
			continue
		}
		l := s.lines[i]
		gap := max(l.y0-s.lines[at].y1, s.lines[at].y0-l.y1)
		if gap > 3*s.height || i > at && last != i-1 {
			continue
		}
		found, digits := false, false
		for _, seg := range l.segments {
			digits = digits || hasDigit(seg.text)
		}
		if digits {
			continue
		}
		for _, seg := range l.segments {
			for _, h := range textrules.FindHeads(seg.text, seg.tokens) {
				x0, x1 := seg.span(seg.tokens[h.From].Start, seg.tokens[h.To-1].End)
				found = true
				for c := range columns {
					if columns[c].kind == textrules.ColumnUnit && h.Column == textrules.ColumnPrice && x0 < columns[c].x1 && columns[c].x0 < x1 {
						columns[c].kind = textrules.ColumnPrice // "price / unit"
					}
				}
				if !slices.ContainsFunc(columns, func(c column) bool { return x0 < c.x1+s.height/2 && c.x0 < x1+s.height/2 || c.kind == h.Column }) {
					columns = append(columns, column{h.Column, x0, x1})
				}
			}
		}
		if found && i > at {
			last = i
			markUsed(l)
		}
	}
	return columns, last
}

// totalRow returns whether a line belongs to the totals below the table: "hard" if it
// ends the table, "soft" for a partial sum.
func (s *parsedDocument) totalRow(l *line, t *table) string {
	if !hasAmount(l) {
		return ""
	}
	if it, ok := s.readRow(l, t); ok && it.consistent() {
		return "" // it is a line with any text
	}
	for _, seg := range l.segments {
		if len(seg.labels) == 0 || seg.labels[0].From > 1 || isNumberCell(seg) || t.outside(seg, s.height) {
			continue
		}
		switch seg.labels[0].Role {
		case textrules.RoleCarried:
			if seg.labels[0].Weak && !pureLabel(seg) {
				continue
			}
			return "carried"
		case textrules.RoleNet, textrules.RoleTaxTotal, textrules.RoleGross, textrules.RoleDue, textrules.RoleTotal, textrules.RolePrevious:
			return "hard"
		case textrules.RoleSubtotal:
			return "soft"
		case textrules.RoleTax, textrules.RoleAllowance, textrules.RoleCharge:
			if it, ok := s.readRow(l, t); !ok || !it.consistent() && (it.cells[textrules.ColumnQuantity] == nil || it.cells[textrules.ColumnPrice] == nil) {
				return "soft"
			}
		}
	}
	return ""
}

// isNumberCell reports whether a segment consists only of a number.
func isNumberCell(seg *segment) bool {
	return len(seg.words) == 1 && len(seg.amounts) == 1
}

func hasAmount(l *line) bool {
	return slices.ContainsFunc(l.segments, func(seg *segment) bool {
		return slices.ContainsFunc(seg.amounts, func(a amount) bool { return !a.percent })
	})
}

var cent = money.MustParse("0.011")

// inside returns a line without the texts at the left of the table.
func (t *table) inside(l *line, height float64) *line {
	if !slices.ContainsFunc(l.segments, func(seg *segment) bool { return t.outside(seg, height) }) {
		return l
	}
	rest := *l
	rest.segments = slices.DeleteFunc(slices.Clone(l.segments), func(seg *segment) bool { return t.outside(seg, height) })
	return &rest
}

// continueRow adds the text of a line to the description of the preceding row.
func (t *table) continueRow(s *parsedDocument, l *line, at int) {
	last := &t.items[len(t.items)-1]
	l = t.inside(l, s.height)
	if len(l.segments) == 0 || hasAmount(l) || l.page != last.page || l.y0-s.lines[t.end].y1 > 2.5*s.height || len(l.segments) > 1 {
		return
	}
	seg := l.segments[0]
	const most = 5 // maximum lines of one description
	if t.nearest(seg.x0, seg.x1) == textrules.ColumnDescription && len(seg.labels) == 0 && len(last.description) < most {
		last.description = append(last.description, seg.text)
		t.end = at
		markUsed(l)
	}
}
