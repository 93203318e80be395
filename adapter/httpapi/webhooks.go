package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/domain/webhook"
	"docledger/gen/backend"
	"docledger/usecase/webhooks"
)

// ListWebhooks implements the operation listWebhooks.
func (s *Server) ListWebhooks(ctx context.Context, r backend.ListWebhooksRequestObject) (backend.ListWebhooksResponseObject, error) {
	found, err := s.Webhooks.List(ctx, actor(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return backend.ListWebhooks200JSONResponse{Body: backend.WebhookList{
		Items: convert.ToAPIWebhooks(found.Items), NextCursor: convert.Cursor(found.Next),
	}}, nil
}

// CreateWebhook implements the operation createWebhook.
func (s *Server) CreateWebhook(ctx context.Context, r backend.CreateWebhookRequestObject) (backend.CreateWebhookResponseObject, error) {
	in := webhooks.Input{URL: &r.Body.Url, Types: r.Body.Types, Enabled: r.Body.Enabled}
	if r.Body.EntityIds != nil {
		in.EntityIDs, in.SetEntities = *r.Body.EntityIds, true
	}
	w, err := s.Webhooks.Create(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	return backend.CreateWebhook200JSONResponse{Body: convert.ToAPIWebhookWithSecret(w)}, nil
}

// GetWebhook implements the operation getWebhook.
func (s *Server) GetWebhook(ctx context.Context, r backend.GetWebhookRequestObject) (backend.GetWebhookResponseObject, error) {
	w, err := s.Webhooks.Get(ctx, actor(ctx), r.WebhookId)
	if err != nil {
		return nil, err
	}
	return backend.GetWebhook200JSONResponse{Body: convert.ToAPIWebhook(w)}, nil
}

// UpdateWebhook implements the operation updateWebhook.
func (s *Server) UpdateWebhook(ctx context.Context, r backend.UpdateWebhookRequestObject) (backend.UpdateWebhookResponseObject, error) {
	in := webhooks.Input{URL: r.Body.Url, Enabled: r.Body.Enabled, SetEntities: r.Body.EntityIds.IsSpecified()}
	if r.Body.Types != nil {
		in.Types = *r.Body.Types
	}
	if entities, err := r.Body.EntityIds.Get(); err == nil {
		in.EntityIDs = entities
	}
	w, err := s.Webhooks.Change(ctx, actor(ctx), r.WebhookId, in)
	if err != nil {
		return nil, err
	}
	return backend.UpdateWebhook200JSONResponse{Body: convert.ToAPIWebhook(w)}, nil
}

// DeleteWebhook implements the operation deleteWebhook.
func (s *Server) DeleteWebhook(ctx context.Context, r backend.DeleteWebhookRequestObject) (backend.DeleteWebhookResponseObject, error) {
	w, err := s.Webhooks.Delete(ctx, actor(ctx), r.WebhookId)
	if err != nil {
		return nil, err
	}
	return backend.DeleteWebhook200JSONResponse{Body: convert.ToAPIWebhook(w)}, nil
}

// RotateWebhookSecret implements the operation rotateWebhookSecret.
func (s *Server) RotateWebhookSecret(ctx context.Context, r backend.RotateWebhookSecretRequestObject) (backend.RotateWebhookSecretResponseObject, error) {
	w, err := s.Webhooks.Rotate(ctx, actor(ctx), r.WebhookId)
	if err != nil {
		return nil, err
	}
	return backend.RotateWebhookSecret200JSONResponse{Body: convert.ToAPIWebhookWithSecret(w)}, nil
}

// TestWebhook implements the operation testWebhook.
func (s *Server) TestWebhook(ctx context.Context, r backend.TestWebhookRequestObject) (backend.TestWebhookResponseObject, error) {
	d, err := s.Webhooks.Test(ctx, actor(ctx), r.WebhookId)
	if err != nil {
		return nil, err
	}
	return backend.TestWebhook200JSONResponse{Body: convert.ToAPIDelivery(*d)}, nil
}

// ListWebhookDeliveries implements the operation listWebhookDeliveries.
func (s *Server) ListWebhookDeliveries(
	ctx context.Context, r backend.ListWebhookDeliveriesRequestObject,
) (backend.ListWebhookDeliveriesResponseObject, error) {
	var state webhook.State
	if r.Params.State != nil {
		state = webhook.State(*r.Params.State)
	}
	found, err := s.Webhooks.ListDeliveries(ctx, actor(ctx), r.WebhookId, state, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return backend.ListWebhookDeliveries200JSONResponse{Body: backend.WebhookDeliveryList{
		Items: convert.ToAPIDeliveries(found.Items), NextCursor: convert.Cursor(found.Next),
	}}, nil
}

// RetryWebhookDelivery implements the operation retryWebhookDelivery.
func (s *Server) RetryWebhookDelivery(
	ctx context.Context, r backend.RetryWebhookDeliveryRequestObject,
) (backend.RetryWebhookDeliveryResponseObject, error) {
	d, err := s.Webhooks.Retry(ctx, actor(ctx), r.WebhookId, r.DeliveryId)
	if err != nil {
		return nil, err
	}
	return backend.RetryWebhookDelivery200JSONResponse{Body: convert.ToAPIDelivery(*d)}, nil
}
