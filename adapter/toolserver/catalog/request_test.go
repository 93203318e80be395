package catalog_test

import (
	"io"
	"net/url"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	t.Parallel()
	backend := &url.URL{Scheme: "https", Host: "api.example.com"}
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"query":         {"list_invoices", `{"limit":3,"cursor":"a b&c"}`, "GET https://api.example.com/api/invoices?cursor=a+b%26c&limit=3 "},
		"path":          {"get_invoice", `{"invoice_id":"01936b1e-0000-7000-8000-000000000005","fields":["id"]}`, "GET https://api.example.com/api/invoices/01936b1e-0000-7000-8000-000000000005 "},
		"path escaped":  {"get_invoice", `{"invoice_id":"x?y#z%2f;é"}`, "GET https://api.example.com/api/invoices/x%3Fy%23z%252f%3B%C3%A9 "},
		"body":          {"approve_invoice", `{"invoice_id":"1","version":2}`, `POST https://api.example.com/api/invoices/1/approve {"version":2}`},
		"null stays":    {"update_entity", `{"entity_id":"1","country":null}`, `PUT https://api.example.com/api/entities/1 {"country":null}`},
		"empty body":    {"update_settings", `{"entity_id":"1"}`, `PUT https://api.example.com/api/settings/1 {}`},
		"both":          {"set_up_integration", `{"integrationId":"1","entity_id":"2","status":"PENDING","public_metadata":{"provider":"ACCOUNTING_A"}}`, `PUT https://api.example.com/api/v1/integrations/1 {"entity_id":"2","public_metadata":{"provider":"ACCOUNTING_A"},"status":"PENDING"}`},
		"several":       {"list_events", `{"type":["a","b"]}`, "GET https://api.example.com/api/events?type=a&type=b "},
		"big numbers":   {"approve_invoice", `{"invoice_id":"1","version":12345678901234567}`, `POST https://api.example.com/api/invoices/1/approve {"version":12345678901234567}`},
		"with commas":   {"list_accounting_accounts", `{"integrationId":"1","account_types":"BANK,ASSET"}`, "GET https://api.example.com/api/v1/integrations/1/accounting-accounts?account_types=BANK%2CASSET "},
		"no arguments":  {"get_me", ``, "GET https://api.example.com/api/me "},
		"null for none": {"get_me", `null`, "GET https://api.example.com/api/me "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := find(t, c.tool)
			arguments, err := tool.Check(t.Context(), []byte(c.arguments))
			if err != nil {
				t.Fatal(err)
			}
			req, err := tool.Request(t.Context(), backend, arguments)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(req.Body)
			if got := req.Method + " " + req.URL.String() + " " + string(body); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	for _, id := range []string{"", ".", "..", "...", "../../auth/refresh", "1/history", "1/../2", `1\history`, `..\2`, "/"} {
		if _, err := find(t, "get_invoice").Request(t.Context(), backend, map[string]any{"invoice_id": id}); err == nil {
			t.Errorf("%q was taken as an id", id)
		}
	}
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for arguments, says := range map[string]string{
		`{}`: "invoice_id", `{"invoice_id":1}`: "invoice_id", `{"invoice_id":"1","colour":"red"}`: "colour",
		`[]`: "object", `{"invoice_id":`: "one JSON object", `{"invoice_id":"1"} x`: "one JSON object", `"x"`: "object",
		`{"invoice_id":"1","max_tokens":90000}`: "max_tokens",
	} {
		if _, err := find(t, "get_invoice").Check(t.Context(), []byte(arguments)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
