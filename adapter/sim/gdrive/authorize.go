package gdrive

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

// sessionCookie identifies a signed-in browser.
const sessionCookie browser.Session = "simulated_store"

// authorization is a request to the consent page.
type authorization struct {
	client *Client
	scopes []string
	query  url.Values // as received
}

// readAuthorization returns the request or its error. As at the provider, an error page shows the
// error and there is no redirect. The caller holds the lock.
func (s *Server) readAuthorization(q url.Values) (a *authorization, problem string) {
	a = &authorization{client: s.identity.client(q.Get("client_id")), scopes: strings.Fields(q.Get("scope")), query: q}
	known := knownScopes()
	method := q.Get("code_challenge_method")
	switch {
	case a.client == nil:
		return nil, "Error 401: invalid_client. The OAuth client was not found."
	case !a.client.accepts(q.Get("redirect_uri")):
		return nil, "Error 400: redirect_uri_mismatch. The address is not registered for the application."
	case q.Get("response_type") != "code":
		return nil, "Error 400: invalid_request. The response_type must be code."
	case len(a.scopes) == 0:
		return nil, "Error 400: invalid_request. Missing required parameter: scope."
	case slices.ContainsFunc(a.scopes, func(s string) bool { return !slices.Contains(known, s) }):
		return nil, "Error 400: invalid_scope. Some requested scopes were invalid."
	case !slices.Contains([]string{"", "online", "offline"}, q.Get("access_type")):
		return nil, "Error 400: invalid_request. The access_type must be online or offline."
	case q.Has("code_challenge") && !slices.Contains([]string{"", "plain", "S256"}, method):
		return nil, "Error 400: invalid_request. The code_challenge_method must be plain or S256."
	}
	return a, ""
}

// authorize is the authorization endpoint. It redirects to the application, the sign-in page or
// the consent page, or shows an error page.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(r.URL.Query())
	if problem != "" {
		errorPage(w, http.StatusBadRequest, problem)
		return
	}
	who := s.signedIn(r)
	if s.settings.AutoApprove && who == nil {
		who = s.identity.users[0]
	}
	switch {
	case who == nil:
		http.Redirect(w, r, "/signin?"+url.Values{"continue": {r.URL.RequestURI()}}.Encode(), http.StatusFound)
	case s.settings.AutoApprove || s.alreadyGiven(a, who):
		browser.Redirect(w, r, a.back(s.approve(a, who, a.scopes)))
	default:
		http.Redirect(w, r, "/consent?"+a.query.Encode(), http.StatusFound)
	}
}

// alreadyGiven reports that no consent page is needed: the user consented to all scopes before,
// and the application does not request a new consent. The caller holds the lock.
func (s *Server) alreadyGiven(a *authorization, who *User) bool {
	c := s.identity.consented(a.client.ID, who.ID)
	if c == nil || a.asks("consent") {
		return false
	}
	return !slices.ContainsFunc(a.scopes, func(scope string) bool { return !slices.Contains(c.scopes, scope) })
}

// asks reports whether prompt contains a word.
func (a *authorization) asks(prompt string) bool {
	return slices.Contains(strings.Fields(a.query.Get("prompt")), prompt)
}

// approve returns the response for the application after a user granted scopes: a code. A refresh
// token comes with it only for offline access, and only at the first consent or if the
// application requested a new consent. The caller holds the lock.
func (s *Server) approve(a *authorization, who *User, scopes []string) url.Values {
	c := s.identity.consented(a.client.ID, who.ID)
	offline := a.query.Get("access_type") == "offline" && (c == nil || a.asks("consent"))
	if c == nil {
		c = &consent{client: a.client.ID, user: who.ID}
		s.identity.consents = append(s.identity.consents, c)
	}
	granted := slices.Clone(scopes)
	if a.query.Get("include_granted_scopes") == "true" {
		granted = append(granted, c.scopes...)
	}
	c.scopes = unique(append(c.scopes, scopes...))
	value := newSecret("4/0A")
	s.identity.codes[value] = &code{
		client: a.client.ID, user: who.ID, redirectURI: a.query.Get("redirect_uri"), nonce: a.query.Get("nonce"),
		challenge: a.query.Get("code_challenge"), method: a.query.Get("code_challenge_method"),
		scopes: unique(granted), offline: offline, expires: s.Kit.Clock.Now().Add(s.limits.CodeLifetime),
	}
	return url.Values{"code": {value}, "scope": {strings.Join(unique(granted), " ")}, "authuser": {"0"}}
}

// declined is the response for the application after a user declined.
func declined() url.Values { return url.Values{"error": {"access_denied"}} }

// unique sorts names and removes duplicates.
func unique(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}

// back is the application's address with a response.
func (a *authorization) back(with url.Values) string {
	if a.query.Has("state") {
		with.Set("state", a.query.Get("state"))
	}
	return browser.Reply(a.query.Get("redirect_uri"), with)
}

// Consent answers an authorization URL as the first user would, and grants the named scopes, or
// all requested scopes if none is named. It returns the address to which the browser is
// redirected.
func (s *Server) Consent(authorizationURL string, scopes ...string) (string, error) {
	return s.answer(authorizationURL, func(a *authorization) url.Values {
		if len(scopes) == 0 {
			scopes = a.scopes
		}
		return s.approve(a, s.identity.users[0], scopes)
	})
}

// Decline answers an authorization URL as the first user who declines.
func (s *Server) Decline(authorizationURL string) (string, error) {
	return s.answer(authorizationURL, func(*authorization) url.Values { return declined() })
}

func (s *Server) answer(authorizationURL string, do func(*authorization) url.Values) (string, error) {
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
	return a.back(do(a)), nil
}

// signedIn returns the signed-in user of this browser. The caller holds the lock.
func (s *Server) signedIn(r *http.Request) *User {
	return s.identity.user(s.identity.sessions[sessionCookie.Value(r)])
}
