package stripe

import "slices"

func (s *Server) registerInvoices() {
	s.on("POST /v1/invoices", s.createInvoice)
	s.on("GET /v1/invoices", s.listInvoices)
	s.on("GET /v1/invoices/search", s.search("invoice"))
	reader[*invoice](s, "/v1/invoices", "invoice")
	s.on("POST /v1/invoices/{id}", s.updateInvoice)
	s.on("DELETE /v1/invoices/{id}", s.deleteInvoice)
	s.on("GET /v1/invoices/{id}/lines", func(c *call) (any, *apiError) {
		inv, ok := find[*invoice](s, c.at("id"))
		c.ignore("limit", "starting_after", "ending_before")
		if e := c.done(); e != nil {
			return nil, e
		}
		if !ok {
			return nil, noSuch("invoice", c.at("id"))
		}
		return render(raw(inv), c.version)["lines"], nil
	})
	s.on("POST /v1/invoices/{id}/finalize", s.onInvoice(func(c *call, inv *invoice) *apiError {
		advance, given := c.boolean("auto_advance")
		if e := c.done(); e != nil {
			return e
		}
		if inv.Status != "draft" {
			return refused("", "", "This invoice is already finalized, you can't re-finalize a non-draft invoice.")
		}
		if given {
			inv.AutoAdvance = advance
		}
		s.finalize(c, inv)
		return nil
	}))
	s.on("POST /v1/invoices/{id}/pay", s.onInvoice(s.payInvoice))
	s.on("POST /v1/invoices/{id}/void", s.onInvoice(func(c *call, inv *invoice) *apiError {
		return s.close(c, inv, "void", "invoice.voided", &inv.StatusTransitions.VoidedAt)
	}))
	s.on("POST /v1/invoices/{id}/mark_uncollectible", s.onInvoice(func(c *call, inv *invoice) *apiError {
		return s.close(c, inv, "uncollectible", "invoice.marked_uncollectible", &inv.StatusTransitions.UncollectibleAt)
	}))
}

// onInvoice is an operation that changes the invoice in its path.
func (s *Server) onInvoice(do func(*call, *invoice) *apiError) operation {
	return func(c *call) (any, *apiError) {
		inv, ok := find[*invoice](s, c.at("id"))
		if !ok {
			return nil, noSuch("invoice", c.at("id"))
		}
		if e := do(c, inv); e != nil {
			return nil, e
		}
		return inv, nil
	}
}

func (s *Server) newInvoice(x *customer, currency, reason string) *invoice {
	inv := &invoice{
		base: s.fresh("invoice"), AccountCountry: "DE", AccountName: "Simulated account", BillingReason: reason,
		CollectionMethod: "charge_automatically", Currency: currency, Customer: x.ID, CustomerEmail: x.Email, CustomerName: x.Name,
		DefaultTaxRates: []*taxRate{}, Discounts: []string{}, PeriodStart: s.now, PeriodEnd: s.now, Status: "draft",
		TotalTaxAmounts: []taxAmount{},
	}
	inv.Lines = invoiceLines{Object: "list", Data: []*lineItem{}, URL: "/v1/invoices/" + inv.ID + "/lines"}
	return inv
}

func (inv *invoice) addLine(l *lineItem) {
	l.Invoice = inv.ID
	inv.Lines.Data = append(inv.Lines.Data, l)
	inv.Lines.TotalCount = len(inv.Lines.Data)
}

func (s *Server) createInvoice(c *call) (any, *apiError) {
	x := s.customer(c.params, "customer", c.required("customer"))
	code := c.currency()
	behaviour, chosen := c.one("pending_invoice_items_behavior", "include", "exclude", "include_and_require")
	inv := s.newInvoice(x, code, "manual")
	if rates := c.node.keys["default_tax_rates"]; rates != nil && rates.leaf {
		c.value("default_tax_rates") // an empty value has no effect on a new object
	}
	s.invoiceFields(c, inv)
	if id, given := c.value("subscription"); given {
		sub, ok := find[*subscription](s, id)
		if !ok || sub.Customer != x.ID {
			c.fail(noSuchParam("subscription", "subscription", id))
		}
		if chosen {
			c.fail(invalid("", "pending_invoice_items_behavior",
				"You may only specify one of these parameters: subscription, pending_invoice_items_behavior."))
		}
		inv.Subscription, behaviour = text(id), "include"
	}
	c.ignore("account_tax_ids", "custom_fields", "footer", "payment_settings", "rendering", "issuer", "shipping_cost", "statement_descriptor")
	if e := c.done(); e != nil {
		return nil, e
	}
	if inv.Currency == "" {
		if inv.Currency = string(x.Currency); inv.Currency == "" {
			inv.Currency = "usd"
		}
	}
	if behaviour == "include" || behaviour == "include_and_require" {
		s.sweep(inv)
	}
	if inv.AutoAdvance {
		inv.FinalizesAt = stamp(s.now + 3600)
	}
	s.total(inv)
	s.add(inv)
	s.changed(c, "invoice.created", inv, nil)
	return inv, nil
}

