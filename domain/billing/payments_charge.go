package billing

import (
	"context"
	"time"

	"docledger/domain/money"

	"github.com/google/uuid"
)

// InvoiceStatus is the processor's status of an invoice. The processor may add values.
type InvoiceStatus string

// The statuses of the processor's invoices.
const (
	InvoiceDraft         InvoiceStatus = "draft"
	InvoiceOpen          InvoiceStatus = "open" // awaits payment, which the processor retries
	InvoicePaid          InvoiceStatus = "paid"
	InvoiceVoid          InvoiceStatus = "void"
	InvoiceUncollectible InvoiceStatus = "uncollectible"
)

// ProcessorInvoice is an invoice of the processor to a customer. It is not a document that
// docledger extracts.
type ProcessorInvoice struct {
	ID         string
	Status     InvoiceStatus
	Currency   string // ISO 4217, upper case
	Total      money.Decimal
	AmountPaid money.Decimal
	Items      int    // lines on it, counted up to 10
	PaymentURL string // page on which the customer can pay; "" for a draft
	CreatedAt  time.Time
}

// Charge identifies one immediate charge (interface 4.6). There is at most one for each
// subscription and month.
type Charge struct {
	Organization uuid.UUID
	Customer     string
	Subscription string
	Month        string // YYYY-MM in UTC, of the event that triggered it
}

// Key returns the idempotency key of one step of the charge.
func (c Charge) Key(step string) string {
	return "immediate:" + c.Subscription + ":" + c.Month + ":" + step
}

// ChargeInvoice is the draft invoice of a charge.
type ChargeInvoice struct {
	Charge        Charge
	Currency      string   // the currency of the price
	PaymentMethod string   // what pays it; "" for the customer's default
	AutomaticTax  bool     // as in the subscription
	TaxRates      []string // as in the subscription
}

// ChargeItem is the single line of a charge.
type ChargeItem struct {
	Charge      Charge
	Price       Price // as read before; its Amount must not be nil
	Quantity    int64
	Description string
	From, Until time.Time // the paid period
}

// PaymentOutcome is the result of an attempt to pay an invoice.
type PaymentOutcome string

// The outcomes. All except Paid leave the invoice open for the processor's own retries, and none is
// an error (interface 7, rule 6).
const (
	Paid            PaymentOutcome = "paid"
	Processing      PaymentOutcome = "processing" // a debit that takes days is in progress
	Declined        PaymentOutcome = "declined"
	ActionRequired  PaymentOutcome = "action_required"   // the customer must confirm on the invoice's page
	NoPaymentMethod PaymentOutcome = "no_payment_method" // neither the subscription nor the customer has one
)

// Payment is an attempt to pay an invoice.
type Payment struct {
	Outcome PaymentOutcome
	Reason  string // the processor's code for a decline, such as insufficient_funds
	Invoice ProcessorInvoice
}

// Charges performs an immediate charge in steps. A step repeated with the same key and values has
// effect once, as long as the processor stores the key (24 hours). Afterwards Find returns what
// exists.
type Charges interface {
	// Find returns the invoices of a charge since the given time, oldest first. It reads the
	// processor's list, which is not delayed.
	Find(ctx context.Context, c Charge, since time.Time) ([]ProcessorInvoice, error)
	// Draft creates an empty draft with the identifiers of the charge in its metadata. The draft
	// includes no pending items and is not finalized automatically. It belongs to the customer and
	// not to the subscription, so it cannot change the subscription's status.
	Draft(ctx context.Context, key string, in ChargeInvoice) (ProcessorInvoice, error)
	// AddItem adds the item to a draft at the given price, for one-time and recurring prices.
	AddItem(ctx context.Context, key, invoice string, item ChargeItem) error
	// Finalize makes a draft final and hands its collection to the processor. An invoice that is
	// already final is returned unchanged. An invoice without an item is Conflict, because it would
	// count as paid.
	Finalize(ctx context.Context, key, invoice string) (ProcessorInvoice, error)
	// Pay attempts the payment immediately. A paid invoice is Paid; a void or uncollectible one is
	// Conflict. The processor stores a decline under the key, so a new attempt needs a new key.
	Pay(ctx context.Context, key, invoice string) (Payment, error)
}
