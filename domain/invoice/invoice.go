// Package invoice holds the invoice: what a document states, the checks on it,
// and its way to approval.
//
// Names follow the semantic model of EN 16931; BT and BG numbers are its
// business terms and groups.
package invoice

import (
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Status is where an invoice stands (domain D2).
type Status string

// The statuses.
const (
	Extracted   Status = "EXTRACTED"
	NeedsReview Status = "NEEDS_REVIEW"
	Approved    Status = "APPROVED"
	Synced      Status = "SYNCED"
	SyncFailed  Status = "SYNC_FAILED"
	Rejected    Status = "REJECTED"
)

// Statuses lists every status.
func Statuses() []Status {
	return []Status{Extracted, NeedsReview, Approved, Synced, SyncFailed, Rejected}
}

// Type tells invoices from credit notes.
type Type string

// The document types.
const (
	TypeInvoice    Type = "INVOICE"
	TypeCreditNote Type = "CREDIT_NOTE"
	// TypeCorrection corrects an earlier invoice without giving money back: its
	// amounts are the difference, which is 0 or a further charge.
	TypeCorrection Type = "CORRECTION"
)

// MaxLines is the most lines an invoice may have (domain D25).
const MaxLines = 10_000

// Content is what a document states. Empty strings, zero dates and nil amounts
// mean that it states nothing; a mismatch between amounts fails a check and is
// never corrected.
type Content struct {
	Type                  Type
	TypeCode              string        // BT-3, UNTDID 1001; "" where the format has none
	Number                string        // BT-1
	IssueDate             calendar.Date // BT-2
	DueDate               calendar.Date // BT-9
	DeliveryDate          calendar.Date // BT-72
	Currency              string        // BT-5, ISO 4217
	TaxCurrency           string        // BT-6
	Seller                Party         // BG-4, never the tax representative
	Buyer                 Party         // BG-7
	PurchaseOrder         string        // BT-13
	Payment               Payment       // BG-16
	BillingPeriod         Period        // BG-14
	PrecedingInvoices     []Reference   // BG-3
	Note                  string        // BT-22
	Lines                 []Line        // BG-25
	Taxes                 []Tax         // BG-23
	AllowancesCharges     []AllowanceCharge
	LineTotal             *money.Decimal // BT-106
	AllowanceTotal        *money.Decimal // BT-107
	ChargeTotal           *money.Decimal // BT-108
	NetTotal              *money.Decimal // BT-109, without VAT
	TaxTotal              *money.Decimal // BT-110, in Currency
	TaxTotalInTaxCurrency *money.Decimal // BT-111
	GrossTotal            *money.Decimal // BT-112
	PrepaidTotal          *money.Decimal // BT-113
	PayableRounding       *money.Decimal // BT-114
	WithheldTotal         *money.Decimal // what the buyer pays to the tax office instead: income tax, VAT under split payment
	AmountDue             *money.Decimal // BT-115
}

// Party is a seller or buyer.
type Party struct {
	Name           string // BT-27, BT-44
	TradingName    string // BT-28, BT-45
	TaxID          string // BT-31, BT-48: VAT identifier, else BT-32
	RegistrationID string // BT-30, BT-47
	Address        Address
	Email          string
	Phone          string
	IBAN           string // of an account stated for the party itself
	BIC            string
}

// Address is a postal address (BG-5, BG-8).
type Address struct {
	Line1      string // BT-35, BT-50: usually the street
	Line2      string // BT-36, BT-51
	Line3      string // BT-162, BT-163
	City       string
	PostalCode string
	Region     string
	Country    string // ISO 3166-1 alpha-2
}

// Payment is how the invoice asks to be paid (BG-16, BG-17).
type Payment struct {
	IBAN      string // BT-84
	BIC       string // BT-86
	Reference string // BT-83
	Terms     string // BT-20
}

// Period is a span of days, both inclusive (BG-14).
type Period struct{ Start, End calendar.Date }

// Reference names an earlier invoice (BG-3).
type Reference struct {
	Number    string
	IssueDate calendar.Date
}

// CodingSource says where a line's account or tax rate came from.
type CodingSource string

// The sources of a coding.
const (
	CodedByDefault  CodingSource = "DEFAULT"
	CodedByMapping  CodingSource = "MAPPING"
	CodedBySupplier CodingSource = "SUPPLIER"
	CodedByHuman    CodingSource = "HUMAN"
)

// Line is one line (BG-25).
type Line struct {
	ID            uuid.UUID // stable over corrections
	Position      int       // from 1, in the document's order
	Description   string    // BT-153, with BT-154 where the name is empty
	Quantity      *money.Decimal
	Unit          string         // BT-130, as stated
	UnitPrice     *money.Decimal // BT-146
	PriceBase     *money.Decimal // BT-149: the quantity UnitPrice is for; nil: 1
	NetAmount     *money.Decimal // BT-131
	TaxRate       *money.Decimal // BT-152, percent
	TaxCategory   string         // BT-151
	AccountID     string
	AccountSource CodingSource
	TaxRateID     string
	TaxSource     CodingSource
}

// Tax is one row of the VAT breakdown (BG-23).
type Tax struct {
	Category string         // BT-118
	Rate     *money.Decimal // BT-119, percent
	Base     *money.Decimal // BT-116
	Amount   *money.Decimal // BT-117
}

// AllowanceCharge is a deduction or surcharge on document level (BG-20,
// BG-21). Amounts are positive in either case.
type AllowanceCharge struct {
	IsCharge    bool
	Amount      *money.Decimal // BT-92, BT-99
	Base        *money.Decimal // BT-93, BT-100
	Percentage  *money.Decimal // BT-94, BT-101
	Reason      string         // BT-97, BT-104
	ReasonCode  string         // BT-98, BT-105
	TaxCategory string         // BT-95, BT-102
	TaxRate     *money.Decimal // BT-96, BT-103
}

// Source says where a value came from.
type Source string

// The sources of a value.
const (
	FromXML      Source = "XML"
	FromText     Source = "TEXT"
	FromOCR      Source = "OCR"
	Computed     Source = "COMPUTED"
	FromSupplier Source = "SUPPLIER"
	ByHuman      Source = "HUMAN"
)

// Evidence tells where a value came from and how sure it is.
type Evidence struct {
	Source       Source
	Confidence   float64     // 0 to 1
	Page         int         // from 1; 0 where the source has no pages
	Box          *[4]float64 // x0, y0, x1, y1 in fractions of the rotated page, from its top left corner
	SourceText   string
	Alternatives []string // the other readings of an ambiguous value
	Original     *string  // what a person corrected
}

// Severity says whether a failed check stops an invoice.
type Severity string

// The severities. A failed BLOCKING check means review.
const (
	Blocking Severity = "BLOCKING"
	Warning  Severity = "WARNING"
)

// Check is one rule applied to an invoice.
type Check struct {
	Rule     string // one of the Rule constants
	Severity Severity
	Passed   bool
	Path     string // the value it is about, as in Evidence; "" for the whole
	Expected string
	Found    string
}

// Method says what kind of engine read the document.
type Method string

// The methods.
const (
	Structured Method = "STRUCTURED"
	Text       Method = "TEXT"
)

// Extraction tells how the content was read.
type Extraction struct {
	Method        Method
	Format        string // of a structured document: "ubl", "cii", …
	EngineVersion string
	Duration      time.Duration
}

// Approval records who approved which version.
type Approval struct {
	By      uuid.UUID
	At      time.Time
	Version int
}

// Rejection records who rejected the invoice and why.
type Rejection struct {
	By     uuid.UUID
	At     time.Time
	Reason string
}

// Invoice is one invoice or credit note of an entity.
type Invoice struct {
	ID             uuid.UUID
	DocumentID     uuid.UUID
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Status         Status
	Content
	LinesTotal  int // all lines; Lines may hold only the first ones
	Checks      []Check
	Fields      map[string]Evidence // by path: `seller.tax_id`, `lines[0].net_amount`
	Extraction  Extraction
	ContactID   string        // the supplier in the ledger
	PostingDate calendar.Date // the ledger's date where it differs from IssueDate
	Approval    *Approval
	Rejection   *Rejection
	Reopened    bool      // only a person ends the review: it was reopened, or an assistant changed it
	Sync        *SyncView // its booking in the ledger, which is stored apart; nil before it was asked for
	Version     int
	CreatedBy   uuid.UUID
	ChangedBy   uuid.UUID // the person who changed it last; zero where none did
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Failed counts the checks that did not pass.
func (inv *Invoice) Failed() (blocking, warning int) {
	for _, c := range inv.Checks {
		switch {
		case c.Passed:
		case c.Severity == Blocking:
			blocking++
		default:
			warning++
		}
	}
	return blocking, warning
}
