package stripe

import (
	"encoding/json"
	"io"
	"net/http"
)

// Account is what a person sets once in the vendor's dashboard. The zero value is an account that was
// only registered: the vendor then refuses its hosted pages.
type Account struct {
	BusinessName string `json:"business_name"` // without it, Checkout is refused
	PortalSaved  bool   `json:"portal_saved"`  // the settings of the customer portal were saved once
}

// ReadyAccount is an account that can sell.
func ReadyAccount() Account { return Account{BusinessName: "Simulated account", PortalSaved: true} }

// SetAccount changes the account.
func (s *Server) SetAccount(a Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = a
}

// controls adds to those of sim/kit:
//
//	GET  /_sim/settings   the account
//	POST /_sim/settings   {"business_name":"","portal_saved":false}: change what is named
func (s *Server) controls(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	show := func(w http.ResponseWriter) {
		s.mu.Lock()
		defer s.mu.Unlock()
		answer(w, http.StatusOK, s.account)
	}
	mux.HandleFunc("GET /_sim/settings", func(w http.ResponseWriter, _ *http.Request) { show(w) })
	mux.HandleFunc("POST /_sim/settings", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		a := s.account
		s.mu.Unlock()
		d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		s.SetAccount(a)
		show(w)
	})
	mux.Handle("/", next)
	return mux
}

// registerAccount adds the routes that show what the account lacks. Source: the vendor's API reference,
// "Accounts" and "Customer Portal: Configurations".
func (s *Server) registerAccount() {
	s.on("GET /v1/account", func(c *call) (any, *apiError) {
		return map[string]any{
			"id": "acct_simulated", "object": "account", "country": "DE", "default_currency": "eur", "type": "standard",
			"charges_enabled": true, "details_submitted": true, "payouts_enabled": true, "email": nil,
			"business_profile": map[string]any{"name": text(s.account.BusinessName), "url": nil},
			"settings":         map[string]any{"dashboard": map[string]any{"display_name": text(s.account.BusinessName), "timezone": "Etc/UTC"}},
		}, c.done()
	})
	s.on("GET /v1/billing_portal/configurations", func(c *call) (any, *apiError) {
		c.ignore("limit", "starting_after", "ending_before", "active", "is_default")
		data := []any{}
		if s.account.PortalSaved {
			data = append(data, map[string]any{
				"id": "bpc_simulated", "object": "billing_portal.configuration", "active": true, "is_default": true, "livemode": false,
			})
		}
		return map[string]any{"object": "list", "has_more": false, "url": c.request.URL.Path, "data": data}, c.done()
	})
}

// hasPortal refuses the portal of an account that never saved its settings. Source: the vendor's guide
// "Integrate the customer portal", part on configuration.
func (s *Server) hasPortal() *apiError {
	if s.account.PortalSaved {
		return nil
	}
	return refused("", "", "No configuration provided and your test mode default configuration has not been created. Provide a configuration "+
		"or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.")
}

// hasName refuses Checkout for an account without a name. Source: the vendor's guide "Checkout:
// account settings".
func (s *Server) hasName() *apiError {
	if s.account.BusinessName != "" {
		return nil
	}
	return refused("", "", "In order to use Checkout, you must set an account or business name at https://dashboard.stripe.com/account.")
}

// sameCurrency refuses a second currency of a customer with anything that is not finished. Source: the
// vendor's API reference, attribute currency of a customer, and its guide "Multiple currencies".
func (s *Server) sameCurrency(x *customer, currency string) *apiError {
	if x == nil || currency == "" {
		return nil
	}
	mixed := func(what, there string) *apiError {
		return refused("", "", "You cannot combine currencies on a single customer. This customer has had %s with currency %s.", what, there)
	}
	for _, sub := range all[*subscription](s, "subscription") {
		if sub.Customer == x.ID && sub.EndedAt == 0 && sub.Currency != currency {
			return mixed("a subscription", sub.Currency)
		}
	}
	for _, i := range all[*invoiceItem](s, "invoiceitem") {
		if i.Customer == x.ID && i.Invoice == "" && i.Currency != currency {
			return mixed("an invoice item", i.Currency)
		}
	}
	return nil
}
