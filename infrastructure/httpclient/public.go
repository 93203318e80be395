package httpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// ErrAddressNotAllowed reports a connection to an address that is not on the public
// internet.
var ErrAddressNotAllowed = errors.New("the address is not on the public internet")

// ErrResponseTimeout reports that a response did not arrive in time.
var ErrResponseTimeout = errResponseTimeout

// reserved are the networks that are not on the public internet, or that lead to
// IPv4 addresses which IPv6 hides (RFC 6890, IANA special-purpose registries).
var reserved = networks(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func networks(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// IsPublic reports whether an address is on the public internet.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return false
	}
	for _, n := range reserved {
		if n.Contains(a) {
			return false
		}
	}
	return true
}

// PublicOptions configure a PublicClient. The zero value is the strictest.
type PublicOptions struct {
	Timeout time.Duration // of a complete exchange; 0 is 30 seconds
	// Loopback also allows addresses of this machine, and http to them. It is for
	// development.
	Loopback bool
	// TLS replaces the settings of TLS, for tests with their own certificates.
	TLS *tls.Config
}

// PublicClient sends requests to addresses that strangers choose. It verifies each
// address when it connects, after the name was resolved, so that a name cannot lead to
// another network. It uses no proxy, follows no redirect, reads little of a response
// and repeats nothing.
type PublicClient struct {
	o         PublicOptions
	transport *http.Transport
}

// NewPublic returns a PublicClient. It makes no call.
func NewPublic(o PublicOptions) *PublicClient {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	c := &PublicClient{o: o}
	dialer := &net.Dialer{Timeout: o.Timeout, Control: c.control}
	c.transport = &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: o.TLS, TLSHandshakeTimeout: o.Timeout, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10, MaxIdleConns: 100, IdleConnTimeout: 30 * time.Second,
	}
	return c
}

// control refuses a connection by its final address.
func (c *PublicClient) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return ErrAddressNotAllowed
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || !c.allows(to.Addr()) {
		return ErrAddressNotAllowed
	}
	return nil
}

func (c *PublicClient) allows(a netip.Addr) bool {
	return IsPublic(a) || c.o.Loopback && a.Unmap().IsLoopback()
}

// CheckURL returns why an address can never be used, or nil. An address that passes can
// still lead to a refused network when it is used.
func (c *PublicClient) CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return errors.New("must be a URL with a host")
	case u.User != nil || u.Fragment != "":
		return errors.New("must have no user and no fragment")
	case !IsSecure(u, c.o.Loopback):
		return errors.New("must be https")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !c.allows(a) || err != nil && !c.o.Loopback && !isPublicName(u.Hostname()) {
		return errNotPublic
	}
	return nil
}

var errNotPublic error = notPublic{}

// notPublic is the error of an address that is not allowed, as the requirement that it misses.
type notPublic struct{}

func (notPublic) Error() string        { return "must be on the public internet" }
func (notPublic) Is(target error) bool { return target == ErrAddressNotAllowed }

// privateNames are the names without public addresses, with all names below them (RFC 6761, RFC
// 6762, RFC 8375, and the names that networks use for themselves).
var privateNames = []string{"localhost", "localdomain", "local", "internal", "lan", "home.arpa"}

// isPublicName reports whether a host that is no address may be a name of the public internet. A
// name with a number as its last part is an address in another notation, for example 127.1 or
// 0x7f000001.
func isPublicName(host string) bool {
	// As net/http and resolvers read it: without the characters that show nothing.
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.ReplaceAll(norm.NFKC.String(host), "\u3002", ".")
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return IsPublic(a)
	}
	at := strings.LastIndexByte(host, '.')
	if at < 0 || isNumber(host[at+1:]) {
		return false
	}
	for _, name := range privateNames {
		if host == name || strings.HasSuffix(host, "."+name) {
			return false
		}
	}
	return true
}

// isNumber reports whether a part of a name is decimal, or hexadecimal with 0x.
func isNumber(part string) bool {
	digits, base := part, "0123456789"
	if hex, ok := strings.CutPrefix(part, "0x"); ok {
		digits, base = hex, "0123456789abcdef"
	}
	return part == "" || strings.Trim(digits, base) == ""
}

// Post sends a body and returns the status of the response. An error means that there
// was no response; its text does not contain the address.
func (c *PublicClient) Post(ctx context.Context, address string, header http.Header, body []byte) (status int, err error) {
	if err := c.CheckURL(address); err != nil {
		return 0, fmt.Errorf("the address %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, errResponseTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, errInvalidAddress
	}
	req.GetBody = nil // a request that failed is not sent again
	req.Header = header.Clone()
	req.Header.Set("User-Agent", userAgent)
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, StripURL(ctx, err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
	return resp.StatusCode, nil
}
