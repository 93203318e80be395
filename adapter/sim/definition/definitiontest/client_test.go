package definitiontest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"docledger/adapter/sim/definition/definitiontest"
)

// TestClient verifies that a certification fails for a deviation of the client
// or of the simulator, for a planted deviation that was not found, and if the
// client sent nothing.
func TestClient(t *testing.T) {
	t.Parallel()
	const planted = "GET /api.xro/2.0/Contacts: query has no field were"
	for name, tc := range map[string]struct{ target, answer, planted, want string }{
		"in order":         {"/api.xro/2.0/Contacts?where=x", `{"Contacts":[{"Name":"x"}]}`, "", ""},
		"client":           {"/api.xro/2.0/Contacts?were=x", `{"Contacts":[{"Name":"x"}]}`, "", "query has no field were"},
		"simulator":        {"/api.xro/2.0/Contacts", `{"Contacts":[{"Name":"x","Nick":"x"}]}`, "", "Contact has no field Nick"},
		"planted":          {"/api.xro/2.0/Contacts?were=x", `{"Contacts":[{"Name":"x"}]}`, planted, ""},
		"planted, unfound": {"/api.xro/2.0/Contacts", `{"Contacts":[{"Name":"x"}]}`, planted, "the planted deviation was not found"},
		"nothing":          {"", "", "", "the client made 0 exchanges"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := definitiontest.NewClient("xero", http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(out, tc.answer)
			}))
			if err != nil {
				t.Fatal(err)
			}
			if tc.planted != "" {
				c.Expect(tc.planted)
			}
			if tc.target != "" {
				c.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, tc.target, nil))
			}
			err = c.Close(io.Discard)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("the certification ends with %v, want %q", err, tc.want)
			}
		})
	}
}