// invoiceFields reads the fields of a draft that can be set at creation and later.
func (s *Server) invoiceFields(c *call, inv *invoice) {
	inv.CollectionMethod = c.oneOr("collection_method", inv.CollectionMethod, "charge_automatically", "send_invoice")
	if days, given := c.within("days_until_due", 0, 365); given {
		inv.DueDate = stamp(s.now + days*24*3600)
	}
	c.setBool("auto_advance", &inv.AutoAdvance)
	c.set("description", &inv.Description)
	c.metadata(&inv.Metadata)
	if c.has("default_payment_method") {
		inv.DefaultPayment = s.owned(c.params, "default_payment_method", inv.Customer)
	}
	if c.has("default_source") {
		inv.DefaultSource = s.owned(c.params, "default_source", inv.Customer)
	}
	if c.has("default_tax_rates") {
		inv.DefaultTaxRates = s.taxRates(c.params, "default_tax_rates")
	}
	tax := c.group("automatic_tax")
	tax.ignore("liability")
	if tax.setBool("enabled", &inv.AutomaticTax.Enabled); inv.AutomaticTax.Enabled && len(inv.DefaultTaxRates) > 0 {
		c.fail(invalid("", "default_tax_rates", "You cannot set default tax rates on an invoice with automatic tax enabled."))
	}
}

func (s *Server) updateInvoice(c *call) (any, *apiError) {
	inv, ok := find[*invoice](s, c.at("id"))
	if !ok {
		return nil, noSuch("invoice", c.at("id"))
	}
	before, next := raw(inv), *inv
	s.invoiceFields(c, &next)
	if e := c.done(); e != nil {
		return nil, e
	}
	if inv.Status != "draft" && next.Description != inv.Description {
		return nil, refused("invoice_not_editable", "", "Finalized invoices can't be updated in this way.")
	}
	if *inv = next; inv.Status == "draft" {
		inv.FinalizesAt = 0
		if inv.AutoAdvance {
			inv.FinalizesAt = stamp(s.now + 3600)
		}
		s.total(inv)
	}
	s.changed(c, "invoice.updated", inv, before)
	return inv, nil
}

// deleteInvoice removes a draft with its items.
func (s *Server) deleteInvoice(c *call) (any, *apiError) {
	inv, ok := find[*invoice](s, c.at("id"))
	if !ok {
		return nil, noSuch("invoice", c.at("id"))
	}
	if e := c.done(); e != nil {
		return nil, e
	}
	if inv.Status != "draft" {
		return nil, refused("", "", "You can only delete draft invoices.")
	}
	for _, item := range all[*invoiceItem](s, "invoiceitem") {
		if string(item.Invoice) == inv.ID {
			s.drop(item)
		}
	}
	s.changed(c, "invoice.deleted", inv, nil)
	s.index(inv, nil)
	s.drop(inv)
	return deleted(inv), nil
}

func (s *Server) listInvoices(c *call) (any, *apiError) {
	of, given := c.value("customer")
	if _, ok := find[*customer](s, of); given && !ok {
		c.fail(noSuchParam("customer", "customer", of))
	}
	status, chosen := c.one("status", "draft", "open", "paid", "uncollectible", "void")
	sub, linked := c.value("subscription")
	method, collected := c.value("collection_method")
	return listed(s, c, "invoice", func(inv *invoice) bool {
		return is(of, given, inv.Customer) && is(status, chosen, inv.Status) && is(sub, linked, string(inv.Subscription)) &&
			is(method, collected, inv.CollectionMethod)
	})
}

// close closes an open invoice without a payment.
func (s *Server) close(c *call, inv *invoice, status, kind string, at *stamp) *apiError {
	if e := c.done(); e != nil {
		return e
	}
	if !slices.Contains([]string{"open", "uncollectible"}, inv.Status) || inv.Status == status {
		return refused("", "", "You can only do this to an open invoice. This invoice is %s.", inv.Status)
	}
	s.closed(c, inv, status, kind, at)
	return nil
}

// closed closes an invoice. c is nil for what the clock does.
func (s *Server) closed(c *call, inv *invoice, status, kind string, at *stamp) {
	before := raw(inv)
	inv.Status, *at, inv.NextPaymentAttempt = status, stamp(s.now), 0
	s.changed(c, kind, inv, before)
}
