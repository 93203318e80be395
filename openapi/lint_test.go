package openapi_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/domain/accounting"
	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/openapi"
	"docledger/test/suites/vendornames"
	usecasebilling "docledger/usecase/billing"

	"github.com/getkin/kin-openapi/openapi3"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// operations calls check for each operation.
func operations(t *testing.T, check func(t *testing.T, method, path string, o *openapi3.Operation)) {
	t.Helper()
	for path, item := range load(t).Paths.Map() {
		for method, o := range item.Operations() {
			t.Run(method+" "+path, func(t *testing.T) {
				t.Parallel()
				check(t, method, path, o)
			})
		}
	}
}

// signed reports that a request's credential is the signature over its bytes.
func signed(o *openapi3.Operation) bool {
	is, _ := o.Extensions["x-signed"].(bool)
	return is
}

// browser reports that another site's page sends a browser here, which is sent on.
func browser(o *openapi3.Operation) bool {
	is, _ := o.Extensions["x-browser"].(bool)
	return is
}

// sendsFile reports that the operation returns the bytes of a file, of which a
// caller may request a range.
func sendsFile(o *openapi3.Operation) bool {
	ok := o.Responses.Value("200")
	return ok != nil && len(ok.Value.Content) > 0 && ok.Value.Content["application/json"] == nil && hasParameter(o, "Range")
}

// onlyFiles reports that all forms of a response are bytes of a file. The media
// type of the file decides, and */* covers those that are not listed.
func onlyFiles(content openapi3.Content) bool {
	for _, form := range content {
		if form.Schema == nil || form.Schema.Value.Format != "binary" {
			return false
		}
	}
	return content["*/*"] != nil
}

func hasParameter(o *openapi3.Operation, name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == name })
}

// TestSignedOperationsAreWebhooks keeps what is not validated to where that is
// meant.
func TestSignedOperationsAreWebhooks(t *testing.T) {
	t.Parallel()
	operations(t, func(t *testing.T, _, path string, o *openapi3.Operation) {
		if signed(o) != strings.HasPrefix(path, "/webhook/") {
			t.Error("x-signed belongs on webhooks, and there alone")
		}
	})
}

func TestOperationsAreDescribed(t *testing.T) {
	t.Parallel()
	doc := load(t)
	camelCase := regexp.MustCompile(`^[a-z]+([A-Z][a-z]+)*$`)
	ids := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			name := method + " " + path
			if !camelCase.MatchString(o.OperationID) || ids[o.OperationID] {
				t.Errorf("%s: operationId %q is not camelCase or appears twice", name, o.OperationID)
			}
			ids[o.OperationID] = true
			if o.Summary == "" || o.Description == "" || len(o.Tags) != 1 || doc.Tags.Get(o.Tags[0]) == nil {
				t.Errorf("%s: summary, description or one declared tag is missing", name)
			}
			if len(o.Summary) > 60 || strings.HasSuffix(o.Summary, ".") {
				t.Errorf("%s: the summary is a heading, not a sentence", name)
			}
			for _, p := range slices.Concat(item.Parameters, o.Parameters) {
				if p.Value.Description == "" {
					t.Errorf("%s: parameter %s has no description", name, p.Value.Name)
				}
			}
		}
	}
}

func TestOperationsNameTheirPermission(t *testing.T) {
	t.Parallel()
	doc := load(t)
	table, ok := doc.Extensions["x-permissions"].(map[string]any)
	if !ok {
		t.Fatal("x-permissions is missing")
	}
	for _, p := range identity.Permissions() {
		row, ok := table[string(p)].(map[string]any)
		if !ok {
			t.Errorf("x-permissions has no %s", p)
			continue
		}
		if role, ok := identity.LeastRole(p); ok && row["needs"] != string(role) {
			t.Errorf("x-permissions: %s needs %v, the table of rights says %s", p, row["needs"], role)
		}
	}
	if len(table) != len(identity.Permissions()) {
		t.Errorf("x-permissions has %d rows, the table of rights %d", len(table), len(identity.Permissions()))
	}
	operations(t, func(t *testing.T, _, _ string, o *openapi3.Operation) {
		permission, _ := o.Extensions["x-permission"].(string)
		if table[permission] == nil {
			t.Errorf("x-permission %q is not in x-permissions", permission)
		}
		if o.Security == nil {
			t.Fatal("no security")
		}
		if public := len(*o.Security) == 0; public != (permission == string(identity.Public)) {
			t.Errorf("security %v and x-permission %s do not fit", *o.Security, permission)
		}
	})
}

