package connector_test

import (
	"net/url"
	"strings"
	"testing"

	"docledger/adapter/connector"
	"docledger/domain/integration"
)

func TestConsentRefusal(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ code, description, reason, message string }{
		"declined":          {"access_denied", "", integration.ConsentDeclined, ""},
		"nothing":           {"", "", integration.ConsentDeclined, ""},
		"admin by code":     {"access_denied", "AADSTS90094: The grant requires admin permission.", integration.ConsentNeedsAdmin, "AADSTS90094: The grant requires admin permission."},
		"admin by policy":   {"admin_policy_enforced", "", integration.ConsentNeedsAdmin, ""},
		"unregistered":      {"redirect_uri_mismatch", "", integration.ConsentSetupRequired, ""},
		"scope":             {"invalid_scope", "Unknown scope", integration.ConsentSetupRequired, "Unknown scope"},
		"passing":           {"temporarily_unavailable", "", integration.ConsentUnavailable, ""},
		"unknown":           {"something_new", "New", integration.ConsentFailed, "New"},
		"control and query": {"x\n", "See\u202e https://a.example/?token=1\r\nnow", integration.ConsentFailed, "See https://a.example/ now"},
	} {
		got := (&connector.Consents{}).ConsentRefusal(url.Values{"error": {x.code}, "error_description": {x.description}})
		if got.Reason != x.reason || got.Provider.Message != x.message || got.Provider.Code != strings.TrimSpace(x.code) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	long := (&connector.Consents{}).ConsentRefusal(url.Values{"error": {"x"}, "error_description": {strings.Repeat("a", 10_000)}})
	if len([]rune(long.Provider.Message)) > 400 {
		t.Errorf("a message of %d characters", len(long.Provider.Message))
	}
}
