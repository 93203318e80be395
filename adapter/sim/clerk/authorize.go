package clerk

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

const (
	shortestState                 = 8 // minimum length of state, unless there is a code challenge
	sessionCookie browser.Session = "__session_simulated"
)

// authorization is a request to /oauth/authorize (RFC 6749, 4.1.1).
type authorization struct {
	client       *Client
	redirectURI  string
	scopes       []string
	state        string
	challenge    string
	nonce        string
	organization string // requested by the request
	formPost     bool
	prompt       string
	query        url.Values // as received
}

// denial is an error of an authorization request (RFC 6749, 4.1.2.1).
type denial struct{ code, description string }

// readAuthorization returns the request. page is the error page if a redirect is impossible;
// denied is the error for the redirect. The caller holds the lock.
func (s *Server) readAuthorization(q url.Values) (a *authorization, page string, denied *denial) {
	a = &authorization{
		client: s.store.client(q.Get("client_id")), redirectURI: q.Get("redirect_uri"), state: q.Get("state"),
		challenge: q.Get("code_challenge"), nonce: q.Get("nonce"), organization: q.Get("organization_id"),
		formPost: q.Get("response_mode") == "form_post", prompt: q.Get("prompt"), query: q,
	}
	switch {
	case a.client == nil:
		return nil, "No OAuth client has this client_id.", nil
	case !a.client.accepts(a.redirectURI):
		return nil, "The redirect_uri is not one of the client's.", nil
	}
	scope := q.Get("scope")
	if scope == "" {
		scope = defaultScopes
	}
	a.scopes = strings.Fields(scope)
	return a, "", a.check(q)
}

func (a *authorization) check(q url.Values) *denial {
	switch {
	case q.Get("response_type") != "code":
		return &denial{"unsupported_response_type", "response_type must be code."}
	case a.challenge == "" && a.client.public():
		return &denial{"invalid_request", "A public client must send a code_challenge."}
	case a.challenge != "" && q.Get("code_challenge_method") != "S256":
		return &denial{"invalid_request", "code_challenge_method must be S256."}
	case a.challenge == "" && len(a.state) < shortestState:
		return &denial{"invalid_request", "state must have at least 8 characters."}
	case slices.ContainsFunc(a.scopes, func(s string) bool { return !slices.Contains(knownScopes, s) }):
		return &denial{"invalid_scope", "A scope is not known."}
	case !slices.Contains([]string{"", "none", "login", "consent"}, a.prompt):
		return &denial{"invalid_request", "prompt must be none, login or consent."}
	}
	return nil
}

// accepts reports whether the client may receive a response at an address.
func (c *Client) accepts(redirectURI string) bool {
	if slices.Contains(c.RedirectURIs, redirectURI) {
		return true
	}
	u, err := url.Parse(redirectURI)
	if err != nil || u.Scheme != "http" || !loopback(u.Hostname()) || u.Fragment != "" || u.User != nil {
		return false
	}
	if c.LoopbackRedirects {
		return true
	}
	// The port is ignored for addresses of IPv4 and IPv6 only, never for localhost. Source: ory/fosite,
	// authorize_helper.go, and reports on the vendor's own behaviour.
	if u.Hostname() == "localhost" {
		return false
	}
	withoutPort := *u
	withoutPort.Host = u.Hostname()
	if strings.Contains(withoutPort.Host, ":") {
		withoutPort.Host = "[" + withoutPort.Host + "]"
	}
	return slices.Contains(c.RedirectURIs, withoutPort.String())
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// authorize is the authorization endpoint. It redirects to the client, the sign-in page or the
// consent page, or shows an error page.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.errorPage(w, http.StatusBadRequest, "The request cannot be read.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, page, denied := s.readAuthorization(r.Form)
	who := s.sessionOf(r)
	switch {
	case page != "":
		s.errorPage(w, http.StatusBadRequest, page)
	case denied != nil:
		s.deny(w, r, a, denied)
	case s.settings.AutoApprove:
		s.approveAtOnce(w, r, a, who)
	case who == nil && a.prompt == "none":
		s.deny(w, r, a, &denial{"login_required", "No user is signed in."})
	case a.prompt == "none":
		s.deny(w, r, a, &denial{"consent_required", "The person must be asked."})
	case who == nil:
		http.Redirect(w, r, "/sign-in?"+url.Values{"redirect_url": {"/oauth/authorize?" + a.query.Encode()}}.Encode(), http.StatusFound)
	case s.settings.SignInURL != "":
		consent := s.options.Origin + "/oauth-consent?" + a.query.Encode()
		http.Redirect(w, r, s.settings.SignInURL+"?"+url.Values{"redirect_url": {consent}}.Encode(), http.StatusFound)
	default:
		http.Redirect(w, r, "/oauth-consent?"+a.query.Encode(), http.StatusFound)
	}
}

// approveAtOnce consents as the signed-in user, or else as the first user. It selects the
// requested organization, the active one, or the user's first one.
func (s *Server) approveAtOnce(w http.ResponseWriter, r *http.Request, a *authorization, who *session) {
	g := &grant{client: a.client.ID, scopes: a.scopes, organization: a.organization}
	switch {
	case who != nil:
		g.user = who.user
		if g.organization == "" {
			g.organization = who.organization
		}
	case len(s.store.users) > 0:
		g.user = s.store.users[0].ID
	default:
		s.deny(w, r, a, &denial{"access_denied", "No user exists who could consent."})
		return
	}
	places := s.store.membershipsOf(func(m *Membership) bool { return m.UserID == g.user })
	if g.organization == "" && len(places) > 0 {
		g.organization = places[len(places)-1].OrganizationID
	}
	s.approve(w, r, a, g)
}

// approve sends the client a code. It refuses an organization of which the user is not a member.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, a *authorization, g *grant) {
	if g.organization != "" && s.store.membership(g.user, g.organization) == nil {
		s.deny(w, r, a, &denial{"access_denied", "The person does not belong to the organization."})
		return
	}
	c := &code{
		value: newID("code"), redirectURI: a.redirectURI, challenge: a.challenge, nonce: a.nonce,
		expires: s.Kit.Clock.Now().Add(s.limits.CodeLifetime), grant: g,
	}
	s.store.codes[c.value] = c
	s.reply(w, r, a, url.Values{"code": {c.value}})
}

func (s *Server) deny(w http.ResponseWriter, r *http.Request, a *authorization, d *denial) {
	s.reply(w, r, a, url.Values{"error": {d.code}, "error_description": {d.description}})
}

// reply redirects the browser to the client.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, a *authorization, with url.Values) {
	if a.state != "" {
		with.Set("state", a.state)
	}
	if !s.settings.OmitIssuer {
		with.Set("iss", s.options.Origin)
	}
	if a.formPost {
		s.formPost(w, a.redirectURI, with)
		return
	}
	browser.Redirect(w, r, browser.Reply(a.redirectURI, with))
}

// sessionOf returns the session of this browser. The caller holds the lock.
func (s *Server) sessionOf(r *http.Request) *session {
	id, secret, _ := strings.Cut(sessionCookie.Value(r), ".")
	who := s.store.sessions[id]
	if who == nil || who.secret == "" || who.secret != secret || s.store.user(who.user) == nil {
		return nil
	}
	return who
}
