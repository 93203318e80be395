package invoice

import (
	"context"

	"docledger/domain/identity"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// SumKey is a value that sums are grouped by.
type SumKey string

// The keys of sums. Sums are grouped by currency in addition.
const (
	SumByEntity   SumKey = "entity"
	SumBySupplier SumKey = "supplier" // tax identifier of the seller, else its name
	SumByStatus   SumKey = "status"
	SumByType     SumKey = "document_type"
	SumByCurrency SumKey = "currency"
	SumByMonth    SumKey = "month" // of the issue date
	SumByTax      SumKey = "tax"   // category and rate
	SumByAccount  SumKey = "account"
)

// MaxSums is the largest number of groups that Sum returns.
const MaxSums = 2000

// Sum is the sum of the invoices of one group. Values of keys that the sums are not
// grouped by are empty, as are those that an invoice does not have.
type Sum struct {
	EntityID    uuid.UUID
	SellerName  string
	SellerTaxID string
	Status      Status
	Type        Type
	Month       string // YYYY-MM
	TaxCategory string
	TaxRate     *money.Decimal
	AccountID   string
	Currency    string
	Count       int // invoices
	// Credit notes are subtracted. An amount with more than four decimals is not part
	// of the sums. Net is of the lines or of the tax breakdown where the keys are
	// theirs; amounts that do not exist for them are nil.
	Net   *money.Decimal
	Tax   *money.Decimal
	Gross *money.Decimal
	Due   *money.Decimal
}

// Sums adds invoices up.
type Sums interface {
	// Sum returns the sums of the invoices that match, grouped by keys and currency, in
	// the order of these values. Rejected invoices are excluded. More than MaxSums groups
	// are an Invalid fault.
	Sum(ctx context.Context, s identity.Scope, f Filter, keys []SumKey) ([]Sum, error)
}
