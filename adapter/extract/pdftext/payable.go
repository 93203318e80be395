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
