package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// AssignInvoice implements the operation assignInvoice.
func (s *Server) AssignInvoice(ctx context.Context, r backend.AssignInvoiceRequestObject) (backend.AssignInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	member, _ := r.Body.UserId.Get() // null ends the assignment
	inv, err := s.Invoices.Assign(ctx, actor(ctx), r.InvoiceId, version, member)
	if err != nil {
		return nil, err
	}
	return backend.AssignInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.AssignInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// AddInvoiceNote implements the operation addInvoiceNote.
func (s *Server) AddInvoiceNote(ctx context.Context, r backend.AddInvoiceNoteRequestObject) (backend.AddInvoiceNoteResponseObject, error) {
	may := func(backend.Event) error {
		inv, err := s.Invoices.Get(ctx, actor(ctx).Scope(), r.InvoiceId)
		if err != nil {
			return err
		}
		return s.mayStill(ctx, identity.Note, inv.EntityID)
	}
	request := map[string]string{"invoice_id": r.InvoiceId.String(), "text": r.Body.Text}
	body, _, err := withIdempotency(ctx, s, r.Params.IdempotencyKey, request, may, func(id uuid.UUID) (backend.Event, int, error) {
		note, err := s.Invoices.AddNote(ctx, actor(ctx), r.InvoiceId, id, r.Body.Text)
		if err != nil {
			return backend.Event{}, 0, err
		}
		return convert.ToAPIEvents([]event.Event{*note})[0], 0, nil
	})
	if err != nil {
		return nil, err
	}
	return backend.AddInvoiceNote200JSONResponse{Body: body}, nil
}
