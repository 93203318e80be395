package edge

import (
	"net/http"
	"regexp"
	"strings"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// ReadsOnly reports whether the operation changes nothing.
func (o *Operation) ReadsOnly() bool { return o.Method == http.MethodGet }

// assistantMayCall refuses an assistant every operation that is never an
// assistant's (domain D10). What depends on the entity's setting is decided
// with the other rights on the entity (entity.Require); both use the same
// table, identity.AssistantNeeds.
func assistantMayCall(o *Operation) error {
	if identity.AssistantNeeds(o.Permission, o.ReadsOnly()) == identity.AssistantNever {
		return identity.ErrAssistantNever()
	}
	return nil
}

// pages are the addresses of the pages on which a person can do what an
// operation does, below the address of the web application. A parameter in
// braces stands for the path parameter or the top-level key of the body with
// that name; without a valid value the address ends before it.
//
// The addresses are a promise to assistants and their users. They are listed in
// docs/security.md and change only under "### Breaking".
var pages = map[string]string{
	"refreshToken":          "/sign-in",
	"logout":                "/account/sessions",
	"endSession":            "/account/sessions",
	"changePassword":        "/account/password",
	"createEntity":          "/entities",
	"updateEntity":          "/entities/{entity_id}",
	"uploadDocument":        "/documents",
	"extractInvoice":        "/documents/{document_id}",
	"updateInvoice":         "/invoices/{invoice_id}",
	"approveInvoice":        "/invoices/{invoice_id}",
	"rejectInvoice":         "/invoices/{invoice_id}",
	"reopenInvoice":         "/invoices/{invoice_id}",
	"syncInvoice":           "/invoices/{invoice_id}",
	"updateSettings":        "/settings/{entity_id}",
	"authorizeIntegration":  "/integrations",
	"connectIntegration":    "/integrations/{integration_id}",
	"setUpIntegration":      "/integrations/{integrationId}",
	"disconnectIntegration": "/integrations/{integrationId}",
	"createCheckoutSession": "/billing",
	"createPortalSession":   "/billing",
	"listMembers":           "/members",
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// PageOf returns the path of the page on which a person can do what an
// operation does; value returns the id that a parameter has in the request.
func PageOf(operationID string, value func(parameter string) string) string {
	page := pages[operationID]
	for {
		at := placeholder.FindStringSubmatchIndex(page)
		if at == nil {
			break
		}
		id := value(page[at[2]:at[3]])
		if uuid.Validate(id) != nil || len(id) != 36 {
			page = strings.TrimSuffix(page[:at[0]], "/")
			break
		}
		page = page[:at[0]] + id + page[at[1]:]
	}
	if page == "" {
		return "/"
	}
	return page
}

// confirmURL returns the address of the page on which a person can do what a
// forbidden request of an assistant asked for; "" for everything else.
func confirmURL(c *gin.Context, s *state, f *fault.Error) string {
	if s.actor == nil || s.operation == nil || !s.actor.IsAssistant() || f.Kind != fault.Forbidden || f.Code != fault.CodeForbidden {
		return ""
	}
	return s.pagesURL + PageOf(s.operation.ID, func(parameter string) string {
		if id := c.Param(parameter); id != "" {
			return id
		}
		return s.bodyIDs[parameter]
	})
}

// removedKeys are keys that left the specification and that older clients still
// send in a PUT, by operation. They are accepted and ignored until the keys
// return with code behind them; see "### Breaking" in CHANGELOG.md.
var removedKeys = map[string][]string{
	"updateSettings": {"duplicate_policy", "route_by_buyer"},
}

// receive prepares a decoded JSON body for validation: it removes the keys of
// removedKeys, and remembers the ids that PageOf may need.
func (s *state) receive(value any) {
	object, ok := value.(map[string]any)
	if !ok || s.operation == nil {
		return
	}
	for _, key := range removedKeys[s.operation.ID] {
		delete(object, key)
	}
	if s.actor == nil || !s.actor.IsAssistant() {
		return
	}
	s.bodyIDs = map[string]string{}
	for _, at := range placeholder.FindAllStringSubmatch(pages[s.operation.ID], -1) {
		s.bodyIDs[at[1]], _ = object[at[1]].(string)
	}
}
