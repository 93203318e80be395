package gdrive

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/browser"
)

//go:embed pages.html
var pageFiles embed.FS

var pages = browser.NewPages(pageFiles, "document store")

// view is the data of the templates.
type view struct {
	Title, Problem, Continue, Client, Person, Query, Proof string
	People, Scopes                                         []string
}

func errorPage(w http.ResponseWriter, status int, problem string) {
	pages.Error(w, status, "Access blocked", problem)
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.showSignIn(w, http.StatusOK, r.URL.Query().Get("continue"), "")
}

func (s *Server) showSignIn(w http.ResponseWriter, status int, to, problem string) {
	p := view{Title: "Sign in", Continue: to, Problem: problem}
	for _, u := range s.identity.users {
		p.People = append(p.People, u.Email)
	}
	pages.Show(w, status, "signin", p)
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	to, email, password := r.FormValue("continue"), strings.TrimSpace(r.FormValue("email")), r.FormValue("password")
	s.mu.Lock()
	defer s.mu.Unlock()
	who := find(s.identity.users, func(u *User) bool { return strings.EqualFold(u.Email, email) })
	if who == nil || who.Password == "" || who.Password != password {
		s.showSignIn(w, http.StatusUnauthorized, to, "Wrong e-mail address or password. Try again.")
		return
	}
	if !strings.HasPrefix(to, "/o/oauth2/v2/auth?") {
		errorPage(w, http.StatusBadRequest, "There is nothing to go on with. Begin at the application.")
		return
	}
	session := newSecret("")
	s.identity.sessions[session] = who.ID
	sessionCookie.Start(w, r, session)
	http.Redirect(w, r, to, http.StatusSeeOther)
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
		to := "/o/oauth2/v2/auth?" + r.URL.RawQuery
		http.Redirect(w, r, "/signin?"+url.Values{"continue": {to}}.Encode(), http.StatusSeeOther)
	default:
		pages.Show(w, http.StatusOK, "consent", view{
			Title: a.client.Name + " wants access to your account", Client: a.client.Name, Person: who.Email,
			Scopes: a.scopes, Query: a.query.Encode(), Proof: sessionCookie.Proof(r),
		})
	}
}

// answerConsent processes the form. It grants the requested scopes that are still selected.
func (s *Server) answerConsent(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	query, err := url.ParseQuery(r.PostFormValue("query"))
	if err != nil {
		errorPage(w, http.StatusBadRequest, "The form cannot be read.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a, problem := s.readAuthorization(query)
	who := s.signedIn(r)
	switch {
	case problem != "":
		errorPage(w, http.StatusBadRequest, problem)
	case who == nil || r.PostForm.Get("proof") != sessionCookie.Proof(r):
		errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
	default:
		granted := slices.DeleteFunc(slices.Clone(a.scopes), func(scope string) bool { return !slices.Contains(r.PostForm["granted"], scope) })
		if r.PostForm.Get("choice") != "continue" || len(granted) == 0 {
			browser.Redirect(w, r, a.back(declined()))
			return
		}
		browser.Redirect(w, r, a.back(s.approve(a, who, granted)))
	}
}
