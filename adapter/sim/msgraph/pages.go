package msgraph

import (
	"cmp"
	"embed"
	"net/http"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

//go:embed pages.html
var pageFiles embed.FS

var pages = browser.NewPages(pageFiles, "document store")

// pageRoutes adds the pages for people.
func (s *Server) pageRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+loginPath, s.loginPage)
	mux.HandleFunc("POST "+loginPath, s.login)
	mux.HandleFunc("GET "+consentPath, s.consentPage)
	mux.HandleFunc("POST "+consentPath, s.consent)
}

// page is the data of the templates.
type page struct {
	Title, Problem, Return, Client, Person string
	People, Scopes                         []string
	Hidden                                 map[string]string
}

func errorPage(w http.ResponseWriter, status int, problem string) {
	pages.Error(w, status, "Sign-in failed", problem)
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showLogin(w, http.StatusOK, r.URL.Query().Get("return_url"), "")
}

func (s *Server) showLogin(w http.ResponseWriter, status int, back, problem string) {
	p := page{Title: "Sign in", Return: back, Problem: problem}
	for _, u := range s.identity.users {
		p.People = append(p.People, u.Email)
	}
	pages.Show(w, status, "login", p)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	back, email := r.FormValue("return_url"), strings.TrimSpace(r.FormValue("email"))
	s.mu.Lock()
	defer s.mu.Unlock()
	user := find(s.identity.users, func(u *User) bool { return strings.EqualFold(u.Email, email) })
	switch {
	case user == nil || user.Password == "" || user.Password != r.FormValue("password"):
		s.showLogin(w, http.StatusUnauthorized, back, "Your account or password is incorrect.")
		return
	case !strings.HasPrefix(back, consentPath+"?"):
		errorPage(w, http.StatusBadRequest, "The page to return to is unknown. Start again in the application.")
		return
	}
	secret := newSecret()
	s.identity.sessions[secret] = user.ID
	sessionCookie.Start(w, r, secret)
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (s *Server) consentPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(r.URL.Query())
	who := s.signedIn(r)
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case who == nil:
		toLogin(w, r, r.URL.RequestURI())
	default:
		showConsent(w, r, a, who)
	}
}

// repeated are the parameters that the consent form carries along.
var repeated = []string{
	"response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
}

func showConsent(w http.ResponseWriter, r *http.Request, a *authorization, who *User) {
	hidden := browser.Hidden(a.query, repeated...)
	hidden["csrf"] = sessionCookie.Proof(r)
	pages.Show(w, http.StatusOK, "consent", page{
		Title: "Permissions requested", Client: cmp.Or(a.client.Name, a.client.ID), Person: who.Email, Scopes: a.scopes, Hidden: hidden,
	})
}

func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		errorPage(w, http.StatusBadRequest, "The form cannot be read.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(r.PostForm)
	who := s.signedIn(r)
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case who == nil || r.PostForm.Get("csrf") != sessionCookie.Proof(r):
		errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
	default:
		s.reply(w, r, a, s.decide(a, who, r.PostForm.Get("consented") == "true"))
	}
}
