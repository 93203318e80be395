package accounting

import (
	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// State says whether something can be used in new bills.
type State string

// The states. A provider's own word that is neither, such as one for deleted
// or pending, is archived: it cannot be used.
const (
	InUse    State = "ACTIVE"
	Archived State = "ARCHIVED"
)

// Account is an account of the chart of accounts (decisions 2).
type Account struct {
	ID   string // what a bill's line names it by
	Code string // what people call it; "" where it has none
	Name string
	Type string // in the provider's own spelling
	// Class is, at ACCOUNTING_A, the AccountClass, and at ACCOUNTING_B the
	// original type as the contract spells it (interface 4.2, rule 4).
	Class string
	// Unified is the class at every provider; "" for types without a class.
	Unified AccountClass
	// Unmapped says that the provider's type is not in the contract's table.
	Unmapped bool
	Currency string // ISO 4217; "" for the base currency
	TaxType  string // the tax rate it is usually booked with; "" for none
	State    State
	// Reserved means that the provider refuses the account in a bill's line,
	// although its class allows it: the ledger posts to it automatically.
	Reserved bool
}

// RequireBookable refuses an account that no bill's line may name: an archived
// or reserved one, and at ACCOUNTING_B one of a type that the contract maps to
// no class. field is the request's name for it.
func (a Account) RequireBookable(field string) error {
	switch {
	case a.Class == NonPosting, a.Class == accountsReceivable, a.Class == accountsPayable:
		return fault.InvalidField(field, "names account %q, whose type %s cannot be used in a bill; choose another account", a.Name, a.Class)
	case a.Reserved:
		return fault.InvalidField(field, "names account %q, which the ledger keeps for its own postings; choose another account", a.Name)
	case a.State != InUse:
		return fault.InvalidField(field, "names account %q, which is archived; choose another account", a.Name)
	}
	return nil
}

// Contact is whom bills come from.
type Contact struct {
	ID    string
	Name  string
	Email string // "" where there is none
	TaxID string // "" where there is none
	// BankAccount is where it is paid, as the ledger keeps it; "" where none is
	// known.
	BankAccount string
	IsSupplier  bool
	State       State
}

// TaxRate is a rate of tax as the ledger knows it.
type TaxRate struct {
	ID   string // what a bill's line names it by
	Name string
	Rate money.Decimal // percent; the sum of its parts
	Type string        // the provider's own word; "" for none
	// Purchases says that lines of bills may use it.
	Purchases bool
	State     State
}

// Currency is one that the ledger takes.
type Currency struct {
	Code string // ISO 4217
	Name string
}

// Organization is a company that keeps its books at the provider, its tenant.
type Organization struct {
	ID           string
	Name         string
	Country      string // ISO 3166-1 alpha-2; "" if unknown
	BaseCurrency string // ISO 4217; "" if unknown
	ConnectedNow bool   // chosen in the latest consent
	// UsedBy is the entity whose integration books there; Nil for none. The
	// provider does not know it.
	UsedBy uuid.UUID
}
