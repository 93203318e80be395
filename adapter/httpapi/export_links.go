package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/link"
	"docledger/gen/backend"

	"github.com/gin-gonic/gin"
)

// CreateExportLink implements the operation createExportLink. It refuses what exportInvoices would
// refuse.
func (s *Server) CreateExportLink(ctx context.Context, r backend.CreateExportLinkRequestObject) (backend.CreateExportLinkResponseObject, error) {
	parameters, err := json.Marshal(r.Params)
	if err != nil {
		return nil, fmt.Errorf("store the parameters of an export: %w", err)
	}
	params, err := exportParameters(parameters)
	if err != nil {
		return nil, err
	}
	f, err := invoiceFilter(ctx, exportFilters(params))
	if err != nil {
		return nil, err
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	l, token, err := s.Links.CreateExport(ctx, actor(ctx), string(parameters))
	if err != nil {
		return nil, err
	}
	return backend.CreateExportLink200JSONResponse{Body: backend.ExportLink{Url: s.BaseURL + "/download/" + token, ExpiresAt: l.ExpiresAt}}, nil
}

// exportParameters reads the stored parameters of a link. Both operations have the same ones.
func exportParameters(stored []byte) (p backend.ExportInvoicesParams, err error) {
	if err = json.Unmarshal(stored, &p); err != nil {
		return p, fmt.Errorf("read the parameters of an export: %w", err)
	}
	return p, nil
}

// download sends the export of a link with the rights that its actor has now.
func (s *Server) download(c *gin.Context) {
	l, _, ok := s.open(c, link.Export)
	if !ok {
		return
	}
	head := edge.IsHead(c.Request.Context())
	params, err := exportParameters([]byte(l.Parameters))
	if err == nil && !head { // programs that preview links send HEAD, which reads nothing
		err = s.Links.Use(c.Request.Context(), l)
	}
	if err != nil {
		s.linkError(c, err)
		return
	}
	response, err := s.ExportInvoices(c.Copy(), backend.ExportInvoicesRequestObject{Params: params})
	if out, ok := response.(exported); ok && head {
		out.leave()
		out.describe(c.Writer.Header())
		return
	}
	if err != nil && !head {
		// Nothing was read: a caller that repeats a request after Retry-After must not use the link up.
		err = s.Links.GiveBack(c.Request.Context(), l, err)
	}
	if err != nil {
		s.linkError(c, err)
		return
	}
	if err := response.VisitExportInvoicesResponse(c.Writer); err != nil {
		edge.ResponseError(c, err)
	}
}
