package einvoice

import (
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// turnSigns makes the amounts of a credit note that states them negative
// positive (records D13).
func (d *draft) turnSigns() {
	c := &d.content
	if c.Type != invoice.TypeCreditNote || !negative(c.GrossTotal, c.AmountDue, c.NetTotal, c.LineTotal) {
		return
	}
	stated := c.GrossTotal
	if stated == nil {
		stated = c.AmountDue
	}
	for _, total := range []**money.Decimal{
		&c.LineTotal, &c.AllowanceTotal, &c.ChargeTotal, &c.NetTotal, &c.TaxTotal, &c.TaxTotalInTaxCurrency,
		&c.GrossTotal, &c.PrepaidTotal, &c.PayableRounding, &c.WithheldTotal, &c.AmountDue,
	} {
		*total = negated(*total)
	}
	for i := range c.Taxes {
		c.Taxes[i].Base, c.Taxes[i].Amount = negated(c.Taxes[i].Base), negated(c.Taxes[i].Amount)
	}
	for i := range c.AllowancesCharges {
		a := &c.AllowancesCharges[i]
		a.Base, a.Amount = negated(a.Base), negated(a.Amount)
	}
	for i := range c.Lines {
		turnLine(&c.Lines[i])
	}
	d.checks = append(d.checks, invoice.Check{
		Rule: invoice.RuleSignsTurned, Severity: invoice.Warning, Passed: true, Path: "gross_total",
		Expected: invoice.Show(negated(stated)), Found: invoice.Show(stated),
	})
}

// negative says whether the first stated one of the totals is below zero.
func negative(totals ...*money.Decimal) bool {
	for _, t := range totals {
		if t != nil {
			return t.Sign() < 0
		}
	}
	return false
}

func negated(v *money.Decimal) *money.Decimal {
	if v == nil {
		return nil
	}
	n := v.Neg()
	return &n
}

// turnLine turns a line's amount and, so that quantity times price still gives
// it, the one of the two that carried the sign.
func turnLine(l *invoice.Line) {
	l.NetAmount = negated(l.NetAmount)
	switch {
	case l.Quantity != nil && l.Quantity.Sign() < 0:
		l.Quantity = negated(l.Quantity)
	case l.UnitPrice != nil && l.UnitPrice.Sign() < 0:
		l.UnitPrice = negated(l.UnitPrice)
	case l.NetAmount != nil && l.NetAmount.Sign() < 0:
		l.Quantity = negated(l.Quantity)
	}
}
