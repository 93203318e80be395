package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ListAttention implements the operation listAttention.
func (s *Server) ListAttention(ctx context.Context, r backend.ListAttentionRequestObject) (backend.ListAttentionResponseObject, error) {
	entity := uuid.Nil
	if r.Params.EntityId != nil {
		entity = *r.Params.EntityId
	}
	items, err := s.Attention.List(ctx, actor(ctx), entity)
	if err != nil {
		return nil, err
	}
	return backend.ListAttention200JSONResponse{Body: backend.AttentionList{Items: convert.ToAPIAttention(items, s.PagesURL)}}, nil
}
