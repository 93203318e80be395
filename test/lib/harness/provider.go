package harness

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// Values that a service and the simulated identity provider share in tests.
const (
	ProviderSecretKey     = "sk_test_secret-of-the-provider"
	ProviderSigningSecret = "whsec_c2lnbmluZy1zZWNyZXQtb2YtdGhlLXByb3ZpZGVy"
	ProviderPassword      = "password-at-the-provider"
	OAuthClient           = "client_tools"
	OAuthStranger         = "client_stranger"
)

// Provider is a simulated identity provider for a service.
type Provider struct {
	*simclerk.Server
	t testing.TB
}

// NewProvider starts an identity provider with users, organizations and
// memberships. Each user has ProviderPassword.
func NewProvider(t testing.TB, o simclerk.Options) *Provider {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	o.Origin, o.SecretKey = "http://"+listener.Listener.Addr().String(), ProviderSecretKey
	if o.Limits == nil {
		limits := simclerk.DefaultLimits()
		limits.BackendRequests = 1 << 30
		o.Limits = &limits
	}
	for i := range o.Users {
		if o.Users[i].Password == "" {
			o.Users[i].Password = ProviderPassword
		}
	}
	o.Settings.OmitIssuer = true // the clients of most tests register themselves at docledger
	o.Clients = append(o.Clients, simclerk.Client{ID: OAuthClient, LoopbackRedirects: true}, simclerk.Client{ID: OAuthStranger, LoopbackRedirects: true})
	p := &Provider{Server: simclerk.New(o), t: t}
	listener.Config.Handler = p.Server
	listener.Start()
	t.Cleanup(func() {
		listener.Close()
		p.Server.Close()
	})
	return p
}

// WithProvider returns the options of a service with the identity provider.
func (o Options) WithProvider(p *Provider) Options {
	env := maps.Clone(o.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, map[string]string{
		"IDENTITY": "clerk", "IDENTITY_PUBLISHABLE_KEY": p.PublishableKey(), "IDENTITY_SECRET_KEY": ProviderSecretKey,
		"IDENTITY_SIGNING_SECRETS": ProviderSigningSecret, "IDENTITY_URL": p.Origin(), "OAUTH_CLIENT_ID": OAuthClient,
	})
	o.Env = env
	return o
}

// Session returns the token of a user session.
func (p *Provider) Session(user, organization string, o simclerk.TokenOptions) string {
	p.t.Helper()
	token, err := p.SessionToken(user, organization, o)
	must(p.t, err)
	return token
}

// OAuth returns the token that a user granted to a client.
func (p *Provider) OAuth(user, organization, client string, o simclerk.TokenOptions) string {
	p.t.Helper()
	token, err := p.AccessToken(user, organization, client, o)
	must(p.t, err)
	return token
}

// Link links an organization to an organization id of the identity provider.
func (s *Server) Link(id uuid.UUID, identityID string) {
	s.t.Helper()
	_, err := s.Service.Organizations.Organizations.Update(context.Background(), id, func(o *organization.Organization) error {
		o.IdentityID = identityID
		return nil
	})
	must(s.t, err)
}

// SignedHeaders returns the headers of a webhook of the identity provider as
// pairs of name and value, signed at a time with a secret.
func SignedHeaders(id string, at time.Time, body []byte, secret string) []string {
	key, err := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	if err != nil {
		panic(err)
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	return []string{
		"Content-Type", "application/json", "svix-id", id, "svix-timestamp", seconds,
		"svix-signature", "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}
}
