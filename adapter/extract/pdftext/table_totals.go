package pdftext

import (
	"slices"

	"docledger/domain/extraction/textrules"
)

// headsTotals reports whether a line is the heading of a row of totals and not of lines: labels without
// values, except the rates of taxes, and one of them is that of a net or gross total, or two are a total
// and a subtotal.
func headsTotals(l *line) bool {
	labelled, announced, total, part := 0, false, false, false
	for _, seg := range l.segments {
		if hasDigit(seg.text) && !seg.statesRate() {
			return false
		}
		if seg.startsWithLabel() {
			labelled++
		}
		announced = announced || hasRole(seg, textrules.RoleDue, textrules.RoleGross, textrules.RoleNet)
		total = total || hasRole(seg, textrules.RoleTotal)
		part = part || hasRole(seg, textrules.RoleSubtotal)
	}
	return (announced || total && part) && (labelled >= 2 && labelled == len(l.segments) || labelled >= 3)
}

// statesRate reports whether a text has the label of a tax and a rate, and no other number.
func (seg *segment) statesRate() bool {
	return len(seg.amounts) == 1 && seg.amounts[0].percent && countDigits(seg.text) <= mostRateDigits && hasRole(seg, textrules.RoleTax, textrules.RoleTaxTotal)
}

// mostRateDigits is the maximum number of digits of a rate: "8.875 %".
const mostRateDigits = 4

// readHeadedTotals reads the taxes, charges, allowances and payments in the row below the heading of a row
// of totals. The heading must state the rate of a tax: then it has no further rows.
func (s *parsedDocument) readHeadedTotals(t *totals, at int) {
	l := s.lines[at]
	const most = 20 // labels
	if at+1 >= len(s.lines) || len(l.segments) > most || !headsTotals(l) || !slices.ContainsFunc(l.segments, (*segment).statesRate) {
		return
	}
	row := s.lines[at+1]
	const gap = 2
	if row.page != l.page || row.y0-l.y1 > gap*s.height {
		return
	}
	for _, head := range l.segments {
		for _, label := range head.labels {
			switch label.Role {
			case textrules.RoleTax, textrules.RoleAllowance, textrules.RoleCharge, textrules.RolePrepaid:
			default:
				continue
			}
			cell := cellBelow(row, head)
			if cell == nil {
				break
			}
			found := stated{role: label.Role, label: textrules.Fold(head.text), weak: label.Weak, amount: &cell.amounts[0], seg: cell}
			if head.statesRate() {
				rate := head.amounts[0].value
				found.rate = &rate
			}
			t.rows = append(t.rows, found)
			break
		}
	}
}

// cellBelow returns the only text of a row that overlaps a heading, if it is an amount.
func cellBelow(row *line, head *segment) *segment {
	var cell *segment
	for _, seg := range row.segments {
		if seg.x1 < head.x0 || seg.x0 > head.x1 {
			continue
		}
		if cell != nil || seg.used || len(seg.amounts) != 1 || !seg.amounts[0].showsMoney() || seg.wordy() {
			return nil
		}
		cell = seg
	}
	return cell
}
