package textrules

import (
	"slices"
	"strings"
)

// Column is the content of a column in the table of lines.
type Column string

// The columns.
const (
	ColumnPosition    Column = "position"
	ColumnCode        Column = "code"
	ColumnDescription Column = "description"
	ColumnQuantity    Column = "quantity"
	ColumnUnit        Column = "unit"
	ColumnPrice       Column = "price"
	ColumnDiscount    Column = "discount"
	ColumnTaxRate     Column = "tax_rate"
	ColumnTaxAmount   Column = "tax_amount"
	ColumnAmount      Column = "amount"
	ColumnGross       Column = "gross"
	ColumnDate        Column = "date"
)

// columnNames lists the columns that a language file may contain.
func columnNames() []string {
	var out []string
	for _, c := range []Column{
		ColumnPosition, ColumnCode, ColumnDescription, ColumnQuantity, ColumnUnit, ColumnPrice, ColumnDiscount, ColumnTaxRate, ColumnTaxAmount,
		ColumnAmount, ColumnGross, ColumnDate,
	} {
		out = append(out, string(c))
	}
	return out
}

type head struct {
	words  []string
	column Column
}

// Head is the heading of a column in a text.
type Head struct {
	Column   Column
	From, To int // indices of tokens
}

// FindHeads returns the column headings in the tokens of a text, the longest at each
// position.
func FindHeads(text string, tokens []Token) []Head {
	var out []Head
	if column, ok := vocab().solidHeads[strings.Map(dropSpace, text)]; ok {
		return []Head{{column, 0, len(tokens)}}
	}
	for i := 0; i < len(tokens); {
		size, column := 0, Column("")
		for _, h := range vocab().heads[tokens[i].Text] {
			if len(h.words) <= len(tokens)-i && len(h.words) > size && slices.EqualFunc(h.words, tokens[i:i+len(h.words)], func(w string, t Token) bool { return w == t.Text }) {
				size, column = len(h.words), h.column
			}
		}
		if size == 0 {
			i++
			continue
		}
		out = append(out, Head{column, i, i + size})
		i += size
	}
	return out
}

func dropSpace(r rune) rune {
	if r == ' ' || r == ':' || r == '/' || r == '・' {
		return -1
	}
	return r
}
