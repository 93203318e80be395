package sync_test

import (
	"context"
	"testing"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	usecase "docledger/usecase/sync"

	"github.com/google/uuid"
)

// rendered is a viewer that renders every electronic invoice to the same file.
type rendered struct {
	extraction.PageViewer
	err error
}

func (r rendered) PDF(context.Context, extraction.Viewed) ([]byte, error) {
	return []byte("%PDF-1.7 a rendering"), r.err
}

// electronic approves an invoice with an XML original.
func (w *world) electronic(number string) uuid.UUID {
	w.t.Helper()
	id := w.approved(number, func(inv *invoice.Invoice) { inv.Extraction.Method = invoice.Structured })
	_, err := w.store.Documents().Update(w.t.Context(), w.admin.Scope(), w.invoice(id).DocumentID, func(d *document.Document) error {
		d.Filename, d.MediaType = number+".xml", "application/xml"
		return nil
	})
	must(w.t, err)
	return id
}

// TestRenderingIsAttachedInPlaceOfXML covers ledgers that refuse XML.
func TestRenderingIsAttachedInPlaceOfXML(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.ledger.limits.MediaTypes = []string{"application/pdf"}
		w.service.Viewer = rendered{}
		s := w.book(w.electronic("R-1"), usecase.Input{}).Sync
		files := w.ledger.byID(s.RemoteID).files
		if s.State != invoice.SyncDone || s.Attachment != invoice.Rendered || len(files) != 1 || files[0].Filename != "R-1.pdf" || files[0].SizeBytes != 20 {
			t.Errorf("rendered: %+v, %v", s, files)
		}
		if s := w.book(w.approved("R-2"), usecase.Input{}).Sync; s.Attachment != invoice.Attached {
			t.Errorf("a PDF: %+v", s)
		}

		// A lost response to the attachment leaves one file.
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "attach" {
				return happening{after: unavailable()}
			}
			return happening{}
		}
		id := w.electronic("R-3")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		w.push(context.Background())
		w.ledger.meets = nil
		w.settle()
		if s := w.invoice(id).Sync; s.Attachment != invoice.Rendered || len(w.ledger.byID(s.RemoteID).files) != 1 {
			t.Errorf("after a lost response: %+v", s)
		}

		w.service.Viewer = rendered{err: extraction.Fail(extraction.Malformed, "Damaged.")}
		if s := w.book(w.electronic("R-4"), usecase.Input{}).Sync; s.State != invoice.SyncDone || s.Attachment != invoice.Skipped || s.AttachmentReason == "" {
			t.Errorf("a document that cannot be rendered: %+v", s)
		}
	})
}
