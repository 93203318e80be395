package stripe

import (
	"fmt"
	"net/url"
	"strings"
)

// The maximum (and default) and the minimum lifetime of a checkout session.
const (
	sessionHours   = 24
	sessionMinutes = 30
)

func (s *Server) registerSessions() {
	s.on("POST /v1/checkout/sessions", s.createCheckout)
	s.on("GET /v1/checkout/sessions", func(c *call) (any, *apiError) {
		of, given := c.value("customer")
		status, chosen := c.one("status", "open", "complete", "expired")
		sub, linked := c.value("subscription")
		return listed(s, c, "checkout.session", func(cs *checkoutSession) bool {
			return is(of, given, string(cs.Customer)) && is(status, chosen, cs.Status) && is(sub, linked, string(cs.Subscription))
		})
	})
	reader[*checkoutSession](s, "/v1/checkout/sessions", "checkout.session")
	s.on("GET /v1/checkout/sessions/{id}/line_items", func(c *call) (any, *apiError) {
		cs, ok := find[*checkoutSession](s, c.at("id"))
		c.ignore("limit", "starting_after", "ending_before")
		if e := c.done(); e != nil {
			return nil, e
		}
		if !ok {
			return nil, noSuch("checkout.session", c.at("id"))
		}
		return map[string]any{"object": "list", "has_more": false, "url": c.request.URL.Path, "data": cs.items}, nil
	})
	s.on("POST /v1/checkout/sessions/{id}/expire", func(c *call) (any, *apiError) {
		cs, ok := find[*checkoutSession](s, c.at("id"))
		if e := c.done(); e != nil {
			return nil, e
		}
		if !ok {
			return nil, noSuch("checkout.session", c.at("id"))
		}
		if cs.Status != "open" {
			return nil, refused("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of %s.", cs.Status)
		}
		s.expire(c, cs)
		return cs, nil
	})
	s.on("POST /v1/billing_portal/sessions", s.createPortal)
}

func (s *Server) createCheckout(c *call) (any, *apiError) {
	cs := &checkoutSession{
		base: s.fresh("checkout.session"), ExpiresAt: s.now + sessionHours*3600, PaymentMethods: []string{"card"},
		PaymentStatus: "unpaid", Status: "open", UIMode: "hosted",
	}
	c.required("mode")
	cs.Mode = c.oneOr("mode", "subscription", "subscription")
	s.checkoutAddresses(c, cs)
	if id, given := c.value("customer"); given {
		cs.order.customer = s.customer(c.params, "customer", id)
		cs.Customer = text(id)
	}
	c.set("customer_email", &cs.CustomerEmail)
	c.set("client_reference_id", &cs.ClientReferenceID)
	if at, given := c.within("expires_at", s.now+sessionMinutes*60, s.now+sessionHours*3600); given {
		cs.ExpiresAt = at
	}
	c.metadata(&cs.Metadata)
	cs.order.items = s.orderItems(c.params, "line_items")
	data := c.group("subscription_data")
	if !data.has("billing_cycle_anchor") && data.has("proration_behavior") {
		data.fail(invalid("", "subscription_data[proration_behavior]",
			"`subscription_data[proration_behavior]` can only be set together with `subscription_data[billing_cycle_anchor]`."))
	}
	s.orderTerms(data, &cs.order)
	tax := c.group("automatic_tax")
	tax.setBool("enabled", &cs.order.automatic)
	tax.ignore("liability")
	cs.order.payment, cs.order.collection = "default_incomplete", "charge_automatically"
	s.checkTerms(c, &cs.order)
	c.ignore("locale", "allow_promotion_codes", "billing_address_collection", "customer_update", "payment_method_collection",
		"payment_method_types", "tax_id_collection", "ui_mode", "custom_text", "customer_creation", "submit_type")
	if e := c.done(); e != nil {
		return nil, e
	}
	if e := s.hasName(); e != nil {
		return nil, e
	}
	if e := s.sameCurrency(cs.order.customer, cs.order.items[0].price.Currency); e != nil {
		return nil, e
	}
	cs.AutomaticTax.Enabled, cs.Currency = cs.order.automatic, text(cs.order.items[0].price.Currency)
	s.checkoutItems(cs)
	cs.URL = text(s.pageBase(c) + "/c/pay/" + cs.ID)
	s.add(cs)
	return cs, nil
}

