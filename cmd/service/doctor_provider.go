package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/domain/accounting"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/infrastructure/config"
)

// These select third parties that are no providers of integrations.
const (
	PartyPayments = "PAYMENTS"
	PartyIdentity = "IDENTITY"
)

// Parties lists what DiagnoseProvider accepts.
func Parties() []string {
	var list []string
	for _, code := range Catalog(Registrations()).Codes() {
		list = append(list, string(code))
	}
	return append(list, PartyPayments, PartyIdentity)
}

// DiagnoseParty checks the payment processor or the identity provider.
func DiagnoseParty(ctx context.Context, cfg config.Config, party string) []Finding {
	if party == PartyPayments {
		return checkPayments(ctx, cfg)
	}
	return []Finding{checkIdentity(ctx, cfg)}
}

// DiagnoseProvider makes the first calls to a provider of integrations: the consent address, the token
// endpoint, and for each working integration one read and the scopes of the optional calls. Each
// problem has the provider's own words. It changes nothing, except that it may renew the grant of an
// integration, as every call does.
func (s *Service) DiagnoseProvider(ctx context.Context, code integration.Provider) []Finding {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	c, offered := s.Integrations.Connectors[code]
	settings := s.cfg.Providers[string(code)]
	f := Finding{Subject: "configuration", Remedy: fmt.Sprintf("set %s_CLIENT_ID and %[1]s_CLIENT_SECRET; docs/connecting has a page for each provider", code)}
	if !offered {
		f.Err = fmt.Errorf("%s_CLIENT_ID is not set", code)
		return []Finding{f}
	}
	f.OK = "client id set"
	for _, name := range slices.Sorted(maps.Keys(settings.Settings)) {
		if value := settings.Settings[name]; value != "" {
			f.OK += fmt.Sprintf(", %s %s", name, value)
		}
	}
	token := Finding{
		Subject: "token endpoint", OK: "client id and secret accepted", Err: providerWords(knows(ctx, c)),
		Remedy: fmt.Sprintf("check %s_CLIENT_ID, %[1]s_CLIENT_SECRET and the clock; both must belong to one application and environment", code),
	}
	out := []Finding{f, s.checkConsentAddress(ctx, code, c), token}
	return append(out, s.checkIntegrations(ctx, code, c)...)
}

// checkConsentAddress requests the page of a consent as a browser without a session would. Some
// providers refuse an unknown client id or redirect address only after the sign-in.
func (s *Service) checkConsentAddress(ctx context.Context, code integration.Provider, c integration.Authorizer) Finding {
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // of a verifier that is not used again
	redirect := s.cfg.BaseURL + callbackPath
	f := Finding{
		Subject: "consent address", OK: "accepts the client id, the scopes and " + redirect,
		Remedy: fmt.Sprintf("register the redirect address %s and the scopes for the client id at the provider", redirect),
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		c.AuthorizationURL(integration.AuthorizationRequest{State: "doctor", RedirectURI: redirect, Challenge: challenge}), nil)
	if err != nil {
		f.Err = err
		return f
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		f.Err = errors.Join(errors.New("the provider does not answer"), unaddressed(err))
		return f
	}
	defer response.Body.Close()
	to, err := url.Parse(response.Header.Get("Location"))
	if err != nil {
		f.Err = err
		return f
	}
	q := to.Query()
	explainer, explains := c.(integration.ConsentExplainer)
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		f.Err = fmt.Errorf("the provider answers %d; open the page of a consent in a browser to read why", response.StatusCode)
	case q.Get("error") != "" && explains:
		refusal := explainer.ConsentRefusal(q)
		f.Err = fmt.Errorf("%s: the provider says %q (code %s)", refusal.Reason, refusal.Provider.Message, refusal.Provider.Code)
	}
	return f
}

// unaddressed removes the address of a request from an error.
func unaddressed(err error) error {
	if in := new(url.Error); errors.As(err, &in) {
		return in.Err
	}
	return err
}

// providerWords adds the provider's own words to an error.
func providerWords(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Provider() == (fault.Provider{}) {
		return err
	}
	p := f.Provider()
	return fmt.Errorf("%s The provider says %q (code %q, request id %q)", f.Message, p.Message, p.Code, p.RequestID)
}

// checkIntegrations makes one read with each integration that is connected, at most mostChecked.
func (s *Service) checkIntegrations(ctx context.Context, code integration.Provider, c integration.Authorizer) []Finding {
	const mostChecked = 5
	connected, err := s.connected(ctx, code, mostChecked)
	f := Finding{Subject: "first read", Remedy: "connect an integration, then run this again"}
	switch {
	case err != nil:
		f.Err, f.Remedy = err, databaseFirst
		return []Finding{f}
	case len(connected) == 0:
		f.Warning = "no integration is connected, so nothing could be read"
		return []Finding{f}
	}
	var out []Finding
	for n := range connected {
		out = append(out, s.checkRead(ctx, c, &connected[n]), s.checkScopes(ctx, code, &connected[n]))
	}
	return out
}

// connected lists integrations with a grant, across organizations.
func (s *Service) connected(ctx context.Context, code integration.Provider, most int) (list []integration.Integration, err error) {
	err = s.store.Grants().EachForOperator(ctx, func(g integration.Grant) error {
		if g.Provider != code || len(list) >= most {
			return nil
		}
		found, err := s.store.Integrations().List(ctx, identity.Scope{OrganizationID: g.OrganizationID}, integration.Filter{GrantID: g.ID})
		if len(found) > 0 {
			list = append(list, found[0])
		}
		return err
	})
	return list, err
}

func (s *Service) checkRead(ctx context.Context, c integration.Authorizer, i *integration.Integration) Finding {
	f := Finding{Subject: "read of " + i.ID.String(), Remedy: "connect this integration again; if that fails too, follow the provider's words"}
	var read string
	err := s.Integrations.Tokens.With(ctx, i, false, func(ctx context.Context, a integration.Access) error {
		switch reader := c.(type) {
		case accounting.OrganizationReader:
			list, err := reader.Organizations(ctx, a)
			read = fmt.Sprintf("%d organization(s)", len(list))
			return err
		case docstore.Browser:
			list, err := reader.Sources(ctx, a)
			read = fmt.Sprintf("%d source(s)", len(list))
			return err
		}
		return errors.New("the connector can read nothing")
	})
	f.OK, f.Err = read, providerWords(err)
	return f
}

// checkScopes compares the granted scopes with those that docledger requests. A missing one makes one
// capability unavailable, such as attachments.
func (s *Service) checkScopes(ctx context.Context, code integration.Provider, i *integration.Integration) Finding {
	f := Finding{
		Subject: "scopes of " + i.ID.String(), OK: "all granted",
		Remedy: "add the scopes to the application at the provider, then connect this integration again",
	}
	g, err := s.store.Grants().Get(ctx, i.OrganizationID, i.GrantID)
	if err != nil {
		f.Err = err
		return f
	}
	requested := s.cfg.Providers[string(code)].Scopes
	if len(requested) == 0 {
		requested = Catalog(s.registered).Find(code).Scopes
	}
	var missing []string
	for _, scope := range requested {
		// Providers list neither the scopes of sign-in nor offline access among the granted ones.
		if len(g.Tokens.Scopes) > 0 && !slices.Contains([]string{"openid", "profile", "email", "offline_access"}, scope) &&
			!slices.Contains(g.Tokens.Scopes, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) > 0 {
		f.Warning = "not granted: " + strings.Join(missing, ", ")
	}
	return f
}
