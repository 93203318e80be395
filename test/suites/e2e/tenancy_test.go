package e2e

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// tenancy is the data of the matrix: an organization with users of every role
// on a restricted entity, and another organization.
type tenancy struct {
	s       *harness.Server
	org     harness.Organization
	callers []caller
	ledger  *harness.Ledger
	store   *harness.Store
	// spareKey is an API key that operations may revoke.
	spareKey string
	// webhook and delivery are those that operations may change.
	webhook, delivery string
	watch             string // the entity's integration of the store
	// supplier and other are suppliers of the entity; supplier has the bank account ibanOne.
	supplier, other string
	// fresh creates a document with an invoice, because some operations change
	// it.
	fresh func() (document, invoice string)
}

// caller is one column of the matrix.
type caller struct {
	name  string
	token string
	role  identity.EntityRole // on the entity; NoRole sees nothing of it
	admin bool
	known bool // the token is good
	// outsider marks a caller of another organization. foreign marks a token of
	// the identity provider.
	outsider, foreign bool
	// assistant marks an OAuth token; the entities allow assistants PREPARE.
	assistant bool
	// key marks an API key.
	key bool
}

func newTenancy(t *testing.T, o harness.Options) *tenancy {
	t.Helper()
	ledger, _ := harness.NewLedgerA(t)
	store, _ := harness.NewStoreA(t)
	env := map[string]string{"SIGN_IN_TRIES_PER_ACCOUNT": "1000"} // each caller signs in with a wrong password
	maps.Copy(env, o.Env)
	o.Env = env
	s := harness.Start(t, o.With(ledger).WithStore(store))
	v := &tenancy{s: s, org: s.NewOrganization("Mine"), ledger: ledger, store: store}
	v.watch = s.Watch(v.org, v.org.Entity, store)
	other := s.NewOrganization("Theirs")
	people := map[identity.EntityRole]harness.Person{}
	var members []entity.Member
	for _, role := range []identity.EntityRole{identity.Viewer, identity.Editor, identity.Approver} {
		people[role] = s.NewPerson(v.org.ID, identity.RoleMember)
		members = append(members, entity.Member{UserID: people[role].ID, Role: role})
	}
	s.SetMembers(v.org, entity.AccessRestricted, members...)
	v.callers = []caller{
		{name: "anonymous"},
		{name: "forged", token: "abc.def.ghi"},
		{name: "another organization", token: other.Admin.Token, known: true, outsider: true},
		{name: "not on the entity", token: s.NewPerson(v.org.ID, identity.RoleMember).Token, known: true},
		{name: "viewer", token: people[identity.Viewer].Token, role: identity.Viewer, known: true},
		{name: "editor", token: people[identity.Editor].Token, role: identity.Editor, known: true},
		{name: "approver", token: people[identity.Approver].Token, role: identity.Approver, known: true},
		{name: "admin", token: v.org.Admin.Token, role: identity.Approver, admin: true, known: true},
	}
	v.addKeys(people)
	v.fresh = func() (string, string) {
		up := s.Upload(v.org.Admin.Token, v.org.Entity, "m.xml", harness.UBL(uuid.NewString())).OK()
		return up.Text("id"), s.Extract(v.org.Admin.Token, up.Text("id")).OK().Text("id")
	}
	v.addWebhook()
	v.supplier, v.other = v.newSupplier("Acme", ibanOne), v.newSupplier("Other", ibanTwo)
	return v
}

// newSupplier creates a supplier by approving its first invoice.
func (v *tenancy) newSupplier(name, iban string) string {
	up := v.s.Upload(v.org.Admin.Token, v.org.Entity, name+".xml", paidTo(name, uuid.NewString(), iban)).OK()
	inv := v.s.Extract(v.org.Admin.Token, up.Text("id")).OK()
	path := "/api/invoices/" + inv.Text("id")
	v.s.Do(http.MethodPost, path+"/approve", v.org.Admin.Token, map[string]any{"version": inv.At("version")}).OK()
	return v.s.Do(http.MethodGet, path, v.org.Admin.Token, nil).OK().Text("supplier_id")
}

// place returns the ids of the integration and the source of an operation.
func (v *tenancy) place(op spectest.Operation, integration string) []string {
	if strings.HasPrefix(op.ID, "listTrigger") {
		integration = v.watch
	}
	return []string{"{integrationId}", integration, "{integration_id}", integration, "{sourceId}", v.store.Source, "{subSourceId}", v.store.SubSource, "{page}", "1", "{attachment}", "1", "{api_key_id}", v.spareKey, "{webhook_id}", v.webhook, "{delivery_id}", v.delivery,
		"{supplier_id}", v.supplier, "$supplier", v.other}
}

