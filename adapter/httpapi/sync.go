package httpapi

import (
	"context"

	"docledger/adapter/httpapi/edge"
	"docledger/gen/backend"
	"docledger/usecase/sync"
)

// SyncInvoice implements the operation syncInvoice.
func (s *Server) SyncInvoice(ctx context.Context, r backend.SyncInvoiceRequestObject) (backend.SyncInvoiceResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var in sync.Input
	if r.Body != nil {
		if r.Body.Link != nil {
			in.Link = *r.Body.Link
		}
		in.Force = r.Body.Force != nil && *r.Body.Force
	}
	inv, err := s.Sync.Request(ctx, actor(ctx), r.InvoiceId, version, in)
	if err != nil {
		return nil, err
	}
	return backend.SyncInvoice200JSONResponse{
		Body: s.Web.ToAPIInvoice(inv), Headers: backend.SyncInvoice200ResponseHeaders{ETag: edge.ETag(inv.Version)},
	}, nil
}