func (s *Server) checkoutAddresses(c *call, cs *checkoutSession) {
	c.required("success_url")
	c.set("success_url", &cs.SuccessURL)
	c.set("cancel_url", &cs.CancelURL)
	for name, address := range map[string]text{"success_url": cs.SuccessURL, "cancel_url": cs.CancelURL} {
		// The vendor replaces this placeholder, which is not a valid URL.
		plain := strings.ReplaceAll(string(address), "{CHECKOUT_SESSION_ID}", "id")
		u, err := url.Parse(plain)
		if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			c.fail(invalid("url_invalid", name, "Not a valid URL"))
		}
	}
}

// checkoutItems shows the items of the page. The free time before an anchor costs nothing.
func (s *Server) checkoutItems(cs *checkoutSession) {
	free := cs.order.anchor != 0 && !cs.order.prorate || cs.order.trialEnd != 0
	for _, item := range cs.order.items {
		quantity, amount := int64(1), int64(0)
		if item.quantity != nil {
			quantity = *item.quantity
		}
		if !free {
			amount = item.price.cost(quantity)
		}
		name := ""
		if p, ok := find[*product](s, item.price.Product); ok {
			name = p.Name
		}
		cs.items = append(cs.items, &sessionItem{
			ID: newID("li"), Object: "item", Amount: amount, Currency: item.price.Currency, Description: text(name),
			Price: item.price, Quantity: quantity,
		})
		cs.AmountSubtotal += amount
		cs.AmountTotal += amount
	}
}

func (s *Server) expire(c *call, cs *checkoutSession) {
	cs.Status, cs.URL = "expired", ""
	s.changed(c, "checkout.session.expired", cs, nil)
}

// complete does what the checkout page does after a card was entered. The card is attached to the
// subscription, not set as the customer's default.
func (s *Server) complete(cs *checkoutSession, cardName string) *apiError {
	if cs.Status != "open" {
		return refused("", "", "This page is no longer open.")
	}
	order := cs.order
	if order.anchor != 0 && order.anchor <= s.now {
		order.anchor = 0 // the session lasted past the anchor: a whole period begins
	}
	k, ok := cardNamed(cardName)
	if !ok {
		return invalid("incorrect_number", "", "Your card number is incorrect.")
	}
	for _, o := range []outcome{k.attach, k.charged} {
		if e := o.refusal(); e != nil && (o == k.attach || cs.AmountTotal > 0) {
			return e
		}
	}
	if order.customer == nil {
		order.customer = &customer{
			base: s.fresh("customer"), Email: cs.CustomerEmail, NextInvoiceSequence: 1, TaxExempt: "none", PreferredLocales: []string{},
		}
		order.customer.InvoicePrefix = order.customer.ID[len(order.customer.ID)-8:]
		s.add(order.customer)
		s.changed(nil, "customer.created", order.customer, nil)
		cs.Customer = text(order.customer.ID)
	}
	m := s.methodOf("payment_method", k)
	m.Customer = text(order.customer.ID)
	s.add(m)
	s.changed(nil, "payment_method.attached", m, nil)
	order.method, order.payment = text(m.ID), "allow_incomplete"
	sub, e := s.subscribe(nil, order)
	if e != nil {
		return e
	}
	cs.Status, cs.Subscription, cs.Invoice, cs.URL = "complete", text(sub.ID), sub.LatestInvoice, ""
	cs.PaymentStatus = "no_payment_required"
	if cs.AmountTotal > 0 {
		cs.PaymentStatus = "paid"
	}
	s.changed(nil, "checkout.session.completed", cs, nil)
	return nil
}

func (s *Server) createPortal(c *call) (any, *apiError) {
	b := &portalSession{base: s.fresh("billing_portal.session"), Configuration: "bpc_simulated"}
	b.Customer = s.customer(c.params, "customer", c.required("customer")).ID
	c.set("return_url", &b.ReturnURL)
	c.set("locale", &b.Locale)
	c.ignore("configuration", "flow_data", "on_behalf_of")
	if e := c.done(); e != nil {
		return nil, e
	}
	if e := s.hasPortal(); e != nil {
		return nil, e
	}
	b.URL = s.pageBase(c) + "/p/session/" + b.ID
	s.add(b)
	return b, nil
}

// money formats an amount for people.
func money(units int64, currency string) string {
	return fmt.Sprintf("%d.%02d %s", units/100, units%100, strings.ToUpper(currency))
}
