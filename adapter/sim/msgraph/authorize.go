package msgraph

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

const (
	consentPath    = "/oauth/consent"
	loginPath      = "/oauth/login"
	graphScopeHost = "https://graph.microsoft.com/"
)

// knownScopes are the supported permissions. The permissions of the API also have a full name.
var knownScopes = []string{
	"openid", "profile", "email", "offline_access", "User.Read", "Sites.Read.All", "Sites.ReadWrite.All",
	"Files.Read", "Files.Read.All", "Files.ReadWrite.All",
}

// readScopes returns the permissions of a request. It returns ok = false if there are none or one
// is unknown.
func readScopes(text string) (scopes []string, ok bool) {
	for _, name := range strings.Fields(text) {
		name = strings.TrimPrefix(name, graphScopeHost)
		at := slices.IndexFunc(knownScopes, func(known string) bool { return strings.EqualFold(known, name) })
		if at < 0 {
			return nil, false
		}
		scopes = append(scopes, knownScopes[at])
	}
	return scopes, len(scopes) > 0
}

// authorization is a request to the authorization endpoint.
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
		challenge: q.Get("code_challenge"), nonce: q.Get("nonce"), query: q,
	}
	scopes, known := readScopes(q.Get("scope"))
	a.scopes = scopes
	switch {
	case a.client == nil:
		return nil, "AADSTS700016: Application was not found in the directory."
	case !a.client.accepts(a.redirectURI):
		return nil, "AADSTS50011: The redirect URI specified in the request does not match the redirect URIs configured for the application."
	case q.Get("response_type") != "code":
		return nil, "AADSTS70005: The response type is not supported for the application."
	case q.Get("scope") == "":
		return nil, "AADSTS900144: The request body must contain the following parameter: 'scope'."
	case !known:
		return nil, "AADSTS650053: The application asked for a scope that doesn't exist on the resource."
	case q.Get("response_mode") != "" && q.Get("response_mode") != "query":
		return nil, "AADSTS70007: The response mode is not supported here."
	case a.challenge != "" && q.Get("code_challenge_method") != "S256":
		return nil, "AADSTS501491: The code_challenge_method must be S256."
	}
	return a, ""
}

// authorize is the authorization endpoint. It redirects to the application, the sign-in page or
// the consent page, or shows an error page.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(r.URL.Query())
	if tenant := r.PathValue("tenant"); !s.knows(tenant) {
		problem = "AADSTS90002: Tenant '" + tenant + "' not found."
	}
	who := s.signedIn(r)
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case s.settings.AutoApprove:
		if who == nil && len(s.identity.users) > 0 {
			who = s.identity.users[0]
		}
		s.reply(w, r, a, s.decide(a, who, true))
	case who == nil:
		toLogin(w, r, consentPath+"?"+a.query.Encode())
	default:
		http.Redirect(w, r, consentPath+"?"+a.query.Encode(), http.StatusFound)
	}
}

// toLogin redirects the browser to the sign-in page, which returns it here.
func toLogin(w http.ResponseWriter, r *http.Request, then string) {
	http.Redirect(w, r, loginPath+"?"+url.Values{"return_url": {then}}.Encode(), http.StatusFound)
}

// decide returns the response for the application: a code, or access_denied.
func (s *Server) decide(a *authorization, who *User, agreed bool) url.Values {
	if who == nil || !agreed {
		return url.Values{
			"error":             {"access_denied"},
			"error_description": {"AADSTS65004: User declined to consent to access the app."},
		}
	}
	value := "1." + newSecret()
	s.identity.codes[value] = &code{
		redirectURI: a.redirectURI, challenge: a.challenge, nonce: a.nonce, expires: s.Kit.Clock.Now().Add(s.limits.CodeLifetime),
		grant: &grant{client: a.client.ID, user: who.ID, scopes: a.scopes},
	}
	return url.Values{"code": {value}, "session_state": {newSecret()[:32]}}
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

// Consent answers an authorization URL as the first user would: with consent or with refusal. It
// returns the address to which the browser is redirected.
func (s *Server) Consent(authorizationURL string, agreed bool) (string, error) {
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
	return a.back(s.decide(a, s.identity.users[0], agreed)), nil
}

// signedIn returns the signed-in user of this browser. The caller holds the lock.
func (s *Server) signedIn(r *http.Request) *User {
	return s.identity.user(s.identity.sessions[sessionCookie.Value(r)])
}