// addWebhook creates a webhook with a delivery if an operation has deleted it.
func (v *tenancy) addWebhook() {
	if v.webhook != "" {
		r := v.s.Do(http.MethodGet, "/api/webhooks/"+v.webhook, v.org.Admin.Token, nil)
		if r.Status == http.StatusOK {
			return
		}
	}
	hook := map[string]any{"url": "http://127.0.0.1:1/", "types": []string{"billing.*"}}
	v.webhook = v.s.Do(http.MethodPost, "/api/webhooks", v.org.Admin.Token, hook).OK().Text("webhook", "id")
	v.delivery = v.s.Do(http.MethodPost, "/api/webhooks/"+v.webhook+"/test", v.org.Admin.Token, nil).OK().Text("id")
}

// integration returns an ACTIVE integration of the entity. It creates a new one
// if an operation has disconnected it.
func (v *tenancy) integration(before string) string {
	if before != "" && v.s.Do(http.MethodGet, "/api/integrations/"+before+"/status", v.org.Admin.Token, nil).OK().Text("status") == "ACTIVE" {
		return before
	}
	return v.s.Activate(v.org, v.org.Entity, v.ledger, v.ledger.Tenants[0])
}

// bodies are valid requests of the operations that take one, with $entity,
// $document and $price in place of ids. An operation with a body and without a row fails.
var bodies = map[string]string{
	"login": `{"email":"unknown@example.com","password":"wrong"}`, "setUp": `{"organization_name":"Mine","name":"Eve","email":"eve@example.com","password":"a long password"}`, "refreshToken": ``, "logout": ``, "endSession": ``,
	"changePassword": `{"current_password":"not the right one","new_password":"another long password"}`,
	"createEntity":   `{"name":"New","settings_from":"$entity"}`, "updateEntity": `{"name":"Renamed"}`,
	"uploadDocument": `{"entity_id":"$entity","filename":"u.xml","content":"eA=="}`,
	"extractInvoice": `{"document_id":"$document","force":true}`, "splitDocument": `{"parts":[{"from":1,"to":1}]}`, "mergeDocuments": `{"parts":[{"document_id":"$document"}]}`, "deleteDocument": ``, "updateDocument": `{"external_id":"order-1"}`, "moveDocument": `{"entity_id":"$entity"}`,
	"updateInvoice": `{"currency":"EUR","purchase_order":"PO-1"}`, "approveInvoice": `{"version":1}`,
	"changeInvoices":   `{"action":"sync","items":[{"id":"01936b1e-0000-7000-8000-000000000005","version":1}]}`,
	"dismissDuplicate": `{"invoice_id":"$document","reason":"two deliveries"}`,
	"rejectInvoice":    `{"reason":"not ours"}`, "reopenInvoice": ``, "assignInvoice": `{"user_id":null}`, "addInvoiceNote": `{"text":"ask Ana"}`, "syncInvoice": `{"force":false}`, "updateSettings": `{"four_eyes":false}`,
	"createCheckoutSession": `{"price_id":"$price","success_url":"https://app.example/","cancel_url":"https://app.example/"}`,
	"createPortalSession":   `{"return_url":"https://app.example/"}`,
	"authorizeIntegration":  `{"entity_id":"$entity","provider":"ACCOUNTING_A","redirect_url":"https://app.example/"}`,
	"connectIntegration":    `{"redirect_url":"https://app.example/"}`,
	"setUpIntegration":      `{"entity_id":"$entity","status":"PENDING","public_metadata":{"provider":"ACCOUNTING_A","organization_id":"$tenant","pays_tax":true}}`,
	"connectEntities":       `{"items":[{"entity_id":"$entity"}]}`,
	"createConnectLink":     `{"entity_id":"$entity","provider":"ACCOUNTING_A"}`,
	"disconnectIntegration": ``,
	"createApiKey":          `{"name":"Import","role":"VIEWER"}`, "revokeApiKey": ``,
	"createWebhook": `{"url":"https://erp.example/","types":["*"],"enabled":false}`, "updateWebhook": `{"types":["invoice.*"]}`, "deleteWebhook": ``,
	"rotateWebhookSecret": ``, "testWebhook": ``, "retryWebhookDelivery": ``,
	"createUploadLink":   `{"entity_id":"$entity"}`,
	"createExportLink":   ``,
	"updateSupplier":     `{"name":"Acme Paper"}`,
	"updateEmailIntake":  `{"only_senders":false}`,
	"confirmBankAccount": `{"iban":"DE89370400440532013000","method":"letter"}`,
	"mergeSupplier":      `{"into":"$supplier"}`,
}

