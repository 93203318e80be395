package accounting

import (
	"context"

	"docledger/domain/calendar"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// BillKind tells bills from credit notes.
type BillKind string

// The kinds.
const (
	PurchaseBill   BillKind = "BILL"
	SupplierCredit BillKind = "CREDIT_NOTE" // what the supplier owes back
)

// TaxTreatment says what the amounts of a bill's lines hold.
type TaxTreatment string

// The treatments.
const (
	TaxExclusive TaxTreatment = "EXCLUSIVE" // amounts without tax; the ledger adds it
	TaxInclusive TaxTreatment = "INCLUSIVE" // amounts with tax
	NoTax        TaxTreatment = "NONE"      // the bill has no tax at all
)

// Stage is how far a bill is brought in the ledger (domain D31). A ledger
// that knows one stage only books there (ACCOUNTING_B has no draft).
type Stage string

// The stages.
const (
	StageDraft      Stage = "DRAFT"
	StageSubmitted  Stage = "SUBMITTED"
	StageAuthorised Stage = "AUTHORISED"
)

// Bill is what is to be booked. All amounts are positive on both kinds, save
// deductions among the lines; they are rounded to the ledger's decimals
// already.
type Bill struct {
	Kind BillKind
	// Contact is the supplier's id in the ledger. Nothing of the contact is
	// changed by booking.
	Contact string
	// Number is the supplier's own. A ledger that keeps fewer characters keeps
	// the first ones, and looks for those.
	Number string
	// Reference is the id of our invoice. It is written into the bill where
	// Find and Read find it again, whatever else people change there.
	Reference string
	// Link is the page on which a person sees the invoice; "" for none.
	Link     string
	Date     calendar.Date // under which the ledger books
	DueDate  calendar.Date // zero: none is stated
	Currency string        // ISO 4217
	Stage    Stage
	Tax      TaxTreatment
	Lines    []BillLine
	// Taxes are the stated tax of each rate: the sum of the lines' TaxAmount. A
	// ledger that takes stated tax books it; another computes its own, which
	// Booked.Total then shows.
	Taxes []BillTax
	Total money.Decimal // what the bill should come to, with tax
	// Corrects are the bills that a credit note corrects. It is set against
	// them where the ledger can, and names their numbers anyway.
	Corrects []Corrected
	// Memo is text for whoever opens the bill in the ledger; may be "".
	Memo string
	// AllowDuplicate books although the supplier has another bill with the number.
	AllowDuplicate bool
}

// BillLine is one line of a bill.
type BillLine struct {
	Description string
	Quantity    *money.Decimal // nil where Amount is not made of a quantity and a price
	UnitPrice   *money.Decimal // of one unit; nil together with Quantity
	Amount      money.Decimal  // as Tax of the bill says; counts where price and quantity round otherwise
	Account     string         // an id of AccountReader
	// TaxRate is an id of TaxRateReader. "" is no tax on this line: the ledger's
	// own way of saying so is the connector's to know.
	TaxRate   string
	TaxAmount money.Decimal // that is on, or within, Amount
}

// BillTax is the tax of one rate.
type BillTax struct {
	TaxRate string
	Base    money.Decimal // without tax
	Amount  money.Decimal
}

// Corrected is a bill that a credit note corrects.
type Corrected struct {
	ID     string // in the ledger; "" where it is not known there
	Number string // the supplier's
}

// LedgerBill is a bill as the ledger holds it.
type LedgerBill struct {
	ID       string
	Kind     BillKind
	Contact  string
	Number   string
	Currency string // ISO 4217
	Total    money.Decimal
	TaxTotal money.Decimal
	// Reference is the one of Bill, or "" on a bill that docledger did not
	// book.
	Reference string
	// Removed says that the ledger no longer counts it: deleted or voided.
	Removed bool
	URL     string // of its page in the ledger; "" where there is none
}

// BillQuery describes the bills that Find looks for.
type BillQuery struct {
	Kind      BillKind
	Contact   string
	Number    string
	Date      calendar.Date
	Reference string
}

// Rules are what a ledger holds bills to.
type Rules struct {
	BaseCurrency string // ISO 4217
	// Currencies are what bills may be in, the base currency among them.
	Currencies []string
	// HasTax says that the organization's bills carry tax rates.
	HasTax bool
	// Decimals that amounts have at most.
	Decimals int
	// ClosedUntil is the last day of the closed period: nothing is booked on it
	// or before. Zero where no period is closed.
	ClosedUntil calendar.Date
}

// BillCreator books bills. What its errors have in common:
//
//   - a Refusal in the chain (see RefusalOf): the ledger refuses the bill, and
//     has not booked it.
//   - ErrReconnect, ErrAccessRefused, ErrTenantGone, ErrRateLimited of package
//     integration, and ErrNotSent, in the chain, and fault.Invalid and
//     fault.NotFound: nothing was done.
//   - anything else after Book leaves uncertain whether the bill is there; see
//     Uncertain.
type BillCreator interface {
	// Rules reads what bills are held to.
	Rules(ctx context.Context, a integration.Access) (Rules, error)
	// CreateBill books a bill. With the same key and the same bill it is booked once,
	// as long as the ledger remembers the key; key has up to 50 characters of
	// [0-9a-z-]. A key that was used with another bill books nothing: it is
	// ErrKeyReused, or, where the ledger does not notice, the first bill.
	CreateBill(ctx context.Context, a integration.Access, b Bill, key string) (LedgerBill, error)
	// Find returns the bills of the kind that carry the reference, and those of
	// the contact with the number, oldest first, removed ones too. It reads the
	// ledger's own list, which does not lag. One that carries the reference is
	// found as long as people have left it its contact and its number or date.
	Find(ctx context.Context, a integration.Access, w BillQuery) ([]LedgerBill, error)
	// Read returns one bill. One that is deleted or voided is Removed, one that
	// the ledger does not know is fault.NotFound: so is a deleted one in a ledger
	// that forgets those.
	Read(ctx context.Context, a integration.Access, kind BillKind, id string) (LedgerBill, error)
}

// NewContact is a supplier that the ledger does not have.
type NewContact struct {
	Name     string
	TaxID    string // "" where none is stated
	Email    string // "" where none is stated
	Currency string // ISO 4217, of the first bill; a ledger that ties contacts to one takes it
	Address  ContactAddress
}

// ContactAddress is a postal address; what is not known is "".
type ContactAddress struct {
	Line1      string
	Line2      string
	City       string
	Region     string
	PostalCode string
	Country    string // ISO 3166-1 alpha-2
}

// ContactCreator adds contacts.
type ContactCreator interface {
	// CreateContact adds a contact, once for a key as Book. A name that the
	// ledger has given to somebody already is a Refusal with contact_name_taken.
	// After an uncertain answer the contact is looked for in the list before it
	// is created again.
	CreateContact(ctx context.Context, a integration.Access, c NewContact, key string) (Contact, error)
}
