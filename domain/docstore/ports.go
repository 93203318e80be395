package docstore

import (
	"context"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

// The ports of this file are the capabilities of a connector. One type implements those that its
// provider has; callers find them by type assertion. Their faults are described at
// integration.ErrReconnect and ErrDenied. A connector sends every id as one segment or value, so
// that an id cannot reach another path. An impossible id is fault.NotFound without a call. A
// connector follows addresses from responses only to hosts that it is configured for, and sends
// the token only to the API's host.

// Browser lists the locations. Its lists are complete, in the store's order and without repeats,
// independently of the store's pages. An empty list is not nil.
type Browser interface {
	// Sources lists the sources that the account can access (row 8).
	Sources(ctx context.Context, a integration.Access) ([]Source, error)
	// SubSources lists the sub-sources of a source that can be watched (row 9). An unknown source
	// is fault.NotFound. A source that the account may not read is ErrDenied.
	SubSources(ctx context.Context, a integration.Access, source string) ([]SubSource, error)
	// SubSource reads one location from the store. This proves that the account can read it and
	// that it belongs to its source; otherwise the error is fault.NotFound. The Source of the
	// result is proven too.
	SubSource(ctx context.Context, a integration.Access, p Location) (SubSource, error)
	// Directories reads the folders at a path of the location, in the form of CleanPath: none,
	// one, or several if names can repeat. It ignores the case of names if the store does. The
	// path "" is the location's root folder.
	Directories(ctx context.Context, a integration.Access, p Location, path string) ([]Item, error)
	// Folders lists the folders directly inside the folders at a path of the location, in the form
	// of CleanPath, in any order. Names can repeat. A path without a folder is fault.NotFound.
	Folders(ctx context.Context, a integration.Access, p Location, path string) ([]Item, error)
}

// Changes reads the content of a location and its changes. A feed may report an item more than
// once. It may report items outside the location, for which the parents are unknown. It may
// report a folder without its content (see Lister).
type Changes interface {
	// Start returns a cursor from which Next misses no change after the call. Without a Lister,
	// Next first returns all existing items. With a Lister, it returns only changes from now on.
	Start(ctx context.Context, a integration.Access, p Location) (cursor string, err error)
	// Next returns the changes after a cursor, with one request to the store if possible. The
	// same cursor can be read again, because the caller processes a page before it stores the
	// next cursor. A page contains at most a few thousand changes.
	Next(ctx context.Context, a integration.Access, p Location, cursor string) (Page, error)
}

// Lister is a connector with a feed that reports only changes. The caller lists the content of
// every new folder, starting with the location's root folder.
type Lister interface {
	// Children lists the files and folders in a folder, page by page; the first page has the
	// cursor "". The folder "" is the location's root folder, which is itself, with Top set, the
	// first change of the first page. A folder that no longer exists is fault.NotFound.
	Children(ctx context.Context, a integration.Access, p Location, folder, cursor string) (Page, error)
}

// Reader reads content.
type Reader interface {
	// Open starts reading the current content of a file. Faults of the content are ErrLocked,
	// ErrWithheld and fault.NotFound. The access token is sent only to the API's host, not to the
	// content host.
	Open(ctx context.Context, a integration.Access, p Location, it Item) (Content, error)
}

// Subscription is a subscription to the store's change notifications.
type Subscription struct {
	ID string // the store's id
	// Resource is an additional id that the store requires for Unsubscribe; "" for none.
	Resource  string
	ExpiresAt time.Time
}

// Call is a request to an address of Subscribe, from any sender.
type Call struct {
	Query  map[string][]string
	Header map[string][]string // by canonical name
	Body   []byte
	// ReadBody, if set, reads Body. It is called only after the subscription was found, so that
	// requests from others are not read.
	ReadBody func() ([]byte, error)
}

// Notification is the content of a call.
type Notification struct {
	// Echo is a text that the store requires in the response before it accepts the address; ""
	// for none. The sender of such a call is not proven.
	Echo string
	// Proofs are the secrets in the call. The store is the sender only if there is at least one
	// and each is the subscription's secret.
	Proofs []secret.Text
	// Changed reports that the location may have changed.
	Changed bool
}

// Notifier is a connector to a store with change notifications. It is an optional capability:
// polling alone misses nothing.
type Notifier interface {
	// Subscribe asks the store to POST to an https address when the location changes, and to
	// prove itself with the secret (at most 128 characters). cursor is the position of the watch.
	// The store may call the address before Subscribe returns. A store that refuses because of a
	// missing permission returns ErrDenied.
	Subscribe(ctx context.Context, a integration.Access, p Location, cursor, address string, proof secret.Text) (Subscription, error)
	// Renew extends the subscription or replaces it by one with another ID; the previous one then
	// remains until Unsubscribe. A subscription that the store does not know is fault.NotFound:
	// the caller subscribes again.
	Renew(ctx context.Context, a integration.Access, p Location, s Subscription, cursor, address string, proof secret.Text) (Subscription, error)
	// Unsubscribe ends the subscription. It returns no error if the subscription has already
	// ended.
	Unsubscribe(ctx context.Context, a integration.Access, s Subscription) error
	// Read parses a call without trusting it. A call that has not the store's format is an
	// Invalid fault.
	Read(c Call) (Notification, error)
}
