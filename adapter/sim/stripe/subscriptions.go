package stripe

import "slices"

// subscriptionOrder is the content of a new subscription, from a call or from the checkout page.
type subscriptionOrder struct {
	customer    *customer
	items       []orderItem
	anchor      int64 // 0: now
	config      *anchorConfig
	prorate     bool
	payment     string // payment_behavior
	method      text
	taxRates    []*taxRate
	automatic   bool
	metadata    map[string]string
	description text
	trialEnd    int64
	missing     string // the action at the trial's end without a payment method
	collection  string
	dueIn       int64 // days
	cancelAtEnd bool
}

type orderItem struct {
	price    *price
	quantity *int64 // nil for a metered price
	metadata map[string]string
}

const (
	activeSubscription = "active"
	subscriptionEvent  = "customer.subscription."
	incompleteHours    = 23
)

func (s *Server) registerSubscriptions() {
	s.on("POST /v1/subscriptions", s.createSubscription)
	s.on("GET /v1/subscriptions", s.listSubscriptions)
	s.on("GET /v1/subscriptions/search", s.search("subscription"))
	reader[*subscription](s, "/v1/subscriptions", "subscription")
	s.on("POST /v1/subscriptions/{id}", s.updateSubscription)
	s.on("DELETE /v1/subscriptions/{id}", func(c *call) (any, *apiError) {
		sub, ok := find[*subscription](s, c.at("id"))
		c.ignore("invoice_now", "prorate", "cancellation_details")
		if e := c.done(); e != nil {
			return nil, e
		}
		if !ok || sub.EndedAt != 0 {
			return nil, noSuch("subscription", c.at("id"))
		}
		s.end(c, sub, "canceled")
		return sub, nil
	})
	s.on("POST /v1/subscriptions/{id}/resume", s.resumeSubscription)
}

func (s *Server) listSubscriptions(c *call) (any, *apiError) {
	of, given := c.value("customer")
	if _, ok := find[*customer](s, of); given && !ok {
		c.fail(noSuchParam("customer", "customer", of))
	}
	status, chosen := c.one("status", "active", "all", "canceled", "ended", "incomplete", "incomplete_expired", "past_due", "paused", "trialing", "unpaid")
	priceID, priced := c.value("price")
	method, collected := c.value("collection_method")
	return listed(s, c, "subscription", func(sub *subscription) bool {
		switch {
		case !is(of, given, sub.Customer), !is(method, collected, sub.CollectionMethod):
			return false
		case priced && !slices.ContainsFunc(sub.Items.Data, func(i *subscriptionItem) bool { return i.Price.ID == priceID }):
			return false
		case !chosen:
			return sub.Status != "canceled"
		case status == "ended":
			return sub.EndedAt != 0
		}
		return status == "all" || sub.Status == status
	})
}

func (s *Server) createSubscription(c *call) (any, *apiError) {
	o := subscriptionOrder{customer: s.customer(c.params, "customer", c.required("customer"))}
	o.items = s.orderItems(c.params, "items")
	s.orderTerms(c.params, &o)
	o.payment = c.oneOr("payment_behavior", "allow_incomplete",
		"allow_incomplete", "default_incomplete", "error_if_incomplete", "pending_if_incomplete")
	o.collection = c.oneOr("collection_method", "charge_automatically", "charge_automatically", "send_invoice")
	o.dueIn, _ = c.within("days_until_due", 0, 365)
	o.method = s.owned(c.params, "default_payment_method", o.customer.ID)
	c.setBool("cancel_at_period_end", &o.cancelAtEnd)
	if c.has("billing_cycle_anchor_config") {
		o.config = c.group("billing_cycle_anchor_config").anchorConfig()
		if o.anchor != 0 {
			c.fail(invalid("", "billing_cycle_anchor_config",
				"You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config."))
		}
	}
	c.ignore("off_session", "payment_settings", "backdate_start_date", "currency", "enable_incomplete_payments")
	s.checkTerms(c, &o)
	if e := c.done(); e != nil {
		return nil, e
	}
	return s.subscribe(c, o)
}

func (p *params) anchorConfig() *anchorConfig {
	bounded := func(key string, high int64) *int64 {
		if n, given := p.within(key, 0, high); given {
			return &n
		}
		return nil
	}
	p.required("day_of_month")
	day, _ := p.within("day_of_month", 1, 31)
	return &anchorConfig{
		DayOfMonth: max(day, 1), Month: bounded("month", 12), Hour: bounded("hour", 23),
		Minute: bounded("minute", 59), Second: bounded("second", 59),
	}
}

