package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// The ports of this file speak to the payment processor. What they have in
// common:
//
//   - fault.Upstream, provider_unauthorized: the processor refuses our key.
//   - fault.Upstream, provider_unavailable: no answer, or none that makes
//     sense; RetryAfter says when to come back. After a write the effect is
//     uncertain: repeat it with the same key, or read back.
//   - fault.NotFound: the processor has no such thing, or has deleted it.
//   - ErrKeyReused or ErrKeySpent in the chain: see there.
//   - any other error is our own mistake.
//
// An ended context is in the chain of the error. No error holds a key, a
// secret or a person's data. Times are in UTC and whole seconds.

// Keys of metadata at the processor. Those of subscriptions are the contract's
// (2.6); only the exact value ChargeCurrentMonthOn counts.
const (
	MetadataOrganization       = "organization_id"
	MetadataChargeCurrentMonth = "charge_current_month"
	MetadataPrice              = "price_id"
	MetadataMaxEntities        = "max_entities"
	MetadataMaxInvoices        = "max_invoices_per_month"

	ChargeCurrentMonthOn = "true"
)

// ErrKeyReused says that an idempotency key was used before with other values.
// The processor did nothing now; what the first call did must be read back.
var ErrKeyReused = errors.New("the idempotency key was used before with other values")

// ErrKeySpent says that the processor remembers, under an idempotency key, that
// the call failed, and will go on to say so for as long as it remembers the
// key. It did nothing now; once it is sure that the first call did nothing
// either, the call can be made with another key.
var ErrKeySpent = errors.New("the processor remembers with the idempotency key that the call failed")

// RetryWithFreshKey makes a call with its key, and where that is used up once more with one
// that is the same for an hour. Callers have read back before what an earlier
// call may have done.
func RetryWithFreshKey[T any](key string, now time.Time, call func(key string) (T, error)) (T, error) {
	v, err := call(key)
	if errors.Is(err, ErrKeySpent) || errors.Is(err, ErrKeyReused) {
		return call(key + ":" + now.UTC().Format("2006-01-02T15"))
	}
	return v, err
}

// ErrDeleted says that the processor has deleted a thing that it had, unlike one
// that it never knew: that may be another account's.
var ErrDeleted = errors.New("the processor has deleted it")

// Customer is an organization at the payment processor.
type Customer struct {
	ID             string
	OrganizationID uuid.UUID // Nil for a customer that is nobody's
	Name           string
	Email          string
	CreatedAt      time.Time
}

// CustomerKey is the idempotency key under which an organization's customer is
// created, after one that is gone or, with "", as its first. It depends on
// nothing that may change.
func CustomerKey(organization uuid.UUID, gone string) string {
	if gone == "" {
		return "customer-create:" + organization.String()
	}
	return "customer-create:" + uuid.NewSHA1(organization, []byte(gone)).String()
}

// Customers keeps the processor's customers.
type Customers interface {
	// Create makes a customer that carries organization and nothing else.
	// However often and however many at once: one key gives one customer, as
	// long as the processor remembers the key (24 hours).
	Create(ctx context.Context, key string, organization uuid.UUID) (Customer, error)
	// OfOrganization finds the customers that carry organization, oldest first.
	// The processor's index lags: up to an hour after a Create the answer may
	// be empty, so that an empty answer proves nothing about the last hour.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]Customer, error)
	// ByID returns a customer. A deleted one is NotFound, with ErrDeleted in the
	// chain.
	ByID(ctx context.Context, id string) (Customer, error)
	// Update sets a customer's name and e-mail address, "" leaves one as it is,
	// and the organization that it carries. A deleted one is NotFound.
	Update(ctx context.Context, c Customer) (Customer, error)
}

// Price is what a product costs.
type Price struct {
	ID              string
	Product         string // its id
	ProductName     string
	LookupKey       string // the operator's own name of the price; may be ""
	Active          bool   // false where the price or its product is archived
	Recurring       bool
	Interval        string         // day, week, month or year of a recurring price
	IntervalCount   int            // how many of them one period has
	Currency        string         // ISO 4217, upper case
	Amount          *money.Decimal // of one unit; nil where it has no single price (tiers, packages, customer's choice)
	TaxBehaviour    string         // exclusive, inclusive or unspecified
	Metadata        map[string]string
	ProductMetadata map[string]string
}

// Plan is the name under which a price is shown as a plan (domain D14).
func (p Price) Plan() string {
	if p.LookupKey != "" {
		return p.LookupKey
	}
	return p.ProductName
}

