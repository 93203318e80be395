package invoice

import (
	"context"
	"errors"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// ErrUnchanged is returned by a change that found nothing to do.
var ErrUnchanged = errors.New("unchanged")

// FirstLines is how many lines an invoice carries in an answer; Lines pages
// through the rest (architecture rule 7).
const FirstLines = 200

// Summary is an invoice as lists show it.
type Summary struct {
	ID             uuid.UUID
	DocumentID     uuid.UUID
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Status         Status
	Type           Type
	Number         string
	IssueDate      calendar.Date
	DueDate        calendar.Date
	Currency       string
	SellerName     string
	SellerTaxID    string
	BuyerName      string
	BuyerTaxID     string
	NetTotal       *money.Decimal
	TaxTotal       *money.Decimal
	GrossTotal     *money.Decimal
	AmountDue      *money.Decimal
	FailedBlocking int
	FailedWarning  int
	SyncState      SyncState // "" before booking was asked for
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// ListedLine is a line with its evidence, whose paths are those of the whole
// invoice (`lines[250].quantity`).
type ListedLine struct {
	Line
	Fields map[string]Evidence
}

// Filter narrows a list; the zero value lists all that the scope holds. Days
// and times are inclusive from, days inclusive and times exclusive to.
type Filter struct {
	EntityID      uuid.UUID
	Statuses      []Status
	IssueDateFrom calendar.Date
	IssueDateTo   calendar.Date
	DueDateFrom   calendar.Date
	DueDateTo     calendar.Date
	CreatedFrom   time.Time
	CreatedTo     time.Time
	// Query matches, without regard to case and accents, a part of the number,
	// the seller, the purchase order or the file name, or an exact amount.
	Query string
}

// Revision is another one whenever anything else is that Get returns of an
// invoice. It costs less to read.
type Revision struct {
	Version           int
	UpdatedAt         time.Time
	SyncUpdatedAt     time.Time // zero where it was never to be booked
	SyncNextAttemptAt time.Time
}

// Reader reads invoices within a scope.
type Reader interface {
	// Get returns the invoice with its first FirstLines lines and LinesTotal,
	// or a NotFound fault where it is missing or outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Invoice, error)
	// Revision returns the stamp of the invoice, or Get's fault. What Get returns
	// afterwards is at least as new.
	Revision(ctx context.Context, s identity.Scope, id uuid.UUID) (Revision, error)
	// List returns summaries newest first.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Summary], error)
	// Lines returns lines with their evidence, in their order.
	Lines(ctx context.Context, s identity.Scope, id uuid.UUID, p page.Request) (page.Of[ListedLine], error)
}

// Repository stores invoices.
type Repository interface {
	Reader
	// Add stores a new invoice with all its lines.
	Add(ctx context.Context, inv *Invoice) error
	// Update loads the invoice with all its lines under a row lock, applies
	// change, and stores it with Version raised by one; ifVersion, where
	// positive, must be the present version, else a version_conflict fault.
	// Where change returns ErrUnchanged nothing is stored and the invoice is
	// returned as it is.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Invoice) error) (*Invoice, error)
}