func TestOperationsStateEveryAnswer(t *testing.T) {
	t.Parallel()
	every := []string{"200", "400", "401", "403", "404", "429", "500", "503"}
	ofSigned := []string{"200", "400", "404", "500"}
	ofFile := []string{"200", "206", "304", "400", "401", "403", "404", "429", "500", "503"}
	ofBrowser := []string{"200", "302", "400", "403", "404", "429", "500", "503"}
	operations(t, func(t *testing.T, _, _ string, o *openapi3.Operation) {
		statuses := every
		if signed(o) {
			statuses = ofSigned
		}
		if browser(o) {
			statuses = ofBrowser
		}
		if sendsFile(o) {
			statuses = ofFile
		}
		if got := sortedKeys(o.Responses.Map()); !slices.Equal(got, statuses) {
			t.Errorf("statuses %v, want %v", got, statuses)
		}
		for status, ref := range o.Responses.Map() {
			response := ref.Value
			empty := status == "302" && response.Headers["Location"] != nil || status == "304"
			if response.Description == nil || *response.Description == "" || len(response.Content) == 0 != empty {
				t.Errorf("%s: description or content is missing", status)
			}
			if len(response.Content) > 1 && !onlyFiles(response.Content) && (status != "200" || !hasParameter(o, "format") && !hasParameter(o, "validationToken")) {
				t.Errorf("%s: the response has several forms, and no parameter that chooses one", status)
			}
			if response.Headers["X-Request-Id"] == nil {
				t.Errorf("%s: X-Request-Id is missing", status)
			}
			if (status == "429" || status == "503") != (response.Headers["Retry-After"] != nil) {
				t.Errorf("%s: Retry-After belongs on 429 and 503", status)
			}
			for mediaType, content := range response.Content {
				if content.Example == nil && len(content.Examples) == 0 {
					t.Errorf("%s %s: no example", status, mediaType)
				}
			}
		}
		if o.RequestBody == nil {
			return
		}
		for mediaType, content := range o.RequestBody.Value.Content {
			if content.Example == nil && len(content.Examples) == 0 {
				t.Errorf("request %s: no example", mediaType)
			}
		}
	})
}

func TestOperationsFollowTheWireConventions(t *testing.T) {
	t.Parallel()
	deleting := []string{"deleteDocument"}
	creating := []string{"addInvoiceNote", "createEntity", "uploadDocument", "mergeDocuments", "extractInvoice", "createCheckoutSession"}
	complete := []string{"listPlans", "getBillingUsage", "listIntegrations", "changeInvoices", "sumInvoices", "connectEntities", "listAttention"} // lists that have no pages
	changing := []string{"updateEntity", "updateDocument", "splitDocument", "moveDocument", "updateInvoice", "updateSupplier", "updateSettings", "approveInvoice", "rejectInvoice", "reopenInvoice", "syncInvoice", "dismissDuplicate", "assignInvoice", "confirmBankAccount", "setUpIntegration", "disconnectIntegration"}
	unversioned := []string{"updateWebhook", "updateEmailIntake"} // records without a version (domain D2)
	operations(t, func(t *testing.T, method, _ string, o *openapi3.Operation) {
		has := func(name string) bool { return hasParameter(o, name) }
		if slices.Contains(creating, o.OperationID) != has("Idempotency-Key") {
			t.Error("Idempotency-Key belongs on what creates, and there alone")
		}
		if slices.Contains(slices.Concat(changing, deleting), o.OperationID) != has("If-Match") {
			t.Error("If-Match belongs on what changes a record, and there alone")
		}
		if (method == http.MethodPut || method == http.MethodPatch) && !has("If-Match") && !slices.Contains(unversioned, o.OperationID) {
			t.Error("PUT and PATCH take If-Match")
		}
		if browser(o) {
			return
		}
		answer := o.Responses.Value("200").Value
		content := answer.Content["application/json"]
		if content == nil {
			return
		}
		properties := content.Schema.Value.Properties
		list := properties["items"] != nil && !slices.Contains(complete, o.OperationID)
		if list && (properties["next_cursor"] == nil || !has("limit") || has("cursor") == has("after")) {
			t.Error("a list has next_cursor, limit, and cursor or after")
		}
		record := properties["version"] != nil
		if record != (answer.Headers["ETag"] != nil) {
			t.Error("ETag belongs on records with a version")
		}
	})
}

