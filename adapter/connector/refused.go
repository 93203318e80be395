package connector

import (
	"net/url"
	"strings"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// These are the errors of RFC 6749 (section 4.1.2.1) and of the identity platforms, by what helps.
var (
	passingErrors = []string{"temporarily_unavailable", "server_error"}
	setupErrors   = []string{
		"unauthorized_client", "unsupported_response_type", "invalid_scope", "invalid_client", "invalid_request", "redirect_uri_mismatch",
		"org_internal",
	}
	adminErrors = []string{"admin_policy_enforced"}
	// adminCodes are the codes in descriptions of refusals after which an administrator must consent.
	adminCodes = []string{"AADSTS90094", "AADSTS90093"}
)

// ConsentRefusal implements integration.ConsentExplainer. The query is hostile: anybody can change
// it in a browser.
func (c *Consents) ConsentRefusal(q url.Values) integration.ConsentRefusal {
	f := &httpclient.Failure{Operation: "consent"}
	f.AddCode(q.Get("error"))
	f.AddMessage(q.Get("error_description"))
	out := integration.ConsentRefusal{Reason: integration.ConsentDeclined, Provider: fault.Provider(f.Refusal())}
	switch {
	case f.Has(adminErrors...), containsAny(f.Words(), adminCodes):
		out.Reason = integration.ConsentNeedsAdmin
	case f.Has(passingErrors...):
		out.Reason = integration.ConsentUnavailable
	case f.Has(setupErrors...):
		out.Reason = integration.ConsentSetupRequired
	case !f.Has("access_denied") && f.Code() != "":
		out.Reason = integration.ConsentFailed
	}
	return out
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
