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

// Renditions keeps invoices as they were answered last. One whose stamp has not
// changed since is neither read whole nor encoded again; who may see it the
// stamp's reading has decided.
type Renditions struct {
	kept *otter.Cache[uuid.UUID, rendition]
}

// rendition is an answer as it is sent.
type rendition struct {
	stamp invoice.Stamp
	etag  string
	body  []byte
}

// NewRenditions returns an empty cache.
func NewRenditions() (*Renditions, error) {
	kept, err := otter.New(&otter.Options[uuid.UUID, rendition]{
		MaximumWeight: maxRenditions, Weigher: func(_ uuid.UUID, r rendition) uint32 { return uint32(len(r.body)) },
	})
	if err != nil {
		return nil, fmt.Errorf("make the cache of invoices: %w", err)
	}
	return &Renditions{kept: kept}, nil
}

// of returns what is kept of an invoice with a stamp, or what read returns. The
// stamp was taken before, so that what is kept under it is at least as new.
func (c *Renditions) of(
	id uuid.UUID, stamp invoice.Stamp, read func() (backend.GetInvoice200JSONResponse, error),
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
	r := rendition{stamp: stamp, etag: answer.Headers.ETag, body: body}
	if len(body) <= maxRendition {
		c.kept.Set(id, r)
	}
	return r, nil
}

// VisitGetInvoiceResponse implements backend.GetInvoiceResponseObject.
func (r rendition) VisitGetInvoiceResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", r.etag)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(r.body)
	return err
}
