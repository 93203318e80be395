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
	// maxRenditions bounds the bytes of answers that a process keeps.
	maxRenditions = 32 << 20
	// maxRendition is the largest answer that is kept.
	maxRendition = maxRenditions / 64
)

// responseCache keeps invoices as they were answered last. One whose stamp has not
// changed since is neither read whole nor encoded again; who may see it the
// stamp's reading has decided.
type responseCache struct {
	kept *otter.Cache[uuid.UUID, cachedResponse]
}

// cachedResponse is an answer as it is sent.
type cachedResponse struct {
	stamp invoice.Revision
	etag  string
	body  []byte
}

// NewRenditions returns an empty cache.
func NewRenditions() (*responseCache, error) {
	kept, err := otter.New(&otter.Options[uuid.UUID, cachedResponse]{
		MaximumWeight: maxRenditions, Weigher: func(_ uuid.UUID, r cachedResponse) uint32 { return uint32(len(r.body)) },
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of invoices: %w", err)
	}
	return &responseCache{kept: kept}, nil
}

// of returns what is kept of an invoice with a stamp, or what read returns. The
// stamp was taken before, so that what is kept under it is at least as new.
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
		return nil, fmt.Errorf("encode the invoice: %w", err)
	}
	r := cachedResponse{stamp: stamp, etag: answer.Headers.ETag, body: body}
	if len(body) <= maxRendition {
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
