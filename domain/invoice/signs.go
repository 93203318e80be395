package invoice

import "docledger/domain/money"

// Negative reports whether the totals are negative. The first stated one of gross total, amount
// due, net total and line total decides.
func (c *Content) Negative() bool {
	for _, total := range []*money.Decimal{c.GrossTotal, c.AmountDue, c.NetTotal, c.LineTotal} {
		if total != nil {
			return total.Sign() < 0
		}
	}
	return false
}

// TurnSigns makes the amounts of a credit note positive if the document states them as negative
// (domain D13). It returns a check that records the change, or nil if nothing changed.
func (c *Content) TurnSigns() *Check {
	if c.Type != TypeCreditNote || !c.Negative() {
		return nil
	}
	stated := c.GrossTotal
	if stated == nil {
		stated = c.AmountDue
	}
	for _, total := range []**money.Decimal{
		&c.LineTotal, &c.AllowanceTotal, &c.ChargeTotal, &c.NetTotal, &c.TaxTotal, &c.TaxTotalInTaxCurrency,
		&c.GrossTotal, &c.PrepaidTotal, &c.PayableRounding, &c.WithheldTotal, &c.AmountDue,
	} {
		*total = money.Negated(*total)
	}
	for i := range c.Taxes {
		t := &c.Taxes[i]
		t.Base, t.Amount = money.Negated(t.Base), money.Negated(t.Amount)
	}
	for i := range c.AllowancesCharges {
		a := &c.AllowancesCharges[i]
		a.Base, a.Amount = money.Negated(a.Base), money.Negated(a.Amount)
	}
	for i := range c.Lines {
		c.Lines[i].turnSigns()
	}
	return &Check{
		Rule: RuleSignsTurned, Severity: Warning, Passed: true, Path: "gross_total",
		Expected: Show(money.Negated(stated)), Found: Show(stated),
	}
}

// turnSigns changes the sign of a line's amount. It also changes the sign of the quantity or the
// price, so that their product still equals the amount.
func (l *Line) turnSigns() {
	l.NetAmount = money.Negated(l.NetAmount)
	switch {
	case l.Quantity != nil && l.Quantity.Sign() < 0:
		l.Quantity = money.Negated(l.Quantity)
	case l.UnitPrice != nil && l.UnitPrice.Sign() < 0:
		l.UnitPrice = money.Negated(l.UnitPrice)
	case l.NetAmount != nil && l.NetAmount.Sign() < 0:
		l.Quantity = money.Negated(l.Quantity)
	}
}
