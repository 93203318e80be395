// Package client speaks the wire format of Microsoft's identity platform and of
// the sites, drives and subscriptions of Microsoft Graph, version 1.0. The
// provider's own structures and words stay within it and the package around it.
//
// It never repeats a call by itself; see Failure for what its errors tell.
package client

import (
	"net/http"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

const (
	maxAnswer  = 16 << 20 // bytes; a page of 200 items stays below 1 MB
	maxRefusal = 1 << 20  // bytes of an answer that is a refusal
	maxPages   = 10_000   // of one list
)

// Provider is what the provider is called wherever people see it.
const Provider = integration.DocstoreA

// Options say how the provider is reached. All addresses are without a slash
// at the end.
type Options struct {
	LoginURL string // of the identity platform
	APIURL   string
	// Tenant is whose accounts may consent: the id or a domain of an
	// organization, or "organizations" for all of them.
	Tenant       string
	ClientID     string
	ClientSecret secret.Text
	// ContentHosts are where contents may be read from, with their ports; one
	// that begins with a dot stands for all hosts below it.
	ContentHosts []string
	// LoopbackHTTP lets contents be read from this machine without TLS.
	LoopbackHTTP bool
	HTTP         *http.Client // must not follow redirects
	Gate         integration.Gate
	Limits       integration.Limits // of one organization
	Timeout      time.Duration      // of one answer, and of each silence within a content
	Now          func() time.Time
}

// Client makes calls. It holds no state.
type Client struct{ o Options }

// New returns a client.
func New(o Options) *Client { return &Client{o} }

// TenantLimits are what the provider lets one application ask of one
// organization: 1,200 units in a minute. Most calls are one unit, lists two.
func TenantLimits() integration.Limits {
	const calls = 1000
	return integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: calls}}}
}

// Account joins what names an account: its organization and the person.
func Account(tenant, person string) string { return tenant + ":" + person }

// TenantOf is the organization of an account.
func TenantOf(account string) string {
	tenant, _, _ := strings.Cut(account, ":")
	return tenant
}

// IsID says whether a text has the form of the provider's ids of drives, items
// and subscriptions. The alias of a drive's top folder is none.
func IsID(id string) bool {
	const longest = 400
	return id != "" && len(id) <= longest && !strings.EqualFold(id, rootAlias) && !strings.ContainsFunc(id, func(r rune) bool {
		return !letterOrDigit(r) && r != '!' && r != '-' && r != '_'
	})
}

// IsSiteID says whether a text has the form of a site's id: a host and two
// UUIDs, with commas between.
func IsSiteID(id string) bool {
	const longest, uuidLength = 400, 36
	parts := strings.Split(id, ",")
	if len(id) > longest || len(parts) != 3 || parts[0] == "" || len(parts[1]) != uuidLength || len(parts[2]) != uuidLength {
		return false
	}
	other := func(more string) func(rune) bool {
		return func(r rune) bool { return !letterOrDigit(r) && !strings.ContainsRune(more, r) }
	}
	return !strings.ContainsFunc(parts[0], other("-.")) && !strings.ContainsFunc(parts[1]+parts[2], other("-"))
}

func letterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
