package httpapi

import (
	"context"
	"errors"
	"maps"
	"time"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ExtractInvoice implements the operation extractInvoice.
func (s *Server) ExtractInvoice(ctx context.Context, r backend.ExtractInvoiceRequestObject) (backend.ExtractInvoiceResponseObject, error) {
	may := func(inv backend.Invoice) error {
		d, err := s.Documents.Get(ctx, actor(ctx).Scope(), r.Body.DocumentId)
		if err != nil {
			return err
		}
		return s.mayStill(ctx, identity.Extract, d.EntityID, inv.EntityId)
	}
	body, etag, err := withIdempotency(ctx, s, r.Params.IdempotencyKey, r.Body, may, func(uuid.UUID) (backend.Invoice, int, error) {
		inv, err := s.Extraction.Request(ctx, actor(ctx), r.Body.DocumentId, r.Body.Force != nil && *r.Body.Force)
		if err != nil {
			return backend.Invoice{}, 0, err
		}
		return s.Web.ToAPIInvoice(inv), inv.Version, nil
	})
	if err != nil {
		return nil, err
	}
	return backend.ExtractInvoice200JSONResponse{Body: body, Headers: backend.ExtractInvoice200ResponseHeaders{ETag: etag}}, nil
}

// ListInvoices implements the operation listInvoices.
func (s *Server) ListInvoices(ctx context.Context, r backend.ListInvoicesRequestObject) (backend.ListInvoicesResponseObject, error) {
	f, err := invoiceFilter(ctx, r.Params)
	if err != nil {
		return nil, err
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	found, err := s.Invoices.List(ctx, actor(ctx).Scope(), f, invoiceSort(r.Params.Sort), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.InvoiceSummary, len(found.Items))
	for i, summary := range found.Items {
		items[i] = s.Web.ToAPISummary(summary)
	}
	return backend.ListInvoices200JSONResponse{Body: backend.InvoiceList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// GetInvoice implements the operation getInvoice.
func (s *Server) GetInvoice(ctx context.Context, r backend.GetInvoiceRequestObject) (backend.GetInvoiceResponseObject, error) {
	scope := actor(ctx).Scope()
	stamp, err := s.Invoices.Revision(ctx, scope, r.InvoiceId)
	if err != nil {
		return nil, err
	}
	return s.Responses.of(r.InvoiceId, stamp, func() (backend.GetInvoice200JSONResponse, error) {
		inv, err := s.Invoices.Get(ctx, scope, r.InvoiceId)
		if err != nil {
			return backend.GetInvoice200JSONResponse{}, err
		}
		return backend.GetInvoice200JSONResponse{
			Body: s.Web.ToAPIInvoice(inv), Headers: backend.GetInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
		}, nil
	})
}

// ListInvoiceLines implements the operation listInvoiceLines.
func (s *Server) ListInvoiceLines(ctx context.Context, r backend.ListInvoiceLinesRequestObject) (backend.ListInvoiceLinesResponseObject, error) {
	found, err := s.Invoices.Lines(ctx, actor(ctx).Scope(), r.InvoiceId, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.InvoiceLine, len(found.Items))
	fields := map[string]invoice.Evidence{}
	for i, l := range found.Items {
		items[i] = convert.ToAPILine(l.Line)
		maps.Copy(fields, l.Fields)
	}
	return backend.ListInvoiceLines200JSONResponse{Body: backend.InvoiceLineList{
		Items: items, Fields: convert.ToAPIEvidence(fields), NextCursor: convert.Cursor(found.Next),
	}}, nil
}

// UpdateInvoice implements the operation updateInvoice.
func (s *Server) UpdateInvoice(ctx context.Context, r backend.UpdateInvoiceRequestObject) (backend.UpdateInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	patch := r.JSONBody
	if patch == nil {
		patch = r.ApplicationMergePatchPlusJSONBody
	}
	correction, err := convert.FromAPIPatch(patch)
	if err != nil {
		var wrong fault.Fields // one response names the wrong values of every part
		return nil, errors.Join(wrong.Take(err), wrong.Take(correction.Check()), wrong.Err())
	}
	inv, err := s.Invoices.Correct(ctx, actor(ctx), r.InvoiceId, version, correction)
	if err != nil {
		return nil, err
	}
	return backend.UpdateInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.UpdateInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// ApproveInvoice implements the operation approveInvoice.
func (s *Server) ApproveInvoice(ctx context.Context, r backend.ApproveInvoiceRequestObject) (backend.ApproveInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var acknowledged []string
	if r.Body.AcknowledgeChecks != nil {
		acknowledged = *r.Body.AcknowledgeChecks
	}
	inv, err := s.Invoices.Approve(ctx, actor(ctx), r.InvoiceId, version, r.Body.Version, acknowledged)
	if err != nil {
		return nil, err
	}
	return backend.ApproveInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.ApproveInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// RejectInvoice implements the operation rejectInvoice.
func (s *Server) RejectInvoice(ctx context.Context, r backend.RejectInvoiceRequestObject) (backend.RejectInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	inv, err := s.Invoices.Reject(ctx, actor(ctx), r.InvoiceId, version, r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return backend.RejectInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.RejectInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// ReopenInvoice implements the operation reopenInvoice.
func (s *Server) ReopenInvoice(ctx context.Context, r backend.ReopenInvoiceRequestObject) (backend.ReopenInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	inv, err := s.Invoices.Reopen(ctx, actor(ctx), r.InvoiceId, version)
	if err != nil {
		return nil, err
	}
	return backend.ReopenInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.ReopenInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// DismissDuplicate implements the operation dismissDuplicate.
func (s *Server) DismissDuplicate(ctx context.Context, r backend.DismissDuplicateRequestObject) (backend.DismissDuplicateResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	inv, err := s.Invoices.DismissDuplicate(ctx, actor(ctx), r.InvoiceId, version, r.Body.InvoiceId, r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return backend.DismissDuplicate200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.DismissDuplicate200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}

// GetInvoiceHistory implements the operation getInvoiceHistory.
func (s *Server) GetInvoiceHistory(ctx context.Context, r backend.GetInvoiceHistoryRequestObject) (backend.GetInvoiceHistoryResponseObject, error) {
	found, err := s.Invoices.History(ctx, actor(ctx), r.InvoiceId, newestFirst(r.Params.Order), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return backend.GetInvoiceHistory200JSONResponse{Body: backend.EventList{
		Items: convert.ToAPIEvents(found.Items), NextCursor: convert.Cursor(found.Next),
	}}, nil
}

// GetInvoiceValidation implements the operation getInvoiceValidation.
func (s *Server) GetInvoiceValidation(ctx context.Context, r backend.GetInvoiceValidationRequestObject) (backend.GetInvoiceValidationResponseObject, error) {
	v, err := s.Invoices.Validation(ctx, actor(ctx), r.InvoiceId)
	if err != nil {
		return nil, err
	}
	return backend.GetInvoiceValidation200JSONResponse{Body: convert.ToAPIValidation(r.InvoiceId, v)}, nil
}

func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
