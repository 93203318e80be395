package invoice

import (
	"context"
	"time"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

// ExportRows is what the rows of an export are.
type ExportRows string

// The rows of an export.
const (
	ExportInvoices ExportRows = "invoices"
	ExportLines    ExportRows = "lines"
	ExportTaxes    ExportRows = "taxes"
)

// Exported is an invoice of an export.
type Exported struct {
	Summary
	SupplierID uuid.UUID
	Lines      []Line // only with ExportLines
	// Taxes is the breakdown, only with ExportTaxes. Amounts of more than four decimals are nil.
	Taxes []Tax
}

// Exporter reads the invoices of an export.
type Exporter interface {
	// Export calls visit with all invoices of a filter, in the order of creation, some at a time.
	// What one call receives was stored at one time. No database connection is in use while visit
	// runs. Memory does not depend on the number of invoices. Each read ends after the time limit.
	// An error of visit ends the export.
	Export(ctx context.Context, s identity.Scope, f Filter, rows ExportRows, limit time.Duration, visit func([]Exported) error) error
}
