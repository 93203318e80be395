package invoice

import (
	"context"
	"errors"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// ErrUnchanged is returned by a change that has no effect.
var ErrUnchanged = errors.New("unchanged")

// FirstLines is the number of lines in the API's representation of an invoice. Lines returns the
// rest in pages (architecture rule 7).
const FirstLines = 200

// Summary is an invoice as lists return it.
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
	ExternalID     string
	AssignedTo     uuid.UUID
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// ListedLine is a line with its evidence. The evidence paths are relative to the invoice
// (`lines[250].quantity`).
type ListedLine struct {
	Line
	Fields map[string]Evidence
}

// Filter restricts a list; the zero value matches everything in the scope. Lower bounds are
// inclusive. Upper bounds of days are inclusive, those of times exclusive.
type Filter struct {
	EntityID      uuid.UUID
	Statuses      []Status
	IssueDateFrom calendar.Date
	IssueDateTo   calendar.Date
	DueDateFrom   calendar.Date
	DueDateTo     calendar.Date
	CreatedFrom   time.Time
	CreatedTo     time.Time
	UpdatedSince  time.Time
	Types         []Type
	Currencies    []string
	GrossMin      *money.Decimal // amounts from 9.2e14 and to -9e14 are never in a range
	GrossMax      *money.Decimal
	FailedChecks  []string // rules
	HasDuplicate  *bool    // whether a suspected duplicate is not dismissed; nil for both
	SyncStates    []SyncState
	Sources       []document.Origin
	CreatedBy     uuid.UUID // the user who uploaded the document
	SupplierIDs   []uuid.UUID
	ExternalIDs   []string // ids of other programs
	AssignedTo    uuid.UUID
	Unassigned    bool // only invoices that are assigned to no member
	// Query matches an exact amount, or part of the number, seller, purchase order or file name. It
	// ignores case and accents.
	Query string
}

// Sort is an order of a list. The zero value is by creation, newest first. Invoices without the
// value come first in ascending order. Equal values are ordered by id, in the same direction.
type Sort struct {
	By        SortKey
	Ascending bool
}

// SortKey is the value that a list is ordered by.
type SortKey string

// The sort keys.
const (
	SortByCreation  SortKey = ""
	SortByUpdate    SortKey = "updated_at"
	SortByIssueDate SortKey = "issue_date"
	SortByDueDate   SortKey = "due_date"
	SortByGross     SortKey = "gross_total"
)

// Revision changes whenever the result of Get for an invoice changes. It is cheaper to load than
// the invoice.
type Revision struct {
	Version           int
	UpdatedAt         time.Time
	SyncUpdatedAt     time.Time // zero if no sync was ever requested
	SyncNextAttemptAt time.Time
	SupplierID        uuid.UUID
	Duplicates        string // the duplicates that the scope may know
}

// Reader reads invoices within a scope.
type Reader interface {
	// Get returns the invoice with its first FirstLines lines and LinesTotal. It returns a NotFound
	// fault if the invoice is missing or outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Invoice, error)
	// Revision returns the revision of the invoice, or the fault of Get. A later Get returns state
	// that is at least as new.
	Revision(ctx context.Context, s identity.Scope, id uuid.UUID) (Revision, error)
	// List returns summaries in the order of sort. A cursor of another filter or order is an Invalid
	// fault.
	List(ctx context.Context, s identity.Scope, f Filter, sort Sort, p page.Request) (page.Of[Summary], error)
	// Lines returns lines with their evidence, in document order.
	Lines(ctx context.Context, s identity.Scope, id uuid.UUID, p page.Request) (page.Of[ListedLine], error)
}

// Repository stores invoices.
type Repository interface {
	Reader
	// Add stores a new invoice with all its lines.
	Add(ctx context.Context, inv *Invoice) error
	// Update loads the invoice with all its lines under a row lock, applies change, increments
	// Version and stores the invoice. A positive ifVersion must equal the current version;
	// otherwise Update returns a version_conflict fault. If change returns ErrUnchanged, Update
	// stores nothing and returns the unchanged invoice.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Invoice) error) (*Invoice, error)
}