// queries limit the lists to the entity, so that a missing tenant scope is
// visible.
var queries = map[string]string{
	"listIntegrations": "?entity_id=$entity", "listAccountingOrganizations": "?entity_id=$entity", "setUpIntegration": "?entity_id=$entity",
	"listTriggerSources": "?entity_id=$entity", "listTriggerSubSources": "?entity_id=$entity", "listTriggerFolders": "?entity_id=$entity", "listSkippedFiles": "?entity_id=$entity",
	"whereTo":       "?action=choose_plan",
	"listDocuments": "?entity_id=$entity", "listInvoices": "?entity_id=$entity", "sumInvoices": "?group_by=status&entity_id=$entity", "exportInvoices": "?entity_id=$entity", "createExportLink": "?entity_id=$entity", "listEvents": "?entity_id=$entity", "listAttention": "?entity_id=$entity", "listSuppliers": "?entity_id=$entity",
}

// aboutNothing are the operations that name no record of the organization.
var aboutNothing = []string{"login", "getSetup", "setUp", "refreshToken", "logout", "listSessions", "endSession", "changePassword", "getMe", "whereTo", "listEntities", "listMembers", "listApiKeys", "createApiKey", "listWebhooks", "createWebhook", "getBilling", "getBillingUsage", "getProcessingReport", "listPlans", "createCheckoutSession", "createPortalSession"}

// ofItems are the operations whose items answer for themselves. TestBulk tests
// the rights for their items.
var ofItems = []string{"changeInvoices"}

// bought are the operations that require a payment processor (domain D16).
// Permissions are checked first.
var bought = []string{"listPlans", "createCheckoutSession", "createPortalSession"}

// due returns the expected status according to the table of permissions (domain
// D5) and the order of refusals (architecture rule 4).
func due(op spectest.Operation, c caller) int {
	p := identity.Permission(op.Permission)
	switch {
	case op.ID == "getSetup":
		return http.StatusOK
	case p == identity.Public:
		return http.StatusUnauthorized // the matrix signs in with a wrong password, and users exist
	case !c.known:
		return http.StatusUnauthorized
	case c.key && !keyMayCall(op):
		return http.StatusForbidden
	case c.assistant && identity.AssistantNeeds(p, op.Method == http.MethodGet) == identity.AssistantNever:
		return http.StatusForbidden
	case slices.Contains(ofItems, op.ID):
		return http.StatusOK
	case slices.Contains(aboutNothing, op.ID):
		if p == identity.Admin && c.outsider {
			return http.StatusOK // of its own
		}
	case p == identity.Admin && !c.admin && !c.outsider:
		return http.StatusForbidden // the operation alone decides, whatever it is about
	case c.role == identity.NoRole && !c.admin:
		return http.StatusNotFound
	}
	if p == identity.Admin && !c.admin {
		return http.StatusForbidden
	}
	if least, ok := identity.LeastRole(p); ok && !c.role.AtLeast(least) && !slices.Contains(aboutNothing, op.ID) {
		return http.StatusForbidden
	}
	if c.assistant && !identity.AssistantPrepare.Includes(identity.AssistantNeeds(p, op.Method == http.MethodGet)) {
		return http.StatusForbidden
	}
	return http.StatusOK
}

// TestTenancyMatrix runs every operation of the specification as every kind of
// caller, with and without a payment processor.
func TestTenancyMatrix(t *testing.T) {
	t.Parallel()
	t.Run("without a processor", func(t *testing.T) {
		t.Parallel()
		newTenancy(t, harness.Options{}).play(t, noPrice)
	})
	t.Run("with an identity provider", func(t *testing.T) {
		t.Parallel()
		newProviderTenancy(t).play(t, noPrice)
	})
	t.Run("with a processor", func(t *testing.T) {
		t.Parallel()
		clock := at(t, "2026-03-10T08:00:00Z")
		p := newProcessor(t, clock)
		newTenancy(t, harness.Options{Env: p.env, Overrides: service.Overrides{Clock: clock}}).play(t, p.price)
	})
}

// noPrice is an unknown price for an installation that sells no plans.
const noPrice = "price_none"

// namesDocument matches requests that name a document or its invoice.
var namesDocument = regexp.MustCompile(`\$document|\{document_id\}|\{invoice_id\}`)

