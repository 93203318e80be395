package httpapi

import (
	"context"
	"strings"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// callerAlias is the value of a filter by user that means the caller.
const callerAlias = "me"

// noUser is the value of a filter by user that means no user.
const noUser = "none"

// invoiceFilter converts the filters of a list of invoices.
func invoiceFilter(ctx context.Context, p backend.ListInvoicesParams) (invoice.Filter, error) {
	f := invoice.Filter{
		EntityID:      convert.ID(p.EntityId),
		IssueDateFrom: convert.Day(p.IssueDateFrom), IssueDateTo: convert.Day(p.IssueDateTo),
		DueDateFrom: convert.Day(p.DueDateFrom), DueDateTo: convert.Day(p.DueDateTo),
		CreatedFrom: instant(p.CreatedFrom), CreatedTo: instant(p.CreatedTo), UpdatedSince: instant(p.UpdatedSince),
		Statuses: valuesOf[invoice.Status](p.Status), Types: valuesOf[invoice.Type](p.DocumentType),
		Currencies: valuesOf[string](p.Currency), FailedChecks: valuesOf[string](p.FailedCheck),
		SyncStates: valuesOf[invoice.SyncState](p.SyncState), Sources: valuesOf[document.Origin](p.Source),
		ExternalIDs: valuesOf[string](p.ExternalId), HasDuplicate: p.HasDuplicate,
	}
	if p.SupplierId != nil {
		f.SupplierIDs = *p.SupplierId
	}
	if p.Q != nil {
		f.Query = *p.Q
	}
	var err error
	if f.GrossMin, err = amountOf("gross_min", p.GrossMin); err != nil {
		return f, err
	}
	if f.GrossMax, err = amountOf("gross_max", p.GrossMax); err != nil {
		return f, err
	}
	if f.CreatedBy, err = userOf(ctx, "created_by", p.CreatedBy); err != nil {
		return f, err
	}
	if f.Unassigned = p.AssignedTo != nil && *p.AssignedTo == noUser; f.Unassigned {
		return f, nil
	}
	f.AssignedTo, err = userOf(ctx, "assigned_to", p.AssignedTo)
	return f, err
}

// userOf returns the user of a filter; the zero id if the filter is absent.
func userOf(ctx context.Context, name string, text *string) (id uuid.UUID, err error) {
	if text == nil {
		return uuid.Nil, nil
	}
	id = actor(ctx).UserID
	if *text != callerAlias {
		id, err = uuid.Parse(*text)
		id = edge.NoNilID(id)
	}
	// The zero id would be no filter.
	if err != nil || id == uuid.Nil {
		return uuid.Nil, fault.InvalidField(name, "must be the id of a user, or me for the signed-in user")
	}
	return id, nil
}

// invoiceSort converts the order of a list of invoices.
func invoiceSort(sort *backend.InvoiceSort) invoice.Sort {
	if sort == nil {
		return invoice.Sort{}
	}
	by, descending := strings.CutPrefix(string(*sort), "-")
	if by == "created_at" {
		by = string(invoice.SortByCreation)
	}
	return invoice.Sort{By: invoice.SortKey(by), Ascending: !descending}
}

// valuesOf converts a repeated parameter; nil if it is absent.
func valuesOf[T, P ~string](values *[]P) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(*values))
	for i, v := range *values {
		out[i] = T(v)
	}
	return out
}

func amountOf(name string, text *string) (*money.Decimal, error) {
	if text == nil {
		return nil, nil
	}
	d, err := money.Parse(*text)
	if err != nil {
		return nil, fault.InvalidField(name, "must be an amount such as 100.00")
	}
	return &d, nil
}
