package stripe

import "time"

// subscribe creates a subscription and bills the amount that is due immediately.
func (s *Server) subscribe(c *call, o subscriptionOrder) (*subscription, *apiError) {
	now, rhythm := moment(s.now), o.items[0].price.Recurring
	sub := s.newSubscription(o)
	first := s.fullLines
	switch {
	case o.trialEnd != 0:
		sub.Status, sub.TrialStart, sub.TrialEnd = "trialing", stamp(s.now), stamp(o.trialEnd)
		sub.BillingCycleAnchor = o.trialEnd
		sub.period(s.now, o.trialEnd)
		first = s.trialLines
	case o.anchor != 0 || o.config != nil:
		if o.config != nil {
			sub.AnchorConfig, o.anchor = o.config, anchorOf(now, o.config).Unix()
		}
		sub.BillingCycleAnchor = o.anchor
		sub.period(s.now, following(moment(o.anchor), rhythm, now).Unix())
		if first = nil; o.prorate {
			first = s.proratedLines
		}
	default:
		sub.period(s.now, boundary(now, rhythm, 1).Unix())
	}
	lines := []*lineItem{}
	if first != nil {
		lines = first(sub)
	}
	if e := s.affordable(o, sub, lines); e != nil {
		return nil, e
	}
	if o.cancelAtEnd {
		sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt = true, stamp(sub.CurrentPeriodEnd), stamp(s.now)
	}
	s.add(sub)
	if first == nil {
		s.changed(c, subscriptionEvent+"created", sub, nil)
		return sub, nil
	}
	s.start(c, sub, o, lines)
	return sub, nil
}

// affordable refuses an order without a payment method if the order requires a successful
// payment.
func (s *Server) affordable(o subscriptionOrder, sub *subscription, lines []*lineItem) *apiError {
	due := int64(0)
	for _, l := range lines {
		due += l.Amount
	}
	if due == 0 || o.collection == "send_invoice" || o.payment == "default_incomplete" {
		return nil
	}
	method := sub.DefaultPaymentMethod
	if method == "" {
		method = s.payer(sub.Customer)
	}
	m, ok := find[*paymentMethod](s, string(method))
	if !ok {
		return refused("resource_missing", "", "This customer has no attached payment source or default payment method. "+
			"Please consider adding a default payment method.")
	}
	if o.payment == "error_if_incomplete" {
		return m.kind.charged.refusal()
	}
	return nil
}

// start bills the start of a subscription.
func (s *Server) start(c *call, sub *subscription, o subscriptionOrder, lines []*lineItem) {
	inv := s.draftOf(sub, "subscription_create", lines)
	collects := o.collection == "charge_automatically" && o.payment != "default_incomplete"
	if inv.Total > 0 && o.collection == "charge_automatically" {
		sub.Status, sub.incompleteUntil = "incomplete", s.now+incompleteHours*int64(time.Hour/time.Second)
	}
	s.add(inv)
	sub.LatestInvoice = text(inv.ID)
	var failed *apiError
	if paying := s.payable(inv); collects && paying != nil && paying.kind.charged.code == "" && sub.Status == "incomplete" {
		sub.Status, sub.incompleteUntil = activeSubscription, 0 // the vendor charges before it sends the event
	}
	s.changed(c, subscriptionEvent+"created", sub, nil)
	s.changed(c, "invoice.created", inv, nil)
	s.finalize(c, inv)
	if collects && inv.Status == "open" {
		failed = s.collect(c, inv, "")
	}
	if failed != nil {
		inv.NextPaymentAttempt = 0 // the customer must repeat a failed first payment
	}
}

func (s *Server) newSubscription(o subscriptionOrder) *subscription {
	sub := &subscription{
		base: s.fresh("subscription"), AutomaticTax: automaticTax{Enabled: o.automatic}, BillingCycleAnchor: s.now,
		CancellationDetails: map[string]text{"comment": "", "feedback": "", "reason": ""}, CollectionMethod: o.collection,
		Currency: o.items[0].price.Currency, Customer: o.customer.ID, DaysUntilDue: stamp(o.dueIn), DefaultPaymentMethod: o.method,
		DefaultTaxRates: o.taxRates, Description: o.description, Discounts: []string{}, StartDate: s.now, Status: activeSubscription,
		missingPaymentAtTrial: o.missing,
	}
	if sub.CollectionMethod == "" {
		sub.CollectionMethod = "charge_automatically"
	}
	if sub.DefaultTaxRates == nil {
		sub.DefaultTaxRates = []*taxRate{}
	}
	sub.Metadata = o.metadata
	sub.TrialSettings = &trialSettings{}
	sub.TrialSettings.EndBehavior.MissingPaymentMethod = o.missing
	sub.Items = subscriptionItems{Object: "list", URL: "/v1/subscription_items?subscription=" + sub.ID, TotalCount: len(o.items)}
	for _, item := range o.items {
		sub.Items.Data = append(sub.Items.Data, s.newItem(sub, item))
	}
	return sub
}

