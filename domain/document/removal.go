package document

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// BlobState is the progress of the removal of a blob.
type BlobState string

// The states of a removal; "" means that no removal is recorded.
const (
	// BlobPending means that the blob is removed when its grace period ends, unless something
	// refers to it then.
	BlobPending BlobState = "PENDING"
	// BlobRemoving means that the blob is being removed. Nothing may refer to it.
	BlobRemoving BlobState = "REMOVING"
	// BlobRemoved means that the blob was removed a short time ago.
	BlobRemoved BlobState = "REMOVED"
)

// Removed describes what Deletions.Remove removed.
type Removed struct {
	Documents []Document // the given one first, then its parts
	Invoices  []uuid.UUID
	// Blobs are the keys of the blobs that nothing refers to any more.
	Blobs []string
}

// Deletions deletes documents and decides which blobs nothing refers to (domain D21).
type Deletions interface {
	// Remove deletes a document, its parts, their invoices, what is derived from them, and the
	// values in the events of the invoices. It works within the caller's transaction. It returns a
	// NotFound fault if the document is missing or outside the scope.
	Remove(ctx context.Context, s identity.Scope, id uuid.UUID) (Removed, error)
	// Expired lists at most limit documents without a parent that were received before the given
	// time, oldest first and after a document, of all organizations. Documents of entities under
	// legal hold are not listed.
	Expired(ctx context.Context, before time.Time, after *Document, limit int) ([]Document, error)
	// Invoices lists the invoices of a document and of its parts.
	Invoices(ctx context.Context, s identity.Scope, id uuid.UUID) ([]uuid.UUID, error)
}

// Removals records which blobs are removed when. A blob is removed some time after the last row
// that refers to it, so that a restored database does not refer to missing blobs.
type Removals interface {
	// Schedule records that blobs are removed after the given time. A later time replaces an
	// earlier one.
	Schedule(ctx context.Context, organization uuid.UUID, blobs []string, after time.Time) error
	// Keep postpones a pending removal to the given time, because a document with these bytes is
	// about to be stored. It returns the state of the removal.
	Keep(ctx context.Context, sha256 string, after time.Time) (BlobState, error)
	// Claim marks at most limit blobs as BlobRemoving and returns them: those that are due and that
	// nothing refers to, and those with an interrupted removal. It drops the records of due blobs
	// that something refers to.
	Claim(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Done records that a blob was removed.
	Done(ctx context.Context, sha256 string, now time.Time) error
	// Forget drops the records of blobs that were removed before the given time.
	Forget(ctx context.Context, before time.Time) error
}

// removalRetry is the time after which a file can be stored again while its blob is being removed.
const removalRetry = 5 * time.Second

// KeepBlob protects a blob that was just stored from the removal of the same bytes, which a deleted
// document had (domain D21). It postpones a pending removal to the given time; until then a document
// refers to the blob. If a removal runs, or has removed the stored bytes, KeepBlob returns an
// Unavailable fault, and the caller stores them again.
func KeepBlob(ctx context.Context, blobs Blobs, removals Removals, sha256 string, after time.Time) error {
	state, err := removals.Keep(ctx, sha256, after)
	if err != nil {
		return err
	}
	switch state {
	case BlobRemoving:
		return errBlobRemoved()
	case BlobRemoved:
		r, err := blobs.Open(ctx, sha256)
		if fault.CodeOf(err) == fault.CodeNotFound {
			return errBlobRemoved()
		}
		if err != nil {
			return fmt.Errorf("check blob: %w", err)
		}
		return r.Close()
	}
	return nil
}

func errBlobRemoved() error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable,
		"The bytes of a deleted document are being removed, and the new file has the same bytes. Send it again.")
	f.RetryAfter = removalRetry
	return f
}
