package stripe

import (
	"fmt"
	"time"
)

// total computes the totals of an invoice from its lines.
func (s *Server) total(inv *invoice) {
	subtotal, added := int64(0), int64(0)
	byRate := map[string]*taxAmount{}
	inv.TotalTaxAmounts = []taxAmount{}
	var order []string
	for _, l := range inv.Lines.Data {
		subtotal += l.Amount
		l.AmountExTax, l.TaxAmounts = l.Amount, s.taxOf(inv, l)
		for _, t := range l.TaxAmounts {
			if t.Inclusive {
				l.AmountExTax -= t.Amount
			} else {
				added += t.Amount
			}
			key := fmt.Sprint(t.TaxRate, t.Inclusive)
			if byRate[key] == nil {
				byRate[key] = &taxAmount{Inclusive: t.Inclusive, TaxRate: t.TaxRate}
				order = append(order, key)
			}
			byRate[key].Amount += t.Amount
			byRate[key].Taxable += t.Taxable
		}
	}
	tax := int64(0)
	for _, key := range order {
		inv.TotalTaxAmounts = append(inv.TotalTaxAmounts, *byRate[key])
		tax += byRate[key].Amount
	}
	inv.Tax = nil
	if len(order) > 0 {
		inv.Tax = &tax
	}
	if inv.AutomaticTax.Status = ""; inv.AutomaticTax.Enabled {
		inv.AutomaticTax.Status = "complete"
	}
	inv.Subtotal, inv.Total = subtotal, subtotal+added
	inv.TotalExTax = inv.Total - tax
	inv.SubtotalExTax = inv.TotalExTax
	inv.AmountDue = max(inv.Total, 0)
	inv.AmountRemaining = inv.AmountDue - inv.AmountPaid
}

// taxOf is the tax of one line: its own rates, else the invoice's rates, else the automatic tax.
func (s *Server) taxOf(inv *invoice, l *lineItem) []taxAmount {
	type rate struct {
		id        string
		percent   string
		inclusive bool
	}
	var rates []rate
	own := l.TaxRates
	if len(own) == 0 {
		own = inv.DefaultTaxRates
	}
	for _, t := range own {
		rates = append(rates, rate{t.ID, t.percent, t.Inclusive})
	}
	if inv.AutomaticTax.Enabled {
		rates = []rate{{"", s.limits.AutomaticTax, l.Price != nil && l.Price.TaxBehavior == "inclusive"}}
	}
	out := []taxAmount{}
	for _, r := range rates {
		amount := percent(l.Amount, r.percent)
		taxable := l.Amount
		if r.inclusive {
			amount = l.Amount - withoutTax(l.Amount, r.percent)
			taxable -= amount
		}
		out = append(out, taxAmount{Amount: amount, Inclusive: r.inclusive, TaxRate: text(r.id), Taxable: taxable})
	}
	return out
}

// withoutTax returns an amount without its inclusive tax, rounded to the unit.
func withoutTax(amount int64, rate string) int64 {
	const precise = 1_000_000
	return (amount*100*precise + (100*precise+percent(100*precise, rate))/2) / (100*precise + percent(100*precise, rate))
}

// finalize opens a draft, or marks it as paid if nothing is due.
func (s *Server) finalize(c *call, inv *invoice) {
	before := raw(inv)
	s.total(inv)
	x, _ := find[*customer](s, inv.Customer)
	inv.Number = text(fmt.Sprintf("%s-%04d", x.InvoicePrefix, x.NextInvoiceSequence))
	x.NextInvoiceSequence++
	inv.Status, inv.FinalizesAt = "open", 0
	inv.EffectiveAt, inv.StatusTransitions.FinalizedAt = stamp(s.now), stamp(s.now)
	base := s.pageBase(c)
	inv.HostedInvoiceURL, inv.InvoicePDF = text(base+"/i/"+inv.ID), text(base+"/i/"+inv.ID+"/pdf")
	useBalance(x, inv)
	if inv.AmountDue == 0 {
		s.settleInvoice(c, inv, before, "")
		return
	}
	intent := &paymentIntent{
		base: s.fresh("payment_intent"), Amount: inv.AmountDue, Currency: inv.Currency, Customer: inv.Customer,
		Invoice: text(inv.ID), Status: "requires_payment_method",
	}
	intent.ClientSecret = intent.ID + "_secret"
	s.add(intent)
	inv.PaymentIntent = text(intent.ID)
	if inv.AutoAdvance && inv.CollectionMethod == "charge_automatically" {
		inv.NextPaymentAttempt = stamp(s.now + 3600)
	}
	s.changed(c, "invoice.finalized", inv, before)
}

func (s *Server) pageBase(c *call) string {
	switch {
	case s.options.BaseURL != "":
		return s.options.BaseURL
	case c != nil:
		return c.base
	}
	return "http://localhost"
}

