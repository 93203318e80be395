package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/apikeys"
)

// ListApiKeys implements the operation listApiKeys.
func (s *Server) ListApiKeys(ctx context.Context, r backend.ListApiKeysRequestObject) (backend.ListApiKeysResponseObject, error) {
	found, err := s.APIKeys.List(ctx, actor(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.ApiKey, len(found.Items))
	for i := range found.Items {
		items[i] = convert.ToAPIKey(&found.Items[i])
	}
	return backend.ListApiKeys200JSONResponse{Body: backend.ApiKeyList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// CreateApiKey implements the operation createApiKey.
func (s *Server) CreateApiKey(ctx context.Context, r backend.CreateApiKeyRequestObject) (backend.CreateApiKeyResponseObject, error) {
	in := apikeys.CreateInput{Name: r.Body.Name, Role: identity.EntityRole(r.Body.Role)}
	if r.Body.EntityIds != nil {
		in.EntityIDs = *r.Body.EntityIds
	}
	if r.Body.ExpiresAt != nil {
		in.ExpiresAt = *r.Body.ExpiresAt
	}
	key, secret, err := s.APIKeys.Create(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	return backend.CreateApiKey200JSONResponse{Body: convert.ToAPIKeyCreated(key, secret)}, nil
}

// RevokeApiKey implements the operation revokeApiKey.
func (s *Server) RevokeApiKey(ctx context.Context, r backend.RevokeApiKeyRequestObject) (backend.RevokeApiKeyResponseObject, error) {
	key, err := s.APIKeys.Revoke(ctx, actor(ctx), r.ApiKeyId)
	if err != nil {
		return nil, err
	}
	return backend.RevokeApiKey200JSONResponse{Body: convert.ToAPIKey(key)}, nil
}
