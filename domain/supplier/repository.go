package supplier

import (
	"context"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Filter restricts a list of suppliers; the zero value matches everything in the scope.
type Filter struct {
	EntityID uuid.UUID
	// Query matches a part of a name, alias, tax id or bank account. It ignores case and accents.
	Query string
}

// Repository stores suppliers.
type Repository interface {
	// Get returns the supplier. The id of a supplier that was merged returns the one it was merged
	// into. It returns a NotFound fault if the supplier is missing or outside the scope.
	Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*Supplier, error)
	// List returns suppliers newest first.
	List(ctx context.Context, s identity.Scope, f Filter, p page.Request) (page.Of[Supplier], error)
	// Candidates returns the suppliers of an entity that share at least one key, oldest first. It
	// returns at most 50 for each kind of key.
	Candidates(ctx context.Context, organization, entity uuid.UUID, k Keys) ([]Supplier, error)
	// Add stores a new supplier.
	Add(ctx context.Context, s *Supplier) error
	// Lock locks the suppliers of an entity until the transaction ends, so that two transactions do
	// not add the same supplier.
	Lock(ctx context.Context, organization, entity uuid.UUID) error
	// Update loads the supplier under a row lock, applies change, increments Version and stores it. A
	// positive ifVersion must equal the current version. If change returns invoice.ErrUnchanged,
	// Update stores nothing.
	Update(ctx context.Context, s identity.Scope, id uuid.UUID, ifVersion int, change func(*Supplier) error) (*Supplier, error)
	// Replace leads a merged supplier, its invoices and the suppliers that were merged into it to
	// another supplier, and removes its keys.
	Replace(ctx context.Context, merged *Supplier, into uuid.UUID) error
	// Assign stores the supplier of an invoice. It changes neither the version nor the time of the
	// invoice.
	Assign(ctx context.Context, organization, invoice, supplier uuid.UUID) error
}

// Contacts finds suppliers by their contact in the ledger.
type Contacts interface {
	// ByContact returns the suppliers of an entity that have a contact, by the contact's id.
	ByContact(ctx context.Context, organization, entity uuid.UUID) (map[string]uuid.UUID, error)
}

// Invoices reads the invoices of suppliers.
type Invoices interface {
	// UnassignedForBackfill returns approved invoices of all organizations whose supplier is not
	// determined, oldest first, at most limit.
	UnassignedForBackfill(ctx context.Context, limit int) ([]Unassigned, error)
	// OpenOf returns the ids of open invoices of a supplier, oldest first, at most limit.
	OpenOf(ctx context.Context, organization, supplier uuid.UUID, limit int) ([]uuid.UUID, error)
	// LastCoding returns the coded lines of the supplier's last approved invoice, at most limit. That
	// is LastInvoiceID if it is still approved, else the newest approved one. It ignores the invoice
	// except, and invoices from before LedgerSince.
	LastCoding(ctx context.Context, s *Supplier, except uuid.UUID, limit int) ([]invoice.Line, error)
	// Confirmed returns invoices of the supplier that a person approved, newest first, at most limit,
	// without their lines.
	Confirmed(ctx context.Context, s *Supplier, except uuid.UUID, limit int) ([]invoice.Invoice, error)
}

// Unassigned names an approved invoice whose supplier is not determined.
type Unassigned struct{ OrganizationID, InvoiceID uuid.UUID }
