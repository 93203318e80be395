// Package identity holds who is calling and what they may do.
package identity

import (
	"time"

	"github.com/google/uuid"
)

// ActorType says what sort of caller acts (domain D3).
type ActorType string

// The actor types.
const (
	ActorUser      ActorType = "USER"
	ActorAPIKey    ActorType = "API_KEY"
	ActorAssistant ActorType = "ASSISTANT"
	ActorSystem    ActorType = "SYSTEM"
)

// Role is a person's role in an organization.
type Role string

// The organization roles.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// Valid says whether r is one of the roles.
func (r Role) Valid() bool { return r == RoleAdmin || r == RoleMember }

// Actor is the authenticated caller of a use-case, acting within exactly one
// organization.
type Actor struct {
	Type           ActorType
	UserID         uuid.UUID // the person, also where an assistant acts for them
	OrganizationID uuid.UUID
	Role           Role
	SessionID      uuid.UUID // zero unless the credential is our own token
	Generation     int       // of our own token
	ClientID       string    // OAuth client of an assistant
	ExpiresAt      time.Time // when the credential ends
	RequestID      string    // of the request that acts; "" outside requests
}

// System is docledger itself acting within an organization.
func System(organization uuid.UUID) Actor {
	return Actor{Type: ActorSystem, OrganizationID: organization, Role: RoleAdmin}
}

// IsAdmin says whether the actor sees and manages the whole organization.
func (a Actor) IsAdmin() bool { return a.Role == RoleAdmin }

// Scope returns what the actor may see.
func (a Actor) Scope() Scope {
	s := Scope{OrganizationID: a.OrganizationID}
	if !a.IsAdmin() {
		s.Member = a.UserID
	}
	return s
}

// Scope bounds every repository query to one organization and, for a member,
// to the entities that member may read.
type Scope struct {
	OrganizationID uuid.UUID
	Member         uuid.UUID // zero: the whole organization
}

// Whole says that the scope is not narrowed to one member's entities.
func (s Scope) Whole() bool { return s.Member == uuid.Nil }
