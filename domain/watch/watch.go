// Package watch tracks a location of a document store: the cursor, the known items, and the files
// to be ingested.
package watch

import (
	"errors"
	"strings"
	"time"

	"docledger/domain/docstore"

	"github.com/google/uuid"
)

// ErrSuperseded reports that another process has claimed the watch. The changes of this process
// since then are not stored.
var ErrSuperseded = errors.New("another process took the watch over")

// Pause is the reason why a watch of an ACTIVE integration does not poll; "" if it polls.
type Pause string

// The pauses.
const (
	PausedPlan     Pause = "subscription_inactive" // the organization has no active plan (domain D15)
	PausedArchived Pause = "entity_archived"
	PausedHeld     Pause = "held_after_restore" // paused after a restore, until the operator resumes work (domain D23)
)

// Watch is the state of the polling of one integration's location.
type Watch struct {
	IntegrationID  uuid.UUID
	OrganizationID uuid.UUID
	// Run is the fencing token of the poller; it increases with every claim.
	Run int64

	Place       docstore.Location
	Directories []Directory

	// Cursor is the position in the change feed; "" before the first poll and after the document
	// store lost it. Account is the provider account that the cursor belongs to: a feed may cover
	// what one account sees, so another account cannot use its cursor.
	Cursor  string
	Account string
	// Listing is the folder whose content is partly listed.
	Listing Listing
	// Epoch counts the full scans. Enumerating reports that the current full scan is not complete.
	// Items that it has not reported may still exist.
	Epoch       int64
	Enumerating bool
	// CaughtUp reports that the feed was read to its end.
	CaughtUp bool

	NextPollAt time.Time
	// Woken reports that a poll was requested after the current one began, so its data may be too
	// old.
	Woken        bool
	LastPollAt   time.Time // the latest poll that reached the document store; zero for none
	UpToDateAt   time.Time // when nothing was left to do last; zero for never
	Failures     int       // consecutive failed polls
	Pause        Pause
	FilesSeen    int64 // versions of files that the document store reported
	FilesTakenIn int64 // versions that became documents
	// SubscribeAt is when the change notification subscription is checked or renewed next.
	SubscribeAt time.Time
	Refusal     Refusal // of the latest request for change notifications
}

// Refusal is why the document store sends no change notifications; the zero value if it does, or
// was not asked.
type Refusal struct {
	Code    string // of the document store, or of the fault
	Message string // of the document store, for people; may be ""
	// Lasting reports that the document store refuses notifications. Otherwise it may have failed.
	Lasting bool
}

// Listing is the progress of listing a folder; Folder is "" if no listing is in progress.
type Listing struct{ Folder, Cursor string }

// Directory is a configured directory, with the folders that are watched for it.
type Directory struct {
	Path string // as in docstore.CleanPath
	// Folders are the items that were at the path at some time. A folder that is renamed or moved
	// stays watched, and a new folder at the path is watched too.
	Folders []string
}

// CheckFence returns ErrSuperseded if another process has claimed the watch.
func (w *Watch) CheckFence(run int64) error {
	if w.Run != run {
		return ErrSuperseded
	}
	return nil
}

// Retarget sets the location and its directories. It reports whether the location changed, which
// makes the known items invalid.
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

// Targets reports whether the watch tracks the location and directories.
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

// ResetCursor starts a full scan. restart is a cursor that reports all items, or "" if the poll
// must request one.
func (w *Watch) ResetCursor(restart string) {
	w.Cursor, w.CaughtUp, w.Listing = restart, false, Listing{}
	w.Epoch++
	w.Enumerating = true
}

// State is the ingest state of a file.
type State string

// The states.
const (
	Wanted  State = "WANTED"  // to be ingested
	TakenIn State = "DONE"    // the current version is a document
	Outside State = "OUTSIDE" // in none of the watched directories
	Skipped State = "SKIPPED" // never ingested; Reason is the cause
)

// Reason is why a file waits or is never ingested.
type Reason string

// The reasons.
const (
	Empty      Reason = "empty"      // no bytes, or not yet; the next version is considered
	TooLarge   Reason = "too_large"  // larger than the upload limit
	Withheld   Reason = "withheld"   // the document store never provides the content
	Gone       Reason = "gone"       // missing after several attempts
	Temporary  Reason = "temporary"  // a lock file or an unfinished file of another program; a new name is considered
	Linked     Reason = "linked"     // a shortcut to another item, or an item without content to download
	Locked     Reason = "locked"     // retried
	Unfinished Reason = "unfinished" // the bytes differ from the announced ones; retried
	Denied     Reason = "denied"     // reading is forbidden; retried
	Unanswered Reason = "unanswered" // the document store gave no valid response in time; retried
)

