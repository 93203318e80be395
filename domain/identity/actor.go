// Package identity defines callers and their permissions.
package identity

import (
	"time"

	"github.com/google/uuid"
)

// ActorType is the type of a caller (domain D3).
type ActorType string

// The actor types.
const (
	ActorUser      ActorType = "USER"
	ActorAPIKey    ActorType = "API_KEY"
	ActorAssistant ActorType = "ASSISTANT"
	ActorSystem    ActorType = "SYSTEM"
)

// Role is a user's role in an organization.
type Role string

// The organization roles.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return r == RoleAdmin || r == RoleMember }

// Actor is the authenticated caller of a use case. It acts within exactly one
// organization.
type Actor struct {
	Type           ActorType
	UserID         uuid.UUID // the user, also if an assistant acts for the user; the key of an API key
	OrganizationID uuid.UUID
	Role           Role
	SessionID      uuid.UUID  // zero unless docledger issued the token
	Generation     int        // generation of the token that docledger issued
	ClientID       string     // OAuth client id of an assistant
	ExpiresAt      time.Time  // expiry of the credential
	RequestID      string     // id of the current request; "" outside requests
	Key            *KeyRights // of an API key; nil for every other caller
}

// System returns docledger itself as the actor within an organization.
func System(organization uuid.UUID) Actor {
	return Actor{Type: ActorSystem, OrganizationID: organization, Role: RoleAdmin}
}

// IsAdmin reports whether the actor may see and manage the whole organization.
func (a Actor) IsAdmin() bool { return a.Role == RoleAdmin }

// Scope returns the data that the actor may see.
func (a Actor) Scope() Scope {
	s := Scope{OrganizationID: a.OrganizationID}
	switch {
	case a.IsAdmin():
	case a.Key != nil:
		s.Key = a.Key
	default:
		s.Member = a.UserID
	}
	return s
}

// Scope limits every repository query to one organization and, for a member or an
// API key, to the entities that it may read.
type Scope struct {
	OrganizationID uuid.UUID
	Member         uuid.UUID  // zero: not limited to a member
	Key            *KeyRights // nil: not limited to an API key
}

// Whole reports whether the scope is the whole organization, with the records that no entity has.
func (s Scope) Whole() bool { return s.Member == uuid.Nil && s.Key == nil }

// EveryEntity reports whether the scope has every entity of the organization. That of an API key can have them
// without being the whole organization.
func (s Scope) EveryEntity() bool {
	return s.Member == uuid.Nil && (s.Key == nil || s.Key.EntityIDs == nil)
}