// Limits bound what a plan allows. A nil limit is unlimited.
type Limits struct {
	MaxEntities         *int
	MaxInvoicesPerMonth *int
}

// Limits reads a price's limits from its metadata, else from its product's;
// absent is unlimited. A value that is no whole number is an error: it must
// not pass for unlimited.
func (p Price) Limits() (Limits, error) {
	entities, err := p.limit(MetadataMaxEntities)
	if err != nil {
		return Limits{}, err
	}
	invoices, err := p.limit(MetadataMaxInvoices)
	return Limits{MaxEntities: entities, MaxInvoicesPerMonth: invoices}, err
}

// Monthly reports whether one period of the price is exactly one month. Only
// such a price can be charged for the current month (interface 4.6).
func (p Price) Monthly() bool {
	return p.Recurring && p.Interval == "month" && p.IntervalCount == 1
}

// RequireSellable returns why a price cannot be sold, or nil. The error is for
// the operator, who corrects the price at the payment processor.
func (p Price) RequireSellable() error {
	switch {
	case !p.Active:
		return errors.New("the price or its product is archived")
	case !p.Recurring:
		return errors.New("the price is one-time")
	case p.Interval != "month" && p.Interval != "year":
		// Contract 4.6.1 anchors every subscription to the 1st of a month. A period
		// of days or weeks does not end there.
		return fmt.Errorf("the interval %q cannot be anchored to the 1st of a month", p.Interval)
	}
	_, err := p.Limits()
	return err
}

// Unsellable is a price that cannot be sold, and the reason.
type Unsellable struct {
	Price  Price
	Reason error
}

// SplitSellable separates the prices that can be sold from those that cannot,
// in their order, so that one wrong price never hides the others.
func SplitSellable(prices []Price) (sellable []Price, unsellable []Unsellable) {
	for _, p := range prices {
		if err := p.RequireSellable(); err != nil {
			unsellable = append(unsellable, Unsellable{p, err})
			continue
		}
		sellable = append(sellable, p)
	}
	return sellable, unsellable
}

func (p Price) limit(key string) (*int, error) {
	text, ok := p.Metadata[key]
	if !ok {
		text, ok = p.ProductMetadata[key]
	}
	if !ok {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return nil, fault.New(fault.Upstream, fault.CodeInternal,
			"The metadata %s of price %s is not a whole number. The operator must correct it at the payment processor.", key, p.ID)
	}
	limit := int(n)
	return &limit, nil
}

// Prices reads what there is to buy.
type Prices interface {
	// ByID returns a price, active or not.
	ByID(ctx context.Context, id string) (Price, error)
	// OfProducts returns every price of the products, archived prices included,
	// in the order of products, oldest price first. A product that does not exist
	// has none.
	OfProducts(ctx context.Context, products []string) ([]Price, error)
}

// SubscriptionStatus is the processor's word for where a subscription stands;
// the list is open.
type SubscriptionStatus string

// The statuses.
const (
	Active            SubscriptionStatus = "active"
	Trialing          SubscriptionStatus = "trialing"
	PastDue           SubscriptionStatus = "past_due"
	Unpaid            SubscriptionStatus = "unpaid"
	Canceled          SubscriptionStatus = "canceled"
	Incomplete        SubscriptionStatus = "incomplete"
	IncompleteExpired SubscriptionStatus = "incomplete_expired"
	Paused            SubscriptionStatus = "paused"
)

// Writable says that new entities, uploads and extractions are allowed
// (domain D14): a payment that is being retried takes nothing away.
func (s SubscriptionStatus) Writable() bool { return s == Active || s == Trialing || s == PastDue }

// SubscriptionItem is one price of a subscription.
type SubscriptionItem struct {
	Price    Price
	Quantity int64 // 0 where the price is metered
}

// Subscription is what a customer has bought, as it stands now.
type Subscription struct {
	ID            string
	Customer      string // its id
	Status        SubscriptionStatus
	PeriodEnd     time.Time // end of the running period; zero where it has none
	Items         []SubscriptionItem
	Metadata      map[string]string
	PaymentMethod string   // the subscription's default, else the customer's; "" where neither has one
	AutomaticTax  bool     // the processor computes the tax
	TaxRates      []string // ids of the rates that apply otherwise
	LatestInvoice *ProcessorInvoice
	CreatedAt     time.Time
}

