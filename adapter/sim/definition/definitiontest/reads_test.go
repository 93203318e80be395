package definitiontest_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/sim/definition"
	"docledger/adapter/sim/definition/definitiontest"
)

// TestLacking plants fields and parameters that the vendor does not have.
func TestLacking(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, want string }{
		"in order":        {"type c struct { ID string `json:\"ContactID\"`; Name string `json:\"Name\"` }", ""},
		"field":           {"type c struct { ID string `json:\"ContactID\"`; Name string `json:\"Nickname\"` }", "c is not in the definition of xero: Nickname"},
		"of another type": {"type c struct { ID string `json:\"ContactID\"`; Total float64 `json:\"LineAmount\"` }", "LineAmount"},
		"without a tag":   {"type c struct { ContactID, NickName string }", "NickName"},
		"inner":           {"type c struct { Lines []struct { Kode string `json:\"AccountKode\"` } `json:\"LineItems\"` }", "AccountKode"},
		"kind":            {"type c struct { Total string `json:\"Total\"`; InvoiceID, InvoiceNumber, DueDate string }", "Total (it is a number)"},
		"contains itself": {"type c struct { ContactID string; Of *c `json:\"Of\"` }", "Of"},
		"parameter":       {"var q = url.Values{\"were\": {\"x\"}}; type c struct { ContactID string }", "xero has no parameter were"},
		"set parameter":   {"func f(q url.Values) { q.Set(\"were\", \"x\") }; type c struct { ContactID string }", "xero has no parameter were"},
		"header":          {"func f(header http.Header) { header.Set(\"were\", \"x\") }; type c struct { ContactID string }", ""},
		"nothing":         {"type c struct { a int }", "has no struct that is part of an exchange"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "c.go"), []byte("package c\n"+tc.source), 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := definitiontest.Lacking("xero", definitiontest.Sources{Folders: []string{folder}})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found, "\n"); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// TestAddress plants addresses and scopes that the vendor does not have.
func TestAddress(t *testing.T) {
	t.Parallel()
	for vendor, of := range map[string]struct{ right, wrong string }{
		"xero":       {"https://login.xero.com/identity/connect/authorize?scope=accounting.invoices", "https://identity.xero.com/identity/connect/authorize?scope=accounting.bills"},
		"quickbooks": {"https://appcenter.intuit.com/connect/oauth2?scope=com.intuit.quickbooks.accounting", "https://quickbooks.api.intuit.com/connect/oauth2?scope=accounting"},
		"gdrive":     {"https://accounts.google.com/o/oauth2/v2/auth?scope=openid", "https://www.googleapis.com/o/oauth2/v2/auth?scope=drive.readonly"},
		"msgraph":    {"https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?scope=Files.Read.All", "https://graph.microsoft.com/organizations/oauth2/v2.0/authorize?scope=Files.Read.Any"},
	} {
		d, err := definition.Of(vendor)
		if err != nil {
			t.Fatal(err)
		}
		for address, right := range map[string]bool{of.right: true, of.wrong: false} {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			if why := d.Address("GET", u); (why == "") != right {
				t.Errorf("%s: %q", address, why)
			}
			w, err := definition.New(vendor, nil)
			if err != nil {
				t.Fatal(err)
			}
			w.Check(definition.Exchange{Method: "GET", Path: u.Path, Query: u.Query(), Status: 302})
			if found := w.Findings(); (len(found) == 0) != right {
				t.Errorf("%s: %q", address, found)
			}
		}
	}
}