func (s *Server) newItem(sub *subscription, o orderItem) *subscriptionItem {
	metadata := o.metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return &subscriptionItem{
		ID: newID("si"), Object: "subscription_item", Created: s.now, Discounts: []string{}, Metadata: metadata,
		Price: o.price, Quantity: o.quantity, Subscription: sub.ID, TaxRates: []*taxRate{},
		CurrentPeriodStart: sub.CurrentPeriodStart, CurrentPeriodEnd: sub.CurrentPeriodEnd,
	}
}

// period sets the current period of a subscription and its items.
func (sub *subscription) period(from, to int64) {
	sub.CurrentPeriodStart, sub.CurrentPeriodEnd = from, to
	for _, item := range sub.Items.Data {
		item.CurrentPeriodStart, item.CurrentPeriodEnd = from, to
	}
}

// fullLines are the lines of one whole period. Metered prices have no usage.
func (s *Server) fullLines(sub *subscription) []*lineItem {
	return s.linesOf(sub, func(p *price, quantity int64) (int64, string) {
		return p.cost(quantity), ""
	})
}

// proratedLines are the lines of the time until the first whole period.
func (s *Server) proratedLines(sub *subscription) []*lineItem {
	whole := wholePeriod(sub, sub.Items.Data[0].Price.Recurring)
	return s.linesOf(sub, func(p *price, quantity int64) (int64, string) {
		return share(p.cost(quantity), sub.CurrentPeriodEnd-sub.CurrentPeriodStart, whole), ""
	})
}

func (s *Server) trialLines(sub *subscription) []*lineItem {
	return s.linesOf(sub, func(*price, int64) (int64, string) { return 0, "Trial period for " })
}

func (s *Server) linesOf(sub *subscription, amount func(*price, int64) (int64, string)) []*lineItem {
	lines := []*lineItem{}
	for _, item := range sub.Items.Data {
		quantity := int64(0)
		if item.Quantity != nil {
			quantity = *item.Quantity
		}
		sum, prefix := amount(item.Price, quantity)
		name := ""
		if p, ok := find[*product](s, item.Price.Product); ok {
			name = p.Name
		}
		lines = append(lines, &lineItem{
			ID: newID("il"), Object: "line_item", Amount: sum, Currency: sub.Currency, Description: text(prefix + name),
			Discountable: true, Discounts: []string{}, Metadata: sub.Metadata, Price: item.Price, Quantity: quantity,
			Period:       period{sub.CurrentPeriodStart, sub.CurrentPeriodEnd},
			Subscription: text(sub.ID), SubscriptionItem: text(item.ID), TaxRates: []*taxRate{}, Type: "subscription",
		})
	}
	return lines
}

// draftOf is a subscription's next invoice. It contains the pending items.
func (s *Server) draftOf(sub *subscription, reason string, lines []*lineItem) *invoice {
	x, _ := find[*customer](s, sub.Customer)
	inv := s.newInvoice(x, sub.Currency, reason)
	inv.Subscription, inv.CollectionMethod, inv.AutoAdvance = text(sub.ID), sub.CollectionMethod, true
	inv.SubscriptionDetails = &subscriptionOf{Metadata: sub.Metadata}
	inv.AutomaticTax.Enabled, inv.DefaultTaxRates = sub.AutomaticTax.Enabled, sub.DefaultTaxRates
	inv.PeriodStart, inv.PeriodEnd = sub.CurrentPeriodStart, sub.CurrentPeriodEnd
	if sub.DaysUntilDue != 0 {
		inv.DueDate = stamp(s.now + int64(sub.DaysUntilDue)*24*3600)
	}
	for _, l := range lines {
		inv.addLine(l)
	}
	s.sweep(inv)
	s.total(inv)
	return inv
}

// bill creates, finalizes and collects a subscription's invoice.
func (s *Server) bill(c *call, sub *subscription, reason string, lines []*lineItem) {
	inv := s.draftOf(sub, reason, lines)
	s.add(inv)
	sub.LatestInvoice = text(inv.ID)
	if sub.PauseCollection != nil {
		s.billPaused(c, sub, inv)
		return
	}
	s.changed(c, "invoice.created", inv, nil)
	s.finalize(c, inv)
	if inv.Status == "open" && inv.CollectionMethod == "charge_automatically" {
		s.collect(c, inv, "") // a decline is recorded in invoice and subscription
	}
}