// Node is the known state of one item of the document store.
type Node struct {
	docstore.Item
	// Removed reports that the item no longer exists. The row is kept, so that the item is not
	// ingested again when it returns.
	Removed bool
	Epoch   int64 // the latest full scan that reported it
	Listed  bool  // the content of the folder was listed
	State   State // "" for folders
	Reason  Reason
	// SkippedAt is when the file became SKIPPED; zero for other states.
	SkippedAt time.Time
	// DoneVersion is the version that was ingested last.
	DoneVersion string
	Attempts    int
	// NextAt is the next attempt for a WANTED file, or for a folder that could not be listed.
	NextAt time.Time
}

// maxID and maxVersion limit the length of a document store's identifiers, in bytes. The limits are
// above what document stores use and below what a database index accepts.
const (
	maxID      = 512
	maxVersion = 1024
)

// CanBeKept reports whether the identifiers of a change can be stored.
func CanBeKept(c docstore.Change) bool {
	return c.ID != "" && len(c.ID) <= maxID && len(c.Version) <= maxVersion
}

// Apply updates the node with a reported change. fresh reports whether a new version became wanted.
// reshaped reports whether the folder tree changed.
func (n *Node) Apply(c docstore.Change, epoch int64, now time.Time) (fresh, reshaped bool) {
	before, known := *n, n.ID != ""
	n.Epoch = epoch
	if c.Removed {
		n.ID, n.Removed, n.Listed = c.ID, true, false
		if n.State == Wanted || n.State == Outside {
			n.Skip(Gone, now)
		}
		return false, known && before.Folder && !before.Removed
	}
	n.Item, n.Removed = c.Item, false
	n.Top = n.Top || before.Top // a feed may not mark the root folder of the location
	if n.Folder || n.Top {
		reshaped = !known || before.Removed || before.Parent != n.Parent || before.Name != n.Name
	}
	switch {
	case n.Linked:
		n.want(before, known, now) // to be listed as skipped
		return false, reshaped
	case n.Folder, n.Top:
		n.State = ""
		return false, reshaped
	}
	return n.want(before, known, now), false
}

// want sets the ingest state of a reported file.
func (n *Node) want(before Node, known bool, now time.Time) (fresh bool) {
	same := known && before.Version == n.Version
	switch {
	case n.DoneVersion != "" && n.DoneVersion == n.Version:
		n.State, n.Reason = TakenIn, ""
		return false
	case same && before.State == Skipped && before.Reason == Temporary && before.Name != n.Name:
	case same && before.State == Wanted, same && before.State == Skipped && before.Reason != Gone:
		return false // it keeps its state and next attempt
	}
	n.State, n.Reason, n.Attempts, n.NextAt, n.SkippedAt = Wanted, "", 0, now, time.Time{}
	return !same
}

// The delays between attempts to ingest a file.
const (
	firstRetry = 15 * time.Second
	lastRetry  = time.Hour
)

// Retry schedules another attempt for a file. after is the delay that the document store requested;
// zero if none.
func (n *Node) Retry(r Reason, after time.Duration, now time.Time) {
	pause := firstRetry << min(n.Attempts, 8)
	n.Attempts++
	n.State, n.Reason = Wanted, r
	n.NextAt = now.Add(min(max(pause, after), lastRetry))
}

// Defer schedules another attempt for a folder that could not be listed.
func (n *Node) Defer(r Reason, now time.Time) {
	n.Reason, n.NextAt = r, now.Add(firstRetry)
	if r == Denied {
		n.NextAt = now.Add(lastRetry)
	}
}

// Skip marks a version as never to be ingested.
func (n *Node) Skip(r Reason, now time.Time) { n.State, n.Reason, n.SkippedAt = Skipped, r, now }

// MarkIngested records that the current version, or the one that was read, is a document. The feed
// reports newer versions.
func (n *Node) MarkIngested(version string) {
	n.DoneVersion, n.State, n.Reason, n.Attempts, n.SkippedAt = version, TakenIn, "", 0, time.Time{}
}

// SamePath compares paths or names with the document store's case rule.
func SamePath(a, b string, fold bool) bool { return a == b || fold && strings.EqualFold(a, b) }
