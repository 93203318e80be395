package document

import (
	"context"
	"time"
)

// Rendition is a file that docledger derived from the bytes of a document, such as the image of a
// page. It is a cache: docledger can derive it again. Its key contains neither the document nor the
// entity, because every document with the same bytes has the same renditions.
type Rendition struct {
	Source    string // the SHA-256 of the original
	Name      string // such as page/1/3/1000: kind, version of the renderer, page, width
	SHA256    string // the key of the blob
	SizeBytes int64
	CreatedAt time.Time
}

// Renditions stores which renditions exist. Callers verify access to the document first.
type Renditions interface {
	// Find returns nil if there is none.
	Find(ctx context.Context, source, name string) (*Rendition, error)
	// Put adds a rendition or replaces the one with the same source and name. It stores nothing and
	// returns false if no document has the original's bytes, because the last one was deleted.
	Put(ctx context.Context, r Rendition) (stored bool, err error)
	// Remove removes the renditions of an original, and returns the keys of those blobs that no
	// other rendition and no document refers to. The last document with these bytes has been
	// removed before, in the same transaction.
	Remove(ctx context.Context, source string) (blobs []string, err error)
}
