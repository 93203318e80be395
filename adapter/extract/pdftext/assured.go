package pdftext

import (
	"slices"

	"docledger/domain/extraction/textrules"
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
	taxes, bases, rounding, ok := v.rated()
	if !ok {
		return false
	}
	net := c.gross.value.Sub(c.tax.value)
	if c.net == nil && v.statesOther(net, c.gross.value, rounding) {
		return false
	}
	return taxes.Within(c.tax.value, v.tolerance()) && bases.Within(net, rounding) &&
		(v.lines.Within(net, v.tolerance()) || v.reach(*v.lines, net) != nil)
}

// rated returns the sum of the taxes, the net total that their rates give, and by how much rounding can
// change it. It reports whether each tax has a rate.
func (v *solver) rated() (taxes, net, rounding money.Decimal, ok bool) {
	rounding = v.tolerance()
	hundred, half := money.FromInt(100), money.MustParse("0.5")
	if v.s.wholeUnits() {
		half = hundred
	}
	for _, r := range v.taxes {
		if r.rate == nil || r.rate.Sign() <= 0 {
			return taxes, net, rounding, false
		}
		taxes = taxes.Add(r.amount.value)
		net = net.Add(r.amount.value.Mul(hundred).Div(*r.rate))
		rounding = rounding.Add(half.Div(*r.rate))
	}
	return taxes, net, rounding, true
}

// closes reports whether the lines, all labelled charges and allowances, and all taxes add up to the
// gross total of a combination without a net total, which has its label. The rates of the taxes must give
// the same net total. Without taxes, the document must mention none and have a charge or an allowance.
func (v *solver) closes(c *combination) bool {
	const labelled = 0.8
	if v.lines == nil || c.net != nil || max(c.gross.label(moneyGross), c.gross.label(moneyTotal), c.gross.label(moneyDue)) < labelled {
		return false
	}
	taxes, bases, rounding, ok := v.rated()
	if !ok || c.tax != nil && !c.tax.value.Equal(taxes) {
		return false
	}
	net := v.adjusted(*v.lines)
	if len(v.taxes) == 0 {
		return !v.s.namesTax() && !net.Equal(*v.lines) && net.Within(c.gross.value, v.tolerance())
	}
	return bases.Within(net, rounding) && net.Add(taxes).Within(c.gross.value, v.tolerance())
}

// namesTax reports whether an amount or a column has the label of a tax.
func (s *parsedDocument) namesTax() bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool { return hasRole(seg, textrules.RoleTax, textrules.RoleTaxTotal) })
}

// withTaxes returns a combination with the sum of the taxes by rate if it has no tax total.
func (v *solver) withTaxes(c *combination) *combination {
	taxes, _, _, ok := v.rated()
	units, exact := toUnits(taxes)
	if c.tax != nil || len(v.taxes) == 0 || !ok || !exact {
		return c
	}
	with := *c
	with.tax = &sum{value: taxes, units: units}
	return &with
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
