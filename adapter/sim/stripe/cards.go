package stripe

import (
	"net/http"
	"strings"
)

// card is one of the documented test cards: its names, and the outcome when it is attached to a
// customer and when it is charged.
type card struct {
	number  string
	token   string
	method  string
	brand   string
	attach  outcome
	charged outcome
}

// outcome is a decline, or none.
type outcome struct {
	code    string
	decline string
	message string
}

var (
	good     = outcome{}
	declined = outcome{"card_declined", "generic_decline", "Your card was declined."}
	empty    = outcome{"card_declined", "insufficient_funds", "Your card has insufficient funds."}
	expired  = outcome{"expired_card", "", "Your card has expired."}
	confirm  = outcome{"authentication_required", "authentication_required",
		"Your card was declined. This transaction requires authentication."}
)

// cards are the test cards.
var cards = []card{
	{"4242424242424242", "tok_visa", "pm_card_visa", "visa", good, good},
	{"5555555555554444", "tok_mastercard", "pm_card_mastercard", "mastercard", good, good},
	{"4000000000000341", "tok_chargeCustomerFail", "pm_card_chargeCustomerFail", "visa", good, declined},
	{"4000002760003184", "tok_threeDSecureRequired", "pm_card_authenticationRequired", "visa", good, confirm},
	{"4000000000000002", "tok_chargeDeclined", "pm_card_visa_chargeDeclined", "visa", declined, declined},
	{"4000000000009995", "tok_chargeDeclinedInsufficientFunds", "pm_card_visa_chargeDeclinedInsufficientFunds", "visa", empty, empty},
	{"4000000000000069", "tok_chargeDeclinedExpiredCard", "pm_card_chargeDeclinedExpiredCard", "visa", expired, expired},
}

func cardNamed(name string) (card, bool) {
	name = strings.ReplaceAll(name, " ", "")
	for _, k := range cards {
		if name == k.number || name == k.token || name == k.method {
			return k, true
		}
	}
	return card{}, false
}

func (s *Server) registerPaymentMethods() {
	s.on("POST /v1/payment_methods", s.createPaymentMethod)
	s.on("GET /v1/payment_methods", s.listPaymentMethods)
	reader[*paymentMethod](s, "/v1/payment_methods", "PaymentMethod")
	s.on("POST /v1/payment_methods/{id}/attach", func(c *call) (any, *apiError) {
		id := c.required("customer")
		s.customer(c.params, "customer", id)
		if e := c.done(); e != nil {
			return nil, e
		}
		m, e := s.attach(c.at("id"), id)
		if e != nil {
			return nil, e
		}
		s.changed(c, "payment_method.attached", m, nil)
		return m, nil
	})
	s.on("POST /v1/payment_methods/{id}/detach", s.detach)
	s.on("GET /v1/customers/{id}/payment_methods", s.listPaymentMethods)
	reader[*paymentIntent](s, "/v1/payment_intents", "payment_intent")
}

// newCard creates a payment method from a test card; object is payment_method or card.
func (s *Server) newCard(object, name string) (*paymentMethod, *apiError) {
	k, ok := cardNamed(name)
	if !ok {
		return nil, noSuchParam("token", "source", name)
	}
	if e := k.attach.refusal(); e != nil {
		return nil, e
	}
	return s.methodOf(object, k), nil
}

func (s *Server) methodOf(object string, k card) *paymentMethod {
	return &paymentMethod{
		base: s.fresh(object), AllowRedisplay: "unspecified", Type: "card", kind: k,
		Card: &cardDetails{
			Brand: k.brand, Country: "US", ExpMonth: 12, ExpYear: 2099, Funding: "credit", Last4: k.number[len(k.number)-4:],
		},
	}
}

func (o outcome) refusal() *apiError {
	if o.code == "" {
		return nil
	}
	return declinedCard(o.code, o.decline, o.message)
}

func (s *Server) createPaymentMethod(c *call) (any, *apiError) {
	c.required("type")
	c.one("type", "card")
	details := c.group("card")
	name, given := details.value("token")
	if !given {
		name = details.required("number")
	}
	details.ignore("exp_month", "exp_year", "cvc")
	billing := c.group("billing_details")
	billing.ignore("address", "phone")
	var who billingDetails
	billing.set("name", &who.Name)
	billing.set("email", &who.Email)
	var metadata map[string]string
	c.metadata(&metadata)
	if e := c.done(); e != nil {
		return nil, e
	}
	k, ok := cardNamed(name)
	if !ok {
		return nil, &apiError{
			status: http.StatusPaymentRequired, kind: cardError, code: "incorrect_number", message: "Your card number is incorrect.",
		}
	}
	m := s.methodOf("payment_method", k) // an invalid one is refused when it is attached
	m.BillingDetails, m.Metadata = who, metadata
	s.add(m)
	return m, nil
}

// attach attaches a payment method to a customer: an existing one, or a new one from a test card.
func (s *Server) attach(id, customer string) (*paymentMethod, *apiError) {
	m, ok := find[*paymentMethod](s, id)
	if !ok {
		if _, known := cardNamed(id); !known {
			return nil, noSuch("PaymentMethod", id)
		}
		made, e := s.newCard("payment_method", id)
		if e != nil {
			return nil, e
		}
		made.Customer = text(customer)
		s.add(made)
		return made, nil
	}
	if m.Customer != "" && string(m.Customer) != customer {
		return nil, refused("", "", "The payment method you provided has already been attached to a customer.")
	}
	if e := m.kind.attach.refusal(); e != nil {
		return nil, e
	}
	m.Customer = text(customer)
	return m, nil
}

func (s *Server) detach(c *call) (any, *apiError) {
	m, ok := find[*paymentMethod](s, c.at("id"))
	if !ok {
		return nil, noSuch("PaymentMethod", c.at("id"))
	}
	if e := c.done(); e != nil {
		return nil, e
	}
	if x, ok := find[*customer](s, string(m.Customer)); ok && string(x.InvoiceSettings.DefaultPaymentMethod) == m.ID {
		x.InvoiceSettings.DefaultPaymentMethod = ""
	}
	for _, sub := range all[*subscription](s, "subscription") {
		if string(sub.DefaultPaymentMethod) == m.ID {
			sub.DefaultPaymentMethod = ""
		}
	}
	m.Customer = ""
	s.changed(c, "payment_method.detached", m, nil)
	return m, nil
}

func (s *Server) listPaymentMethods(c *call) (any, *apiError) {
	of := c.at("id")
	if of == "" {
		of = c.required("customer")
	}
	s.customer(c.params, "customer", of)
	kind, given := c.value("type")
	return listed(s, c, "payment_method", func(m *paymentMethod) bool {
		return string(m.Customer) == of && is(kind, given, m.Type)
	})
}

// owned finds a payment method that must belong to a customer.
func (s *Server) owned(p *params, key, customer string) text {
	id, given := p.text(key)
	if !given || id == "" {
		return ""
	}
	m, ok := find[*paymentMethod](s, id)
	if !ok || string(m.Customer) != customer {
		p.fail(invalid("resource_missing", p.name(key),
			"The customer does not have a payment method with the ID %s. The payment method must be attached to the customer.", id))
	}
	return text(id)
}

// payer is the payment method for a customer's invoices if neither the invoice nor the
// subscription names one.
func (s *Server) payer(customerID string) text {
	x, ok := find[*customer](s, customerID)
	switch {
	case !ok:
		return ""
	case x.InvoiceSettings.DefaultPaymentMethod != "":
		return x.InvoiceSettings.DefaultPaymentMethod
	}
	return x.DefaultSource
}
