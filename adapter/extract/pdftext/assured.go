package pdftext

import (
	"docledger/domain/money"
)

// assured returns the combination that the document proves, if there is exactly one: the
// gross total has its label, the taxes with their labels and rates add up to the tax total,
// their rates give the net total, and the lines add up to it with the charges between them.
func (v *solver) assured(combos []combination) *combination {
	var out *combination
	for i := range combos {
		c := &combos[i]
		if out != nil && out.tax.units == c.tax.unitsOr(0) && out.gross.units == c.gross.units {
			continue // with and without the printed net total
		}
		if !v.assures(c) {
			continue
		}
		if out != nil {
			return nil
		}
		out = c
	}
	return out
}

func (x *sum) unitsOr(other int64) int64 {
	if x == nil {
		return other
	}
	return x.units
}

func (v *solver) assures(c *combination) bool {
	if v.lines == nil || c.tax == nil || c.tax.zero || len(v.taxes) == 0 ||
		max(c.gross.label(moneyGross), c.gross.label(moneyTotal), c.gross.label(moneyDue)) < 0.5 {
		return false
	}
	taxes, bases, rounding := money.Decimal{}, money.Decimal{}, v.tolerance()
	hundred, half := money.FromInt(100), money.MustParse("0.5")
	if v.s.wholeUnits() {
		half = hundred
	}
	for _, r := range v.taxes {
		if r.rate == nil || r.rate.Sign() <= 0 {
			return false
		}
		taxes = taxes.Add(r.amount.value)
		bases = bases.Add(r.amount.value.Mul(hundred).Div(*r.rate))
		rounding = rounding.Add(half.Div(*r.rate))
	}
	net := c.gross.value.Sub(c.tax.value)
	if c.net == nil && v.statesOther(net, c.gross.value, rounding) {
		return false
	}
	return taxes.Within(c.tax.value, v.tolerance()) && bases.Within(net, rounding) &&
		(v.lines.Within(net, v.tolerance()) || v.reach(*v.lines, net) != nil)
}

// statesOther reports whether a net total or a subtotal is printed that is neither the net
// nor the gross total, nor the sum of the lines.
func (v *solver) statesOther(net, gross, rounding money.Decimal) bool {
	for _, x := range v.sums {
		named := max(x.rowLabel(moneyNet), x.rowLabel(moneySubtotal))
		if named >= 1 && !x.seg.isProse() && !x.value.Within(net, rounding) && !x.value.Within(gross, v.tolerance()) && !x.value.Within(*v.lines, v.tolerance()) {
			return true
		}
	}
	return false
}

// agreed selects the combination that the ranker prefers or the document proves, and its
// confidence.
func (v *solver) agreed(combos []combination, ranked int, confidence float64) (*combination, float64) {
	proof := v.assured(combos)
	best := &combos[ranked]
	switch {
	case proof == nil:
		return best, confidence
	case proof.tax.units == best.tax.unitsOr(0) && proof.gross.units == best.gross.units:
		return best, max(confidence, probable)
	case confidence >= probable:
		return proof, contestedConfidence
	}
	return proof, probable
}
