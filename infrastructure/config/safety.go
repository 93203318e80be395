package config

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"slices"

	"docledger/domain/secret"
)

// published are the secrets that the sandbox's source contains. Everybody knows
// them; a test of the sandbox keeps the list complete.
var published = []string{
	"whsec_sandbox", "whsec_c2FuZGJveC1zYW5kYm94LXNhbmRib3g=", "sk_test_sandbox", "sandbox-client-secret", "sandbox-secret",
}

// minSigningSecret is the size below which a signing secret can be guessed.
const minSigningSecret = 16 // bytes

// safe refuses what is complete and unsafe, when deployed. Each variable is
// named, and no value is.
func (r *reader) safe(c Config, offered bool) {
	if c.Environment != Deployed {
		return
	}
	r.safeBase(c)
	for _, network := range c.TrustedProxies {
		if prefix, err := netip.ParsePrefix(network); err == nil && prefix.Bits() < leastTrusted(prefix) {
			r.problem("TRUSTED_PROXIES", "must not trust every address: anybody could then choose the address that is counted and logged")
			break
		}
	}
	if r.simulated {
		return
	}
	if offered && len(c.RedirectOrigins) == 0 && !r.toolsAlone {
		r.problem("REDIRECT_ORIGINS", "is required with a provider of integrations, or set WEB_URL: without it no page may be returned to after a consent")
	}
	used := map[string]string{}
	r.safeKeys(used, "JWT_SIGNING_KEYS", c.SigningKeys)
	r.safeKeys(used, "TOKEN_KEYS", c.TokenKeys)
	r.safeSigning("PAYMENT_SIGNING_SECRETS", c.PaymentSigningSecret)
	r.safeSigning("IDENTITY_SIGNING_SECRETS", c.Identity.SigningSecrets)
	r.unpublished("PAYMENT_SECRET_KEY", c.PaymentSecretKey)
	r.unpublished("IDENTITY_SECRET_KEY", c.Identity.SecretKey)
	for _, spec := range r.specs {
		r.unpublished(spec.Code+"_CLIENT_SECRET", c.Providers[spec.Code].ClientSecret)
	}
}

// leastTrusted is the prefix length of the widest private networks: 10.0.0.0/8
// and fc00::/7.
func leastTrusted(p netip.Prefix) int {
	if p.Addr().Is4() {
		return 8
	}
	return 7
}

// safeBase holds BASE_URL to https, outside this machine, and to an origin: it
// is the issuer of tokens, and addresses are made by appending to it.
func (r *reader) safeBase(c Config) {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return // named already
	}
	if u.Path != "" {
		r.problem("BASE_URL", "must be an origin such as https://docs.example.com, without path")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) && !c.InsecureHTTP {
		r.problem("BASE_URL", "must be https outside this machine when DOCLEDGER_ENV is deployed; ALLOW_INSECURE_HTTP=yes permits http in a network that nobody else can read")
	}
}

// safeKeys refuses keys that are all zero or the same byte, and the same key
// twice, also in another variable. used are the keys so far.
func (r *reader) safeKeys(used map[string]string, name string, keys []secret.Text) {
	for i, key := range keys {
		raw, err := base64.StdEncoding.DecodeString(key.Reveal())
		if err != nil || len(raw) == 0 {
			continue // named already
		}
		if !slices.ContainsFunc(raw, func(b byte) bool { return b != raw[0] }) {
			r.problem(name, "key %d is one byte repeated; openssl rand -base64 32 makes a random one", i+1)
		}
		if other, twice := used[string(raw)]; twice {
			r.problem(name, "key %d is also in %s; each use needs its own key", i+1, other)
		}
		used[string(raw)] = name
	}
}

func (r *reader) safeSigning(name string, secrets []secret.Text) {
	for i, s := range secrets {
		switch {
		case slices.Contains(published, s.Reveal()):
			r.problem(name, "secret %d is the sandbox's, which everybody knows", i+1)
		case len(s.Reveal()) < minSigningSecret:
			r.problem(name, "secret %d is shorter than %d bytes", i+1, minSigningSecret)
		}
	}
}

func (r *reader) unpublished(name string, s secret.Text) {
	if slices.Contains(published, s.Reveal()) {
		r.problem(name, "is the sandbox's, which everybody knows")
	}
}

// LoadSimulated is Load for the sandbox, whose third parties are simulated on
// this machine: their secrets are published, and that is not refused.
func LoadSimulated(env Environ, providers ...ProviderSpec) (Config, error) {
	r := &reader{env: env, specs: providers, simulated: true}
	c := r.load()
	if len(r.problems) > 0 {
		return Config{}, r.problems
	}
	return c, nil
}
