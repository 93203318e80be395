package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"docledger/domain/invoice"
	"docledger/gen/backend"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
)

const (
	// maxCacheBytes limits the bytes of cached responses in a process.
	maxCacheBytes = 32 << 20
	// maxResponseBytes is the size of the largest cached response.
	maxResponseBytes = maxCacheBytes / 64
)

// responseCache caches encoded invoices by revision. An invoice with an
// unchanged revision is neither read nor encoded again. Reading the revision
// has already verified the access of the caller.
type responseCache struct {
	kept *otter.Cache[uuid.UUID, cachedResponse]
}

// cachedResponse is an encoded response.
type cachedResponse struct {
	stamp invoice.Revision
	etag  string
	body  []byte
}

// NewResponseCache returns an empty cache.
func NewResponseCache() (*responseCache, error) {
	kept, err := otter.New(&otter.Options[uuid.UUID, cachedResponse]{
		MaximumWeight: maxCacheBytes, Weigher: func(_ uuid.UUID, r cachedResponse) uint32 { return uint32(len(r.body)) },
	})
	if err != nil {
		return nil, fmt.Errorf("create invoice cache: %w", err)
	}
	return &responseCache{kept: kept}, nil
}

// of returns the cached response for an invoice revision, or the result of
// read. The revision was read before, so that the cached response is at least
// as new.
func (c *responseCache) of(
	id uuid.UUID, stamp invoice.Revision, read func() (backend.GetInvoice200JSONResponse, error),
) (backend.GetInvoiceResponseObject, error) {
	if r, ok := c.kept.GetIfPresent(id); ok && r.stamp == stamp {
		return r, nil
	}
	answer, err := read()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("encode invoice: %w", err)
	}
	r := cachedResponse{stamp: stamp, etag: answer.Headers.ETag, body: body}
	if len(body) <= maxResponseBytes {
		c.kept.Set(id, r)
	}
	return r, nil
}

// VisitGetInvoiceResponse implements backend.GetInvoiceResponseObject.
func (r cachedResponse) VisitGetInvoiceResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", r.etag)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(r.body)
	return err
}
