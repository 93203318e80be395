package httpapi

import (
	"context"

	"docledger/adapter/httpapi/edge"
	api "docledger/gen/integrations"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

// ConnectEntities implements the operation connectEntities.
func (s *Server) ConnectEntities(ctx context.Context, r api.ConnectEntitiesRequestObject) (api.ConnectEntitiesResponseObject, error) {
	if err := s.inEntityOf(ctx, r.IntegrationId, r.Params.EntityId, r.Body.EntityId); err != nil {
		return nil, err
	}
	shares := make([]integrations.Share, len(r.Body.Items))
	for n, item := range r.Body.Items {
		shares[n] = integrations.Share{EntityID: item.EntityId, OrganizationID: item.OrganizationId, PaysTax: item.PaysTax}
	}
	results, err := s.Integrations.ShareConsent(ctx, actor(ctx), r.IntegrationId, shares)
	if err != nil {
		return nil, err
	}
	items := make([]api.ConnectedEntity, len(results))
	for n, result := range results {
		items[n] = connectedEntity(ctx, result)
	}
	return api.ConnectEntities200JSONResponse{Body: api.ConnectEntitiesResult{Items: items}}, nil
}

func connectedEntity(ctx context.Context, r integrations.Shared) api.ConnectedEntity {
	out := api.ConnectedEntity{
		EntityId: r.EntityID, IntegrationId: nullable.NewNullNullable[uuid.UUID](), Status: nullable.NewNullNullable[string](),
		Error: nullable.NewNullNullable[api.ConnectedEntityError](),
	}
	if r.Err != nil {
		e := edge.ItemError(ctx, r.Err, r.EntityID.String())
		out.Error.Set(api.ConnectedEntityError{Code: e.Code, Message: e.Message})
		return out
	}
	out.IntegrationId.Set(r.Integration.ID)
	out.Status.Set(string(r.Integration.Status))
	return out
}
