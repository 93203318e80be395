package config

import (
	"net/netip"
	"strings"
)

// Identity says who knows people and organizations.
type Identity struct {
	Provider       string // "clerk", or "local" for accounts of the installation itself
	PublishableKey string // names the provider's instance; no secret
	SecretKey      Secret
	SigningSecrets []Secret // of its webhooks: one, or two while they are rotated
	URL            string   // of its backend API; "" for the provider's own
	Parties        []string // origins whose sessions are accepted; empty: every one of the instance
	OAuthClientID  string   // of the one OAuth client; "" refuses every OAuth token
}

// External says that an identity provider is used.
func (i Identity) External() bool { return i.Provider == "clerk" }

func (r *reader) identity(rules Rules) Identity {
	i := Identity{Provider: r.required("IDENTITY", "clerk", "local")}
	needed := i.External()
	i.PublishableKey = r.textIf("IDENTITY_PUBLISHABLE_KEY", needed)
	i.SecretKey = r.secret("IDENTITY_SECRET_KEY", needed && !r.toolsAlone)
	i.SigningSecrets = r.secrets("IDENTITY_SIGNING_SECRETS", needed && !r.toolsAlone)
	i.URL = r.url("IDENTITY_URL", "")
	i.Parties = r.origins("IDENTITY_AUTHORIZED_PARTIES", "")
	i.OAuthClientID = r.textIf("OAUTH_CLIENT_ID", needed && rules.ClientRequired)
	return i
}

// issuer holds BASE_URL, which third parties and clients know the service by,
// against what the environment asks of it.
func (r *reader) issuer(c Config) {
	if c.Billing != "stripe" && !c.Identity.External() {
		return
	}
	if v, ok := r.env("BASE_URL"); !ok || v == "" {
		r.problem("BASE_URL", "is required with a payment processor or an identity provider, which call the service there")
		return
	}
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
