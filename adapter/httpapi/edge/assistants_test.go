package edge_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/httpapi/spectest"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/openapi"

	"github.com/google/uuid"
)

// verdicts says for each operation whether an assistant may call it where the
// entity's setting assistant_actions is READ, PREPARE and ALL. An operation
// without a row fails the test below: who adds one decides about assistants.
// Public operations take no credential.
var verdicts = map[string]string{
	"login":                      "public",
	"getSetup":                   "public",
	"setUp":                      "public",
	"finishAuthorization":        "public",
	"confirmAuthorization":       "public",
	"receivePaymentEvent":        "public",
	"receiveIdentityEvent":       "public",
	"receiveStorageNotification": "public",
	"receiveEmail":               "public",

	"getMe":                       "yes yes yes",
	"whereTo":                     "yes yes yes",
	"listAttention":               "yes yes yes",
	"getProcessingReport":         "yes yes yes",
	"listMembers":                 "yes yes yes",
	"listApiKeys":                 "yes yes yes",
	"listWebhooks":                "yes yes yes",
	"getWebhook":                  "yes yes yes",
	"listWebhookDeliveries":       "yes yes yes",
	"listSuppliers":               "yes yes yes",
	"getSupplier":                 "yes yes yes",
	"listEntities":                "yes yes yes",
	"getEntity":                   "yes yes yes",
	"listDocuments":               "yes yes yes",
	"getDocument":                 "yes yes yes",
	"getDocumentContent":          "yes yes yes",
	"exportInvoices":              "yes yes yes",
	"getDocumentPage":             "yes yes yes",
	"getDocumentPageWords":        "yes yes yes",
	"getDocumentReadable":         "yes yes yes",
	"getDocumentAttachment":       "yes yes yes",
	"listInvoices":                "yes yes yes",
	"sumInvoices":                 "yes yes yes",
	"getInvoice":                  "yes yes yes",
	"listInvoiceLines":            "yes yes yes",
	"getInvoiceHistory":           "yes yes yes",
	"getInvoiceValidation":        "yes yes yes",
	"listIntegrations":            "yes yes yes",
	"getIntegrationStatus":        "yes yes yes",
	"getIntegration":              "yes yes yes",
	"getSettings":                 "yes yes yes",
	"getEmailIntake":              "yes yes yes",
	"listEvents":                  "yes yes yes",
	"listAccountingOrganizations": "yes yes yes",
	"listAccountingAccounts":      "yes yes yes",
	"listAccountingContacts":      "yes yes yes",
	"listAccountingTaxRates":      "yes yes yes",
	"listAccountingCurrencies":    "yes yes yes",
	"listTriggerSources":          "yes yes yes",
	"listTriggerSubSources":       "yes yes yes",
	"listTriggerFolders":          "yes yes yes",
	"listSkippedFiles":            "yes yes yes",
	"listSessions":                "yes yes yes",
	"getBilling":                  "yes yes yes",
	"getBillingUsage":             "yes yes yes",
	"listPlans":                   "yes yes yes",

	"uploadDocument":   "no yes yes",
	"createUploadLink": "no yes yes",
	"createExportLink": "yes yes yes",
	"extractInvoice":   "no yes yes",
	"splitDocument":    "no no yes",
	"moveDocument":     "no yes yes",
	"mergeDocuments":   "no no yes",
	"updateInvoice":    "no yes yes",
	"updateDocument":   "no yes yes",
	"changeInvoices":   "no no yes",

	"approveInvoice": "no no yes",
	"rejectInvoice":  "no no yes",
	"reopenInvoice":  "no no yes",
	"assignInvoice":  "no yes yes",
	"addInvoiceNote": "no yes yes",
	"syncInvoice":    "no no yes",
	"updateSupplier": "no no yes",

	"dismissDuplicate": "no no yes",

	"refreshToken":          "no no no",
	"logout":                "no no no",
	"endSession":            "no no no",
	"changePassword":        "no no no",
	"createEntity":          "no no no",
	"confirmBankAccount":    "no no no",
	"mergeSupplier":         "no no no",
	"createApiKey":          "no no no",
	"revokeApiKey":          "no no no",
	"createWebhook":         "no no no",
	"updateWebhook":         "no no no",
	"deleteWebhook":         "no no no",
	"rotateWebhookSecret":   "no no no",
	"testWebhook":           "no no no",
	"retryWebhookDelivery":  "no no no",
	"updateEntity":          "no no no",
	"deleteDocument":        "no no no",
	"updateSettings":        "no no no",
	"updateEmailIntake":     "no no no",
	"authorizeIntegration":  "no no no",
	"connectIntegration":    "no no no",
	"createConnectLink":     "no no no",
	"setUpIntegration":      "no no no",
	"connectEntities":       "no no no",
	"disconnectIntegration": "no no no",
	"createCheckoutSession": "no no no",
	"createPortalSession":   "no no no",
}

