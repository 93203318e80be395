// Package oauthclient has the rules of the one OAuth client that assistants use
// (interface 4.3).
package oauthclient

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Redirects decides which redirect URIs the client may use. An identity provider
// decides again; then this check gives the client an early and clear error.
type Redirects struct {
	listed   []string
	loopback bool // allows all loopback addresses
}

// NewRedirects returns the rules for the listed URIs. Without a list, all except
// dangerous ones are allowed. loopback allows all loopback addresses and, without a
// list, nothing else.
func NewRedirects(listed []string, loopback bool) (Redirects, error) {
	for i, uri := range listed {
		if reason := dangerous(uri); reason != "" {
			return Redirects{}, fmt.Errorf("MCP_REDIRECT_URIS: entry %d %s", i+1, reason)
		}
	}
	return Redirects{listed: listed, loopback: loopback}, nil
}

// Offered returns the redirect URIs for a client that names none.
func (r Redirects) Offered() []string {
	if len(r.listed) == 0 && r.loopback {
		return []string{"http://127.0.0.1/callback", "http://localhost/callback"}
	}
	return append([]string{}, r.listed...)
}

// Refusal returns why uri is not allowed; empty if it is allowed.
func (r Redirects) Refusal(uri string) string {
	if reason := dangerous(uri); reason != "" {
		return reason
	}
	u, err := url.Parse(uri)
	if err != nil {
		return "is not a URI"
	}
	own := u.Scheme == "http" && IsLoopback(u.Hostname())
	switch {
	case r.loopback && own:
		return ""
	case len(r.listed) == 0 && !r.loopback:
		if u.Scheme == "http" && !own {
			return "must use https unless it is a loopback address"
		}
		return ""
	case slices.Contains(r.listed, uri), own && slices.ContainsFunc(r.listed, func(l string) bool { return samePath(l, u) }):
		return ""
	}
	return "is not in the list of this installation; the operator can add it to MCP_REDIRECT_URIS"
}

// samePath reports whether a listed URI differs from u only in the port, which
// native clients choose when they start (RFC 8252, section 7.3).
func samePath(listed string, u *url.URL) bool {
	l, err := url.Parse(listed)
	if err != nil || !IsLoopback(l.Hostname()) {
		return false
	}
	l.Host, l.Fragment = u.Hostname(), ""
	if strings.Contains(l.Host, ":") {
		l.Host = "[" + l.Host + "]"
	}
	without := *u
	without.Host = l.Host
	original, _ := url.Parse(listed)
	return original.Hostname() == u.Hostname() && l.String() == without.String()
}

const maxURI = 2048

// dangerous returns why uri is never allowed, whatever the list contains.
func dangerous(uri string) string {
	if uri == "" || len(uri) > maxURI || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return "is not a URI"
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return "is not a URI"
	}
	if slices.Contains([]string{"javascript", "data", "file", "vbscript", "blob", "about", "filesystem", "view-source"}, strings.ToLower(u.Scheme)) {
		return "has a scheme that is never allowed"
	}
	if u.Fragment != "" || strings.Contains(uri, "#") {
		return "has a fragment"
	}
	if u.User != nil {
		return "contains user information"
	}
	if web := u.Scheme == "http" || u.Scheme == "https"; web && u.Hostname() == "" {
		return "has no host"
	}
	return ""
}

// IsLoopback reports whether a host is this machine: localhost, which browsers never
// look up, or a loopback address.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// names are the products that receive codes at a host or with a scheme. A client states its
// own name at registration, and anyone can state any name; the redirect URI is what receives
// the code.
var names = map[string]string{
	"claude.ai": "Claude", "claude.com": "Claude", "chatgpt.com": "ChatGPT", "vscode.dev": "Visual Studio Code",
	"insiders.vscode.dev": "Visual Studio Code Insiders", "www.cursor.com": "Cursor", "cursor:": "Cursor",
}

// Target is who receives the code of a redirect URI, as a person recognizes it.
type Target struct {
	Name   string // of the product; "" if it is not known
	Host   string // or the scheme of a program, such as cursor:
	Device bool   // a program on the device of the browser
}

// TargetOf returns the target of a redirect URI that is allowed.
func TargetOf(uri string) Target {
	u, err := url.Parse(uri)
	if err != nil {
		return Target{}
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		scheme := u.Scheme + ":"
		return Target{Name: names[scheme], Host: scheme, Device: true}
	case IsLoopback(u.Hostname()):
		return Target{Host: u.Host, Device: true}
	case u.Scheme == "https":
		return Target{Name: names[strings.ToLower(u.Host)], Host: u.Host}
	}
	return Target{Host: u.Host}
}
