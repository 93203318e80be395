package harness

import (
	"net/http"
	"net/url"
	"testing"

	simstripe "docledger/adapter/sim/stripe"
)

// AskProcessor calls the API of the simulated payment processor. form contains
// pairs of name and value.
func AskProcessor(t testing.TB, processor *simstripe.Server, method, path string, form ...string) map[string]any {
	t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	status, body := processor.Do(method, path, values)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %v", method, path, status, body)
	}
	return body
}