// settleInvoice marks an invoice as paid.
func (s *Server) settleInvoice(c *call, inv *invoice, before map[string]any, method text) {
	inv.Status, inv.Paid, inv.NextPaymentAttempt = "paid", true, 0
	inv.AmountPaid, inv.AmountRemaining, inv.StatusTransitions.PaidAt = inv.AmountDue, 0, stamp(s.now)
	if inv.AmountDue > 0 {
		inv.Attempted = true
		inv.AttemptCount++
	}
	if intent, ok := find[*paymentIntent](s, string(inv.PaymentIntent)); ok {
		intent.Status, intent.AmountReceived, intent.PaymentMethod, intent.LastPaymentError = "succeeded", intent.Amount, method, nil
	}
	if x, ok := find[*customer](s, inv.Customer); ok && x.Currency == "" {
		x.Currency = text(inv.Currency)
	}
	if inv.StatusTransitions.FinalizedAt == stamp(s.now) && inv.AmountDue == 0 {
		s.changed(c, "invoice.finalized", inv, before)
	}
	s.changed(c, "invoice.paid", inv, before)
	s.changed(c, "invoice.payment_succeeded", inv, before)
	sub, ok := find[*subscription](s, string(inv.Subscription))
	if !ok || sub.Status != "incomplete" && sub.Status != "past_due" && sub.Status != "unpaid" {
		return
	}
	old := raw(sub)
	sub.Status, sub.incompleteUntil = activeSubscription, 0
	s.changed(c, subscriptionEvent+"updated", sub, old)
}

// payable is the payment method of an invoice; nil for none.
func (s *Server) payable(inv *invoice) *paymentMethod {
	candidates := []text{inv.DefaultPayment, inv.DefaultSource}
	if sub, ok := find[*subscription](s, string(inv.Subscription)); ok {
		candidates = append(candidates, sub.DefaultPaymentMethod, sub.DefaultSource)
	}
	for _, id := range append(candidates, s.payer(inv.Customer)) {
		if m, ok := find[*paymentMethod](s, string(id)); ok {
			return m
		}
	}
	return nil
}

// collect charges an open invoice, with method or with the payable one.
func (s *Server) collect(c *call, inv *invoice, method text) *apiError {
	m, ok := find[*paymentMethod](s, string(method))
	if !ok {
		m = s.payable(inv)
	}
	if m == nil {
		inv.NextPaymentAttempt = 0 // there is no retry without a payment method
		return refused("", "", "There is no `default_payment_method` set on this Customer or Invoice. Please set one prior to calling pay.")
	}
	before := raw(inv)
	if m.kind.charged.code == "" {
		s.settleInvoice(c, inv, before, text(m.ID))
		return nil
	}
	return s.decline(c, inv, before, m)
}

// decline records a failed payment and schedules the next attempt.
func (s *Server) decline(c *call, inv *invoice, before map[string]any, m *paymentMethod) *apiError {
	failed := m.kind.charged.refusal()
	inv.Attempted = true
	inv.AttemptCount++
	inv.NextPaymentAttempt = 0
	if retry := int(inv.AttemptCount) - 1; inv.AutoAdvance && retry < len(s.limits.PaymentRetries) {
		inv.NextPaymentAttempt = stamp(s.now + int64(s.limits.PaymentRetries[retry]/time.Second))
	}
	if intent, ok := find[*paymentIntent](s, string(inv.PaymentIntent)); ok {
		intent.Status, intent.PaymentMethod = "requires_payment_method", text(m.ID)
		intent.LastPaymentError, _ = failed.body()["error"].(map[string]any)
		if m.kind.charged == confirm {
			intent.Status = "requires_action"
		}
		failed.intent = raw(intent)
	}
	s.changed(c, "invoice.payment_failed", inv, before)
	if m.kind.charged == confirm {
		s.changed(c, "invoice.payment_action_required", inv, before)
		failed.code, failed.decline = "invoice_payment_intent_requires_action", ""
	}
	if sub, ok := find[*subscription](s, string(inv.Subscription)); ok && sub.Status == activeSubscription {
		old := raw(sub)
		sub.Status = "past_due"
		s.changed(c, subscriptionEvent+"updated", sub, old)
	}
	return failed
}

func (s *Server) payInvoice(c *call, inv *invoice) *apiError {
	var method text
	for _, key := range []string{"payment_method", "source"} {
		if c.has(key) {
			method = s.owned(c.params, key, inv.Customer)
		}
	}
	outside, _ := c.boolean("paid_out_of_band")
	c.ignore("off_session", "forgive", "mandate")
	if e := c.done(); e != nil {
		return e
	}
	switch inv.Status {
	case "draft":
		s.finalize(c, inv)
	case "paid":
		return refused("", "", "Invoice is already paid")
	case "void":
		return refused("", "", "The invoice %s is void and can't be paid", inv.ID)
	}
	if outside {
		inv.PaidOutOfBand = true
		s.settleInvoice(c, inv, raw(inv), "")
	}
	if inv.Status == "paid" {
		return nil
	}
	return s.collect(c, inv, method)
}
