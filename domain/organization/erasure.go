package organization

import (
	"context"
	"errors"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Erasure is the proof that an organization was erased (domain D21). It has no personal data.
type Erasure struct {
	OrganizationID uuid.UUID
	Actor          string           // who erased it: ErasedByOperator
	Counts         map[string]int64 // the erased rows of each table
	StartedAt      time.Time
	FinishedAt     time.Time // zero while it is not complete
}

// ErasedByOperator is the actor of an erasure on the command line.
const ErasedByOperator = "OPERATOR"

// Erasures erases organizations in steps. Each step is a transaction that also stores its counts, so
// that an erasure that was interrupted continues.
type Erasures interface {
	// Get returns the erasure of an organization, or a NotFound fault.
	Get(ctx context.Context, organization uuid.UUID) (*Erasure, error)
	// Begin records an erasure and makes the organization inactive and unknown to the identity
	// provider. An erasure that has begun is unchanged. It returns ErrHeld if an entity is under
	// legal hold.
	Begin(ctx context.Context, organization uuid.UUID, actor string, now time.Time) error
	// Access deletes what gives access: sessions, API keys, links, memberships, and the accounts of
	// users without another organization.
	Access(ctx context.Context, organization uuid.UUID) error
	// Documents deletes at most limit documents with their parts and invoices, and schedules the
	// removal of their blobs. It returns the number of documents. It returns ErrHeld if an entity is
	// under legal hold.
	Documents(ctx context.Context, organization uuid.UUID, limit int, now time.Time) (int, error)
	// Rows deletes at most limit further rows, except that of the organization. It returns their number.
	Rows(ctx context.Context, organization uuid.UUID, limit int) (int, error)
	// Finish deletes the organization, of which nothing else remains, and completes the erasure.
	Finish(ctx context.Context, organization uuid.UUID, now time.Time) error
	// Clean removes deleted values from the files of the embedded database. It does nothing for a
	// database server. It returns ErrLogInUse while another process keeps the log of the file in use.
	Clean(ctx context.Context) error
}

// ErrHeld returns the fault for an organization with an entity under legal hold.
func ErrHeld(entity uuid.UUID) error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The entity %s is under legal hold, so the organization cannot be erased. An administrator of the organization can end the hold.", entity).
		With("entity_id", entity.String()).With("reason", "legal_hold")
}

// Unassigned is an invoice of which an assignment ended, with its new version.
type Unassigned struct {
	OrganizationID, EntityID, InvoiceID uuid.UUID
	Version                             int
}

// ErrLogInUse reports that the log of the embedded database can still have erased values.
var ErrLogInUse = errors.New("everything is erased from the database, but another process reads it, so its log can still have erased values; repeat the command")
