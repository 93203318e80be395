package stripe

func (s *Server) registerCustomers() {
	s.on("POST /v1/customers", s.createCustomer)
	s.on("GET /v1/customers", func(c *call) (any, *apiError) {
		email, given := c.value("email")
		return listed(s, c, "customer", func(x *customer) bool {
			return !x.deleted && is(email, given, string(x.Email))
		})
	})
	s.on("GET /v1/customers/search", s.search("customer"))
	reader[*customer](s, "/v1/customers", "customer")
	s.on("POST /v1/customers/{id}", s.updateCustomer)
	s.on("DELETE /v1/customers/{id}", s.deleteCustomer)
}

// customer finds a customer by a parameter's value.
func (s *Server) customer(c *params, param, id string) *customer {
	x, ok := find[*customer](s, id)
	if !ok || x.deleted {
		c.fail(noSuchParam("customer", param, id))
		return &customer{}
	}
	return x
}

func (s *Server) createCustomer(c *call) (any, *apiError) {
	x := &customer{
		base: s.fresh("customer"), NextInvoiceSequence: 1, TaxExempt: "none", PreferredLocales: []string{},
	}
	x.InvoicePrefix = x.ID[len(x.ID)-8:]
	method, attached := c.value("payment_method")
	source := s.customerFields(c, x, method)
	if e := c.done(); e != nil {
		return nil, e
	}
	if attached {
		m, e := s.attach(method, x.ID)
		if e != nil {
			return nil, e
		}
		if string(x.InvoiceSettings.DefaultPaymentMethod) == method {
			x.InvoiceSettings.DefaultPaymentMethod = text(m.ID)
		}
	}
	if e := s.addSource(x, source); e != nil {
		return nil, e
	}
	s.add(x)
	s.changed(c, "customer.created", x, nil)
	return x, nil
}

// customerFields reads the fields that can be set at creation and later. The default payment
// method must belong to the customer, or be attached in the same call.
func (s *Server) customerFields(c *call, x *customer, attaching string) (source string) {
	for name, field := range map[string]*text{
		"name": &x.Name, "email": &x.Email, "description": &x.Description, "phone": &x.Phone,
	} {
		c.set(name, field)
	}
	x.TaxExempt = c.oneOr("tax_exempt", x.TaxExempt, "none", "exempt", "reverse")
	if c.has("address") {
		address := c.group("address")
		x.Address = map[string]string{}
		for _, part := range []string{"city", "country", "line1", "line2", "postal_code", "state"} {
			x.Address[part], _ = address.text(part)
		}
	}
	c.metadata(&x.Metadata)
	c.ignore("shipping", "tax", "tax_id_data", "preferred_locales", "balance", "next_invoice_sequence", "invoice_prefix")
	settings := c.group("invoice_settings")
	settings.ignore("custom_fields", "footer", "rendering_options")
	if id, given := settings.text("default_payment_method"); given {
		m, ok := find[*paymentMethod](s, id)
		if id != "" && id != attaching && (!ok || string(m.Customer) != x.ID) {
			c.fail(noSuchParam("PaymentMethod", "invoice_settings[default_payment_method]", id))
		}
		x.InvoiceSettings.DefaultPaymentMethod = text(id)
	}
	source, _ = c.value("source")
	return source
}

// addSource attaches a card of the older kind to a customer.
func (s *Server) addSource(x *customer, token string) *apiError {
	if token == "" {
		return nil
	}
	m, e := s.newCard("card", token)
	if e != nil {
		return e
	}
	m.Customer = text(x.ID)
	x.DefaultSource = text(m.ID)
	s.add(m)
	return nil
}

func (s *Server) updateCustomer(c *call) (any, *apiError) {
	x, ok := find[*customer](s, c.at("id"))
	if !ok || x.deleted {
		return nil, noSuch("customer", c.at("id"))
	}
	before, next := raw(x), *x
	source := s.customerFields(c, &next, "")
	if e := c.done(); e != nil {
		return nil, e
	}
	if e := s.addSource(&next, source); e != nil {
		return nil, e
	}
	*x = next
	s.changed(c, "customer.updated", x, before)
	return x, nil
}

// deleteCustomer deletes a customer and cancels its subscriptions.
func (s *Server) deleteCustomer(c *call) (any, *apiError) {
	x, ok := find[*customer](s, c.at("id"))
	if !ok || x.deleted {
		return nil, noSuch("customer", c.at("id"))
	}
	if e := c.done(); e != nil {
		return nil, e
	}
	for _, sub := range all[*subscription](s, "subscription") {
		if sub.Customer == x.ID && sub.EndedAt == 0 {
			s.end(c, sub, "canceled")
		}
	}
	s.changed(c, "customer.deleted", x, nil)
	x.deleted = true
	s.index(x, nil)
	return x, nil
}

// RestoreCustomer restores a customer of an earlier simulator, for programs that stored its id.
// It does nothing if the customer exists.
func (s *Server) RestoreCustomer(id string, metadata map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.byID[id] != nil {
		return
	}
	x := &customer{base: s.fresh("customer"), NextInvoiceSequence: 1, TaxExempt: "none", PreferredLocales: []string{}}
	x.ID, x.Metadata = id, metadata
	x.InvoicePrefix = x.ID[len(x.ID)-8:]
	s.add(x)
}
