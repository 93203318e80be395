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

// ReadsOnly reports whether the operation changes no data.
func (o *Operation) ReadsOnly() bool { return o.Method == http.MethodGet }

// assistantMayCall refuses an assistant every operation that assistants must
// never call (domain D10). entity.Require evaluates the setting of the entity
// together with the other permissions. Both use the table
// identity.AssistantNeeds.
func assistantMayCall(o *Operation) error {
	if identity.AssistantNeeds(o.Permission, o.ReadsOnly()) == identity.AssistantNever {
		return identity.ErrAssistantNever()
	}
	return nil
}

// pages are the paths of the web application on which a user can perform an
// operation. A parameter in braces is the path parameter or the top-level body
// key with that name. Without a valid value, the path ends before it.
//
// These paths are a stable interface for assistants and their users.
// docs/security.md lists them. They change only under "### Breaking".
var pages = map[string]string{
	"refreshToken":          "/sign-in",
	"logout":                "/account/sessions",
	"endSession":            "/account/sessions",
	"changePassword":        "/account/password",
	"createEntity":          "/entities",
	"updateEntity":          "/entities/{entity_id}",
	"uploadDocument":        "/documents",
	"createUploadLink":      "/documents",
	"createExportLink":      "/inbox",
	"extractInvoice":        "/documents/{document_id}",
	"splitDocument":         "/documents/{document_id}",
	"mergeDocuments":        "/documents",
	"updateDocument":        "/documents/{document_id}",
	"deleteDocument":        "/documents/{document_id}",
	"moveDocument":          "/documents/{document_id}",
	"updateInvoice":         "/invoices/{invoice_id}",
	"approveInvoice":        "/invoices/{invoice_id}",
	"changeInvoices":        "/inbox",
	"rejectInvoice":         "/invoices/{invoice_id}",
	"reopenInvoice":         "/invoices/{invoice_id}",
	"assignInvoice":         "/invoices/{invoice_id}",
	"addInvoiceNote":        "/invoices/{invoice_id}",
	"dismissDuplicate":      "/invoices/{invoice_id}",
	"syncInvoice":           "/invoices/{invoice_id}",
	"updateSettings":        "/settings/{entity_id}",
	"updateEmailIntake":     "/settings/{entity_id}",
	"authorizeIntegration":  "/integrations",
	"connectIntegration":    "/integrations/{integration_id}",
	"createConnectLink":     "/integrations",
	"setUpIntegration":      "/integrations/{integrationId}",
	"connectEntities":       "/integrations/{integrationId}",
	"disconnectIntegration": "/integrations/{integrationId}",
	"createCheckoutSession": "/billing",
	"createPortalSession":   "/billing",
	"listMembers":           "/members",
	"updateSupplier":        "/suppliers/{supplier_id}",
	"confirmBankAccount":    "/suppliers/{supplier_id}",
	"mergeSupplier":         "/suppliers/{supplier_id}",
	"createApiKey":          "/api-keys",
	"revokeApiKey":          "/api-keys",
	"createWebhook":         "/webhooks",
	"updateWebhook":         "/webhooks/{webhook_id}",
	"deleteWebhook":         "/webhooks/{webhook_id}",
	"rotateWebhookSecret":   "/webhooks/{webhook_id}",
	"testWebhook":           "/webhooks/{webhook_id}",
	"retryWebhookDelivery":  "/webhooks/{webhook_id}",
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// PageOf returns the path of the page on which a user can perform an operation.
// value returns the id of a parameter in the request.
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

// confirmURL returns the URL of the page for a forbidden request of an
// assistant; "" for every other request.
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

// receive prepares a decoded JSON body for validation. It stores the ids that
// PageOf may need.
func (s *state) receive(value any) {
	object, ok := value.(map[string]any)
	if !ok || s.operation == nil {
		return
	}
	if s.actor == nil || !s.actor.IsAssistant() {
		return
	}
	s.bodyIDs = map[string]string{}
	for _, at := range placeholder.FindAllStringSubmatch(pages[s.operation.ID], -1) {
		s.bodyIDs[at[1]], _ = object[at[1]].(string)
	}
}
