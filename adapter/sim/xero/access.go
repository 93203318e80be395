package xero

import (
	"net/http"
	"strings"
)

const (
	accountingPrefix = "/api.xro/2.0/"
	tenantHeader     = "xero-tenant-id"
)

func bearer(r *http.Request) string {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return ""
	}
	return token
}

// granted returns the grant of a request's access token, or the refusal. The caller holds the
// lock.
func (s *Server) granted(r *http.Request) (*grant, *answer) {
	a := s.identity.access[bearer(r)]
	if a == nil {
		refused := unauthorized("AuthenticationUnsuccessful")
		return nil, &refused
	}
	if !s.Kit.Clock.Now().Before(a.expires) {
		refused := expired(a.expires)
		return nil, &refused
	}
	return a.grant, nil
}

// operation is one call of the accounting API. The caller holds the lock.
type operation func(c *call) answer

// call is a request that passed admission.
type call struct {
	*http.Request
	grant *grant
	book  *book
	body  []byte
}

// guard admits a request with a token, a connected tenant and a scope, and within the limits. A
// repeated request gets the stored response.
func (s *Server) guard(part string, do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, refused := s.read(r, part)
		s.mu.Lock()
		defer s.mu.Unlock()
		g, denied := s.granted(r)
		if denied != nil {
			denied.send(w, r)
			return
		}
		tenant := strings.ToLower(r.Header.Get(tenantHeader))
		b := s.books[tenant]
		connected := find(s.identity.connections, func(c *connection) bool {
			return c.client == g.client && c.user == g.user && c.tenant == tenant
		})
		if b == nil || connected == nil {
			forbidden().send(w, r)
			return
		}
		if !g.allows(r.Method, part) {
			unauthorized("AuthorizationUnsuccessful").send(w, r)
			return
		}
		if !s.admit(w, r, g.client, tenant) {
			return
		}
		if refused != nil {
			refused.send(w, r)
			return
		}
		s.once(&call{Request: r, grant: g, book: b, body: body}, do).send(w, r)
	}
}

// accountingRoutes adds the accounting API.
func (s *Server) accountingRoutes(mux *http.ServeMux) {
	for _, route := range []struct {
		pattern, part string
		do            operation
	}{
		{"GET Organisation", "settings", s.getOrganization},
		{"GET Accounts", "settings", s.listAccounts},
		{"GET TaxRates", "settings", s.listTaxRates},
		{"GET Currencies", "settings", s.listCurrencies},
		{"GET Contacts", "contacts", s.listContacts},
		{"GET Contacts/{id}", "contacts", s.getContact},
		{"PUT Contacts", "contacts", s.putContacts},
		{"POST Contacts", "contacts", s.putContacts},
		{"GET Invoices", "bills", s.listBills(bills)},
		{"GET Invoices/{id}", "bills", s.getBill(bills)},
		{"PUT Invoices", "bills", s.writeBills(bills)},
		{"POST Invoices", "bills", s.writeBills(bills)},
		{"POST Invoices/{id}", "bills", s.writeBills(bills)},
		{"GET CreditNotes", "bills", s.listBills(creditNotes)},
		{"GET CreditNotes/{id}", "bills", s.getBill(creditNotes)},
		{"PUT CreditNotes", "bills", s.writeBills(creditNotes)},
		{"POST CreditNotes", "bills", s.writeBills(creditNotes)},
		{"POST CreditNotes/{id}", "bills", s.writeBills(creditNotes)},
		{"PUT CreditNotes/{id}/Allocations", "bills", s.allocate},
		{"GET Invoices/{id}/Attachments", "attachments", s.listAttachments(bills)},
		{"PUT Invoices/{id}/Attachments/{file}", "attachments", s.attach(bills)},
		{"POST Invoices/{id}/Attachments/{file}", "attachments", s.attach(bills)},
		{"GET CreditNotes/{id}/Attachments", "attachments", s.listAttachments(creditNotes)},
		{"PUT CreditNotes/{id}/Attachments/{file}", "attachments", s.attach(creditNotes)},
		{"POST CreditNotes/{id}/Attachments/{file}", "attachments", s.attach(creditNotes)},
	} {
		method, path, _ := strings.Cut(route.pattern, " ")
		mux.HandleFunc(method+" "+accountingPrefix+path, s.guard(route.part, route.do))
	}
}
