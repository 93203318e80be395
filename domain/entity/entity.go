// Package entity contains the legal entities whose documents an organization processes.
package entity

import (
	"context"
	"errors"
	"time"

	"docledger/domain/fault"
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
	LegalHold      bool // its documents must not be deleted (domain D21)
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

// RequireOpen returns a fault if the entity is archived. It accepts no new documents, consents and
// syncs (domain D21).
func (e *Entity) RequireOpen() error { return requireOpen(e.ID, e.Archived) }

func requireOpen(id uuid.UUID, archived bool) error {
	if !archived {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The entity is archived and accepts nothing new. An administrator can restore it with PUT /api/entities/%s and archived: false.", id).
		With("entity_id", id.String()).With("reason", ReasonArchived).WithCause(ErrArchived)
}

// ReasonArchived is the value of details.reason for an archived entity.
const ReasonArchived = "entity_archived"

// ErrArchived is the cause of the fault that RequireOpen returns.
var ErrArchived = errors.New("the entity is archived")

// RequireDeletable returns a fault if a legal hold prevents deletions in the entity.
func (e *Entity) RequireDeletable() error {
	if !e.LegalHold {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The entity is under legal hold, so its documents cannot be deleted. An administrator can end the hold with PUT /api/entities/%s and legal_hold: false.", e.ID).
		With("entity_id", e.ID.String()).With("reason", ReasonLegalHold)
}

// RequireReleasable returns a fault if a legal hold prevents documents from leaving the entity. The
// hold would not apply in another one.
func (e *Entity) RequireReleasable() error {
	if !e.LegalHold {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The entity is under legal hold, so its documents cannot be moved to another one. An administrator can end the hold with PUT /api/entities/%s and legal_hold: false.", e.ID).
		With("entity_id", e.ID.String()).With("reason", ReasonLegalHold)
}

// ReasonLegalHold is the value of details.reason for an entity under legal hold.
const ReasonLegalHold = "legal_hold"

// Filter restricts a list; the zero value matches everything in the scope.
type Filter struct {
	Archived *bool // only archived entities, or only the others
}

// Reader reads entities within a scope.
type Reader interface {
	// Get returns the entity. It returns a NotFound fault if the entity is missing or outside the
	// scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Entity, error)
	// List returns entities newest first.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Entity], error)
}

// Intake is what a new document of an entity depends on.
type Intake struct {
	EntityID uuid.UUID
	Archived bool
	// AutoExtract says that a new document is extracted at once.
	AutoExtract bool
}

// RequireOpen is Entity.RequireOpen.
func (i Intake) RequireOpen() error { return requireOpen(i.EntityID, i.Archived) }

// Intakes reads what new documents depend on.
type Intakes interface {
	// Intake returns the intake of an entity. It returns a NotFound fault if the entity is missing or
	// outside the scope.
	Intake(ctx context.Context, s identity.Scope, id uuid.UUID) (Intake, error)
}

// Buyers lists the entities that can be the buyer of an invoice.
type Buyers interface {
	// Buyers returns the entities of an organization that are not archived, without their members.
	Buyers(ctx context.Context, organization uuid.UUID) ([]Entity, error)
}

// Owners finds entities that the operator names.
type Owners interface {
	// GetForOperator returns an entity, or a NotFound fault. It has no scope, because the operator
	// names the entity in the configuration or in a folder of the machine.
	GetForOperator(ctx context.Context, id uuid.UUID) (*Entity, error)
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
