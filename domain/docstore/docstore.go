// Package docstore describes document stores: locations that can be watched, their items, and their
// changes.
package docstore

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"
)

// Source is the outer part of a location: a site (DOCSTORE_A) or a folder (DOCSTORE_B; interface
// 4.2, row 8).
type Source struct {
	// ID is the document store's identifier. It is opaque and may contain any text.
	ID     string
	Name   string
	Path   string // "" where there is none
	WebURL string // "" where there is none
}

// SubSource is the inner part of a location: a document library of the site (DOCSTORE_A) or a
// sub-folder of the folder (DOCSTORE_B; interface 4.2, row 9).
type SubSource = Source

// Location is what a watch tracks: one sub-source of one source.
type Location struct {
	Source    string
	SubSource string
}

// Item is the current state of a file or folder.
type Item struct {
	// ID identifies the item through renames, moves and restoration. It is unique within the
	// location.
	ID string
	// Version changes only with the content. A rename or a move keeps it if the document store can
	// distinguish them. It is "" for folders.
	Version string
	// Hash is the document store's digest of the content with its name, as in "sha256:…"; "" if
	// there is none. Files with equal hashes have equal content.
	Hash string
	Name string
	// Parent is the ID of the folder that contains the item. The root folder of the location is an
	// item with Top set.
	Parent string
	// Size is in bytes; -1 if it is unknown before the download.
	Size       int64
	MediaType  string // as the store has it; "" for none. The bytes decide.
	WebURL     string // where a person opens it; "" for none
	ModifiedAt time.Time
	Folder     bool
	// Top marks the root folder of the location. Its name is not part of any path.
	Top bool
	// Linked marks an item without own content: a shortcut, a folder of another location, or a kind
	// that cannot be downloaded. It is never opened.
	Linked bool
}

// Change is the new state of one item. The last of several changes of one item applies.
type Change struct {
	// Item is the current state. If Removed is set, only ID is always filled.
	Item
	// Removed reports that the item was deleted, is in the bin, or can no longer be read by the
	// account.
	Removed bool
}

// Page is one page of changes.
type Page struct {
	Changes []Change
	// Cursor is the position of the next call: opaque, at most MaxCursor bytes, without secrets. It
	// is never "" for a feed. In a listing of children "" marks the last page.
	Cursor string
	// Done reports that the feed has reached the present; the next call returns later changes. A
	// page may be empty without being Done.
	Done bool
}

// MaxCursor is the maximum length of a cursor, in bytes.
const MaxCursor = 64 << 10

// Content is the content of a file during a download.
type Content struct {
	// Body must be closed. It may end early with an error, which is a fault as described at
	// ErrLocked.
	Body io.ReadCloser
	Size int64 // in bytes; -1 if the document store does not state it
	// MediaType and Name describe the downloaded content if the document store converts it; "" if
	// they are the item's.
	MediaType string
	Name      string
	// Version is the version of the bytes if the document store states it; otherwise "".
	Version string
}

// MaxPath is the maximum length of a directory's path, in bytes. MaxDirectories is the maximum
// number of directories of a watch.
const (
	MaxPath        = 2048
	MaxDirectories = 100
)

// Folder is a folder that can be chosen as a directory of a watch.
type Folder struct {
	Name string
	Path string // in the form of CleanPath
}

// FoldersOf returns the folders among items that are directly inside the folder at path, by name,
// each path once. It omits folders that a path cannot name.
func FoldersOf(items []Item, path string) []Folder {
	list := make([]Folder, 0, len(items))
	seen := make(map[string]bool, len(items))
	for _, it := range items {
		at := it.Name
		if path != "" {
			at = path + "/" + it.Name
		}
		// Some stores allow "/" in names.
		clean, err := CleanPath("path", at)
		if !it.Folder || seen[at] || err != nil || clean != at || strings.Contains(it.Name, "/") {
			continue
		}
		seen[at] = true
		list = append(list, Folder{Name: it.Name, Path: at})
	}
	slices.SortFunc(list, func(a, b Folder) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list
}

// CleanPath normalizes a directory's path: segments separated by "/", without a leading or trailing
// one. The root folder is "". It refuses a path that could lead elsewhere; field is the request's
// field name.
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
