// Package browser contains what the simulated providers share where a person's browser is
// involved: the frame of their pages, the session cookie and the redirects.
package browser

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"

	"docledger/adapter/sim/kit/oidc"
)

//go:embed frame.html
var frame string

// Pages are the HTML templates of one simulator.
type Pages struct {
	templates *template.Template
}

// NewPages reads pages.html in files. It may use the templates "head", "foot", "credentials"
// and "hidden" of frame.html, which need the fields Title, Problem, People and Hidden of the data.
// The provider is named at the end of each page: "document store".
func NewPages(files fs.FS, provider string) Pages {
	base := template.New("").Funcs(template.FuncMap{"provider": func() string { return provider }})
	return Pages{template.Must(template.Must(base.Parse(frame)).ParseFS(files, "pages.html"))}
}

// Show writes the page of a template.
func (p Pages) Show(w http.ResponseWriter, status int, name string, data any) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		panic(err) // the templates are part of the simulator
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a browser that disconnected needs no page
}

// Error writes a page that only has a title and a problem.
func (p Pages) Error(w http.ResponseWriter, status int, title, problem string) {
	p.Show(w, status, "error", struct{ Title, Problem string }{title, problem})
}

// Session is the session cookie of a simulator. The value is the base of its name.
type Session string

// name contains the port, because all ports of a host share their cookies.
func (s Session) name(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return string(s)
	}
	return string(s) + "_" + port
}

// Start sets the cookie.
func (s Session) Start(w http.ResponseWriter, r *http.Request, value string) {
	http.SetCookie(w, &http.Cookie{Name: s.name(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// Value returns the value of the cookie, "" without one.
func (s Session) Value(r *http.Request) string {
	cookie, err := r.Cookie(s.name(r))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Proof is the value that a form must repeat, "" without a session. Only this browser has it.
func (s Session) Proof(r *http.Request) string {
	value := s.Value(r)
	if value == "" {
		return ""
	}
	return oidc.AccessHash(value)
}

// Hidden returns those of the named parameters that the query has, for a form that repeats them.
func Hidden(query url.Values, names ...string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		if query.Has(name) {
			out[name] = query.Get(name)
		}
	}
	return out
}

// Reply returns the redirect URI of an application with the parameters of a response.
func Reply(redirectURI string, with url.Values) string {
	separator := "?"
	if strings.Contains(redirectURI, "?") {
		separator = "&"
	}
	return redirectURI + separator + with.Encode()
}

// Redirect sends the browser to an application. A form that was posted is not sent along.
func Redirect(w http.ResponseWriter, r *http.Request, to string) {
	status := http.StatusFound
	if r.Method == http.MethodPost {
		status = http.StatusSeeOther
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, status)
}
