package accounting

import (
	"context"

	"docledger/domain/calendar"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// BillKind distinguishes bills from credit notes.
type BillKind string

// The kinds.
const (
	PurchaseBill   BillKind = "BILL"
	SupplierCredit BillKind = "CREDIT_NOTE" // what the supplier owes back
)

// TaxTreatment describes what the amounts of a bill's lines include.
type TaxTreatment string

// The treatments.
const (
	TaxExclusive TaxTreatment = "EXCLUSIVE" // amounts without tax; the ledger adds it
	TaxInclusive TaxTreatment = "INCLUSIVE" // amounts with tax
	NoTax        TaxTreatment = "NONE"      // the bill has no tax at all
)

// Stage is the state in which a bill is created in the ledger (domain D31). ACCOUNTING_B has no
// drafts and always creates a final bill.
type Stage string

// The stages.
const (
	StageDraft      Stage = "DRAFT"
	StageSubmitted  Stage = "SUBMITTED"
	StageAuthorised Stage = "AUTHORISED"
)

// Bill is the bill to create. All amounts are positive for both kinds, except deductions among the
// lines. They are already rounded to the ledger's decimals.
type Bill struct {
	Kind BillKind
	// Contact is the supplier's id in the ledger. Creating a bill does not change the contact.
	Contact string
	// Number is the supplier's invoice number. A ledger with a shorter limit stores the first
	// characters and searches for those.
	Number string
	// Reference is the id of docledger's invoice. It is stored in a field of the bill in which Find
	// and Read find it again, even if users change other fields.
	Reference string
	// Link is the URL of the page that shows the invoice; "" for none.
	Link     string
	Date     calendar.Date // the posting date
	DueDate  calendar.Date // zero: not stated
	Currency string        // ISO 4217
	Stage    Stage
	Tax      TaxTreatment
	Lines    []BillLine
	// Taxes is the stated tax of each rate: the sum of the lines' TaxAmount. A ledger that accepts
	// stated tax uses it. Any other ledger computes the tax, and LedgerBill.Total shows the result.
	Taxes []BillTax
	Total money.Decimal // the expected total, with tax
	// Corrects are the bills that a credit note corrects. The ledger applies the credit note to
	// them if it can. Their numbers are always part of the credit note.
	Corrects []Corrected
	// Memo is a text for users of the ledger; may be "".
	Memo string
	// AllowDuplicate allows a bill although the supplier has another bill with the number.
	AllowDuplicate bool
}

// BillLine is one line of a bill.
type BillLine struct {
	Description string
	Quantity    *money.Decimal // nil if Amount does not result from a quantity and a price
	UnitPrice   *money.Decimal // of one unit; nil together with Quantity
	Amount      money.Decimal  // as the bill's Tax describes; takes precedence if price and quantity round differently
	Account     string         // an id of AccountReader
	// TaxRate is an id of TaxRateReader; "" means no tax. The connector translates "" into the
	// ledger's own form.
	TaxRate   string
	TaxAmount money.Decimal // the tax added to, or included in, Amount
}

// BillTax is the tax of one rate.
type BillTax struct {
	TaxRate string
	Base    money.Decimal // without tax
	Amount  money.Decimal
}

// Corrected is a bill that a credit note corrects.
type Corrected struct {
	ID     string // id in the ledger; "" if unknown
	Number string // the supplier's number
}

// LedgerBill is a bill of the ledger.
type LedgerBill struct {
	ID       string
	Kind     BillKind
	Contact  string
	Number   string
	Currency string // ISO 4217
	Total    money.Decimal
	TaxTotal money.Decimal
	// Reference is the Reference of Bill, or "" for a bill that docledger did not create.
	Reference string
	// Removed reports that the bill was deleted or voided.
	Removed bool
	URL     string // of its page in the ledger; "" for none
}

// BillQuery describes the bills that Find looks for.
type BillQuery struct {
	Kind      BillKind
	Contact   string
	Number    string
	Date      calendar.Date
	Reference string
}

// Rules are the constraints of a ledger on bills.
type Rules struct {
	BaseCurrency string // ISO 4217
	// Currencies are the accepted currencies, including the base currency.
	Currencies []string
	// HasTax reports that the organization's bills have tax rates.
	HasTax bool
	// Decimals is the maximum number of decimals of an amount.
	Decimals int
	// ClosedUntil is the last day of the closed period; bills must be dated later. Zero means that
	// no period is closed.
	ClosedUntil calendar.Date
}

// BillCreator creates bills. Its common errors:
//
// - a Refusal in the chain (see RefusalOf): the ledger refused the bill and did not create it.
// - ErrReconnect, ErrAccessRefused, ErrTenantGone, ErrRateLimited or ErrNotSent of package
// integration in the chain, fault.Invalid and fault.NotFound: the call had no effect.
// - any other error of CreateBill leaves unknown whether the bill exists; see Uncertain.
type BillCreator interface {
	// Rules reads the ledger's constraints on bills.
	Rules(ctx context.Context, a integration.Access) (Rules, error)
	// CreateBill creates a bill. Calls with the same key and bill create it once, as long as the
	// ledger stores the key. key has up to 50 characters of [0-9a-z-]. A key that was used with
	// another bill creates nothing: the result is ErrKeyReused or, if the ledger does not detect
	// it, the first bill.
	CreateBill(ctx context.Context, a integration.Access, b Bill, key string) (LedgerBill, error)
	// Find returns the bills of the kind with the reference, and those of the contact with the
	// number, oldest first, including removed ones. It reads the ledger's own list, which is not
	// delayed. A bill with the reference is found unless users changed its contact, or both its
	// number and its date.
	Find(ctx context.Context, a integration.Access, w BillQuery) ([]LedgerBill, error)
	// Read returns one bill. A deleted or voided bill is Removed. A bill that the ledger does not
	// know is fault.NotFound, including a deleted one in ledgers that forget deleted bills.
	Read(ctx context.Context, a integration.Access, kind BillKind, id string) (LedgerBill, error)
}

// NewContact is a supplier to create in the ledger.
type NewContact struct {
	Name     string
	TaxID    string // "" if not stated
	Email    string // "" if not stated
	Currency string // ISO 4217, of the first bill; used by ledgers that bind a contact to one currency
	Address  ContactAddress
}

// ContactAddress is a postal address; unknown fields are "".
type ContactAddress struct {
	Line1      string
	Line2      string
	City       string
	Region     string
	PostalCode string
	Country    string // ISO 3166-1 alpha-2
}

// ContactCreator creates contacts.
type ContactCreator interface {
	// CreateContact creates a contact, once per key as CreateBill does. A name that is already used
	// is a Refusal with contact_name_taken. After an uncertain result the caller searches the list
	// before it creates the contact again.
	CreateContact(ctx context.Context, a integration.Access, c NewContact, key string) (Contact, error)
}