// play runs the matrix. price is a price for sale, or noPrice.
func (v *tenancy) play(t *testing.T, price string) {
	document, invoice := v.fresh()
	integration, changed := "", true
	for _, op := range v.s.Checker.Operations() {
		if op.Signed || op.Browser {
			continue // no caller: a signature, or a state, is the credential
		}
		body, hasRow := bodies[op.ID]
		if op.Method != http.MethodGet && !hasRow {
			t.Errorf("%s has no row in the matrix", op.ID)
			continue
		}
		named := namesDocument.MatchString(op.Path + body)
		for _, c := range v.callers {
			want := due(op, c)
			if want == http.StatusOK && op.Method != http.MethodGet && named {
				document, invoice = v.fresh() // what the caller before changed
			}
			if changed { // the request before may have disconnected or deleted them
				integration = v.integration(integration)
				v.addWebhook()
			}
			names := strings.NewReplacer(append(v.place(op, integration), "$entity", v.org.Entity.String(), "$document", document, "$price", price, "$tenant", v.ledger.Tenants[0],
				"{entity_id}", v.org.Entity.String(), "{document_id}", document, "{invoice_id}", invoice, "{session_id}", uuid.NewString())...)
			token := c.token
			if (op.ID == "logout" || op.ID == "refreshToken") && !c.foreign && !c.key && c.known {
				token = v.s.Login(v.email(t, token)) // both end the token; the caller's own session continues
			}
			r := v.request(t, op, names.Replace(op.Path+queries[op.ID]), names.Replace(body), token)
			changed = op.Method != http.MethodGet && r.Status == http.StatusOK
			if slices.Contains(bought, op.ID) && want == http.StatusOK && price == noPrice {
				want = http.StatusNotFound
			}
			if (op.ID == "splitDocument" || op.ID == "mergeDocuments" || op.ID == "reopenInvoice" || op.ID == "syncInvoice") && want == http.StatusOK {
				want = http.StatusBadRequest // rights come before state, and there is nothing to reopen or to book
			}
			if op.ID == "deleteDocument" && r.Status == http.StatusOK {
				document, invoice = v.fresh() // later operations read them
			}
			if op.ID == "dismissDuplicate" && want == http.StatusOK {
				want = http.StatusNotFound // the invoice has no duplicate
			}
			if op.ID == "getDocumentAttachment" && want == http.StatusOK {
				want = http.StatusNotFound // the document has none
			}
			if want == http.StatusOK {
				want = v.sessionStatus(op.ID, c)
			}
			if r.Status != want {
				t.Errorf("%s as %s: %d, want %d\n%s", op.ID, c.name, r.Status, want, r.Raw)
			}
		}
	}
}

// sessionStatus is what a caller's own sessions answer, where rights allow it.
func (v *tenancy) sessionStatus(operation string, c caller) int {
	switch {
	case (operation == "refreshToken" || operation == "logout") && c.foreign:
		return http.StatusBadRequest // whoever issued a token refreshes and ends it
	case operation == "endSession":
		return http.StatusNotFound // the matrix names an unknown session
	case operation == "changePassword":
		return http.StatusBadRequest // the matrix does not know the password
	}
	return http.StatusOK
}

// email is the address of a token's owner.
func (v *tenancy) email(t *testing.T, token string) string {
	t.Helper()
	return v.s.Do(http.MethodGet, "/api/me", token, nil).OK().Text("user", "email")
}

func (v *tenancy) request(t *testing.T, op spectest.Operation, path, body, token string) harness.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), op.Method, v.s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return v.s.Exchange(req)
}

// TestForeignThingsReadLikeMissingOnes verifies for each operation that a
// record of another organization and a missing record get the same response.
func TestForeignThingsReadLikeMissingOnes(t *testing.T) {
	t.Parallel()
	v := newTenancy(t, harness.Options{})
	outsider := v.callers[2].token
	document, invoice := v.fresh()
	integration := v.integration("")
	for _, op := range v.s.Checker.Operations() {
		if op.Signed || op.Browser || slices.Contains(aboutNothing, op.ID) || slices.Contains(ofItems, op.ID) {
			continue
		}
		var messages []string
		for _, ids := range [][8]string{
			{v.org.Entity.String(), document, invoice, v.place(op, integration)[1], v.spareKey, v.webhook, v.delivery, v.supplier},
			{uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()},
		} {
			names := strings.NewReplacer("{page}", "1", "{attachment}", "1", "{integrationId}", ids[3], "{sourceId}", v.store.Source, "{integration_id}", ids[3], "$entity", ids[0], "$document", ids[1], "{api_key_id}", ids[4], "{webhook_id}", ids[5], "{delivery_id}", ids[6], "{supplier_id}", ids[7], "$supplier", ids[7], "{entity_id}", ids[0], "{document_id}", ids[1], "{invoice_id}", ids[2])
			r := v.request(t, op, names.Replace(op.Path+queries[op.ID]), names.Replace(bodies[op.ID]), outsider)
			messages = append(messages, r.Want(http.StatusNotFound, "not_found").Text("error", "message"))
		}
		if messages[0] != messages[1] {
			t.Errorf("%s distinguishes them: %q and %q", op.ID, messages[0], messages[1])
		}
	}
	for _, list := range []string{"/api/entities", "/api/documents", "/api/invoices", "/api/events", "/api/suppliers"} {
		r := v.s.Do(http.MethodGet, list, outsider, nil).OK()
		for i := range r.Len("items") {
			if id := r.Text("items", i, "organization_id"); id == v.org.ID.String() {
				t.Errorf("%s lists something of another organization", list)
			}
		}
	}
}