// orderTerms reads the parameters that a subscription call shares with the subscription_data of a
// checkout session.
func (s *Server) orderTerms(p *params, o *subscriptionOrder) {
	o.anchor, _ = p.integer("billing_cycle_anchor")
	o.prorate = p.oneOr("proration_behavior", "create_prorations", "create_prorations", "none", "always_invoice") != "none"
	o.taxRates = s.taxRates(p, "default_tax_rates")
	p.metadata(&o.metadata)
	p.set("description", &o.description)
	if tax := p.group("automatic_tax"); len(tax.node.order) > 0 {
		tax.setBool("enabled", &o.automatic)
		tax.ignore("liability")
	}
	if days, given := p.within("trial_period_days", 1, 730); given {
		o.trialEnd = s.now + days*24*3600
	}
	if v, given := p.value("trial_end"); given && v != "now" {
		o.trialEnd, _ = p.integer("trial_end")
	}
	settings := p.group("trial_settings").group("end_behavior")
	o.missing = settings.oneOr("missing_payment_method", "create_invoice", "create_invoice", "pause", "cancel")
}

// orderItems reads the ordered prices.
func (s *Server) orderItems(p *params, key string) []orderItem {
	var items []orderItem
	for _, g := range p.groups(key) {
		item := orderItem{price: &price{}}
		id := g.required("price")
		if found, ok := find[*price](s, id); ok {
			item.price = found
		} else {
			g.fail(noSuchParam("price", g.name("price"), id))
		}
		quantity, given := g.within("quantity", 0, 1_000_000)
		if !given {
			quantity = 1
		}
		item.quantity = &quantity
		if r := item.price.Recurring; r != nil && r.UsageType == "metered" {
			item.quantity = nil
		}
		g.metadata(&item.metadata)
		g.ignore("tax_rates", "discounts")
		items = append(items, item)
	}
	if len(items) == 0 {
		p.fail(invalid("parameter_missing", p.name(key), "Missing required param: %s.", p.name(key)))
	}
	return items
}

// checkTerms refuses contradictory orders.
func (s *Server) checkTerms(c *call, o *subscriptionOrder) {
	for _, item := range o.items {
		switch {
		case item.price.Recurring == nil:
			c.fail(invalid("", "items[0][price]",
				"The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`."))
			return
		case !item.price.Active:
			c.fail(invalid("", "items[0][price]", "The price specified is inactive. This field only accepts active prices."))
			return
		case item.price.Currency != o.items[0].price.Currency:
			c.fail(invalid("", "items", "All prices on a subscription must use the same currency."))
			return
		}
	}
	if o.automatic && len(o.taxRates) > 0 {
		c.fail(invalid("", "default_tax_rates", "You cannot set default tax rates on a subscription with automatic tax enabled."))
	}
	if o.trialEnd != 0 && o.trialEnd <= s.now {
		c.fail(invalid("", "trial_end", "Invalid timestamp: must be an integer Unix timestamp in the future."))
	}
	if o.anchor == 0 || len(o.items) == 0 {
		return
	}
	if o.anchor <= s.now {
		c.fail(invalid("timestamp_invalid", "billing_cycle_anchor", "`billing_cycle_anchor` must be a future timestamp."))
	}
	natural := boundary(moment(max(s.now, o.trialEnd)), o.items[0].price.Recurring, 1)
	if o.anchor > natural.Unix() {
		c.fail(invalid("timestamp_invalid", "billing_cycle_anchor",
			"`billing_cycle_anchor` cannot be later than next natural billing date (%d) for plan.", natural.Unix()))
	}
}

