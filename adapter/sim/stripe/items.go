package stripe

func (s *Server) registerInvoiceItems() {
	s.on("POST /v1/invoiceitems", s.createInvoiceItem)
	s.on("GET /v1/invoiceitems", func(c *call) (any, *apiError) {
		of, given := c.value("customer")
		inv, on := c.value("invoice")
		pending, only := c.boolean("pending")
		return listed(s, c, "invoiceitem", func(i *invoiceItem) bool {
			return is(of, given, i.Customer) && is(inv, on, string(i.Invoice)) && (!only || pending == (i.Invoice == ""))
		})
	})
	reader[*invoiceItem](s, "/v1/invoiceitems", "invoice item")
	s.on("DELETE /v1/invoiceitems/{id}", s.deleteInvoiceItem)
}

func (s *Server) createInvoiceItem(c *call) (any, *apiError) {
	x := s.customer(c.params, "customer", c.required("customer"))
	i := &invoiceItem{
		base: s.fresh("invoiceitem"), Customer: x.ID, Date: s.now, Discountable: true, Discounts: []string{}, Quantity: 1,
		Period: period{s.now, s.now},
	}
	if n, given := c.within("quantity", 0, 1_000_000); given {
		i.Quantity = n
	}
	c.set("description", &i.Description)
	c.metadata(&i.Metadata)
	c.setBool("discountable", &i.Discountable)
	i.TaxRates = s.taxRates(c.params, "tax_rates")
	if c.has("period") {
		span := c.group("period")
		span.required("start")
		span.required("end")
		i.Period.Start, _ = span.integer("start")
		i.Period.End, _ = span.integer("end")
	}
	made := s.itemPrice(c, i)
	inv, pinned := s.draftFor(c, i)
	c.ignore("tax_behavior", "tax_code", "discounts")
	if e := c.done(); e != nil {
		return nil, e
	}
	if pinned && inv.Status != "draft" {
		return nil, refused("invoice_not_editable", "invoice", "The invoice %s is no longer editable", inv.ID)
	}
	if made != nil {
		s.add(made)
	}
	s.add(i)
	if pinned {
		before := raw(inv)
		s.take(inv, i)
		s.total(inv)
		s.changed(c, "invoiceitem.created", i, nil)
		s.changed(c, "invoice.updated", inv, before)
		return i, nil
	}
	s.changed(c, "invoiceitem.created", i, nil)
	return i, nil
}

// draftFor finds the draft that a new item names, if any.
func (s *Server) draftFor(c *call, i *invoiceItem) (inv *invoice, pinned bool) {
	if id, given := c.value("subscription"); given {
		i.Subscription = text(id)
		if sub, ok := find[*subscription](s, id); !ok || sub.Customer != i.Customer {
			c.fail(noSuchParam("subscription", "subscription", id))
		}
	}
	id, pinned := c.value("invoice")
	if !pinned {
		return nil, false
	}
	inv, ok := find[*invoice](s, id)
	switch {
	case !ok || inv.Customer != i.Customer:
		c.fail(noSuchParam("invoice", "invoice", id))
		return &invoice{}, true
	case i.Currency != "" && inv.Currency != i.Currency:
		c.fail(invalid("", "currency", "The currency of the invoice item (%s) must match the one of the invoice (%s).", i.Currency, inv.Currency))
	}
	return inv, true
}

// itemPrice reads the cost of an item: amount, unit_amount, price or price_data. It returns the
// price that price_data creates.
func (s *Server) itemPrice(c *call, i *invoiceItem) (made *price) {
	i.Currency = c.currency()
	amount, lump := c.integer("amount")
	unit, exact := c.unitAmount()
	switch id, given := c.value("price"); {
	case given:
		p, ok := find[*price](s, id)
		if !ok {
			c.fail(noSuchParam("price", "price", id))
			return nil
		}
		switch {
		case p.Type == "recurring":
			c.fail(invalid("", "price",
				"The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`."))
		case !p.Active:
			c.fail(invalid("", "price", "The price specified is inactive. This field only accepts active prices."))
		}
		i.setPrice(p)
	case c.has("price_data"):
		made = s.inlinePrice(c.group("price_data"))
		i.setPrice(made)
	case lump || exact != "":
		c.required("currency")
		i.Amount, i.UnitAmount, i.UnitAmountDecimal = amount, unit, exact
		if exact != "" {
			i.Amount = percent(100*i.Quantity, string(exact))
		}
	default:
		c.fail(invalid("parameter_missing", "amount", "You must pass one of amount, unit_amount, price or price_data."))
	}
	return made
}

func (i *invoiceItem) setPrice(p *price) {
	i.Price, i.Currency, i.UnitAmount, i.UnitAmountDecimal = p, p.Currency, p.UnitAmount, p.UnitAmountDecimal
	i.Amount = p.cost(i.Quantity)
}

// inlinePrice is the price that price_data creates for one use.
func (s *Server) inlinePrice(g *params) *price {
	p := &price{base: s.fresh("price"), BillingScheme: "per_unit", Type: "one_time"}
	g.required("currency")
	p.Currency = g.currency()
	p.Product = g.required("product")
	if _, ok := find[*product](s, p.Product); p.Product != "" && !ok {
		g.fail(noSuchParam("product", "price_data[product]", p.Product))
	}
	p.TaxBehavior = g.oneOr("tax_behavior", "unspecified", "exclusive", "inclusive", "unspecified")
	if p.UnitAmount, p.UnitAmountDecimal = g.unitAmount(); p.UnitAmountDecimal == "" {
		g.fail(invalid("parameter_missing", g.name("unit_amount"), "Missing required param: %s.", g.name("unit_amount")))
	}
	return p
}

func (s *Server) deleteInvoiceItem(c *call) (any, *apiError) {
	i, ok := find[*invoiceItem](s, c.at("id"))
	if !ok {
		return nil, noSuch("invoice item", c.at("id"))
	}
	if e := c.done(); e != nil {
		return nil, e
	}
	if inv, ok := find[*invoice](s, string(i.Invoice)); ok {
		if inv.Status != "draft" {
			return nil, refused("invoice_not_editable", "", "The invoice %s is no longer editable", inv.ID)
		}
		inv.Lines.Data = filter(inv.Lines.Data, func(l *lineItem) bool { return string(l.InvoiceItem) != i.ID })
		inv.Lines.TotalCount = len(inv.Lines.Data)
		s.total(inv)
	}
	s.drop(i)
	return deleted(i), nil
}

// sweep moves the pending items of a customer to an invoice.
func (s *Server) sweep(inv *invoice) {
	for _, i := range all[*invoiceItem](s, "invoiceitem") {
		if i.Invoice == "" && i.Customer == inv.Customer && i.Currency == inv.Currency {
			s.take(inv, i)
		}
	}
}

func (s *Server) take(inv *invoice, i *invoiceItem) {
	i.Invoice = text(inv.ID)
	inv.addLine(&lineItem{
		ID: newID("il"), Object: "line_item", Amount: i.Amount, Currency: i.Currency, Description: i.Description,
		Discountable: i.Discountable, Discounts: []string{}, InvoiceItem: text(i.ID), Metadata: i.Metadata, Period: i.Period,
		Price: i.Price, Proration: i.Proration, Quantity: i.Quantity, Subscription: i.Subscription, TaxRates: i.TaxRates, Type: "invoiceitem",
	})
}