// TestRequestsAreClosed holds request bodies to what is described and to a
// bounded size; enumerations in them are closed.
func TestRequestsAreClosed(t *testing.T) {
	t.Parallel()
	operations(t, func(t *testing.T, _, _ string, o *openapi3.Operation) {
		if o.RequestBody == nil || signed(o) {
			return // a sender's own words are open
		}
		for _, content := range o.RequestBody.Value.Content {
			visit(content.Schema.Value, "body", func(path string, s *openapi3.Schema) {
				switch {
				case s.Type == nil:
					t.Errorf("%s has no type", path)
				case s.Type.Is(openapi3.TypeObject) && (s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has):
					t.Errorf("%s takes unknown keys", path)
				case s.Type.Is(openapi3.TypeArray) && s.MaxItems == nil:
					t.Errorf("%s has no maxItems", path)
				case s.Type.Is(openapi3.TypeString) && s.MaxLength == nil && s.Pattern == "" && s.Format == "" && len(s.Enum) == 0:
					t.Errorf("%s has no maxLength", path)
				case s.Extensions["x-extensible-enum"] != nil:
					t.Errorf("%s is an open list in a request", path)
				case s.Pattern != "" && (s.Extensions["x-reason"] == nil || !strings.HasPrefix(s.Pattern, "^") || !strings.HasSuffix(s.Pattern, "$")):
					t.Errorf("%s has a pattern without x-reason, ^ or $", path)
				}
			})
		}
	})
}

// TestAnswersAreOpen lets answers grow: their lists of values are open. Every
// key is always there, so that null means something.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	optional := []string{
		"Document.duplicate", "ErrorDetails.fields", "ErrorDetails.more", "ErrorDetails.provider", "ErrorDetails.confirm_url", "Evidence.page", "Evidence.box", "Evidence.source_text",
		"Evidence.alternatives", "Evidence.original",
	}
	names := map[*openapi3.Schema]string{}
	for name, ref := range load(t).Components.Schemas {
		names[ref.Value] = name
	}
	doc := load(t)
	for name, ref := range doc.Components.Schemas {
		names[ref.Value] = name
	}
	for _, item := range doc.Paths.Map() {
		for _, o := range item.Operations() {
			for status, response := range o.Responses.Map() {
				content := response.Value.Content["application/json"]
				if content == nil {
					continue
				}
				visit(content.Schema.Value, o.OperationID+" "+status, func(path string, s *openapi3.Schema) {
					if len(s.Enum) > 0 || s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has {
						t.Errorf("%s is closed", path)
					}
					for key := range s.Properties {
						if !slices.Contains(s.Required, key) && !slices.Contains(optional, names[s]+"."+key) {
							t.Errorf("%s: %s.%s is neither required nor known to be optional", path, names[s], key)
						}
					}
				})
			}
		}
	}
}

