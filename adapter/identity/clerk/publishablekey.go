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

// PublishableKey names an instance of the identity provider. It is no secret:
// every browser gets it.
type PublishableKey struct {
	Live          bool
	FrontendAPI   string // host, with its port where the key has one
	AccountPortal string // likewise
}

// errPublishableKey does not repeat the key: somebody may have put the secret
// one in its place.
var errPublishableKey = errors.New("the identity provider's publishable key is not valid: it must be pk_test_ or pk_live_ " +
	"and the base64 of the frontend API's host and a dollar sign")

// host is a DNS name or an IPv4 address of at least two labels, and a port.
var host = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+(:[1-9][0-9]{0,4})?$`)

// ParsePublishableKey reads pk_test_ or pk_live_ and the base64 of the frontend
// API's host and a dollar sign, in either alphabet, padded or not.
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

// validPort says whether the port of a host, if it has one, can be one.
func validPort(host string) bool {
	_, port, found := strings.Cut(host, ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return !found || err == nil
}

// accountPortal derives the portal's host as the provider's own SDKs do. A host
// without a label clerk is both at once.
func accountPortal(frontend string) string {
	if strings.Contains(frontend, "clerk.accountsstage.") {
		return strings.Replace(frontend, "clerk.accountsstage.", "accountsstage.", 1)
	}
	if before, after, found := strings.Cut(frontend, "clerk."); found {
		return before + "accounts." + strings.TrimPrefix(after, "accounts.")
	}
	return frontend
}

// SignInHosts returns the hosts to which /sign-in may pass a browser on.
func (k PublishableKey) SignInHosts() identity.SignInHosts {
	return identity.SignInHosts{FrontendAPI: k.FrontendAPI, AccountPortal: k.AccountPortal}
}

// Origin returns the address of the frontend API, which is the issuer of its
// tokens too: https, but http for a loopback host where that is allowed.
func (k PublishableKey) Origin(loopbackHTTP bool) string {
	if loopbackHTTP && identity.IsLoopbackHost(k.FrontendAPI) {
		return "http://" + k.FrontendAPI
	}
	return "https://" + k.FrontendAPI
}
