package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/supplier"
	"docledger/gen/backend"
	"docledger/usecase/suppliers"

	"github.com/oapi-codegen/nullable"
)

// ListSuppliers implements the operation listSuppliers.
func (s *Server) ListSuppliers(ctx context.Context, r backend.ListSuppliersRequestObject) (backend.ListSuppliersResponseObject, error) {
	f := supplier.Filter{EntityID: convert.ID(r.Params.EntityId)}
	if r.Params.Q != nil {
		f.Query = *r.Params.Q
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	found, err := s.Suppliers.List(ctx, actor(ctx), f, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.Supplier, len(found.Items))
	for i := range found.Items {
		items[i] = convert.ToAPISupplier(&found.Items[i])
	}
	return backend.ListSuppliers200JSONResponse{Body: backend.SupplierList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// GetSupplier implements the operation getSupplier.
func (s *Server) GetSupplier(ctx context.Context, r backend.GetSupplierRequestObject) (backend.GetSupplierResponseObject, error) {
	found, err := s.Suppliers.Get(ctx, actor(ctx), r.SupplierId)
	if err != nil {
		return nil, err
	}
	return backend.GetSupplier200JSONResponse{
		Body: convert.ToAPISupplier(found), Headers: backend.GetSupplier200ResponseHeaders{ETag: edge.ETag(found.Version)},
	}, nil
}

// UpdateSupplier implements the operation updateSupplier.
func (s *Server) UpdateSupplier(ctx context.Context, r backend.UpdateSupplierRequestObject) (backend.UpdateSupplierResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	b := r.Body
	updated, err := s.Suppliers.Update(ctx, actor(ctx), r.SupplierId, version, suppliers.Patch{
		Name: b.Name, Aliases: patched(b.Aliases), TaxIDs: patched(b.TaxIds), ContactID: patched(b.ContactId),
		AccountID: patched(b.DefaultAccountId), TaxRateID: patched(b.DefaultTaxRateId),
	})
	if err != nil {
		return nil, err
	}
	return backend.UpdateSupplier200JSONResponse{
		Body: convert.ToAPISupplier(updated), Headers: backend.UpdateSupplier200ResponseHeaders{ETag: edge.ETag(updated.Version)},
	}, nil
}

// ConfirmBankAccount implements the operation confirmBankAccount.
func (s *Server) ConfirmBankAccount(ctx context.Context, r backend.ConfirmBankAccountRequestObject) (backend.ConfirmBankAccountResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	updated, err := s.Suppliers.Confirm(ctx, actor(ctx), r.SupplierId, version, suppliers.ConfirmInput{IBAN: r.Body.Iban, Method: supplier.Method(r.Body.Method)})
	if err != nil {
		return nil, err
	}
	return backend.ConfirmBankAccount200JSONResponse{
		Body: convert.ToAPISupplier(updated), Headers: backend.ConfirmBankAccount200ResponseHeaders{ETag: edge.ETag(updated.Version)},
	}, nil
}

// MergeSupplier implements the operation mergeSupplier.
func (s *Server) MergeSupplier(ctx context.Context, r backend.MergeSupplierRequestObject) (backend.MergeSupplierResponseObject, error) {
	updated, err := s.Suppliers.Merge(ctx, actor(ctx), r.SupplierId, r.Body.Into)
	if err != nil {
		return nil, err
	}
	return backend.MergeSupplier200JSONResponse{
		Body: convert.ToAPISupplier(updated), Headers: backend.MergeSupplier200ResponseHeaders{ETag: edge.ETag(updated.Version)},
	}, nil
}

// patched returns the value of a key in a patch: nil if the key is absent, the zero value for null.
func patched[T any](n nullable.Nullable[T]) *T {
	if !n.IsSpecified() {
		return nil
	}
	v, _ := n.Get()
	return &v
}
