package pdftext

import (
	"slices"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// readProducts makes the first of two columns of amounts the price if the second one is the quantity
// multiplied by it in each row: some headings, such as "Price (EUR)", can name either.
func (t *table) readProducts() {
	if t.has(textrules.ColumnPrice) || !t.has(textrules.ColumnAmount) || !t.has(textrules.ColumnGross) {
		return
	}
	several := false
	for i := range t.items {
		q, first, second := t.items[i].value(textrules.ColumnQuantity), t.items[i].value(textrules.ColumnAmount), t.items[i].value(textrules.ColumnGross)
		if q == nil || first == nil || second == nil || !q.Mul(*first).Within(*second, cent) {
			return
		}
		several = several || !q.Equal(money.FromInt(1))
	}
	if !several {
		return
	}
	t.columns = slices.Clone(t.columns)
	for i := range t.columns {
		switch t.columns[i].kind {
		case textrules.ColumnAmount:
			t.columns[i].kind = textrules.ColumnPrice
		case textrules.ColumnGross:
			t.columns[i].kind = textrules.ColumnAmount
		}
	}
	for i := range t.items {
		it := &t.items[i]
		it.cells[textrules.ColumnPrice], it.cells[textrules.ColumnAmount] = it.cells[textrules.ColumnAmount], it.cells[textrules.ColumnGross]
		delete(it.cells, textrules.ColumnGross)
		for _, seg := range it.row.segments {
			for k := range seg.amounts {
				if &seg.amounts[k] == it.cells[textrules.ColumnAmount] {
					it.at = seg
				}
			}
		}
	}
}
