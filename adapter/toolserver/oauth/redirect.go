package oauth

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// redirects decides which redirect URIs a client may register. The identity
// provider decides again; this check gives the client an early and clear error.
type redirects struct {
	listed   []string
	loopback bool // allows all loopback addresses
}

func newRedirects(listed []string, loopback bool) (redirects, error) {
	for i, uri := range listed {
		if reason := dangerous(uri); reason != "" {
			return redirects{}, fmt.Errorf("MCP_REDIRECT_URIS: entry %d %s", i+1, reason)
		}
	}
	return redirects{listed: listed, loopback: loopback}, nil
}

// offered returns the redirect URIs for a client that names none.
func (r redirects) offered() []string {
	if len(r.listed) == 0 && r.loopback {
		return []string{"http://127.0.0.1/callback", "http://localhost/callback"}
	}
	return append([]string{}, r.listed...)
}

// refusal returns why uri is not allowed; empty if it is allowed.
func (r redirects) refusal(uri string) string {
	if reason := dangerous(uri); reason != "" {
		return reason
	}
	u, err := url.Parse(uri)
	if err != nil {
		return "is not a URI"
	}
	own := u.Scheme == "http" && isLoopback(u.Hostname())
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
	if err != nil || !isLoopback(l.Hostname()) {
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

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
