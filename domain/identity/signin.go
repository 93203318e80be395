package identity

import (
	"net/netip"
	"strings"
	"unicode"
)

// maxRedirect is the maximum length of a redirect target. The longest authorization
// requests of real clients have less than half of it.
const maxRedirect = 8 << 10

const (
	oauthPaths  = "/oauth/"        // at the frontend API and the account portal
	consentPath = "/oauth-consent" // the page that asks for consent
)

// SignInHosts are the hosts of the identity provider that a signed-in user may be
// redirected to, each as host or host:port.
type SignInHosts struct {
	FrontendAPI   string
	AccountPortal string
}

// AllowedRedirect validates the redirect_url of a visit to /sign-in (interface 5.9).
// It returns the address to redirect the browser to. ok is true only if the address
// is an https URL, its host and port are exactly those of hosts, and its path is
// below /oauth/, is /oauth-consent or is below it. If local is set, an http URL with
// a loopback host is also allowed. The returned address has no fragment and a
// lower-case host.
//
// Browsers parse URLs far more liberally than RFC 3986: they drop tabs, and treat a
// backslash as a slash and %2e as a dot. AllowedRedirect therefore refuses any text
// that a browser could parse differently, and never repairs it.
func AllowedRedirect(raw string, hosts SignInHosts, local bool) (url string, ok bool) {
	if raw == "" || len(raw) > maxRedirect || !plainURLText(raw) {
		return "", false
	}
	scheme, rest, found := strings.Cut(raw, "://")
	if scheme = strings.ToLower(scheme); !found || scheme != "https" && scheme != "http" {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return "", false
	}
	authority, target := strings.ToLower(rest[:slash]), rest[slash:]
	if scheme == "http" && !(local && IsLoopbackHost(authority)) {
		return "", false
	}
	if !sameHost(scheme, authority, hosts.FrontendAPI) && !sameHost(scheme, authority, hosts.AccountPortal) {
		return "", false
	}
	path, _, _ := strings.Cut(target, "?")
	if !plainPath(path) || !underSignInPaths(path) {
		return "", false
	}
	return scheme + "://" + authority + target, true
}

// RedirectHost returns the host of a refused redirect target for the log. The log
// contains no other part of the target. The result has at most 255 letters, digits,
// dots, hyphens, colons and brackets. It is "" if there is no host.
func RedirectHost(raw string) string {
	const longest = 255
	rest := raw
	if scheme, after, found := strings.Cut(raw, ":"); found && !strings.ContainsAny(scheme, `./\@?#`) {
		rest = after
	} else if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") && !strings.HasPrefix(raw, `/\`) {
		return "" // the target is a path
	}
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	// The rest of an escape may be a whole address that was encoded twice.
	rest, _, _ = strings.Cut(rest, "%")
	var host []rune
	for _, r := range rest {
		if len(host) < longest && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".-:[]", r)) {
			host = append(host, r)
		}
	}
	return string(host)
}

// IsLoopbackHost reports whether host, with or without a port, is this machine:
// localhost, an address of 127.0.0.0/8, or [::1].
func IsLoopbackHost(host string) bool {
	if address, err := netip.ParseAddrPort(host); err == nil {
		return address.Addr().IsLoopback()
	}
	name, _, _ := strings.Cut(host, ":")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

// sameHost compares an authority in lower case with a host of the provider. The
// default port of the scheme may be present or absent. Userinfo, an empty port and a
// trailing dot make authorities differ.
func sameHost(scheme, authority, host string) bool {
	port := ":443"
	if scheme == "http" {
		port = ":80"
	}
	return host != "" &&
		strings.TrimSuffix(authority, port) == strings.TrimSuffix(strings.ToLower(host), port)
}

// plainURLText reports whether a text has only characters that no browser drops or
// converts: printable ASCII without space, double quote, angle brackets, backslash
// and characters outside RFC 3986.
func plainURLText(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	return true
}

// plainPath holds no segment that a browser or a server would resolve, and no
// escape that would mean a delimiter, a control or another escape once it is
// decoded.
func plainPath(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			continue
		}
		if i+2 >= len(path) {
			return false
		}
		high, ok1 := hexDigit(path[i+1])
		low, ok2 := hexDigit(path[i+2])
		if c := high<<4 | low; !ok1 || !ok2 || c <= ' ' || c >= 0x7f || strings.IndexByte(`./\%?#:@;`, c) >= 0 {
			return false
		}
		i += 2
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.Contains(path, "//")
}

func hexDigit(c byte) (value byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func underSignInPaths(path string) bool {
	return strings.HasPrefix(path, oauthPaths) || path == consentPath || strings.HasPrefix(path, consentPath+"/")
}
