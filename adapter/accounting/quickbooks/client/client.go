// Package client speaks the wire format of QuickBooks Online: its OAuth
// servers and its accounting API. The provider's own structures and words stay
// within it and the package around it.
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
	maxAnswer     = 32 << 20 // bytes; a page of 1,000 vendors stays below 2 MB
	maxRefusal    = 1 << 20  // bytes of an answer that is a refusal
	listPage      = 1000     // the most that the provider gives at once
	documentsPage = 200      // with their lines, which may be hundreds each
	maxPages      = 1000     // of one list
	minorVersion  = "75"
)

// Provider is what the provider is called wherever people see it.
const Provider = integration.AccountingB

// AccountingScope is the one scope of the accounting API.
const AccountingScope = "com.intuit.quickbooks.accounting"

// Options say how the provider is reached. All addresses are without a slash
// at the end.
type Options struct {
	AuthorizeURL string // of the host with the consent page
	TokenURL     string // of the host with the token endpoint
	RevokeURL    string // of the host that ends consents
	APIURL       string
	ClientID     string
	ClientSecret secret.Text
	HTTP         *http.Client
	Gate         integration.Gate
	Limits       integration.Limits // of one company
	Now          func() time.Time
}

// Client makes calls. It holds no state.
type Client struct{ o Options }

// New returns a client.
func New(o Options) *Client { return &Client{o} }

// Access is what a call of the API needs.
type Access struct {
	Token      secret.Text
	Realm      string // the company's id
	Background bool
}

// CompanyLimits are what the provider allows one application in one company.
func CompanyLimits() integration.Limits {
	const second, minute = 10, 500
	return integration.Limits{
		Windows: []integration.Window{{Length: time.Second, Max: second}, {Length: time.Minute, Max: minute}},
	}
}

// IsID says whether a text has the form of the provider's ids of companies and
// things: digits.
func IsID(id string) bool {
	const longest = 20
	if id == "" || len(id) > longest {
		return false
	}
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
