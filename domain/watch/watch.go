// Package watch follows a place of a document store: how far it has been read,
// what is known to lie there, and what is still to be taken in.
package watch

import (
	"errors"
	"strings"
	"time"

	"docledger/domain/docstore"

	"github.com/google/uuid"
)

// ErrSuperseded says that another process has taken the watch over, so that
// what this one did since is not stored.
var ErrSuperseded = errors.New("another process took the watch over")

// Pause says why a watch stands still although its integration is ACTIVE; ""
// where it does not.
type Pause string

// The pauses.
const (
	PausedPlan     Pause = "subscription_inactive" // the organization has no active plan (domain D15)
	PausedArchived Pause = "entity_archived"
	PausedHeld     Pause = "held_after_restore" // the operator has not let work go on yet (domain D23)
)

// Watch is how far the place of one integration has been followed.
type Watch struct {
	IntegrationID  uuid.UUID
	OrganizationID uuid.UUID
	// Run is the fencing token of whoever polls: it rises with every claim.
	Run int64

	Place       docstore.Location
	Directories []Directory

	// Cursor is where the feed goes on; "" before the first poll and after the
	// store lost it. Account is whose it is: a feed may be of all that one
	// account sees, so that it tells another one nothing.
	Cursor  string
	Account string
	// Listing is the folder whose content has been listed in part.
	Listing Listing
	// Epoch numbers the full enumerations. Enumerating says that the present
	// one has not come to its end: what it has not told of yet may still be
	// there.
	Epoch       int64
	Enumerating bool
	// CaughtUp says that the feed was read to its end.
	CaughtUp bool

	NextPollAt time.Time
	// Woken says that somebody asked for a poll since this one began: what it
	// has read may be too old.
	Woken        bool
	LastPollAt   time.Time // the latest poll that reached the store; zero for none
	UpToDateAt   time.Time // when last nothing was left to do; zero for never
	Failures     int       // polls in a row that came to nothing
	Pause        Pause
	FilesSeen    int64 // versions of files that the store told of
	FilesTakenIn int64 // versions that are documents
	// SubscribeAt is when the store's promise to call us is seen to again.
	SubscribeAt time.Time
}

// Listing is how far the listing of a folder has got; its Folder is "" for
// none.
type Listing struct{ Folder, Cursor string }

// Directory is a directory that the set-up names, with the folders that are
// watched for it.
type Directory struct {
	Path string // as in docstore.CleanPath
	// Folders are the items that lay at the path once: one that is renamed or
	// moved stays watched, and another one at the path is watched too.
	Folders []string
}

// CheckFence refuses to go on with a watch that another process has claimed.
func (w *Watch) CheckFence(run int64) error {
	if w.Run != run {
		return ErrSuperseded
	}
	return nil
}

// Retarget points the watch at a place and its directories. It says whether the
// place is another one, so that nothing known of the former one holds.
func (w *Watch) Retarget(p docstore.Location, paths []string) (moved bool) {
	moved = w.Place != p
	known := map[string][]string{}
	if !moved {
		for _, d := range w.Directories {
			known[d.Path] = d.Folders
		}
	}
	w.Place, w.Directories = p, nil
	if moved {
		w.SubscribeAt = time.Time{}
	}
	for _, path := range paths {
		w.Directories = append(w.Directories, Directory{Path: path, Folders: known[path]})
	}
	if moved {
		w.ResetCursor("")
	}
	return moved
}

// Targets says whether the watch follows a place and its directories.
func (w *Watch) Targets(p docstore.Location, paths []string) bool {
	if w.Place != p || len(paths) != len(w.Directories) {
		return false
	}
	for n, d := range w.Directories {
		if d.Path != paths[n] {
			return false
		}
	}
	return true
}

// ResetCursor begins anew, at a cursor that tells all there is, or "" for one that is
// to be asked for.
func (w *Watch) ResetCursor(restart string) {
	w.Cursor, w.CaughtUp, w.Listing = restart, false, Listing{}
	w.Epoch++
	w.Enumerating = true
}

// State says what is to be done with a file.
type State string

// The states.
const (
	Wanted  State = "WANTED"  // to be taken in
	TakenIn State = "DONE"    // its present version is a document
	Outside State = "OUTSIDE" // in none of the watched directories
	Skipped State = "SKIPPED" // never taken in; Reason says why
)

// Reason says why a file waits or is never taken in.
type Reason string

