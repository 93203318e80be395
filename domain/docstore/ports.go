package docstore

import (
	"context"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

// The ports of this file are the capabilities of a connector: one type
// implements those that its provider has, and they are found by assertion.
// Their faults are described at integration.ErrReconnect and ErrDenied. Ids are
// taken to the letter: whatever is in them, a connector sends them as one
// segment or value, so that they reach no other path; one that cannot be an id
// of the store is fault.NotFound without a call. Addresses that an answer names
// are followed only to hosts that the connector is configured for, and the
// token goes to none but the API's own.

// Browser reads which places there are. Its lists are complete, however many
// pages the store makes of them, in the store's order and without repeats; an
// empty list is not nil.
type Browser interface {
	// Sources lists what the account can reach (row 8).
	Sources(ctx context.Context, a integration.Access) ([]Source, error)
	// SubSources lists what can be watched in a source (row 9). An unknown
	// source is fault.NotFound, one that may not be read ErrDenied.
	SubSources(ctx context.Context, a integration.Access, source string) ([]SubSource, error)
	// SubSource reads one place from the store itself, which proves that it can
	// be read and lies in its source; fault.NotFound where it does not. Its
	// Source is part of what is proven.
	SubSource(ctx context.Context, a integration.Access, p Location) (SubSource, error)
	// Directories reads the folders that lie at a path of the place, in the
	// form of CleanPath: none, one, or several where names may repeat. Names
	// are compared without case where the store does so. The path "" is the
	// place's top folder.
	Directories(ctx context.Context, a integration.Access, p Location, path string) ([]Item, error)
}

// Changes tells what is in a place and how it changes. A feed may tell more
// than once of an item, and of items outside the place, whose parents then are
// unknown; it may tell of a folder without what is in it (see Lister).
type Changes interface {
	// Start returns a cursor from which Next misses nothing that happens after
	// the call. Where the connector is no Lister, Next tells from it first all
	// that there is; where it is one, only what happens from now on.
	Start(ctx context.Context, a integration.Access, p Location) (cursor string, err error)
	// Next returns what a cursor leads to, by one request to the store as far
	// as possible. The same cursor may be read again, with what has come since
	// or the same: a page is worked through before its cursor is stored. A page
	// holds at most a few thousand changes.
	Next(ctx context.Context, a integration.Access, p Location, cursor string) (Page, error)
}

// Lister is a connector whose feed tells only what happens: what lies in a
// folder that is new to us, beginning with the place's own, is listed.
type Lister interface {
	// Children lists what lies directly in a folder, files and folders, page by
	// page; the first has cursor "". The folder "" is the place's top one, which
	// is itself, with Top set, the first change of the first page. A folder that
	// is gone meanwhile is fault.NotFound.
	Children(ctx context.Context, a integration.Access, p Location, folder, cursor string) (Page, error)
}

// Reader reads contents.
type Reader interface {
	// Open begins to read the content of a file as it is now. Faults of the
	// content are ErrLocked, ErrWithheld and fault.NotFound. The access token
	// reaches the API's host only, not the one the bytes come from.
	Open(ctx context.Context, a integration.Access, p Location, it Item) (Content, error)
}

// Subscription is a store's promise to tell when something changed.
type Subscription struct {
	ID string // the store's own name for it
	// Resource is what else the store wants to have named when it ends; "" for
	// nothing.
	Resource  string
	ExpiresAt time.Time
}

// Call is a request to an address of Subscribe, whoever made it.
type Call struct {
	Query  map[string][]string
	Header map[string][]string // by their canonical names
	Body   []byte
	// ReadBody, where it is set, fetches Body. It is called only once the
	// subscription is known, so that nothing is read for others.
	ReadBody func() ([]byte, error)
}

// Notification is what a call says.
type Notification struct {
	// Echo is a text that the store wants to have repeated before it believes in
	// the address; "" for none. Nothing proves who asks for it.
	Echo string
	// Proofs are the secrets that the call brings. The store has made it only
	// where there is one and each is the subscription's.
	Proofs []secret.Text
	// Changed says that something may have happened in the place.
	Changed bool
}

// Notifier is a connector whose store can call us. It is an optional
// capability: polling alone misses nothing.
type Notifier interface {
	// Subscribe asks the store to POST to an https address when something in
	// the place changes, and to prove itself with the secret (at most 128
	// characters). cursor is where the watch stands. The store may call the
	// address before Subscribe returns. A store that refuses for want of a
	// permission is ErrDenied.
	Subscribe(ctx context.Context, a integration.Access, p Location, cursor, address string, proof secret.Text) (Subscription, error)
	// Renew makes it last longer, or puts another one in its place, whose ID
	// then differs; the former goes on until Unsubscribe. One that is unknown
	// to the store is fault.NotFound: subscribe anew.
	Renew(ctx context.Context, a integration.Access, p Location, s Subscription, cursor, address string, proof secret.Text) (Subscription, error)
	// Unsubscribe ends it. One that has ended is no error.
	Unsubscribe(ctx context.Context, a integration.Access, s Subscription) error
	// Read says what a call means, without believing it. One that is none of
	// the store's is an Invalid fault.
	Read(c Call) (Notification, error)
}
