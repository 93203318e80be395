package config

import (
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"docledger/domain/secret"
)

// published lists the secrets in the source of the sandbox, which are public. A test
// of the sandbox keeps the list complete.
var published = []string{
	"whsec_sandbox", "whsec_c2FuZGJveC1zYW5kYm94LXNhbmRib3g=", "sk_test_sandbox", "sandbox-client-secret", "sandbox-secret",
}

// minSigningSecret is the minimum length of a signing secret. A shorter one can be
// guessed.
const minSigningSecret = 16 // bytes

// safe rejects a deployed configuration that is complete but unsafe. It names each
// variable and no value.
func (r *reader) safe(c Config) {
	if c.Environment != Deployed {
		return
	}
	r.safeBase(c)
	for _, network := range c.TrustedProxies {
		if prefix, err := netip.ParsePrefix(network); err == nil && tooWide(prefix) {
			r.problem("TRUSTED_PROXIES", "must not trust every address: any caller could then choose the address that is counted and logged")
			break
		}
	}
	if r.simulated {
		return
	}
	if c.WebhookLoopback {
		r.problem("WEBHOOK_LOOPBACK", "must be off when DOCLEDGER_ENV is deployed: webhooks could otherwise reach services of this machine")
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

// tooWide reports whether a network is wider than the widest private ones: 10.0.0.0/8 and fc00::/7.
// IPv4 networks in the notation of IPv6 (::ffff:0.0.0.0/96) are IPv4 networks.
func tooWide(p netip.Prefix) bool {
	const mapped = 96 // bits before an IPv4 address
	switch {
	case p.Addr().Is4():
		return p.Bits() < 8
	case p.Addr().Is4In6() && p.Bits() >= mapped:
		return p.Bits() < mapped+8
	}
	return p.Bits() < 7 || p.Contains(netip.AddrFrom16(netip.IPv4Unspecified().As16()))
}

// safeBase requires BASE_URL to be an origin, with https outside this machine.
// BASE_URL is the issuer of tokens, and docledger appends paths to it.
func (r *reader) safeBase(c Config) {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return // already named
	}
	if u.Path != "" {
		r.problem("BASE_URL", "must be an origin such as https://docs.example.com, without path")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) && !c.InsecureHTTP {
		r.problem("BASE_URL", "must be https outside this machine when DOCLEDGER_ENV is deployed; ALLOW_INSECURE_HTTP=yes permits http in a private network")
	}
}

// safeKeys rejects keys with one repeated byte and keys that occur twice, also in
// another variable. used contains all earlier keys.
func (r *reader) safeKeys(used map[string]string, name string, keys []secret.Text) {
	for i, key := range keys {
		raw, err := base64.StdEncoding.DecodeString(key.Reveal())
		if err != nil || len(raw) == 0 {
			continue // already named
		}
		if !slices.ContainsFunc(raw, func(b byte) bool { return b != raw[0] }) {
			r.problem(name, "key %d is one repeated byte; create a random key with: openssl rand -base64 32", i+1)
		}
		if other, twice := used[string(raw)]; twice {
			r.problem(name, "key %d is also in %s; use a separate key for each purpose", i+1, other)
		}
		used[string(raw)] = name
	}
}

func (r *reader) safeSigning(name string, secrets []secret.Text) {
	for i, s := range secrets {
		switch {
		case slices.Contains(published, s.Reveal()):
			r.problem(name, "secret %d is the public secret of the sandbox", i+1)
		case len(strings.TrimPrefix(s.Reveal(), "whsec_")) < minSigningSecret: // the prefix is no secret
			r.problem(name, "secret %d is shorter than %d bytes", i+1, minSigningSecret)
		}
	}
}

func (r *reader) unpublished(name string, s secret.Text) {
	if slices.Contains(published, s.Reveal()) {
		r.problem(name, "is the public secret of the sandbox")
	}
}

// LoadSimulated is Load for the sandbox, which simulates all third parties on this
// machine. It accepts their public secrets.
func LoadSimulated(env Environ, providers ...ProviderSpec) (Config, error) {
	r := &reader{env: env, specs: providers, simulated: true}
	c := r.load()
	if len(r.problems) > 0 {
		return Config{}, r.problems
	}
	return c, nil
}

// LoopbackSetup reports whether a caller on this machine needs no setup code. It is false if a
// setting shows that others reach the service, because a proxy on this machine need not say that
// it is one.
func (c *Config) LoopbackSetup() bool {
	base, err := url.Parse(c.BaseURL)
	host, _, failed := net.SplitHostPort(c.Listen)
	return err == nil && failed == nil && c.Environment.Rules().LoopbackSetup && len(c.TrustedProxies) == 0 &&
		isLoopback(base.Hostname()) && isLoopback(host)
}
