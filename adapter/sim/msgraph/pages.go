package msgraph

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"strings"

	"docledger/adapter/sim/kit/oidc"
)

//go:embed pages.html
var pageFiles embed.FS

var pageTemplates = template.Must(template.ParseFS(pageFiles, "pages.html"))

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

func show(w http.ResponseWriter, status int, name string, p page) {
	var out bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&out, name, p); err != nil {
		panic(err) // the templates are part of this package
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a browser that disconnected needs no page
}

func errorPage(w http.ResponseWriter, status int, problem string) {
	show(w, status, "error", page{Title: "Sign-in failed", Problem: problem})
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
	show(w, status, "login", p)
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
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
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
	hidden := map[string]string{"csrf": csrf(r)}
	for _, name := range repeated {
		if a.query.Has(name) {
			hidden[name] = a.query.Get(name)
		}
	}
	show(w, http.StatusOK, "consent", page{
		Title: "Permissions requested", Client: cmp.Or(a.client.Name, a.client.ID), Person: who.Email, Scopes: a.scopes, Hidden: hidden,
	})
}

// csrf is the value that the form must repeat. Only this browser has it.
func csrf(r *http.Request) string {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return ""
	}
	return oidc.AccessHash(cookie.Value)
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
	case who == nil || r.PostForm.Get("csrf") != csrf(r):
		errorPage(w, http.StatusForbidden, "This form is not yours, or you were signed out. Begin again.")
	default:
		s.reply(w, r, a, s.decide(a, who, r.PostForm.Get("consented") == "true"))
	}
}
