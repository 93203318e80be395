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
		"query":          {"list_invoices", `{"limit":3,"cursor":"a b&c"}`, "GET https://api.example.com/api/invoices?cursor=a+b%26c&limit=3 "},
		"path":           {"get_invoice", `{"invoice_id":"01936b1e-0000-7000-8000-000000000005","fields":["id"]}`, "GET https://api.example.com/api/invoices/01936b1e-0000-7000-8000-000000000005 "},
		"path escaped":   {"get_invoice", `{"invoice_id":"x?y#z%2f;é"}`, "GET https://api.example.com/api/invoices/x%3Fy%23z%252f%3B%C3%A9 "},
		"body":           {"approve_invoice", `{"invoice_id":"1","version":2}`, `POST https://api.example.com/api/invoices/1/approve {"version":2}`},
		"null is absent": {"update_invoice", `{"invoice_id":"1","due_date":null,"seller":{"name":"A","iban":null},"note":"x"}`, `PATCH https://api.example.com/api/invoices/1 {"note":"x","seller":{"name":"A"}}`},
		"clear":          {"update_invoice", `{"invoice_id":"1","clear":["due_date","payment.iban","lines.7.account_id","lines.7.unit","lines.8.unit"],"lines":[{"id":"8","quantity":"2"}],"payment":{"bic":"B"}}`, `PATCH https://api.example.com/api/invoices/1 {"due_date":null,"lines":[{"id":"8","quantity":"2","unit":null},{"account_id":null,"id":"7","unit":null}],"payment":{"bic":"B","iban":null}}`},
		"empty body":     {"update_invoice", `{"invoice_id":"1"}`, `PATCH https://api.example.com/api/invoices/1 {}`},
		"several":        {"list_events", `{"type":["a","b"]}`, "GET https://api.example.com/api/events?order=desc&type=a&type=b "},
		"big numbers":    {"approve_invoice", `{"invoice_id":"1","version":12345678901234567}`, `POST https://api.example.com/api/invoices/1/approve {"version":12345678901234567}`},
		"with commas":    {"list_accounting", `{"kind":"accounts","integrationId":"1","account_types":["BANK","ASSET"]}`, "GET https://api.example.com/api/v1/integrations/1/accounting-accounts?account_types=BANK%2CASSET "},
		"another kind":   {"list_accounting", `{"kind":"currencies","integrationId":"1"}`, "GET https://api.example.com/api/v1/integrations/1/accounting-currencies "},
		"no arguments":   {"get_me", ``, "GET https://api.example.com/api/me "},
		"null for none":  {"get_me", `null`, "GET https://api.example.com/api/me "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := find(t, c.tool)
			arguments, err := tool.Check(t.Context(), []byte(c.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if tool, err = tool.Operation(arguments); err != nil {
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

func TestArgumentsOfAMergedTool(t *testing.T) {
	t.Parallel()
	tool := find(t, "list_accounting")
	for arguments, says := range map[string]string{
		`{"integrationId":"1"}`:                                                  "kind",
		`{"integrationId":"1","kind":"payments"}`:                                "kind",
		`{"integrationId":"1","kind":"currencies","account_types":["BANK"]}`:     "account_types: does not apply to currencies",
		`{"integrationId":"1","kind":"accounts","colour":"red"}`:                 "colour",
		`{"integrationId":"1","kind":"accounts","fields":["code","colour"]}`:     "there is no field colour",
		`{"integrationId":"1","kind":"accounts","fields":["code","name.first"]}`: "there is no field name.first",
	} {
		checked, err := tool.Check(t.Context(), []byte(arguments))
		if err == nil {
			_, err = tool.Operation(checked)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

func TestWhatCannotBeCleared(t *testing.T) {
	t.Parallel()
	backend := &url.URL{Scheme: "https", Host: "api.example.com"}
	tool := find(t, "update_invoice")
	for arguments, says := range map[string]string{
		`{"invoice_id":"1","clear":["colour"]}`:                                                   "there is no argument colour",
		`{"invoice_id":"1","clear":["invoice_id"]}`:                                               "there is no argument invoice_id",
		`{"invoice_id":"1","clear":["note"],"note":"x"}`:                                          "also has a value",
		`{"invoice_id":"1","clear":["note.text"],"note":"x"}`:                                     "no members",
		`{"invoice_id":"1","clear":["lines.8"],"lines":[{"id":"9"}]}`:                             "names no member",
		`{"invoice_id":"1","clear":["lines.8.unit"],"lines":[{"id":"8","unit":"kg"}]}`:            "also has a value",
		`{"invoice_id":"1","clear":["payment.iban"],"payment":{"iban":"DE89370400440532013000"}}`: "also has a value",
	} {
		checked, err := tool.Check(t.Context(), []byte(arguments))
		if err == nil {
			_, err = tool.Request(t.Context(), backend, checked)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
