package convert

import (
	"docledger/domain/identity"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ToAPISession converts a session; current is that of the request.
func ToAPISession(s identity.Session, current uuid.UUID) backend.Session {
	out := backend.Session{
		Id: s.ID, OrganizationId: s.OrganizationID, Current: s.ID == current, CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt,
	}
	out.ClientId.SetNull()
	if s.ClientID != "" {
		out.ClientId.Set(s.ClientID)
	}
	out.RefreshedAt.SetNull()
	if !s.RefreshedAt.IsZero() {
		out.RefreshedAt.Set(s.RefreshedAt)
	}
	return out
}
