package pdftext

import (
	"math"
	"slices"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// rounding reads the amount to pay of a gross total that is rounded by a labelled
// amount, as in countries without small coins.
func (v *solver) rounding() {
	c := &v.d.content
	if c.GrossTotal == nil {
		return
	}
	rounded := roundedTotals(v.sums)
	for _, x := range v.sums {
		total := rounded[x]
		if total == nil || !total.value.Equal(*c.GrossTotal) {
			continue
		}
		difference, value := x.value.Sub(total.value), x.value
		c.PayableRounding, c.AmountDue = &difference, &value
		v.d.recordEvidence("amount_due", v.d.fields["gross_total"].Confidence, x.seg, x.amount.from, x.amount.to)
		return
	}
}

// taxesLines reports whether a tax is that of the lines alone, and the net total with
// charges is not printed.
func (v *solver) taxesLines(tax *stated) bool {
	if v.lines == nil || v.d.fields["net_total"].Source != invoice.Computed {
		return false
	}
	return v.lines.Mul(*tax.rate).Div(money.FromInt(100)).Within(tax.amount.value, v.tolerance())
}

// isDiscountTerm reports whether a segment grants a discount for an early payment: a
// percentage with the word for a discount, and a date or an amount to pay. Neither its
// date nor its amounts are those of the invoice.
func (seg *segment) isDiscountTerm() bool {
	return hasRole(seg, textrules.RoleAllowance) && (len(seg.dates) > 0 || hasRole(seg, textrules.RoleDue, textrules.RoleDueDate)) &&
		slices.ContainsFunc(seg.amounts, func(a amount) bool { return a.percent })
}

// unexplainedPayment reports whether an amount labelled as paid or withheld is no part
// of the amount due. That amount can be the one before the payment.
func (v *solver) unexplainedPayment() bool {
	if v.d.content.PrepaidTotal != nil || v.d.content.WithheldTotal != nil {
		return false
	}
	return slices.ContainsFunc(v.rows, func(r stated) bool {
		return (r.role == textrules.RolePrepaid || r.role == textrules.RoleWithheld) && !r.weak && !r.amount.value.IsZero() &&
			r.amount.isMoney() && !r.seg.used && !r.seg.isProse() && !v.settles(&r)
	})
}

// settles reports whether a payment is that of the balance of an earlier invoice.
func (v *solver) settles(payment *stated) bool {
	return slices.ContainsFunc(v.rows, func(r stated) bool {
		return r.role == textrules.RolePrevious && r.amount != payment.amount && r.amount.value.Abs().Equal(payment.amount.value.Abs())
	})
}

// isSettled reports whether an amount with the label of an amount due is a former balance: a payment of
// the same amount, with a minus sign, is printed in the rows below it, and the gross total is another one.
func (v *solver) isSettled(balance *stated) bool {
	const rows = 3
	g := v.d.content.GrossTotal
	if g == nil || balance.amount.value.Sign() <= 0 || g.Equal(balance.amount.value) {
		return false
	}
	at := balance.seg.line
	for _, l := range v.s.lines[at:min(at+1+rows, len(v.s.lines))] {
		for _, seg := range l.segments {
			if seg.page == balance.seg.page && slices.ContainsFunc(seg.amounts, func(a amount) bool {
				return a.isMoney() && a.value.Sign() < 0 && a.value.Abs().Equal(balance.amount.value) && math.Abs(a.x1-balance.amount.x1) < v.s.height
			}) {
				return true
			}
		}
	}
	return false
}

// paidTogether reports whether amounts below each other, with a minus sign, add up to
// what was paid: the payments of a final invoice.
func (v *solver) paidTogether(paid money.Decimal) bool {
	if paid.Sign() <= 0 {
		return false
	}
	type column struct {
		right float64
		seg   *segment
		from  int
		to    int
		sum   money.Decimal
		count int
	}
	var columns []*column
	for _, seg := range v.s.segments {
		for i := range seg.amounts {
			a := &seg.amounts[i]
			if seg.used || a.percent || !a.isMoney() || a.value.Sign() >= 0 {
				continue
			}
			at := slices.IndexFunc(columns, func(c *column) bool { return c.seg.page == seg.page && math.Abs(c.right-a.x1) < v.s.height })
			if at < 0 {
				at = len(columns)
				columns = append(columns, &column{right: a.x1, seg: seg, from: a.from, to: a.to})
			}
			columns[at].sum = columns[at].sum.Add(a.value)
			columns[at].count++
		}
	}
	for _, c := range columns {
		if c.count > 1 && c.sum.Abs().Equal(paid) {
			v.d.content.PrepaidTotal = &paid
			v.d.recordEvidence("prepaid_total", likely, c.seg, c.from, c.to)
			return true
		}
	}
	return false
}

// mostPayments is the maximum number of payments between the gross total and what remains of it.
const mostPayments = 4

// remainder returns the amount that remains of the gross total after payments in the rows below it, and
// their sum. The words for payments and balances are many, but the rows add up: at least one of the
// payments must have a minus sign or the label of a payment.
func (v *solver) remainder() (rest *sum, paid money.Decimal) {
	c := &v.d.content
	if c.GrossTotal == nil || c.GrossTotal.Sign() <= 0 {
		return nil, paid
	}
	left := mostSegments
	for _, l := range v.s.lines {
		for _, seg := range l.segments {
			for i := range seg.amounts {
				a := &seg.amounts[i]
				if seg.used || seg.isProse() || !v.s.maybeMoney(a) || !a.value.Equal(*c.GrossTotal) {
					continue
				}
				if rest, paid := v.rowsBelow(seg, a, &left); rest != nil {
					return rest, paid
				}
			}
		}
	}
	return nil, paid
}

// rowsBelow returns what remains of an amount after the payments in the rows directly below it.
func (v *solver) rowsBelow(above *segment, total *amount, left *int) (rest *sum, paid money.Decimal) {
	const gap = 3
	bottom, rows, marked := above.y1, 0, false
	for _, l := range v.s.lines[above.line+1:] {
		if l.page != above.page || l.y0-bottom > gap*v.s.height || rows > mostPayments {
			return nil, paid
		}
		for _, seg := range l.segments {
			if *left--; *left < 0 || seg.used || slices.ContainsFunc(seg.amounts, func(a amount) bool { return a.percent }) {
				return nil, paid // a percentage is that of a tax, a discount or a retention
			}
			for i := range seg.amounts {
				a := &seg.amounts[i]
				if !v.s.maybeMoney(a) || math.Abs(a.x1-total.x1) > v.s.height {
					continue
				}
				if marked && a.value.Sign() > 0 && total.value.Sub(paid).Equal(a.value) {
					if v.isNoRest(seg, a) {
						return nil, paid
					}
					units, ok := toUnits(a.value)
					if !ok {
						return nil, paid
					}
					return &sum{value: a.value, units: units, seg: seg, amount: a}, paid
				}
				isPayment, other := v.paymentRow(seg, a)
				if other {
					return nil, paid
				}
				marked = marked || isPayment
				paid, bottom = paid.Add(a.value.Abs()), l.y1
				rows++
			}
		}
	}
	return nil, paid
}

// paymentRow reports whether an amount has a minus sign or the label of a payment, and whether it has
// another label, such as that of a tax or a discount.
func (v *solver) paymentRow(seg *segment, a *amount) (is, other bool) {
	is = a.value.Sign() < 0
	v.s.moneyTags(seg, a, func(side int, _ *segment, m textrules.Match) {
		switch {
		case side == sideAbove:
		case m.Role == textrules.RolePrepaid:
			is = true
		case !m.Weak:
			other = true
		}
	})
	return is, other
}

// isNoRest reports whether an amount has a label of another value than an amount due or a total. A second
// payment can be as high as what remains after the first one.
func (v *solver) isNoRest(seg *segment, a *amount) bool {
	is := false
	v.s.moneyTags(seg, a, func(side int, _ *segment, m textrules.Match) {
		switch m.Role {
		case textrules.RoleDue, textrules.RoleGross, textrules.RoleTotal:
		default:
			is = is || side != sideAbove && !m.Weak && m.From == 0 // "Rest after deposit" is no deposit
		}
	})
	return is
}
