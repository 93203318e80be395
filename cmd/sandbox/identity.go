package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	clerksim "docledger/adapter/sim/clerk"
	"docledger/cmd/service"
	"docledger/infrastructure/config"
)

// What the simulated identity provider and the service know of each other.
// Both listen on the loopback address alone, so these are no secrets.
const (
	identitySecretKey     = "sk_test_sandbox"
	identitySigningSecret = "whsec_c2FuZGJveC1zYW5kYm94LXNhbmRib3g="

	oauthClientID     = "client_sandbox"
	oauthClientSecret = "sandbox-client-secret"
)

// The seeded people and organizations. Their ids are the same in every run, so
// that a data folder finds its own again.
const (
	loginEmail    = "ada@example.com"
	memberEmail   = "mel@example.com"
	otherEmail    = "bob@example.com"
	loginPassword = "sandbox-password"

	loginUser         = "user_ada"
	organizationID    = "org_sandbox"
	otherOrganization = "org_other"
)

// identityProvider is the simulated identity provider. It remembers nothing of
// an earlier run but what is seeded.
type identityProvider struct {
	sim    *clerksim.Server
	secret string // of the OAuth client; "" where it is public
	server *http.Server
}

// startIdentity starts the provider, which reports to the service at baseURL.
func startIdentity(baseURL string, rules config.Rules, autoApprove bool) (*identityProvider, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the identity provider: %w", err)
	}
	limits := clerksim.DefaultLimits()
	limits.BackendRequests = 1 << 30 // a load test of the service is not one of the provider
	client := clerksim.Client{ID: oauthClientID, Name: "docledger tools", LoopbackRedirects: true}
	if rules.ConfidentialClient {
		client.Secret = oauthClientSecret
	}
	// Clients register themselves at docledger, which strict clients accept only from a provider
	// that does not state its own issuer.
	settings := clerksim.Settings{AutoApprove: autoApprove, OmitIssuer: true}
	if rules.LoopbackSignIn {
		// The address uses the service's own page, as a web application would. Elsewhere that
		// page must not redirect to this machine.
		settings.SignInURL = baseURL + "/sign-in"
	}
	p := &identityProvider{secret: client.Secret}
	p.sim = clerksim.New(clerksim.Options{
		Origin: "http://" + l.Addr().String(), SecretKey: identitySecretKey, Limits: &limits,
		Users: []clerksim.User{
			{ID: loginUser, Email: loginEmail, Password: loginPassword, FirstName: "Ada", LastName: "Example"},
			{ID: "user_mel", Email: memberEmail, Password: loginPassword, FirstName: "Mel", LastName: "Example"},
			{ID: "user_bob", Email: otherEmail, Password: loginPassword, FirstName: "Bob", LastName: "Example"},
		},
		Organizations: []clerksim.Organization{
			{ID: organizationID, Name: "Sandbox Organization"}, {ID: otherOrganization, Name: "Other Organization"},
		},
		Memberships: []clerksim.Membership{
			{UserID: loginUser, OrganizationID: organizationID, Role: "org:admin"},
			{UserID: "user_mel", OrganizationID: organizationID},
			{UserID: "user_bob", OrganizationID: otherOrganization, Role: "org:admin"},
		},
		Clients:   []clerksim.Client{client},
		Endpoints: []clerksim.Endpoint{{URL: baseURL + "/webhook/identity", Secrets: []string{identitySigningSecret}}},
		Settings:  settings,
	})
	p.server = &http.Server{Handler: p.sim, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }() // ends with Close
	return p, nil
}

// restore puts back the trials that the service remembers from an earlier run,
// which would else read as taken away.
func (p *identityProvider) restore(ctx context.Context, s *service.Service) error {
	found, err := s.Organizations.List(ctx)
	if err != nil {
		return fmt.Errorf("list the organizations: %w", err)
	}
	for _, o := range found {
		if o.Trial != nil && !o.Trial.None() {
			p.sim.RestoreMetadata(o.IdentityID, map[string]any{
				"trial_expiry_date": o.Trial.Expiry.String(), "trial_max_entities": o.Trial.MaxEntities,
				"trial_max_invoices_per_month": o.Trial.MaxInvoicesPerMonth,
			})
		}
	}
	return nil
}

// announce sends the service an event for each organization, as the provider does when it is
// created.
func (p *identityProvider) announce() error {
	for _, id := range []string{organizationID, otherOrganization} {
		if _, err := p.sim.Announce("organization.created", id); err != nil {
			return err
		}
	}
	return nil
}

// settings are what the environment would say of the provider.
func (p *identityProvider) settings() map[string]string {
	return map[string]string{
		"IDENTITY": "clerk", "IDENTITY_PUBLISHABLE_KEY": p.sim.PublishableKey(), "IDENTITY_SECRET_KEY": identitySecretKey,
		"IDENTITY_SIGNING_SECRETS": identitySigningSecret, "IDENTITY_URL": p.sim.Origin(), "OAUTH_CLIENT_ID": oauthClientID,
	}
}

// Close ends the provider at once.
func (p *identityProvider) Close() {
	_ = p.server.Close()
	p.sim.Close()
}
