package billing

import (
	"context"
	"time"

	"docledger/domain/money"

	"github.com/google/uuid"
)

// InvoiceStatus is where an invoice of the processor stands; the list is open.
type InvoiceStatus string

// The statuses of the processor's invoices.
const (
	InvoiceDraft         InvoiceStatus = "draft"
	InvoiceOpen          InvoiceStatus = "open" // waits for payment, which the processor retries
	InvoicePaid          InvoiceStatus = "paid"
	InvoiceVoid          InvoiceStatus = "void"
	InvoiceUncollectible InvoiceStatus = "uncollectible"
)

// ProcessorInvoice is an invoice that the processor has sent, or will send, to
// a customer. It is not one of the documents that docledger extracts.
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

// Charge names one immediate charge (interface 4.6): at most one for each
// subscription and month.
type Charge struct {
	Organization uuid.UUID
	Customer     string
	Subscription string
	Month        string // YYYY-MM in UTC, of the event that caused it
}

// Key is the idempotency key of one step of the charge.
func (c Charge) Key(step string) string {
	return "immediate:" + c.Subscription + ":" + c.Month + ":" + step
}

// ChargeInvoice is the draft that a charge begins with.
type ChargeInvoice struct {
	Charge        Charge
	Currency      string   // that of the price
	PaymentMethod string   // what pays it; "" for the customer's default
	AutomaticTax  bool     // as the subscription has it
	TaxRates      []string // as the subscription has them
}

// ChargeItem is the one line of a charge.
type ChargeItem struct {
	Charge      Charge
	Price       Price // as read before; its Amount must not be nil
	Quantity    int64
	Description string
	From, Until time.Time // the period paid for
}

// PaymentOutcome is what became of an attempt to pay an invoice.
type PaymentOutcome string

// The outcomes. All but Paid leave the invoice open for the processor's own
// retries, and none is an error (interface 7, rule 6).
const (
	Paid            PaymentOutcome = "paid"
	Processing      PaymentOutcome = "processing" // a debit that takes days is under way
	Declined        PaymentOutcome = "declined"
	ActionRequired  PaymentOutcome = "action_required"   // the customer must confirm on the invoice's page
	NoPaymentMethod PaymentOutcome = "no_payment_method" // neither subscription nor customer has one
)

// Payment is an attempt to pay an invoice.
type Payment struct {
	Outcome PaymentOutcome
	Reason  string // the processor's code for a decline, such as insufficient_funds
	Invoice ProcessorInvoice
}

// Charges carries out an immediate charge step by step. Each step may be
// repeated: with the same key and values it happens once, as long as the
// processor remembers the key (24 hours); after that Find tells what is there.
type Charges interface {
	// Find returns the invoices of a charge, oldest first. It reads the
	// processor's list, which does not lag, from since on.
	Find(ctx context.Context, c Charge, since time.Time) ([]ProcessorInvoice, error)
	// Draft makes an empty draft that carries the charge's names in its
	// metadata, takes up nothing that waits elsewhere and does not move by
	// itself. It belongs to the customer, not to the subscription, whose status
	// it therefore cannot change.
	Draft(ctx context.Context, key string, in ChargeInvoice) (ProcessorInvoice, error)
	// AddItem puts the one item on a draft, at the price given: one-time and
	// recurring prices alike.
	AddItem(ctx context.Context, key, invoice string, item ChargeItem) error
	// Finalize makes a draft final and leaves its collection to the processor
	// from here on. An invoice that is final already is returned as it stands;
	// one without an item is Conflict, since it would count as paid.
	Finalize(ctx context.Context, key, invoice string) (ProcessorInvoice, error)
	// Pay tries to take the money at once. An invoice that is paid already is
	// Paid; one that is void or uncollectible is Conflict. A decline is
	// remembered with the key: a new attempt needs a new one.
	Pay(ctx context.Context, key, invoice string) (Payment, error)
}
