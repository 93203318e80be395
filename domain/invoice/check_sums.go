package invoice

import (
	"fmt"
	"slices"

	"docledger/domain/money"
)

// Tolerances. EN 16931 rounds every total to the cent and allows no difference. Real senders round
// each line or compute totals from unrounded lines, and both are accepted practice. The checks
// therefore allow half a cent for each value of a sum, up to one unit of the currency. The
// validation rules of EN 16931 allow the same limit for a tax amount.
var (
	cent    = decimal("0.01")
	half    = decimal("0.5")
	hundred = decimal("100")
)

// wholeUnits are the currencies whose amounts are rounded to whole units: those without a minor
// unit in ISO 4217, and the forint, whose minor unit is no longer used.
var wholeUnits = []string{
	"BIF", "CLP", "DJF", "GNF", "HUF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
}

// step returns the unit to which amounts of the invoice are rounded.
func (e *checker) step() money.Decimal {
	if slices.Contains(wholeUnits, e.c.Currency) {
		return money.FromInt(1)
	}
	return cent
}

// roundings returns the tolerance of a sum of n rounded values.
func (e *checker) roundings(n int) money.Decimal {
	step := e.step()
	t := step.Add(step.Mul(half).Mul(money.FromInt(int64(n))))
	if most := step.Mul(hundred); t.Cmp(most) > 0 {
		return most
	}
	return t
}

func (e *checker) arithmetic() {
	e.linesSum()
	e.allowancesSum()
	// linesAt is counted once, because a document may state thousands of lines and taxes.
	linesAt := map[string]int{}
	for i := range e.c.Lines {
		if rate := e.c.Lines[i].TaxRate; rate != nil {
			linesAt[rate.Normal()]++
		}
	}
	for i := range e.c.Taxes {
		e.taxPerRate(i, linesAt)
	}
	e.taxSum()
	e.grossSum()
	e.dueSum()
}

// sumOf adds values. ok is false if there are no values or one of them is missing.
func sumOf[T any](items []T, value func(*T) *money.Decimal) (sum money.Decimal, ok bool) {
	for i := range items {
		v := value(&items[i])
		if v == nil {
			return money.Decimal{}, false
		}
		sum = sum.Add(*v)
	}
	return sum, len(items) > 0
}

// netOfLines adds the amounts of the lines. A line without an amount adds nothing, so a missing
// amount (BR-24) appears as a sum that does not match. ok is false if no line states an amount.
func (e *checker) netOfLines() (sum money.Decimal, ok bool) {
	for _, l := range e.c.Lines {
		if l.NetAmount != nil {
			sum, ok = sum.Add(*l.NetAmount), true
		}
	}
	return sum, ok
}

func (e *checker) compare(rule, path string, expected money.Decimal, found *money.Decimal, tolerance money.Decimal) {
	e.add(rule, Blocking, found.Within(expected, tolerance), path, expected.String(), found.String())
}

// linesSum checks that the lines add up to the line total. If there is no line total, allowancesSum
// validates the lines against the net total.
func (e *checker) linesSum() {
	if sum, ok := e.netOfLines(); ok && e.c.LineTotal != nil {
		e.compare(RuleLinesSum, "lines", sum, e.c.LineTotal, e.roundings(len(e.c.Lines)))
	}
}

// allowancesSum checks that allowances and charges add up to their totals, and together with the
// lines to the net total.
func (e *checker) allowancesSum() {
	c := e.c
	allowances, charges := e.allowances(false), e.allowances(true)
	if c.AllowanceTotal != nil && allowances != nil {
		e.compare(RuleAllowancesSum, "allowances", *allowances, c.AllowanceTotal, e.roundings(len(c.AllowancesCharges)))
	}
	if c.ChargeTotal != nil && charges != nil {
		e.compare(RuleAllowancesSum, "charges", *charges, c.ChargeTotal, e.roundings(len(c.AllowancesCharges)))
	}
	if c.NetTotal == nil {
		return
	}
	net, ok := money.Decimal{}, false
	rule := RuleAllowancesSum
	if c.LineTotal != nil {
		net, ok = *c.LineTotal, true
	} else if net, ok = e.netOfLines(); ok {
		rule = RuleLinesSum
	}
	if !ok {
		return
	}
	for _, total := range []struct {
		stated, summed *money.Decimal
		sign           int64
	}{{c.AllowanceTotal, allowances, -1}, {c.ChargeTotal, charges, 1}} {
		v := total.stated
		if v == nil {
			v = total.summed
		}
		if v != nil {
			net = net.Add(v.Mul(money.FromInt(total.sign)))
		}
	}
	tolerance := e.step()
	if rule == RuleLinesSum {
		tolerance = e.roundings(len(c.Lines) + len(c.AllowancesCharges))
	}
	e.compare(rule, "net_total", net, c.NetTotal, tolerance)
}

