package definition_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/sim/definition"
)

// TestPlanted plants what a vendor does not know and expects it as a finding.
func TestPlanted(t *testing.T) {
	t.Parallel()
	const asJSON, asForm = "application/json", "application/x-www-form-urlencoded"
	for name, tc := range map[string]struct {
		vendor, method, target, kind, body, answer string
		status                                     int
		want                                       string // "" for none
	}{
		"in order":                 {"xero", "GET", "/api.xro/2.0/Invoices?where=x&page=1", "", "", `{"Invoices":[{"InvoiceID":"1","Total":1.5}]}`, 200, ""},
		"parameter":                {"xero", "GET", "/api.xro/2.0/Invoices?were=x", "", "", "", 200, "query has no field were"},
		"operation":                {"xero", "PATCH", "/api.xro/2.0/Invoices", "", "", "", 200, "no operation PATCH /api.xro/2.0/Invoices"},
		"sent field":               {"xero", "PUT", "/api.xro/2.0/Invoices", asJSON, `{"Invoices":[{"LineItems":[{"AccountKode":"1"}]}]}`, "", 200, "LineItem has no field AccountKode"},
		"sent type":                {"xero", "PUT", "/api.xro/2.0/Invoices", asJSON, `{"Invoices":[{"LineItems":[{"Quantity":"1"}]}]}`, "", 200, "LineItem.Quantity is string and not number"},
		"answered field":           {"xero", "GET", "/api.xro/2.0/Contacts", "", "", `{"Contacts":[{"Nickname":"x"}]}`, 200, "Contact has no field Nickname"},
		"refused field":            {"xero", "GET", "/api.xro/2.0/Contacts", "", "", `{"Remark":"x"}`, 400, "Error has no field Remark"},
		"field of QuickBooks":      {"quickbooks", "POST", "/v3/company/1/bill?minorversion=75", asJSON, `{"VendorRef":{"value":"1"},"DocNo":"1"}`, "", 200, "Bill has no field DocNo"},
		"parameter of QuickBooks":  {"quickbooks", "GET", "/v3/company/1/query?query=x&minor=75", "", "", "", 200, "query has no field minor"},
		"bill of QuickBooks":       {"quickbooks", "POST", "/v3/company/1/bill", asJSON, `{"DocNumber":"1","Line":[{"Amount":1,"DetailType":"x"}]}`, `{"Bill":{"Id":"1","TotalAmt":1},"time":"x"}`, 200, ""},
		"parameter of Graph":       {"msgraph", "GET", "/v1.0/drives/1/items/2/children?$selekt=id", "", "", "", 200, "query has no field $selekt"},
		"field of Graph":           {"msgraph", "POST", "/v1.0/subscriptions", asJSON, `{"changeTypes":"updated"}`, "", 201, "Subscription has no field changeTypes"},
		"annotation of Graph":      {"msgraph", "GET", "/v1.0/drives/1/root", "", "", `{"@odata.context":"x","id":"1","folder":{"childCount":1},"cTag":"1"}`, 200, ""},
		"unknown annotation":       {"msgraph", "GET", "/v1.0/drives/1/root", "", "", `{"@odata.kontext":"x"}`, 200, "DriveItem has no field @odata.kontext"},
		"path of Graph":            {"msgraph", "GET", "/v1.0/drives/1/root:/a/b", "", "", `{"id":"1"}`, 200, ""},
		"parameter of Drive":       {"gdrive", "GET", "/drive/v3/files?fields=files&qq=x", "", "", "", 200, "query has no field qq"},
		"children by path":         {"msgraph", "GET", "/v1.0/drives/1/root:/a/b:/children?$top=1", "", "", `{"value":[{"id":"1"}]}`, 200, ""},
		"item by path":             {"msgraph", "GET", "/v1.0/drives/1/root:/a/b", "", "", `{"value":[]}`, 200, "DriveItem has no field value"},
		"empty object of a read":   {"xero", "GET", "/api.xro/2.0/Invoices", asJSON, "{}", "", 200, ""},
		"object of a read":         {"xero", "GET", "/api.xro/2.0/Invoices", asJSON, `{"a":1}`, "", 200, "the operation has no body"},
		"field of Drive":           {"gdrive", "POST", "/drive/v3/changes/watch?pageToken=1", asJSON, `{"id":"1","kind":"x","adress":"x"}`, "", 200, "Channel has no field adress"},
		"text for a large number":  {"gdrive", "GET", "/drive/v3/files/1", "", "", `{"size":5}`, 200, "File.size is number and not string"},
		"field of Clerk":           {"clerk", "GET", "/v1/organizations/1", "", "", `{"id":"1","titel":"x"}`, 200, "Organization has no field titel"},
		"parameter of Clerk":       {"clerk", "GET", "/v1/users?email=x", "", "", "", 200, "query has no field email"},
		"token":                    {"clerk", "POST", "/oauth/token", asForm, "grant_type=x&verifier=x", `{"access_token":"x"}`, 200, "form has no field verifier"},
		"form of Stripe":           {"stripe", "POST", "/v1/invoices", asForm, "customer=c&automatic_tax[enabled]=true&metadata[a]=b", `{"id":"1","object":"invoice"}`, 200, ""},
		"nested field of a form":   {"stripe", "POST", "/v1/invoices", asForm, "customer=c&automatic_tax[on]=true", "", 200, "InvoiceAutomaticTaxParams has no field on"},
		"list in a form":           {"stripe", "POST", "/v1/subscriptions", asForm, "customer=c&items[0][prize]=x", "", 200, "SubscriptionItemsParams has no field prize"},
		"answered field of Stripe": {"stripe", "GET", "/v1/customers/1", "", "", `{"id":"1","surname":"x"}`, 200, "Customer has no field surname"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := definition.New(tc.vendor, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm() // reads a form
				_, _ = http.MaxBytesReader(out, r.Body, 1<<20).Read(make([]byte, 1<<20))
				out.Header().Set("Content-Type", asJSON)
				out.WriteHeader(tc.status)
				_, _ = out.Write([]byte(tc.answer))
			}))
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(tc.method, tc.target, strings.NewReader(tc.body))
			if tc.kind != "" {
				r.Header.Set("Content-Type", tc.kind)
			}
			w.ServeHTTP(httptest.NewRecorder(), r)
			got := w.Findings()
			if tc.want == "" && len(got) > 0 || tc.want != "" && !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, tc.want) }) {
				t.Errorf("the findings are %q, want %q", got, tc.want)
			}
		})
	}
}

// TestExcerpts reads every excerpt. Each names its packages and licences.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	if got := len(definition.Vendors()); got != 6 {
		t.Errorf("%d vendors have an excerpt, want 6", got)
	}
	for _, vendor := range definition.Vendors() {
		d, err := definition.Of(vendor)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Sources {
			if s.Package == "" || s.Licence == "" || len(s.Files) == 0 {
				t.Errorf("%s: the source is incomplete: %+v", vendor, s)
			}
		}
		if len(d.Sources) == 0 || len(d.Operations) == 0 || len(d.Types) == 0 {
			t.Errorf("%s has %d sources, %d operations and %d types", vendor, len(d.Sources), len(d.Operations), len(d.Types))
		}
	}
	if _, err := definition.Of("unknown"); err == nil {
		t.Error("an unknown vendor has a definition")
	}
}
