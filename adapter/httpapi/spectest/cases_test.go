package spectest_test

import (
	"bytes"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/openapi"
)

func operation(t *testing.T, id string) spectest.Operation {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range spectest.OperationsOf(doc) {
		if o.ID == id {
			return o
		}
	}
	t.Fatalf("no operation %s", id)
	return spectest.Operation{}
}

func TestCasesRepeat(t *testing.T) {
	t.Parallel()
	o := operation(t, "createEntity")
	key := func(cases []spectest.Case) []string {
		var keys []string
		for _, c := range cases {
			keys = append(keys, c.String()+c.Path+c.RawQuery+string(c.Body))
		}
		return keys
	}
	first := key(spectest.Cases(o, 7, nil))
	if !reflect.DeepEqual(first, key(spectest.Cases(o, 7, nil))) {
		t.Error("the same seed gives other requests")
	}
	if reflect.DeepEqual(first, key(spectest.Cases(o, 8, nil))) {
		t.Error("another seed gives the same requests")
	}
}

func TestCasesUseKnownIDs(t *testing.T) {
	t.Parallel()
	const id = "01936b1e-0000-7000-8000-0000000000aa"
	for _, c := range spectest.Cases(operation(t, "extractInvoice"), 1, map[string]string{"document_id": id}) {
		if c.Kind == spectest.Valid && !bytes.Contains(c.Body, []byte(id)) {
			t.Errorf("%s has %s", c, c.Body)
		}
	}
	for _, c := range spectest.Cases(operation(t, "getEntity"), 1, map[string]string{"entity_id": id}) {
		if c.Kind == spectest.Valid && c.Path != "/api/entities/"+id {
			t.Errorf("%s asks %s", c, c.Path)
		}
	}
}

func TestCasesReachEveryPart(t *testing.T) {
	t.Parallel()
	var names []string
	for _, id := range []string{"updateInvoice", "createEntity", "listInvoices", "uploadDocument", "login", "reopenInvoice"} {
		for _, c := range spectest.Cases(operation(t, id), 1, nil) {
			names = append(names, c.String())
			if req, err := c.Request(t.Context(), "http://localhost"); err != nil || req.Method == http.MethodGet && len(c.Body) > 0 {
				t.Errorf("%s: %v", c, err)
			}
		}
	}
	for _, want := range []string{
		"updateInvoice/fault/lines[0]: net_amount is a text outside the pattern",
		"updateInvoice/fault/seller.address: country is a text outside the pattern",
		"updateInvoice/boundary/due_date is null",
		"updateInvoice/fault/due_date is a day that is none",
		"updateInvoice/fault/invoice_id: no UUID",
		"createEntity/fault/name is missing",
		"createEntity/boundary/name is the longest text",
		"createEntity/fault/name is a text too long",
		"createEntity/fault/tax_ids[0] is null",
		"createEntity/fault/unknown key",
		"createEntity/fault/Idempotency-Key: too long",
		"listInvoices/fault/limit: a number too great",
		"listInvoices/boundary/limit: the greatest number",
		"listInvoices/fault/unknown query parameter",
		"uploadDocument/valid/multipart: file first",
		"uploadDocument/fault/content is no base64",
		"login/fault/application/json: two values",
		"reopenInvoice/valid/an empty object as body",
		"reopenInvoice/fault/a key in the body",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no case %q among %d; near: %v", want, len(names), near(names, want))
		}
	}
}

func near(names []string, want string) []string {
	prefix := want[:strings.LastIndex(want, "/")]
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && len(found) < 10 {
			found = append(found, name)
		}
	}
	return found
}
