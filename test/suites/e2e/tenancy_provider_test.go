package e2e

import (
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

// newProviderTenancy adds callers with tokens of an identity provider to the
// matrix: valid tokens of both kinds, and tokens that must be refused.
func newProviderTenancy(t *testing.T) *tenancy {
	t.Helper()
	o := simclerk.Options{
		Users:         []simclerk.User{{ID: "user_owner", Email: "owner@example.com"}, {ID: "user_other", Email: "other@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_mine", Name: "Mine"}, {ID: "org_theirs", Name: "Theirs"}},
		Memberships: []simclerk.Membership{
			{UserID: "user_owner", OrganizationID: "org_mine", Role: "org:admin"},
			{UserID: "user_other", OrganizationID: "org_theirs", Role: "org:admin"},
		},
	}
	p, stranger := harness.NewProvider(t, o), harness.NewProvider(t, o)
	v := newTenancy(t, harness.Options{Env: map[string]string{"SIGN_IN_TRIES_PER_ACCOUNT": "1000"}}.WithProvider(p))
	v.s.Link(v.org.ID, "org_mine")
	// A minute and the leeway longer ago than it lasted.
	ago := time.Now().Add(-time.Hour).Unix()
	expired := simclerk.TokenOptions{Claims: map[string]any{"iat": ago, "nbf": ago, "exp": ago + 60}}
	plain := simclerk.TokenOptions{}
	v.callers = append(v.callers,
		caller{name: "expired session", token: p.Session("user_owner", "org_mine", expired)},
		caller{name: "expired OAuth token", token: p.OAuth("user_owner", "org_mine", harness.OAuthClient, expired)},
		caller{name: "session of another issuer", token: stranger.Session("user_owner", "org_mine", plain)},
		caller{name: "OAuth token of another issuer", token: stranger.OAuth("user_owner", "org_mine", harness.OAuthClient, plain)},
		caller{name: "OAuth token of another client", token: p.OAuth("user_owner", "org_mine", harness.OAuthStranger, plain)},
		caller{name: "session without organization", token: p.Session("user_owner", "", plain)},
		caller{name: "OAuth token without organization", token: p.OAuth("user_owner", "", harness.OAuthClient, plain)},
		caller{name: "session of another organization", token: p.Session("user_other", "org_theirs", longLived), known: true, outsider: true, foreign: true},
		caller{
			name: "OAuth token of another organization", token: p.OAuth("user_other", "org_theirs", harness.OAuthClient, plain),
			known: true, outsider: true, foreign: true, assistant: true,
		},
		caller{name: "owner's session", token: p.Session("user_owner", "org_mine", longLived), role: identity.Approver, admin: true, known: true, foreign: true},
		caller{
			name: "owner's OAuth token", token: p.OAuth("user_owner", "org_mine", harness.OAuthClient, plain),
			role: identity.Approver, admin: true, known: true, foreign: true, assistant: true,
		},
	)
	return v
}

// longLived makes sessions outlast the matrix.
var longLived = simclerk.TokenOptions{Lifetime: time.Hour}
