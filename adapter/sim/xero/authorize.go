package xero

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/browser"

	"github.com/google/uuid"
)

const sessionCookie browser.Session = "simulated_ledger"

// authorization is a request to /identity/connect/authorize.
type authorization struct {
	client      *Client
	redirectURI string
	scopes      []string
	state       string
	challenge   string
	nonce       string
	query       url.Values // as received
}

// readAuthorization returns the request or its error. As at the provider, an error page shows the
// error and there is no redirect. The caller holds the lock.
func (s *Server) readAuthorization(q url.Values) (a *authorization, problem string) {
	a = &authorization{
		client: s.identity.client(q.Get("client_id")), redirectURI: q.Get("redirect_uri"), state: q.Get("state"),
		scopes: strings.Fields(q.Get("scope")), challenge: q.Get("code_challenge"), nonce: q.Get("nonce"), query: q,
	}
	known := knownScopes()
	switch {
	case a.client == nil:
		return nil, "Error: unauthorized_client. Unknown client or client not enabled."
	case !a.client.accepts(a.redirectURI):
		return nil, "Error: unauthorized_client. Invalid redirect_uri."
	case q.Get("response_type") != "code":
		return nil, "Error: unsupported_response_type."
	case len(a.scopes) == 0 || slices.ContainsFunc(a.scopes, func(s string) bool { return !slices.Contains(known, s) }):
		return nil, "Error: invalid_scope."
	case a.challenge == "" && a.client.Secret == "":
		return nil, "Error: invalid_request. Code challenge required."
	case a.challenge != "" && q.Get("code_challenge_method") != "S256":
		return nil, "Error: invalid_request. Transform algorithm not supported."
	}
	return a, ""
}

// authorize is the authorization endpoint. It redirects to the application, the sign-in page or
// the consent page, or shows an error page.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(r.URL.Query())
	who := s.signedIn(r)
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case s.settings.AutoApprove:
		s.approveAtOnce(w, r, a, who)
	case who == nil:
		http.Redirect(w, r, "/identity/user/login?"+url.Values{"return_url": {r.URL.RequestURI()}}.Encode(), http.StatusFound)
	default:
		http.Redirect(w, r, "/authorize/consent?"+a.query.Encode(), http.StatusFound)
	}
}

// approveAtOnce consents as the signed-in user, or else as the first user.
func (s *Server) approveAtOnce(w http.ResponseWriter, r *http.Request, a *authorization, who *User) {
	if who == nil && len(s.identity.users) > 0 {
		who = s.identity.users[0]
	}
	if who == nil {
		s.deny(w, r, a)
		return
	}
	chosen := s.settings.AutoOrganizations
	if len(chosen) == 0 {
		chosen = s.tenantsOf(who)
	}
	s.approve(w, r, a, who, chosen)
}

// tenantsOf lists the organizations that a user may connect. The caller holds the lock.
func (s *Server) tenantsOf(u *User) (out []string) {
	for _, tenant := range s.order {
		if u.Organizations == nil || slices.Contains(u.Organizations, tenant) {
			out = append(out, tenant)
		}
	}
	return out
}

// approve sends the application the response of decide.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, a *authorization, who *User, chosen []string) {
	s.reply(w, r, a, s.decide(a, who, chosen))
}

// decide connects the selected organizations and returns the response for the application: a
// code. It refuses organizations of other users, and an empty selection.
func (s *Server) decide(a *authorization, who *User, chosen []string) url.Values {
	theirs := s.tenantsOf(who)
	if len(chosen) == 0 || slices.ContainsFunc(chosen, func(tenant string) bool { return !slices.Contains(theirs, tenant) }) {
		return denied()
	}
	now := s.Kit.Clock.Now()
	g := &grant{client: a.client.ID, user: who.ID, event: uuid.NewString(), scopes: a.scopes}
	for _, tenant := range chosen {
		s.identity.connect(g, tenant, now)
	}
	value := newSecret()
	s.identity.codes[value] = &code{
		redirectURI: a.redirectURI, challenge: a.challenge, nonce: a.nonce, expires: now.Add(s.limits.CodeLifetime), grant: g,
	}
	return url.Values{"code": {value}, "scope": {strings.Join(a.scopes, " ")}}
}

func denied() url.Values {
	return url.Values{"error": {"access_denied"}, "error_description": {"The user denied the request."}}
}

func (s *Server) deny(w http.ResponseWriter, r *http.Request, a *authorization) {
	s.reply(w, r, a, denied())
}

// reply redirects the browser to the application.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, a *authorization, with url.Values) {
	browser.Redirect(w, r, a.back(with))
}

// back is the redirect target.
func (a *authorization) back(with url.Values) string {
	if a.state != "" {
		with.Set("state", a.state)
	}
	return browser.Reply(a.redirectURI, with)
}

// Consent answers an authorization URL as the first user would: it selects organizations and
// consents, or declines if none is given. It returns the address to which the browser is
// redirected.
func (s *Server) Consent(authorizationURL string, organizations ...string) (string, error) {
	u, err := url.Parse(authorizationURL)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(u.Query())
	switch {
	case problem != "":
		return "", errors.New(problem)
	case len(s.identity.users) == 0:
		return "", errors.New("no user exists who could consent")
	}
	return a.back(s.decide(a, s.identity.users[0], organizations)), nil
}

// signedIn returns the signed-in user of this browser. The caller holds the lock.
func (s *Server) signedIn(r *http.Request) *User {
	return s.identity.user(s.identity.sessions[sessionCookie.Value(r)])
}
