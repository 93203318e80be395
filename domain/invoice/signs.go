package invoice

import "docledger/domain/money"

// Negative says whether the totals are stated below zero: the first stated one
// of gross, due, net and sum of the lines tells.
func (c *Content) Negative() bool {
	for _, total := range []*money.Decimal{c.GrossTotal, c.AmountDue, c.NetTotal, c.LineTotal} {
		if total != nil {
			return total.Sign() < 0
		}
	}
	return false
}

// TurnSigns makes the amounts of a credit note that states them negative
// positive (domain D13). It returns the check that tells of it, nil where
// nothing was to be turned.
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

// turnSigns turns a line's amount and, so that quantity times price still gives
// it, the one of the two that carried the sign.
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
