package stripe

import (
	"fmt"
	"slices"
)

// proration is how a change of a subscription's items is billed.
type proration struct {
	behavior string // create_prorations, always_invoice or none
	at       int64  // moment from which the change is billed
	restart  bool   // the billing cycle restarts, also without a change of the interval
}

// prorationOf reads the parameters of an update.
func (s *Server) prorationOf(c *call, sub *subscription) proration {
	p := proration{behavior: c.oneOr("proration_behavior", "create_prorations", "create_prorations", "always_invoice", "none"), at: s.now}
	if at, given := c.integer("proration_date"); given {
		if p.at = at; at < sub.CurrentPeriodStart || at > sub.CurrentPeriodEnd {
			c.fail(invalid("", "proration_date", "Invalid proration_date: it must be within the current billing period."))
		}
	}
	if anchor, given := c.one("billing_cycle_anchor", "now", "unchanged"); given {
		p.restart = anchor == "now"
	}
	return p
}

// prorate bills a change of items in the current period. Each changed item gives a credit
// for the unused time at its former price and a debit for the remaining time at its new
// one, to the second. Both are pending invoice items, which the next invoice contains. A
// change of the interval restarts the billing cycle: the new period is invoiced at once,
// with the credits. Time that a trial covers and metered prices are not prorated.
//
// https://docs.stripe.com/billing/subscriptions/prorations
// https://docs.stripe.com/billing/subscriptions/billing-cycle
func (s *Server) prorate(c *call, sub *subscription, before []*subscriptionItem, p proration) {
	if sub.Status == "trialing" || sub.Status == "incomplete" || len(before) == 0 || len(sub.Items.Data) == 0 {
		return
	}
	old, current := before[0].Price.Recurring, sub.Items.Data[0].Price.Recurring
	restart := p.restart || old.Interval != current.Interval || old.IntervalCount != current.IntervalCount
	changed := func(item *subscriptionItem, others []*subscriptionItem) bool {
		return restart || !slices.ContainsFunc(others, func(o *subscriptionItem) bool {
			return o.ID == item.ID && o.Price.ID == item.Price.ID && quantityOf(o) == quantityOf(item)
		})
	}
	if p.behavior != "none" {
		for _, item := range before {
			if changed(item, sub.Items.Data) {
				s.proratedItem(c, sub, item, p.at, "Unused time on", -1)
			}
		}
	}
	if restart {
		sub.BillingCycleAnchor = s.now
		sub.period(s.now, boundary(moment(s.now), current, 1).Unix())
		s.bill(c, sub, "subscription_update", s.fullLines(sub))
		return
	}
	if p.behavior == "none" {
		return
	}
	for _, item := range sub.Items.Data {
		if changed(item, before) {
			s.proratedItem(c, sub, item, p.at, "Remaining time on", 1)
		}
	}
	if p.behavior == "always_invoice" {
		s.bill(c, sub, "subscription_update", nil)
	}
}

// proratedItem makes a pending invoice item for the time from at to the end of the
// period. sign is -1 for a credit.
func (s *Server) proratedItem(c *call, sub *subscription, item *subscriptionItem, at int64, what string, sign int64) {
	if item.Price.Recurring == nil || item.Price.Recurring.UsageType == "metered" {
		return
	}
	name := ""
	if p, ok := find[*product](s, item.Price.Product); ok {
		name = p.Name
	}
	quantity := quantityOf(item)
	i := &invoiceItem{
		base: s.fresh("invoiceitem"), Customer: sub.Customer, Currency: sub.Currency, Date: s.now, Discounts: []string{}, Quantity: quantity,
		Amount:      sign * share(item.Price.cost(quantity), sub.CurrentPeriodEnd-at, wholePeriod(sub, item.Price.Recurring)),
		Description: text(fmt.Sprintf("%s %d × %s after %s", what, quantity, name, moment(at).Format("2 Jan 2006"))),
		Period:      period{at, sub.CurrentPeriodEnd}, Price: item.Price, Proration: true, Subscription: text(sub.ID),
		TaxRates: item.TaxRates, UnitAmount: item.Price.UnitAmount, UnitAmountDecimal: item.Price.UnitAmountDecimal,
	}
	i.Metadata = sub.Metadata
	s.add(i)
	s.changed(c, "invoiceitem.created", i, nil)
}

// share returns the part of an amount for a part of the time, rounded.
func share(amount, part, whole int64) int64 { return (amount*part + whole/2) / whole }

// wholePeriod returns the length in seconds of the period that the price pays for. The
// first period of an anchored subscription is only a part of one.
func wholePeriod(sub *subscription, r *recurring) int64 {
	return max(sub.CurrentPeriodEnd-boundary(moment(sub.CurrentPeriodEnd), r, -1).Unix(), sub.CurrentPeriodEnd-sub.CurrentPeriodStart)
}

func quantityOf(item *subscriptionItem) int64 {
	if item.Quantity == nil {
		return 0
	}
	return *item.Quantity
}

// useBalance applies the customer's credit to an invoice that becomes final. An invoice
// with a negative total adds to the credit, which later invoices use up.
func useBalance(x *customer, inv *invoice) {
	inv.StartingBalance = x.Balance
	switch {
	case inv.Total < 0:
		x.Balance += inv.Total
	case x.Balance < 0:
		used := min(inv.Total, -x.Balance)
		x.Balance += used
		inv.AmountDue -= used
		inv.AmountRemaining -= used
	}
	ending := x.Balance
	inv.EndingBalance = &ending
}
