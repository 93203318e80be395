// Package invoice contains the invoice: what a document states, the checks on it, and its
// transitions up to approval.
//
// Names follow the semantic model of EN 16931; BT and BG numbers are its business terms and groups.
package invoice

import (
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Status is the processing state of an invoice (domain D2).
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

// Type distinguishes invoices, credit notes and corrections.
type Type string

// The document types.
const (
	TypeInvoice    Type = "INVOICE"
	TypeCreditNote Type = "CREDIT_NOTE"
	// TypeCorrection corrects an earlier invoice without giving money back. Its amounts are the
	// difference, which is 0 or a further charge.
	TypeCorrection Type = "CORRECTION"
)

// MaxLines is the maximum number of lines of an invoice (domain D25).
const MaxLines = 10_000

// Content is what a document states. Empty strings, zero dates and nil amounts mean that a value is
// not stated. A mismatch between amounts fails a check and is never corrected automatically.
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
	WithheldTotal         *money.Decimal // what the buyer pays to the tax office directly: income tax, VAT under split payment
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
	IBAN           string // an account stated for the party itself
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

// Payment contains the payment instructions (BG-16, BG-17).
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

// CodingSource is the origin of a line's account or tax rate.
type CodingSource string

// The sources of a coding.
const (
	CodedByDefault  CodingSource = "DEFAULT"
	CodedByMapping  CodingSource = "MAPPING"
	CodedBySupplier CodingSource = "SUPPLIER"
	CodedByLedger   CodingSource = "LEDGER" // usual in the ledger's bills of the supplier
	CodedByHuman    CodingSource = "HUMAN"
)

// Line is one line (BG-25).
type Line struct {
	ID            uuid.UUID // constant across corrections
	Position      int       // from 1, in the document's order
	Description   string    // BT-153, or BT-154 if there is no name
	Quantity      *money.Decimal
	Unit          string         // BT-130, as stated
	UnitPrice     *money.Decimal // BT-146
	PriceBase     *money.Decimal // BT-149: the quantity to which UnitPrice applies; nil means 1
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

// AllowanceCharge is a deduction or surcharge on the whole document (BG-20, BG-21). Amounts are
// positive in both cases.
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

// Source is the origin of an extracted value.
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

// Evidence describes the origin of a value and its confidence.
type Evidence struct {
	Source       Source
	Confidence   float64     // 0 to 1
	Page         int         // from 1; 0 if the source has no pages
	Box          *[4]float64 // x0, y0, x1, y1 as fractions of the rotated page, from its top left corner
	SourceText   string
	Alternatives []string // other possible values of an ambiguous text
	Original     *string  // the value that a person corrected
}

// Severity determines whether a failed check requires review.
type Severity string

// The severities. A failed BLOCKING check requires review.
const (
	Blocking Severity = "BLOCKING"
	Warning  Severity = "WARNING"
)

// Check is the result of one rule for an invoice.
type Check struct {
	Rule     string // one of the Rule constants
	Severity Severity
	Passed   bool
	Path     string // the value it is about, as in Evidence; "" for the whole
	Expected string
	Found    string
	// SuggestedEntityID is the entity to which a failed check buyer_is_entity suggests to move the
	// document; zero if there is none.
	SuggestedEntityID uuid.UUID
	// Detail is what a later evaluation needs in addition, in a form that depends on the rule. It is
	// not shown.
	Detail string
}

// Method is the kind of engine that extracted the document.
type Method string

// The methods.
const (
	Structured Method = "STRUCTURED"
	Text       Method = "TEXT"
)

// Extraction describes how the content was extracted.
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

// DuplicateRule is the reason why two invoices are treated as the same invoice (domain D7).
type DuplicateRule string

// The rules of duplicates.
const (
	SameBytes            DuplicateRule = "same_bytes"
	SameNumber           DuplicateRule = "same_number"
	SameInvoiceOtherForm DuplicateRule = "same_invoice_other_form"
	NearNumber           DuplicateRule = "near_number"
)

// Duplicate is another invoice that may be the same invoice.
type Duplicate struct {
	InvoiceID uuid.UUID // zero if the caller may not see that invoice; then Dismissal is nil
	Rule      DuplicateRule
	Dismissal *Dismissal
}

// Dismissal records who decided that two invoices are different ones, and why.
type Dismissal struct {
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
	LinesTotal  int // the number of all lines; Lines may contain only the first ones
	Checks      []Check
	Fields      map[string]Evidence // by path: `seller.tax_id`, `lines[0].net_amount`
	Extraction  Extraction
	SupplierID  uuid.UUID     // the supplier of the entity; zero if it is not known
	ContactID   string        // the supplier in the ledger
	ExternalID  string        // the id in another program, at first that of the document; "" if it has none
	AssignedTo  uuid.UUID     // the member who is to process it; zero if none
	PostingDate calendar.Date // the ledger's date if it differs from IssueDate
	Approval    *Approval
	Rejection   *Rejection
	Reopened    bool        // only a person can end the review, because it was reopened, or an assistant changed it, or uploaded, moved or forced its document
	Duplicates  []Duplicate // stored separately; the duplicates that the caller of Get may know
	Sync        *SyncView   // the sync, which is stored separately; nil if never requested
	Version     int
	CreatedBy   uuid.UUID
	ChangedBy   uuid.UUID // the person who last changed values of the document; zero if none
	CodedBy     uuid.UUID // the person who last changed the coding; zero if none
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Failed counts the failed checks.
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
