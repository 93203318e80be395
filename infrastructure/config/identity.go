package config

import (
	"net/netip"
	"strings"
)

// DefaultOAuthClientID is the id of the OAuth client where docledger is the
// authorization server.
const DefaultOAuthClientID = "docledger"

// Identity configures where users and organizations are managed.
type Identity struct {
	Provider       string // "clerk", or "local" for accounts that the installation manages
	PublishableKey string // identifies the provider's instance; not a secret
	SecretKey      Secret
	SigningSecrets []Secret // of its webhooks: one, or two during a rotation
	URL            string   // of its backend API; "" for the address of the provider
	Parties        []string // origins with accepted sessions; empty: all origins of the instance
	OAuthClientID  string   // of the only OAuth client; "" refuses every OAuth token of an identity provider
}

// External reports whether an identity provider is used.
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
	if i.OAuthClientID == "" && i.Provider == "local" {
		i.OAuthClientID = DefaultOAuthClientID
	}
	return i
}

// issuer validates BASE_URL against the rules of the environment. Third parties and
// clients identify the service by it.
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