// allowances sums the allowances or the charges. It returns nil if there are none or one has no
// amount.
func (e *checker) allowances(isCharge bool) *money.Decimal {
	sum, any := money.Decimal{}, false
	for _, a := range e.c.AllowancesCharges {
		if a.IsCharge != isCharge {
			continue
		}
		if a.Amount == nil {
			return nil
		}
		sum, any = sum.Add(*a.Amount), true
	}
	if !any {
		return nil
	}
	return &sum
}

// taxPerRate checks that the tax of a row is its base times its rate. A row in an untaxed category
// may state the rate that would apply. linesAt is the number of lines by rate.
func (e *checker) taxPerRate(i int, linesAt map[string]int) {
	t := e.c.Taxes[i]
	if t.Rate == nil || t.Base == nil || t.Amount == nil {
		return
	}
	switch t.Category {
	case "AE", "K", "G", "O", "E", "Z":
		if t.Amount.IsZero() {
			return
		}
	}
	expected := t.Base.Mul(*t.Rate).Div(hundred).Round(max(2, t.Amount.Decimals()))
	n := 1 + linesAt[t.Rate.Normal()]
	e.compare(RuleTaxPerRate, fmt.Sprintf("taxes[%d]", i), expected, t.Amount, e.roundings(n))
}

// taxSum checks that the tax of the rows adds up to the tax total.
func (e *checker) taxSum() {
	sum, ok := sumOf(e.c.Taxes, func(t *Tax) *money.Decimal { return t.Amount })
	if ok && e.c.TaxTotal != nil {
		e.compare(RuleTaxSum, "tax_total", sum, e.c.TaxTotal, e.roundings(len(e.c.Taxes)))
	}
}

// grossSum checks that net total and tax total add up to the gross total. Some formats state the
// gross total without the withheld amount.
func (e *checker) grossSum() {
	c := e.c
	if c.NetTotal == nil || c.GrossTotal == nil {
		return
	}
	tax := c.TaxTotal
	if tax == nil {
		sum, ok := sumOf(c.Taxes, func(t *Tax) *money.Decimal { return t.Amount })
		if !ok && !c.NetTotal.Equal(*c.GrossTotal) {
			return // a tax that is not stated cannot be validated
		}
		tax = &sum
	}
	expected := c.NetTotal.Add(*tax)
	if w := c.WithheldTotal; w != nil && !c.GrossTotal.Within(expected, e.step()) && c.GrossTotal.Within(expected.Sub(*w), e.step()) {
		expected = expected.Sub(*w)
	}
	e.compare(RuleGrossSum, "gross_total", expected, c.GrossTotal, e.step())
}

// dueSum checks that the amount due is the gross total less what is paid or withheld. A document
// with neither lines nor a line total (profile MINIMUM) does not state what was paid, so the rule
// is omitted.
func (e *checker) dueSum() {
	c := e.c
	if c.GrossTotal == nil || c.AmountDue == nil {
		return
	}
	if c.PrepaidTotal == nil && c.LineTotal == nil && len(c.Lines) == 0 {
		return
	}
	expected := *c.GrossTotal
	if c.PrepaidTotal != nil {
		expected = expected.Sub(*c.PrepaidTotal)
	}
	if c.PayableRounding != nil {
		expected = expected.Add(*c.PayableRounding)
	}
	if w := c.WithheldTotal; w != nil && !c.AmountDue.Within(expected, e.step()) {
		expected = expected.Sub(*w)
	}
	e.compare(RuleDueSum, "amount_due", expected, c.AmountDue, e.step())
}
