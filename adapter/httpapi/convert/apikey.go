package convert

import (
	"docledger/domain/identity"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ToAPIKey returns an API key without its secret.
func ToAPIKey(k *identity.APIKey) backend.ApiKey {
	api := backend.ApiKey{
		Id: k.ID, Name: k.Name, Role: string(k.Role), EntityIds: null[[]uuid.UUID](), Hint: k.Hint, CreatedBy: k.CreatedBy,
		CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, LastUsedAt: orNull(k.LastUsedAt), RevokedAt: orNull(k.RevokedAt),
	}
	if k.EntityIDs != nil {
		api.EntityIds = value(k.EntityIDs)
	}
	return api
}

// ToAPIKeyCreated returns a new API key with its secret.
func ToAPIKeyCreated(k *identity.APIKey, secret string) backend.ApiKeyCreated {
	api := ToAPIKey(k)
	return backend.ApiKeyCreated{
		Id: api.Id, Name: api.Name, Role: api.Role, EntityIds: api.EntityIds, Hint: api.Hint, CreatedBy: api.CreatedBy,
		CreatedAt: api.CreatedAt, ExpiresAt: api.ExpiresAt, LastUsedAt: api.LastUsedAt, RevokedAt: api.RevokedAt, Secret: secret,
	}
}
