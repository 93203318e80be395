package spectest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
)

const requestID = "01936b1e-7c1a-7cc3-9d0e-2b7f0a4c1d11"

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// example returns the example response of an operation's 200, or of an error.
func example(t *testing.T, doc *openapi3.T, path, method, status string) string {
	t.Helper()
	content := doc.Paths.Value(path).GetOperation(method).Responses.Value(status).Value.Content["application/json"]
	value := content.Example
	for _, ref := range content.Examples {
		value = ref.Value.Value
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func answer(status int, body string, headers ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}}
	resp.Header.Set("Content-Type", "application/json")
	resp.Header.Set("X-Request-Id", requestID)
	resp.Header.Set("ETag", `"3"`)
	for i := 0; i < len(headers); i += 2 {
		resp.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			resp.Header.Del(headers[i])
		}
	}
	return resp
}

func TestCheckerAcceptsExamples(t *testing.T) {
	t.Parallel()
	checker, doc := spectest.New(t), load(t)
	for _, o := range spectest.OperationsOf(doc) {
		for status, ref := range doc.Paths.Value(o.Path).GetOperation(o.Method).Responses.Map() {
			if ref.Value.Content["application/json"] == nil {
				continue
			}
			code := map[string]int{"200": 200, "400": 400, "401": 401, "403": 403, "404": 404, "429": 429, "500": 500, "503": 503}[status]
			resp := answer(code, "", "Retry-After", "2", "WWW-Authenticate", "Bearer")
			checker.Check(t, httptest.NewRequest(o.Method, o.Path, nil), resp, []byte(example(t, doc, o.Path, o.Method, status)))
		}
	}
	if seen := checker.Seen(); seen["getInvoice"][200] != 1 || seen["login"][401] != 1 {
		t.Errorf("statuses seen: %v", seen)
	}
}

func TestCheckerFindsFaults(t *testing.T) {
	t.Parallel()
	const invoice = "/api/invoices/01936b1e-0000-7000-8000-000000000005"
	checker, doc := spectest.New(t), load(t)
	good := example(t, doc, "/api/invoices/{invoice_id}", http.MethodGet, "200")
	notFound := example(t, doc, "/api/invoices/{invoice_id}", http.MethodGet, "404")
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the example has no %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := map[string]struct {
		path string
		resp *http.Response
		body string
		want string
	}{
		"wrong type":             {invoice, answer(200, ""), replace(`"lines_total":1`, `"lines_total":"1"`), "both"},
		"missing key":            {invoice, answer(200, ""), replace(`"lines_total":1,`, ``), "both"},
		"null where none is due": {invoice, answer(200, ""), replace(`"status":"EXTRACTED"`, `"status":null`), "both"},
		"unknown key":            {invoice, answer(200, ""), replace(`"lines_total":1`, `"lines_total":1,"surprise":1`), "second"},
		"value not listed":       {invoice, answer(200, ""), replace(`"status":"EXTRACTED"`, `"status":"LOST"`), "second"},
		"empty decimal":          {invoice, answer(200, ""), replace(`"gross_total":"1190.00"`, `"gross_total":""`), "both"},
		"no such date":           {invoice, answer(200, ""), replace(`"due_date":"2026-04-14"`, `"due_date":"2026-02-30"`), "both"},
		"no ETag":                {invoice, answer(200, "", "ETag", ""), good, "first"},
		"not JSON":               {invoice, answer(200, "", "Content-Type", "text/html"), good, "both"},
		"no request id":          {invoice, answer(200, "", "X-Request-Id", ""), good, "X-Request-Id"},
		"foreign status":         {invoice, answer(409, ""), notFound, "contract's"},
		"other request id":       {invoice, answer(404, "", "X-Request-Id", "01936b1e-7c1a-7cc3-9d0e-2b7f0a4c1d12"), notFound, "details.request_id"},
		"503 without Retry-After": {invoice, answer(503, ""),
			example(t, doc, "/api/invoices/{invoice_id}", http.MethodGet, "503"), "Retry-After"},
		"unknown route": {"/api/nothing", answer(200, ""), `{}`, "404 is due"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := checker.Problems(httptest.NewRequest(http.MethodGet, test.path, nil), test.resp, []byte(test.body))
			text := strings.Join(problems, "\n")
			wants := []string{test.want}
			switch test.want {
			case "both":
				wants = []string{"first validator", "second validator"}
			case "first", "second":
				wants = []string{test.want + " validator"}
			}
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("no complaint of %q in %q", want, text)
				}
			}
		})
	}
}