func (s *Server) updateSubscription(c *call) (any, *apiError) {
	sub, ok := find[*subscription](s, c.at("id"))
	if !ok {
		return nil, noSuch("subscription", c.at("id"))
	}
	if sub.EndedAt != 0 {
		return nil, refused("", "", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	before, next := raw(sub), *sub
	if method, given := c.node.keys["default_payment_method"]; given && method.leaf {
		next.DefaultPaymentMethod = s.owned(c.params, "default_payment_method", sub.Customer)
	}
	c.metadata(&next.Metadata)
	c.set("description", &next.Description)
	c.setBool("cancel_at_period_end", &next.CancelAtPeriodEnd)
	if at, given := c.integer("cancel_at"); given {
		next.CancelAt = stamp(at)
	}
	if c.has("default_tax_rates") {
		next.DefaultTaxRates = s.taxRates(c.params, "default_tax_rates")
	}
	tax := c.group("automatic_tax")
	tax.setBool("enabled", &next.AutomaticTax.Enabled)
	if c.has("pause_collection") {
		next.PauseCollection = s.pauseOf(c.params)
	}
	if v, given := c.value("trial_end"); given && v == "now" {
		next.TrialEnd = stamp(s.now)
	}
	changes, proration := s.itemChanges(c, sub), s.prorationOf(c, sub)
	c.ignore("payment_behavior", "off_session", "payment_settings", "collection_method",
		"days_until_due", "cancellation_details", "discounts", "coupon")
	if e := c.done(); e != nil {
		return nil, e
	}
	*sub = next
	items := sub.Items.Data
	changes()
	s.prorate(c, sub, items, proration)
	s.endMarks(sub)
	s.changed(c, subscriptionEvent+"updated", sub, before)
	return sub, nil
}

// endMarks keeps the fields that announce an end consistent.
func (s *Server) endMarks(sub *subscription) {
	switch {
	case sub.CancelAtPeriodEnd:
		sub.CancelAt = stamp(sub.CurrentPeriodEnd)
		if sub.CanceledAt == 0 {
			sub.CanceledAt = stamp(s.now)
		}
	case sub.CancelAt == 0 || sub.CanceledAt != 0:
		sub.CanceledAt, sub.CancelAt = 0, 0
	}
}

// itemChanges reads new prices and quantities of a subscription. prorate bills them.
func (s *Server) itemChanges(c *call, sub *subscription) (apply func()) {
	var steps []func()
	for _, g := range c.groups("items") {
		g.ignore("metadata", "discounts", "tax_rates")
		id, given := g.value("id")
		at := slices.IndexFunc(sub.Items.Data, func(i *subscriptionItem) bool { return i.ID == id })
		if given && at < 0 {
			g.fail(noSuchParam("subscription item", g.name("id"), id))
			continue
		}
		gone, _ := g.boolean("deleted")
		priceID, priced := g.value("price")
		of, ok := find[*price](s, priceID)
		if priced && !ok {
			g.fail(noSuchParam("price", g.name("price"), priceID))
			continue
		}
		quantity, counted := g.within("quantity", 0, 1_000_000)
		if !given && !counted {
			quantity = 1
		}
		steps = append(steps, func() {
			switch {
			case gone:
				sub.Items.Data = slices.DeleteFunc(slices.Clone(sub.Items.Data), func(i *subscriptionItem) bool { return i.ID == id })
			case !given:
				sub.Items.Data = append(sub.Items.Data, s.newItem(sub, orderItem{price: of, quantity: &quantity}))
			default:
				item := *sub.Items.Data[at]
				if priced {
					item.Price = of
				}
				if counted {
					item.Quantity = &quantity
				}
				sub.Items.Data = slices.Clone(sub.Items.Data)
				sub.Items.Data[at] = &item
			}
		})
	}
	return func() {
		for _, step := range steps {
			step()
		}
		sub.Items.TotalCount = len(sub.Items.Data)
	}
}

func (s *Server) resumeSubscription(c *call) (any, *apiError) {
	sub, ok := find[*subscription](s, c.at("id"))
	if !ok {
		return nil, noSuch("subscription", c.at("id"))
	}
	c.ignore("billing_cycle_anchor", "proration_behavior", "proration_date")
	if e := c.done(); e != nil {
		return nil, e
	}
	if sub.Status != "paused" {
		return nil, refused("", "", "You can only resume a paused subscription; this one is %s.", sub.Status)
	}
	before := raw(sub)
	sub.Status, sub.BillingCycleAnchor = activeSubscription, s.now
	sub.period(s.now, boundary(moment(s.now), sub.Items.Data[0].Price.Recurring, 1).Unix())
	s.bill(c, sub, "subscription_update", s.fullLines(sub))
	s.changed(c, subscriptionEvent+"resumed", sub, before)
	return sub, nil
}

// end cancels a subscription immediately; status is its final one.
func (s *Server) end(c *call, sub *subscription, status string) {
	sub.Status, sub.EndedAt = status, stamp(s.now)
	if sub.CanceledAt == 0 {
		sub.CanceledAt = stamp(s.now)
	}
	sub.CancelAtPeriodEnd = false
	s.changed(c, subscriptionEvent+"deleted", sub, nil)
}
