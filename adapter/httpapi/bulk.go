package httpapi

import (
	"context"
	"strings"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/gen/backend"
	"docledger/usecase/sync"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

// ChangeInvoices implements the operation changeInvoices. One invoice never
// affects another: each has its own transaction and its own result.
func (s *Server) ChangeInvoices(ctx context.Context, r backend.ChangeInvoicesRequestObject) (backend.ChangeInvoicesResponseObject, error) {
	if r.Body.Action == backend.BulkRequestActionReject && r.Body.Reason == nil {
		return nil, fault.InvalidField("reason", "is required to reject invoices")
	}
	items := make([]backend.BulkResultItem, len(r.Body.Items))
	applied := 0
	var refused []uuid.UUID
	for i, item := range r.Body.Items {
		inv, err := s.changeOne(ctx, r.Body, item)
		if err == nil {
			applied++
		}
		items[i] = bulkResult(ctx, item, inv, err)
		if isForAPerson(ctx, err) {
			refused = append(refused, item.Id)
			// The page of all refused items replaces a page for each.
			details := items[i].Error.MustGet()
			details.Details.ConfirmUrl = nil
			details.Message = strings.ReplaceAll(details.Message, "details.confirm_url", "confirm_url")
			items[i].Error.Set(details)
		}
	}
	// Without a single change the whole request can be repeated.
	if err := ctx.Err(); err != nil && applied == 0 {
		return nil, err
	}
	page := nullable.NewNullNullable[string]()
	if len(refused) > 0 {
		page.Set(s.confirmationURL(r.Body.Action, refused, r.Body.Reason))
	}
	return backend.ChangeInvoices200JSONResponse{Body: backend.BulkResult{Items: items, ConfirmUrl: page}}, nil
}

func (s *Server) changeOne(ctx context.Context, body *backend.BulkRequest, item backend.BulkItem) (*invoice.Invoice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch body.Action {
	case backend.BulkRequestActionApprove:
		var acknowledged []string
		if item.AcknowledgeChecks != nil {
			acknowledged = *item.AcknowledgeChecks
		}
		return s.Invoices.Approve(ctx, actor(ctx), item.Id, 0, item.Version, acknowledged)
	case backend.BulkRequestActionReject:
		return s.Invoices.Reject(ctx, actor(ctx), item.Id, item.Version, *body.Reason)
	default:
		return s.Sync.Request(ctx, actor(ctx), item.Id, item.Version, sync.Input{Background: true})
	}
}

func bulkResult(ctx context.Context, item backend.BulkItem, inv *invoice.Invoice, err error) backend.BulkResultItem {
	out := backend.BulkResultItem{
		Id: item.Id, InvoiceNumber: nullable.NewNullNullable[string](), Status: nullable.NewNullNullable[string](),
		Version: nullable.NewNullNullable[int](), Error: nullable.NewNullNullable[backend.BulkError](),
	}
	if err != nil {
		e := edge.ItemError(ctx, err, item.Id.String())
		out.Error.Set(backend.BulkError{Code: e.Code, Message: e.Message, Details: e.Details})
		return out
	}
	out.Ok = true
	if inv.Number != "" {
		out.InvoiceNumber.Set(inv.Number)
	}
	out.Status.Set(string(inv.Status))
	out.Version.Set(inv.Version)
	return out
}
