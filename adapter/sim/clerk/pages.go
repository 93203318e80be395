package clerk

import (
	"crypto/rand"
	"embed"
	"net/http"
	"net/url"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

//go:embed pages.html
var pageFiles embed.FS

var pages = browser.NewPages(pageFiles, "identity provider")

// pages adds the pages for people.
func (s *Server) pages(mux *http.ServeMux) {
	mux.HandleFunc("GET /oauth/authorize", s.authorize)
	mux.HandleFunc("POST /oauth/authorize", s.authorize)
	mux.HandleFunc("GET /sign-in", s.signInPage)
	mux.HandleFunc("POST /sign-in", s.signIn)
	mux.HandleFunc("GET /oauth-consent", s.consentPage)
	mux.HandleFunc("POST /oauth-consent", s.consent)
	mux.HandleFunc("GET /organizations", s.organizationsPage)
	mux.HandleFunc("POST /organizations", s.chooseOrganization)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/organizations", http.StatusFound)
	})
}

// option is an organization in a selection list.
type option struct {
	ID, Name string
	Chosen   bool
}

// page is the data of the templates.
type page struct {
	Title, Problem, Redirect, Client, Person, Secret, Action string
	People, Scopes                                           []string
	Organizations                                            []option
	NoneChosen                                               bool
	Hidden                                                   map[string]string
}

func (s *Server) errorPage(w http.ResponseWriter, status int, problem string) {
	pages.Error(w, status, "This cannot go on", problem)
}

func (s *Server) formPost(w http.ResponseWriter, action string, with url.Values) {
	pages.Show(w, http.StatusOK, "form-post", page{Action: action, Hidden: flat(with)})
}

func flat(values url.Values) map[string]string {
	out := map[string]string{}
	for name := range values {
		out[name] = values.Get(name)
	}
	return out
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showSignIn(w, http.StatusOK, r.URL.Query().Get("redirect_url"), "")
}

func (s *Server) showSignIn(w http.ResponseWriter, status int, redirect, problem string) {
	p := page{Title: "Sign in", Redirect: redirect, Problem: problem}
	for _, u := range s.store.users {
		p.People = append(p.People, u.Email)
	}
	pages.Show(w, status, "sign-in", p)
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	redirect := r.FormValue("redirect_url")
	s.mu.Lock()
	defer s.mu.Unlock()
	user := s.store.userByEmail(strings.TrimSpace(r.FormValue("email")))
	if user == nil || user.Password == "" || user.Banned || user.Password != r.FormValue("password") {
		s.showSignIn(w, http.StatusUnauthorized, redirect, "The address or the password is wrong.")
		return
	}
	opened := &session{id: newID("sess"), user: user.ID, secret: rand.Text()}
	if places := s.store.membershipsOf(func(m *Membership) bool { return m.UserID == user.ID }); len(places) > 0 {
		opened.organization = places[len(places)-1].OrganizationID
	}
	s.store.sessions[opened.id] = opened
	sessionCookie.Start(w, r, opened.id+"."+opened.secret)
	if !strings.HasPrefix(redirect, "/") || strings.HasPrefix(redirect, "//") || strings.Contains(redirect, `\`) {
		redirect = "/organizations"
	}
	http.Redirect(w, r, redirect, http.StatusSeeOther)
}

// toSignIn redirects a signed-out browser to the sign-in page, which returns it here.
func toSignIn(w http.ResponseWriter, r *http.Request, back string) {
	http.Redirect(w, r, "/sign-in?"+url.Values{"redirect_url": {back}}.Encode(), http.StatusSeeOther)
}

func (s *Server) consentPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem, denied := s.readAuthorization(r.URL.Query())
	who := s.sessionOf(r)
	switch {
	case problem != "":
		s.errorPage(w, http.StatusBadRequest, problem)
		return
	case denied != nil:
		s.deny(w, r, a, denied)
		return
	case who == nil:
		toSignIn(w, r, r.URL.RequestURI())
		return
	}
	hidden := flat(a.query)
	delete(hidden, "organization_id")
	hidden["csrf"] = who.secret
	chosen := who.organization
	if a.organization != "" {
		chosen = a.organization
	}
	p := page{
		Title: "Allow access?", Client: a.client.Name, Person: s.store.user(who.user).Email,
		Scopes: a.scopes, Hidden: hidden, Organizations: s.choices(who.user, chosen), NoneChosen: chosen == "",
	}
	if p.Client == "" {
		p.Client = a.client.ID
	}
	pages.Show(w, http.StatusOK, "consent", p)
}

// choices lists a user's organizations.
func (s *Server) choices(user, chosen string) []option {
	var out []option
	for _, m := range s.store.membershipsOf(func(m *Membership) bool { return m.UserID == user }) {
		if o := s.store.organization(m.OrganizationID); o != nil {
			out = append(out, option{o.ID, o.Name, o.ID == chosen})
		}
	}
	return out
}

func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.errorPage(w, http.StatusBadRequest, "The form cannot be read.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem, denied := s.readAuthorization(r.PostForm)
	who := s.sessionOf(r)
	switch {
	case problem != "":
		s.errorPage(w, http.StatusBadRequest, problem)
	case denied != nil:
		s.deny(w, r, a, denied)
	case who == nil || r.PostForm.Get("csrf") != who.secret:
		s.errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
	case r.PostForm.Get("consented") != "true":
		s.deny(w, r, a, &denial{"access_denied", "The person did not consent."})
	default:
		s.approve(w, r, a, &grant{client: a.client.ID, user: who.user, organization: a.organization, scopes: a.scopes})
	}
}

func (s *Server) organizationsPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := s.sessionOf(r)
	if who == nil {
		toSignIn(w, r, "/organizations")
		return
	}
	pages.Show(w, http.StatusOK, "organizations", page{
		Title: "Organizations", Person: s.store.user(who.user).Email, Secret: who.secret,
		Organizations: s.choices(who.user, who.organization), NoneChosen: who.organization == "",
	})
}

func (s *Server) chooseOrganization(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who := s.sessionOf(r)
	if who == nil || r.FormValue("csrf") != who.secret {
		s.errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
		return
	}
	if r.FormValue("sign_out") == "true" {
		delete(s.store.sessions, who.id)
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return
	}
	chosen := r.FormValue("organization_id")
	if chosen != "" && s.store.membership(who.user, chosen) == nil {
		s.errorPage(w, http.StatusForbidden, "You do not belong to this organization.")
		return
	}
	who.organization = chosen
	http.Redirect(w, r, "/organizations", http.StatusSeeOther)
}
