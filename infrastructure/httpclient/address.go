package httpclient

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// CheckAddress validates an address that may receive secrets: https, or http on this
// machine if loopbackHTTP is set, without user, query and fragment. It returns the
// address without a trailing slash, and its host.
func CheckAddress(name, address string, loopbackHTTP bool) (clean, host string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		// An invalid address may contain a password.
		return "", "", fmt.Errorf("the address of %s is not a URL without user, query and fragment", name)
	}
	if !IsSecure(u, loopbackHTTP) {
		return "", "", fmt.Errorf("the address %q of %s must be https", address, name)
	}
	return strings.TrimSuffix(address, "/"), strings.ToLower(u.Host), nil
}

// IsSecure reports whether no third party can read a request to an address.
func IsSecure(u *url.URL, loopbackHTTP bool) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopbackHTTP && isLoopback(u.Hostname())
}

// isLoopback reports whether a host is this machine for every resolver.
func isLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
