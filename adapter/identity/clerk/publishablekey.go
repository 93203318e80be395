package clerk

import (
	"encoding/base64"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"docledger/domain/identity"
)

const (
	testPrefix = "pk_test_"
	livePrefix = "pk_live_"
	maxKey     = 512 // bytes
)

// PublishableKey identifies an instance of the identity provider. It is not secret: every browser
// receives it.
type PublishableKey struct {
	Live          bool
	FrontendAPI   string // host, with its port where the key has one
	AccountPortal string // also a host
}

// errPublishableKey does not contain the key, because the operator may have set the secret key by
// mistake.
var errPublishableKey = errors.New("the identity provider's publishable key is not valid: it must be pk_test_ or pk_live_ " +
	"and the base64 of the frontend API's host and a dollar sign")

// host matches a DNS name or an IPv4 address of at least two labels, with an optional port.
var host = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:[1-9][0-9]{0,4})?$`)

// ParsePublishableKey parses pk_test_ or pk_live_ followed by the base64 of the frontend API's host
// and a dollar sign, in either alphabet, with or without padding.
func ParsePublishableKey(key string) (PublishableKey, error) {
	encoded, live := strings.CutPrefix(key, livePrefix)
	if !live {
		var test bool
		if encoded, test = strings.CutPrefix(key, testPrefix); !test {
			return PublishableKey{}, errPublishableKey
		}
	}
	encoded = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(encoded, "="))
	decoded, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(key) > maxKey || strings.ContainsAny(encoded, "\r\n") {
		return PublishableKey{}, errPublishableKey
	}
	name, found := strings.CutSuffix(strings.ToLower(string(decoded)), "$")
	if !found || !host.MatchString(name) || !validPort(name) {
		return PublishableKey{}, errPublishableKey
	}
	return PublishableKey{Live: live, FrontendAPI: name, AccountPortal: accountPortal(name)}, nil
}

// validPort reports whether the optional port of a host is valid.
func validPort(host string) bool {
	_, port, found := strings.Cut(host, ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return !found || err == nil
}

// accountPortal derives the portal's host in the same way as the provider's SDKs. A host without a
// label clerk serves both.
func accountPortal(frontend string) string {
	if strings.Contains(frontend, "clerk.accountsstage.") {
		return strings.Replace(frontend, "clerk.accountsstage.", "accountsstage.", 1)
	}
	if before, after, found := strings.Cut(frontend, "clerk."); found {
		return before + "accounts." + strings.TrimPrefix(after, "accounts.")
	}
	return frontend
}

// SignInHosts returns the hosts to which /sign-in may redirect a browser.
func (k PublishableKey) SignInHosts() identity.SignInHosts {
	return identity.SignInHosts{FrontendAPI: k.FrontendAPI, AccountPortal: k.AccountPortal}
}

// Origin returns the address of the frontend API, which is also the issuer of its tokens. It uses
// https, or http for a loopback host if loopbackHTTP is set.
func (k PublishableKey) Origin(loopbackHTTP bool) string {
	if loopbackHTTP && identity.IsLoopbackHost(k.FrontendAPI) {
		return "http://" + k.FrontendAPI
	}
	return "https://" + k.FrontendAPI
}