// Quantity is how many of a price the subscription has; 1 where it has none.
func (s Subscription) Quantity(price string) int64 {
	for _, item := range s.Items {
		if item.Price.ID == price && item.Quantity > 0 {
			return item.Quantity
		}
	}
	return 1
}

// Snapshot is all that a plan is read from.
type Snapshot struct {
	Subscriptions []Subscription    // newest first, ended ones too
	OpenInvoice   *ProcessorInvoice // the newest one that waits for payment
}

// Effective returns the subscription that counts: one that allows writing, else
// the newest (domain D14).
func (s Snapshot) Effective() (Subscription, bool) {
	for _, sub := range s.Subscriptions {
		if sub.Status.Writable() {
			return sub, true
		}
	}
	if len(s.Subscriptions) > 0 {
		return s.Subscriptions[0], true
	}
	return Subscription{}, false
}

// Subscriptions reads subscriptions. It never changes one (interface 3).
type Subscriptions interface {
	// OfCustomer reads everything that a customer's plan depends on.
	OfCustomer(ctx context.Context, customer string) (Snapshot, error)
	// ByID returns one subscription, ended or not.
	ByID(ctx context.Context, id string) (Subscription, error)
}

// Checkout describes a subscription to be bought on the processor's page.
type Checkout struct {
	Customer   string
	Price      string
	SuccessURL string
	CancelURL  string
	// Anchor is when the first full period begins. Zero: now.
	Anchor time.Time
	// Prorate has the processor charge the time before Anchor once, in
	// proportion. Otherwise the processor charges nothing for that time.
	Prorate bool
	// Until is when the page closes, at least 30 minutes and at most 24 hours
	// from now. Zero: after 24 hours.
	Until    time.Time
	Metadata map[string]string // of the subscription
}

// Sessions opens the processor's own pages. They are for one visit.
type Sessions interface {
	// Checkout returns the address of the page that sells what is described.
	Checkout(ctx context.Context, c Checkout) (url string, err error)
	// Portal returns the address of the page on which a customer looks after
	// subscriptions, invoices and cards; it leads back to returnURL.
	Portal(ctx context.Context, customer, returnURL string) (url string, err error)
}

// EventType names what happened at the processor; the list is open.
type EventType string

// The payment events of the contract (section 6).
const (
	SubscriptionCreated EventType = "customer.subscription.created"
	SubscriptionUpdated EventType = "customer.subscription.updated"
	SubscriptionResumed EventType = "customer.subscription.resumed"
	SubscriptionDeleted EventType = "customer.subscription.deleted"
)

// PaymentEvents lists the payment events of the contract.
func PaymentEvents() []EventType {
	return []EventType{SubscriptionCreated, SubscriptionUpdated, SubscriptionResumed, SubscriptionDeleted}
}

// PaymentEvent tells that something changed at the processor. State that can
// change again must be read anew: events come twice, late and in any order.
type PaymentEvent struct {
	ID           string
	Type         EventType
	CreatedAt    time.Time // at the processor; the same on every delivery
	Customer     string    // "" where the event is no customer's
	Subscription string    // "" where the event is no subscription's
	Status       SubscriptionStatus
	PeriodEnd    time.Time         // as in Subscription
	Metadata     map[string]string // of the event's object
	APIVersion   string            // in which the processor wrote the event
	OtherVersion bool              // APIVersion is not the one that we speak
	Body         []byte            // what Webhooks.Read reads the event from; set by Events.Since
}

// Webhooks reads what the processor sends us.
type Webhooks interface {
	// Verify holds the signature in header against the raw body and then reads
	// the event, whatever version of the processor's interface wrote it. A
	// signature that is missing, wrong, or more than five minutes away from now
	// in either direction is Invalid with invalid_signature. A body that is no
	// event is Invalid with invalid_request, and the event holds its id and type
	// as far as they can be read. Of several secrets one must fit.
	Verify(header map[string][]string, body []byte, now time.Time) (PaymentEvent, error)
	// Read reads an event from a body that was verified before it was stored.
	Read(body []byte) (PaymentEvent, error)
}

// Events reads the processor's own log of events.
type Events interface {
	// Since gives the events of the types from a moment on, newest first, each
	// to one call; an error of each ends it and is returned as it is. One that
	// can't be read comes with the reason and what could be read of it. The
	// processor keeps 30 days.
	Since(ctx context.Context, from time.Time, types []EventType, each func(e PaymentEvent, unreadable error) error) error
}

// String names the event for logs.
func (e PaymentEvent) String() string { return fmt.Sprintf("%s %s", e.Type, e.ID) }
