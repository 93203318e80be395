package sync_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/extraction"
	"docledger/domain/identity"
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

// ownPages are the originals of parts, without the other pages of their files.
type ownPages struct{ err error }

func (o ownPages) Original(_ context.Context, d *document.Document) (*document.Document, io.ReadSeekCloser, error) {
	if o.err != nil {
		return d, nil, o.err
	}
	own := *d
	own.Filename, own.MediaType, own.SizeBytes = "own.pdf", "application/pdf", 9
	return &own, content{bytes.NewReader([]byte("own pages"))}, nil
}

type content struct{ *bytes.Reader }

func (content) Close() error { return nil }

// TestPartOfAnotherEntityAttachesItsOwnPages attaches no file that contains documents of another entity.
func TestPartOfAnotherEntityAttachesItsOwnPages(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other := &entity.Entity{ID: ids{}.New(), OrganizationID: w.admin.OrganizationID, Name: "Other", Access: entity.AccessOrganization, DefaultRole: identity.Approver, Version: 1}
		must(t, w.store.Entities().Add(t.Context(), other))
		file := w.document(w.approved("P-0", func(inv *invoice.Invoice) { inv.EntityID = other.ID }))
		part := func(number string, change func(*document.Document)) uuid.UUID {
			id := w.approved(number)
			_, err := w.store.Documents().Update(t.Context(), w.admin.Scope(), w.invoice(id).DocumentID, func(d *document.Document) error {
				d.ParentID, d.Part = file, int(number[2]-'0')
				change(d)
				return nil
			})
			must(t, err)
			return id
		}
		pages := func(d *document.Document) { d.Pages = &document.Pages{From: 2, To: 3} }
		xml := func(d *document.Document) { d.MediaType = "application/xml" }
		for number, c := range map[string]struct {
			change    func(*document.Document)
			originals ownPages
			want      invoice.AttachmentState
		}{
			"P-1": {pages, ownPages{}, invoice.Attached},
			"P-2": {xml, ownPages{}, invoice.Rendered},
			"P-3": {pages, ownPages{document.ErrOfOthers(&document.Document{})}, invoice.Skipped},
		} {
			w.service.Originals = c.originals
			s := w.book(part(number, c.change), usecase.Input{}).Sync
			files := w.ledger.byID(s.RemoteID).files
			if s.State != invoice.SyncDone || s.Attachment != c.want {
				t.Errorf("%s: %+v", number, s)
			}
			if c.want == invoice.Skipped {
				if len(files) != 0 || s.AttachmentReason == "" {
					t.Errorf("%s: %v, %+v", number, files, s)
				}
			} else if len(files) != 1 || files[0].Filename != "own.pdf" || files[0].SizeBytes != 9 {
				t.Errorf("%s: %v", number, files)
			}
		}
	})
}

// document returns the document of an invoice.
func (w *world) document(id uuid.UUID) uuid.UUID { return w.invoice(id).DocumentID }
