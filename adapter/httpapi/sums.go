package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/domain/invoice"
	"docledger/gen/backend"
)

// SumInvoices implements the operation sumInvoices.
func (s *Server) SumInvoices(ctx context.Context, r backend.SumInvoicesRequestObject) (backend.SumInvoicesResponseObject, error) {
	f, err := invoiceFilter(ctx, sumFilters(r.Params))
	if err != nil {
		return nil, err
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	sums, err := s.Sums.Sum(ctx, actor(ctx).Scope(), f, valuesOf[invoice.SumKey](&r.Params.GroupBy))
	if err != nil {
		return nil, err
	}
	return backend.SumInvoices200JSONResponse{Body: backend.InvoiceSumList{Items: convert.ToAPISums(sums)}}, nil
}

// sumFilters returns the filters of a sum as those of a list.
func sumFilters(p backend.SumInvoicesParams) backend.ListInvoicesParams {
	return backend.ListInvoicesParams{
		EntityId: p.EntityId, Status: p.Status, DocumentType: p.DocumentType,
		IssueDateFrom: p.IssueDateFrom, IssueDateTo: p.IssueDateTo, DueDateFrom: p.DueDateFrom, DueDateTo: p.DueDateTo,
		CreatedFrom: p.CreatedFrom, CreatedTo: p.CreatedTo, UpdatedSince: p.UpdatedSince, GrossMin: p.GrossMin, GrossMax: p.GrossMax,
		Currency: p.Currency, FailedCheck: p.FailedCheck, HasDuplicate: p.HasDuplicate, SyncState: p.SyncState, Source: p.Source, CreatedBy: p.CreatedBy, AssignedTo: p.AssignedTo, ExternalId: p.ExternalId,
		SupplierId: p.SupplierId, Q: p.Q,
	}
}
