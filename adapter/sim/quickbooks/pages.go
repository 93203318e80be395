package quickbooks

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

//go:embed pages.html
var pageFiles embed.FS

var pages = browser.NewPages(pageFiles, "accounting provider")

// pageRoutes adds the pages for people.
func (s *Server) pageRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /app/sign-in", s.loginPage)
	mux.HandleFunc("POST /app/sign-in", s.login)
	mux.HandleFunc("GET /app/connect", s.consentPage)
	mux.HandleFunc("POST /app/connect", s.consent)
}

// option is a company in a selection list.
type option struct{ ID, Name string }

// page is the data of the templates.
type page struct {
	Title, Problem, Return, Client, Person string
	People, Scopes                         []string
	Companies                              []option
	Hidden                                 map[string]string
}

func errorPage(w http.ResponseWriter, status int, problem string) {
	pages.Error(w, status, "Sorry, something went wrong", problem)
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
	back := r.FormValue("return_url")
	email, password := strings.TrimSpace(r.FormValue("email")), r.FormValue("password")
	s.mu.Lock()
	defer s.mu.Unlock()
	user := find(s.identity.users, func(u *User) bool { return strings.EqualFold(u.Email, email) })
	switch {
	case user == nil || user.Password == "" || user.Password != password:
		s.showLogin(w, http.StatusUnauthorized, back, "Your email or password is incorrect.")
		return
	case !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.Contains(back, `\`):
		errorPage(w, http.StatusBadRequest, "The page to return to is unknown. Start again in the application.")
		return
	}
	secret := newSecret("")
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
		http.Redirect(w, r, "/app/sign-in?"+url.Values{"return_url": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	default:
		s.showConsent(w, r, a, who, http.StatusOK, "")
	}
}

func (s *Server) showConsent(w http.ResponseWriter, r *http.Request, a *authorization, who *User, status int, problem string) {
	hidden := browser.Hidden(a.query,
		"response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
	)
	hidden["csrf"] = sessionCookie.Proof(r)
	p := page{
		Title: "Connect your books?", Problem: problem, Client: a.client.Name, Person: who.Email, Scopes: a.scopes, Hidden: hidden,
	}
	if p.Client == "" {
		p.Client = a.client.ID
	}
	for _, realm := range s.companiesOf(who) {
		p.Companies = append(p.Companies, option{realm, s.books[realm].company.Name})
	}
	pages.Show(w, status, "consent", p)
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
	chosen := r.PostForm.Get("realm_id")
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case who == nil || r.PostForm.Get("csrf") != sessionCookie.Proof(r):
		errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
	case r.PostForm.Get("consented") != "true":
		s.approve(w, r, a, who, "")
	case chosen == "":
		s.showConsent(w, r, a, who, http.StatusBadRequest, "Choose a company.")
	default:
		s.approve(w, r, a, who, chosen)
	}
}
