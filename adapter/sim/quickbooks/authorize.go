package quickbooks

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

const sessionCookie browser.Session = "simulated_books"

// authorization is a request to /connect/oauth2.
type authorization struct {
	client      *Client
	redirectURI string
	scopes      []string
	state       string
	nonce       string
	query       url.Values // as received
}

// readAuthorization returns the request or its error. As at the provider, an error page shows the
// error and there is no redirect. The caller holds the lock.
func (s *Server) readAuthorization(q url.Values) (a *authorization, problem string) {
	a = &authorization{
		client: s.identity.client(q.Get("client_id")), redirectURI: q.Get("redirect_uri"), state: q.Get("state"),
		scopes: strings.Fields(q.Get("scope")), nonce: q.Get("nonce"), query: q,
	}
	known := knownScopes()
	switch {
	case a.client == nil:
		return nil, "The client_id is not that of an application."
	case !a.client.accepts(a.redirectURI):
		return nil, "The redirect_uri query parameter value is invalid. It is not among the application's redirect URIs."
	case q.Get("response_type") != "code":
		return nil, "The response_type query parameter must be code."
	case a.state == "":
		return nil, "The state query parameter is missing."
	case len(a.scopes) == 0 || slices.ContainsFunc(a.scopes, func(s string) bool { return !slices.Contains(known, s) }):
		return nil, "The scope query parameter is missing or holds a scope that does not exist."
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
		http.Redirect(w, r, "/app/sign-in?"+url.Values{"return_url": {r.URL.RequestURI()}}.Encode(), http.StatusFound)
	default:
		http.Redirect(w, r, "/app/connect?"+a.query.Encode(), http.StatusFound)
	}
}

// approveAtOnce consents as the signed-in user, or else as the first user.
func (s *Server) approveAtOnce(w http.ResponseWriter, r *http.Request, a *authorization, who *User) {
	if who == nil && len(s.identity.users) > 0 {
		who = s.identity.users[0]
	}
	chosen := s.settings.AutoCompany
	if theirs := s.companiesOf(who); chosen == "" && len(theirs) > 0 {
		chosen = theirs[0]
	}
	s.approve(w, r, a, who, chosen)
}

// companiesOf lists the companies that a user may connect. The caller holds the lock.
func (s *Server) companiesOf(u *User) (out []string) {
	for _, realm := range s.order {
		if u != nil && (u.Companies == nil || slices.Contains(u.Companies, realm)) {
			out = append(out, realm)
		}
	}
	return out
}

// approve sends the application the response for a user who selected a company.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, a *authorization, who *User, realm string) {
	browser.Redirect(w, r, a.back(s.decide(a, who, realm)))
}

// decide returns the response for the application: a code for the selected company, or
// access_denied if the user selected none or a company of others. Only this response contains the
// company's id. The caller holds the lock.
func (s *Server) decide(a *authorization, who *User, realm string) url.Values {
	if !slices.Contains(s.companiesOf(who), realm) {
		return url.Values{"error": {"access_denied"}}
	}
	now := s.Kit.Clock.Now()
	g := &grant{client: a.client.ID, user: who.ID, realm: realm, scopes: a.scopes, given: now}
	value := newSecret("XAB")
	s.identity.codes[value] = &code{
		redirectURI: a.redirectURI, nonce: a.nonce, expires: now.Add(s.limits.CodeLifetime), grant: g,
	}
	return url.Values{"code": {value}, "realmId": {realm}}
}

// back is the application's address with a response.
func (a *authorization) back(with url.Values) string {
	with.Set("state", a.state)
	return browser.Reply(a.redirectURI, with)
}

// Consent answers an authorization URL as the first user would: it selects a company and
// consents, or declines if no company is given. It selects the first of several companies,
// because a consent covers one. It returns the address to which the browser is redirected.
func (s *Server) Consent(authorizationURL string, realms ...string) (string, error) {
	u, err := url.Parse(authorizationURL)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(u.Query())
	if problem != "" {
		return "", errors.New(problem)
	}
	return a.back(s.decide(a, s.identity.users[0], append(realms, "")[0])), nil
}

// signedIn returns the signed-in user of this browser. The caller holds the lock.
func (s *Server) signedIn(r *http.Request) *User {
	return s.identity.user(s.identity.sessions[sessionCookie.Value(r)])
}
