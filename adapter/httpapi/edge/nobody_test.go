package edge_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestBodiesOfOperationsWithoutABody expects that an operation that takes no body refuses one, with
// and without its length, and that GET ignores it.
func TestBodiesOfOperationsWithoutABody(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	const reached = http.StatusNotFound
	reopen := "/api/invoices/" + thing + "/reopen"
	inQuery := "takes no body; send the parameters in the query"
	for _, test := range []struct {
		method, path, body string
		want               int
		reason             string
	}{
		{"POST", reopen, "", reached, ""},
		{"POST", reopen, "{}", reached, ""},
		{"POST", reopen, " {\n } \r\n", reached, ""},
		{"POST", reopen, `{"x":1}`, 400, "takes no body; send the request without one"},
		{"POST", reopen, "{}{}", 400, "takes no body"},
		{"POST", reopen, "null", 400, "takes no body"},
		{"POST", reopen, "[]", 400, "takes no body"},
		{"POST", reopen, "{", 400, "takes no body"},
		{"POST", reopen, " ", 400, "takes no body"},
		{"POST", reopen, strings.Repeat(" ", 100_000) + "{}", 400, "takes no body"},
		{"POST", "/api/auth/logout", `{"x":1}`, 400, "takes no body"},
		{"POST", "/api/invoices/export-links", `{"status":["APPROVED"]}`, 400, inQuery},
		{"DELETE", "/api/documents/" + thing, `{"x":1}`, 400, "takes no body"},
		{"GET", "/api/documents/" + thing, `{"x":1}`, reached, ""},
	} {
		for _, chunked := range []bool{false, true} {
			req := b.request(t, test.method, test.path, test.body)
			if chunked {
				req.ContentLength, req.Body = -1, io.NopCloser(strings.NewReader(test.body))
			}
			r := b.send(t, req)
			if r.StatusCode != test.want || !strings.Contains(r.fields(), test.reason) {
				t.Errorf("%s %s %.20q, chunked %t: %d %.300s", test.method, test.path, test.body, chunked, r.StatusCode, r.body)
			}
		}
	}
}