func visit(schema *openapi3.Schema, path string, check func(path string, s *openapi3.Schema)) {
	check(path, schema)
	for name, property := range schema.Properties {
		visit(property.Value, path+"."+name, check)
	}
	if schema.Items != nil {
		visit(schema.Items.Value, path+"[]", check)
	}
	if schema.AdditionalProperties.Schema != nil {
		visit(schema.AdditionalProperties.Schema.Value, path+"{}", check)
	}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		visit(part.Value, path, check)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func texts[T ~string](values ...T) []any {
	list := make([]any, 0, len(values))
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}

// TestListsAgreeWithTheDomain compares each list of values with the one in the
// domain.
func TestListsAgreeWithTheDomain(t *testing.T) {
	t.Parallel()
	schemas := load(t).Components.Schemas
	open := func(name string, property ...string) []any {
		s := schemas[name].Value
		if len(property) > 0 {
			s = s.Properties[property[0]].Value
		}
		list, _ := s.Extensions["x-extensible-enum"].([]any)
		return list
	}
	providers := service.Catalog(service.Registrations()).Codes()
	for name, lists := range map[string][2][]any{
		"error codes":       {open("ErrorCode"), texts(fault.Codes()...)},
		"invoice status":    {open("InvoiceStatus"), texts(invoice.Statuses()...)},
		"invoice filter":    {schemas["InvoiceStatusFilter"].Value.Enum, texts(invoice.Statuses()...)},
		"document status":   {open("DocumentStatus"), texts(document.Statuses()...)},
		"document filter":   {schemas["DocumentStatusFilter"].Value.Enum, texts(document.Statuses()...)},
		"document type":     {open("DocumentType"), texts(invoice.TypeInvoice, invoice.TypeCreditNote, invoice.TypeCorrection)},
		"entity role":       {open("EntityRole"), texts(identity.Viewer, identity.Editor, identity.Approver)},
		"organization role": {open("OrganizationRole"), texts(identity.RoleAdmin, identity.RoleMember)},
		"access":            {open("EntityAccess"), texts(entity.AccessOrganization, entity.AccessRestricted)},
		"severity":          {open("Check", "severity"), texts(invoice.Blocking, invoice.Warning)},
		"source": {open("Evidence", "source"), texts(invoice.FromXML, invoice.FromText, invoice.FromOCR, invoice.Computed,
			invoice.FromSupplier, invoice.ByHuman)},
		"subscription status": {open("SubscriptionStatus"), append(texts(billing.Active, billing.Trialing, billing.PastDue, billing.Unpaid,
			billing.Canceled, billing.Incomplete, billing.IncompleteExpired, billing.Paused), billing.ExpiredStatus, billing.NoneStatus)},
		"billing alert": {open("BillingAlert", "code"), texts(usecasebilling.TrialExpiring, usecasebilling.SubscriptionInactive,
			usecasebilling.UsageNearLimit, usecasebilling.UsageLimitReached, usecasebilling.PaymentFailed)},
		"provider":              {open("IntegrationProvider"), texts(providers...)},
		"provider to connect":   {schemas["AuthorizeRequest"].Value.Properties["provider"].Value.Enum, texts(providers...)},
		"provider to set up":    {schemas["IntegrationSetupMetadata"].Value.Properties["provider"].Value.Enum, texts(providers...)},
		"integration type":      {open("IntegrationType"), texts(integration.Accounting, integration.Trigger)},
		"integration status":    {open("IntegrationStatus"), texts(integration.Statuses()...)},
		"reason of integration": {open("StatusReason", "code"), texts(integration.Reasons()...)},
		"state in the ledger":   {open("LedgerState"), texts(accounting.InUse, accounting.Archived)},
		"actor":                 {open("EventActor", "type"), texts(identity.ActorUser, identity.ActorAPIKey, identity.ActorAssistant, identity.ActorSystem)},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: the specification has %v, the domain %v", name, lists[0], lists[1])
		}
	}
	description := schemas["ErrorCode"].Value.Description
	for _, code := range fault.Codes() {
		if !strings.Contains(description, "- `"+string(code)+"`: ") {
			t.Errorf("error code %s is not described", code)
		}
	}
}

// TestProviderNamesAreNeutral keeps vendors' names out of everything callers
// read: the contract has codes for them. A header that a sender signs with has
// the name that it has.
func TestProviderNamesAreNeutral(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(openapi.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	published := map[string]string{}
	for _, entry := range entries {
		data, err := fs.ReadFile(openapi.Files(), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		published[entry.Name()] = string(data)
	}
	for _, name := range []string{"page.html", "start.js"} {
		data, err := os.ReadFile(filepath.Join("..", "adapter", "httpapi", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		published[name] = string(data)
	}
	for name, text := range published {
		if found := vendornames.Vendors(text); len(found) > 0 {
			t.Errorf("%s names %v", name, found)
		}
	}
}
