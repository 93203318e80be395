// Package client speaks the wire format of Xero's identity server, connections
// and accounting API. The provider's own structures and words stay within it
// and the package around it.
//
// It never repeats a call by itself, and it tells a refusal, after which
// nothing was done, from an answer that leaves that open; see Failure.
package client

import (
	"net/http"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

const (
	maxAnswer     = 32 << 20 // bytes; a page of 1,000 contacts stays below 4 MB
	maxRefusal    = 1 << 20  // bytes of an answer that is a refusal
	contactsPage  = 1000     // the most that the provider gives at once
	documentsPage = 100      // with their lines, which may be hundreds each
	maxPages      = 1000     // of one list
)

// Provider is what the provider is called wherever people see it.
const Provider = integration.AccountingA

// Options say how the provider is reached. All addresses are without a slash
// at the end.
type Options struct {
	AuthorizeURL string // of the host with the consent page
	IdentityURL  string // of the host with the token endpoint
	APIURL       string
	ClientID     string
	ClientSecret secret.Text // empty for an application that has PKCE in its place
	HTTP         *http.Client
	Gate         integration.Gate
	Limits       integration.Limits // of one tenant
	Now          func() time.Time
}

// Client makes calls. It holds no state.
type Client struct{ o Options }

// New returns a client.
func New(o Options) *Client { return &Client{o} }

// Access is what a call of the API needs.
type Access struct {
	Token      secret.Text
	Tenant     string // "" for calls without a tenant
	Background bool
}

// TenantLimits are what the provider allows one application in one tenant; the
// windows are fixed ones.
func TenantLimits() integration.Limits {
	const concurrent, minute, day = 5, 60, 5000
	return integration.Limits{
		Concurrent: concurrent,
		Windows:    []integration.Window{{Length: time.Minute, Max: minute}, {Length: 24 * time.Hour, Max: day}},
	}
}

// appLimits are those of calls without a tenant.
func appLimits() integration.Limits {
	const minute = 10_000
	return integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: minute}}}
}