// withoutPage are the operations that only the API offers. The web application has no
// page for them, so that its first page is named.
var withoutPage = []string{"createWebhook", "updateWebhook", "deleteWebhook", "rotateWebhookSecret", "testWebhook", "retryWebhookDelivery"}

func operations(t *testing.T) []*edge.Operation {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := edge.NewOperations(doc)
	if err != nil {
		t.Fatal(err)
	}
	return all.All()
}

func verdict(o *edge.Operation) string {
	if o.Public {
		return "public"
	}
	needed := identity.AssistantNeeds(o.Permission, o.ReadsOnly())
	var words []string
	for _, setting := range []identity.AssistantActions{identity.AssistantRead, identity.AssistantPrepare, identity.AssistantAll} {
		words = append(words, map[bool]string{true: "yes", false: "no"}[setting.Includes(needed)])
	}
	return strings.Join(words, " ")
}

func TestEveryOperationHasAVerdictForAssistants(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, o := range operations(t) {
		known[o.ID] = true
		want, listed := verdicts[o.ID]
		if !listed {
			t.Errorf("%s (%s) has no row in verdicts: decide what an assistant may do", o.ID, o.Permission)
			continue
		}
		if got := verdict(o); got != want {
			t.Errorf("%s: the verdict for READ PREPARE ALL is %q, want %q", o.ID, got, want)
		}
		if strings.Contains(want, "no") && edge.PageOf(o.ID, func(string) string { return "" }) == "/" && !slices.Contains(withoutPage, o.ID) {
			t.Errorf("%s can be refused and has no page on which a person can do it", o.ID)
		}
	}
	for id := range verdicts {
		if !known[id] {
			t.Errorf("%s is not an operation", id)
		}
	}
}

func asAssistant(o *edge.Options) {
	o.Authenticator, o.PagesURL = assistants{}, "https://app.example.com"
}

type assistants struct{}

func (assistants) Authenticate(context.Context, string) (identity.Actor, error) {
	return identity.Actor{
		Type: identity.ActorAssistant, ClientID: "client", UserID: uuid.New(), OrganizationID: uuid.New(), Role: identity.RoleAdmin,
	}, nil
}

// TestAssistantsAreRefusedFirst sends every operation an assistant's request,
// valid and not: what is never an assistant's is 403 before the request is
// validated and reaches no handler.
func TestAssistantsAreRefusedFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, missing, asAssistant)
	checker := spectest.New(t)
	for _, o := range checker.Operations() {
		if o.Signed || verdicts[o.ID] == "public" {
			continue
		}
		for _, c := range spectest.Cases(o, 1, nil)[:3] {
			never := verdicts[o.ID] == "no no no"
			req, err := c.Request(t.Context(), b.server.URL)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+goodToken)
			r := b.send(t, req)
			if (r.StatusCode == http.StatusForbidden) != never {
				t.Errorf("%s: returned %d, never an assistant's: %v", c, r.StatusCode, never)
			}
			if address, _ := r.envelope.Error.Details["confirm_url"].(string); never != strings.HasPrefix(address, "https://app.example.com/") {
				t.Errorf("%s: confirm_url is %q", c, address)
			}
			checker.Check(t, req, r.Response, r.body)
		}
	}
}

func TestRefusalsNameAPage(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, string, any) (any, error) { return nil, fault.Denied("do this") }
	b := setup(t, refuse, asAssistant)
	for request, want := range map[string]string{
		"POST /api/invoices/" + thing + "/approve {\"version\":1}":                                             "/invoices/" + thing,
		"POST /api/invoices/extract {\"document_id\":\"" + thing + "\"}":                                       "/documents/" + thing,
		"PUT /api/settings/" + thing + " {}":                                                                   "/settings/" + thing,
		"POST /api/suppliers/" + thing + "/merge {\"into\":\"" + thing + "\"}":                                 "/suppliers/" + thing,
		"POST /api/integrations/evil/connect {}":                                                               "/integrations",
		"POST /api/v1/integrations/oauth/authorize {}":                                                         "/integrations",
		"DELETE /api/v1/integrations/" + thing + " ":                                                           "/integrations/" + thing,
		"POST /api/documents/upload {\"entity_id\":\"" + thing + "\",\"filename\":\"a\",\"content\":\"YQ==\"}": "/documents",
	} {
		parts := strings.SplitN(request, " ", 3)
		r := b.send(t, b.request(t, parts[0], parts[1], parts[2]))
		checkEnvelope(t, r, 403, "forbidden")
		if got := r.envelope.Error.Details["confirm_url"]; got != "https://app.example.com"+want {
			t.Errorf("%s: confirm_url is %v, want %s", request, got, want)
		}
	}
	people := setup(t, refuse)
	r := people.send(t, people.request(t, "POST", "/api/invoices/"+thing+"/approve", `{"version":1}`))
	if _, named := r.envelope.Error.Details["confirm_url"]; named {
		t.Error("a person is sent to a page")
	}
}
