// Package docstore holds what a document store is to docledger: places that
// can be watched, what lies in them, and how that changes.
package docstore

import (
	"io"
	"strings"
	"time"

	"docledger/domain/fault"
)

// Source is the outer of the two places that a watch names: a site
// (DOCSTORE_A), or a folder (DOCSTORE_B; interface 4.2, row 8).
type Source struct {
	// ID is what the store names it by, to the letter: opaque, and any text may
	// be in it.
	ID     string
	Name   string
	Path   string // "" where there is none
	WebURL string // "" where there is none
}

// SubSource is the inner place: a document library of the site (DOCSTORE_A), or
// a sub-folder of the folder (DOCSTORE_B; interface 4.2, row 9).
type SubSource = Source

// Location names what is watched: one sub-source of one source.
type Location struct {
	Source    string
	SubSource string
}

// Item is one file or folder as the store has it now.
type Item struct {
	// ID names it for as long as it exists, through renames and moves, and
	// again once it is restored. Unique within the place.
	ID string
	// Version changes when the content does, and with nothing else: a rename
	// or a move keeps it, where the store can tell the two apart. "" for
	// folders.
	Version string
	// Hash is the store's own digest of the content with its name, as in
	// "sha256:…"; "" where it has none. Files of one hash are alike.
	Hash string
	Name string
	// Parent is the ID of the folder that it lies in. The place itself has an
	// item with Top set; what lies directly in it names that one's ID.
	Parent string
	// Size in bytes; -1 where the store does not know it before it is read.
	Size       int64
	MediaType  string // as the store has it; "" for none. The bytes decide.
	WebURL     string // where a person opens it; "" for none
	ModifiedAt time.Time
	Folder     bool
	// Top marks the place's own top folder, whose name belongs to no path.
	Top bool
	// Linked marks what is no content of its own: a shortcut, a folder of
	// another place that is shown here, or a kind the store cannot hand out. It
	// is never opened.
	Linked bool
}

// Change is what became of one item. Of several for one item the last holds.
type Change struct {
	// Item is its state now. Where Removed is set only ID is sure to be filled.
	Item
	// Removed says that it is no longer in the store, or no longer to be read:
	// deleted, in the bin, or taken away from the account.
	Removed bool
}

// Page is a part of an answer that has many.
type Page struct {
	Changes []Change
	// Cursor is where the next call goes on: opaque, at most MaxCursor bytes,
	// and without any secret. It is never "" for a feed; in a listing of
	// children "" says that this was the last page.
	Cursor string
	// Done says that the feed has caught up: the next call tells what happens
	// from now on. A page may be empty and not Done.
	Done bool
}

// MaxCursor bounds a cursor, in bytes.
const MaxCursor = 64 << 10

// Content is the content of a file on its way.
type Content struct {
	// Body must be closed. It may end early with an error, which then is a
	// fault as described at ErrLocked.
	Body io.ReadCloser
	Size int64 // bytes to come; -1 where the store does not say
	// MediaType and Name are of what is handed out, which differs from the item
	// where the store converts it; "" for as the item has it.
	MediaType string
	Name      string
	// Version is the version that these bytes are, where the store says so;
	// else "".
	Version string
}

// MaxPath bounds a directory's path, in bytes; MaxDirectories how many of them
// one watch names.
const (
	MaxPath        = 2048
	MaxDirectories = 100
)

// CleanPath brings a directory's path into the one form that is compared:
// segments parted by "/", without one at either end. The top folder is "". A
// path that could lead elsewhere is refused; field is the request's name for
// it.
func CleanPath(field, path string) (string, error) {
	if len(path) > MaxPath {
		return "", fault.InvalidField(field, "must be at most %d bytes", MaxPath)
	}
	trimmed := strings.Trim(path, "/")
	if trimmed == "" {
		return "", nil
	}
	for segment := range strings.SplitSeq(trimmed, "/") {
		switch {
		case segment == "":
			return "", fault.InvalidField(field, "must not have empty segments")
		case segment == "." || segment == "..":
			return "", fault.InvalidField(field, "must not have the segment . or two dots")
		case strings.ContainsFunc(segment, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return "", fault.InvalidField(field, "must not have control characters")
		}
	}
	return trimmed, nil
}