// The reasons.
const (
	Empty      Reason = "empty"      // no bytes, or none yet: its next version is looked at
	TooLarge   Reason = "too_large"  // larger than any upload may be
	Withheld   Reason = "withheld"   // the store never hands it out
	Gone       Reason = "gone"       // it was not there; looked for a few times
	Locked     Reason = "locked"     // it is tried again
	Unfinished Reason = "unfinished" // it had other bytes than announced; tried again
	Denied     Reason = "denied"     // it may not be read; tried again
	Unanswered Reason = "unanswered" // the store gave no sensible answer, or not in time; tried again
)

// Node is what is known of one item of the store.
type Node struct {
	docstore.Item
	// Removed says that it is no longer there. Its row stays, so that its
	// return is no new version.
	Removed bool
	Epoch   int64 // of the latest enumeration that told of it
	Listed  bool  // a folder whose content is known from its listing
	State   State // "" for folders and what is never opened
	Reason  Reason
	// DoneVersion is the version that was taken in last.
	DoneVersion string
	Attempts    int
	// NextAt is when a WANTED file is tried, or a folder that could not be
	// listed, for its Reason.
	NextAt time.Time
}

// maxID and maxVersion bound what a store names things by, in bytes: far above
// what any does, and below what an index of the database holds.
const (
	maxID      = 512
	maxVersion = 1024
)

// CanBeKept says whether what a store told can be stored under its names.
func CanBeKept(c docstore.Change) bool {
	return c.ID != "" && len(c.ID) <= maxID && len(c.Version) <= maxVersion
}

// File says whether the node is something to take in, once it is there.
func (n *Node) File() bool { return !n.Folder && !n.Top && !n.Linked }

// Apply takes over what the store tells of an item. It says whether a version
// is wanted that was not wanted before, and whether the tree of folders is
// another one than before.
func (n *Node) Apply(c docstore.Change, epoch int64, now time.Time) (fresh, reshaped bool) {
	before, known := *n, n.ID != ""
	n.Epoch = epoch
	if c.Removed {
		n.ID, n.Removed, n.Listed = c.ID, true, false
		if n.State == Wanted || n.State == Outside {
			n.State, n.Reason = Skipped, Gone
		}
		return false, known && before.Folder && !before.Removed
	}
	n.Item, n.Removed = c.Item, false
	n.Top = n.Top || before.Top // a feed may not know that it is the place's own
	if n.Folder || n.Top {
		n.State = ""
		reshaped = !known || before.Removed || before.Parent != n.Parent || before.Name != n.Name
		return false, reshaped
	}
	if !n.File() {
		n.State = ""
		return false, false
	}
	return n.want(before, known, now), false
}

// want decides what is to be done with a file that the store told of.
func (n *Node) want(before Node, known bool, now time.Time) (fresh bool) {
	same := known && before.Version == n.Version
	switch {
	case n.DoneVersion != "" && n.DoneVersion == n.Version:
		n.State, n.Reason = TakenIn, ""
		return false
	case same && before.State == Wanted, same && before.State == Skipped && before.Reason != Gone:
		return false // it keeps its turn, or its verdict
	}
	n.State, n.Reason, n.Attempts, n.NextAt = Wanted, "", 0, now
	return !same
}

// The pauses between tries of a file that could not be had.
const (
	firstRetry = 15 * time.Second
	lastRetry  = time.Hour
)

// Retry puts a file off. after is when the store said to come back; zero for
// nothing said.
func (n *Node) Retry(r Reason, after time.Duration, now time.Time) {
	pause := firstRetry << min(n.Attempts, 8)
	n.Attempts++
	n.State, n.Reason = Wanted, r
	n.NextAt = now.Add(min(max(pause, after), lastRetry))
}

// Defer has a folder listed later, which could not be listed now.
func (n *Node) Defer(r Reason, now time.Time) {
	n.Reason, n.NextAt = r, now.Add(firstRetry)
	if r == Denied {
		n.NextAt = now.Add(lastRetry)
	}
}

// Skip gives a version up.
func (n *Node) Skip(r Reason) { n.State, n.Reason = Skipped, r }

// MarkIngested notes that the present version, or the one that was read, is a
// document. A newer one is told by the store's feed.
func (n *Node) MarkIngested(version string) {
	n.DoneVersion, n.State, n.Reason, n.Attempts = version, TakenIn, "", 0
}

// SamePath compares paths, or names, as the store does.
func SamePath(a, b string, fold bool) bool { return a == b || fold && strings.EqualFold(a, b) }
