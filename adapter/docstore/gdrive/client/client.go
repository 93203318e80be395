// Package client speaks the wire format of Google's OAuth servers and of the
// Drive API, version 3. The provider's own structures and words stay within it
// and the package around it.
//
// It never repeats a call by itself; see Failure for what its errors tell.
package client

import (
	"net/http"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

const (
	maxAnswer  = 16 << 20 // bytes; a page of 1,000 changes stays below 2 MB
	maxRefusal = 1 << 20  // bytes of an answer that is a refusal
	filePage   = 1000     // the most that the provider gives at once
	drivePage  = 100
	maxPages   = 10_000 // of one list; some may be empty
)

// Provider is what the provider is called wherever people see it.
const Provider = integration.DocstoreB

// ReadScope is the scope that reads files; FullScope holds it.
const (
	ReadScope = "https://www.googleapis.com/auth/drive.readonly"
	FullScope = "https://www.googleapis.com/auth/drive"
)

// Kinds of files of the provider's own.
const (
	FolderType   = ownTypes + "folder"
	ShortcutType = ownTypes + "shortcut"
	ownTypes     = "application/vnd.google-apps."
)

// Options say how the provider is reached. All addresses are without a slash
// at the end.
type Options struct {
	AuthorizeURL string // of the host with the consent page
	TokenURL     string // of the host of the token endpoint
	APIURL       string
	ClientID     string
	ClientSecret secret.Text
	HTTP         *http.Client
	Gate         integration.Gate
	Timeout      time.Duration // of one answer, and of each silence within a content
	Now          func() time.Time
}

// Client makes calls. It holds no state.
type Client struct{ o Options }

// New returns a client.
func New(o Options) *Client { return &Client{o} }

// AccountLimits are what one application may ask of one account. The provider
// counts units, at most 325,000 in a minute; the dearest call is taken to cost a
// hundred.
func AccountLimits() integration.Limits {
	const calls = 3000
	return integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: calls}}}
}

// IsID says whether a text has the form of the provider's ids. The alias of an
// account's top folder is none.
func IsID(id string) bool {
	const longest = 200
	if id == "" || len(id) > longest || id == "root" {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
