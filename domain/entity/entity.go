// Package entity contains the legal entities whose documents an organization processes.
package entity

import (
	"context"
	"time"

	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Access determines which members of the organization see an entity (domain D5).
type Access string

// The kinds of access.
const (
	AccessOrganization Access = "ORGANIZATION" // every member, with DefaultRole
	AccessRestricted   Access = "RESTRICTED"   // listed members only
)

// Member gives one person a role on the entity.
type Member struct {
	UserID uuid.UUID
	Role   identity.EntityRole
}

// Entity is a company, branch or person that receives invoices.
type Entity struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	Name           string
	LegalName      string
	TaxIDs         []string
	Aliases        []string // further names under which it is invoiced
	Country        string   // ISO 3166-1 alpha-2
	BaseCurrency   string   // ISO 4217
	Access         Access
	DefaultRole    identity.EntityRole // of every member under AccessOrganization
	Members        []Member
	Archived       bool
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// RoleOf returns the actor's role on the entity; NoRole if the actor must not see the entity.
func (e *Entity) RoleOf(a identity.Actor) identity.EntityRole {
	if a.OrganizationID != e.OrganizationID {
		return identity.NoRole
	}
	if a.IsAdmin() {
		return identity.Approver
	}
	if a.Key != nil {
		return a.Key.On(e.ID)
	}
	for _, m := range e.Members {
		if m.UserID == a.UserID {
			return m.Role
		}
	}
	if e.Access == AccessOrganization {
		return e.DefaultRole
	}
	return identity.NoRole
}

// Reader reads entities within a scope.
type Reader interface {
	// Get returns the entity. It returns a NotFound fault if the entity is missing or outside the
	// scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Entity, error)
	// List returns entities newest first.
	List(ctx context.Context, s identity.Scope, p page.Request) (page.Of[Entity], error)
}

// Repository stores entities.
type Repository interface {
	Reader
	Add(ctx context.Context, e *Entity) error
	// Update loads the entity under a row lock, applies change, increments Version and stores it. A
	// positive ifVersion must equal the current version; otherwise Update returns a
	// version_conflict fault.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Entity) error) (*Entity, error)
}
