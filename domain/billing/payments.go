package billing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// The ports of this file call the payment processor. Their common errors:
//
// - fault.Upstream, provider_unauthorized: the processor refuses docledger's key.
// - fault.Upstream, provider_unavailable: no response, or an invalid one. RetryAfter is the delay
// until the next call. The effect of a write is unknown: repeat it with the same key, or read back.
// - fault.NotFound: the processor does not know the object, or has deleted it.
// - ErrKeyReused or ErrKeySpent in the chain: see there.
// - any other error is a defect in docledger.
//
// A cancelled context is in the chain of the error. No error contains a key, a secret or personal
// data. Times are in UTC and whole seconds.

// Metadata keys at the processor. The contract defines those of subscriptions (2.6). Only the exact
// value ChargeCurrentMonthOn counts.
const (
	MetadataOrganization       = "organization_id"
	MetadataChargeCurrentMonth = "charge_current_month"
	MetadataPrice              = "price_id"
	MetadataMaxEntities        = "max_entities"
	MetadataMaxInvoices        = "max_invoices_per_month"

	ChargeCurrentMonthOn = "true"
)

// ErrKeyReused reports that an idempotency key was used before with other values. This call had no
// effect; the effect of the first call must be read back.
var ErrKeyReused = errors.New("the idempotency key was used before with other values")

// ErrKeySpent reports that the processor stored a failure under the idempotency key and repeats it
// until it forgets the key. This call had no effect. If the first call certainly had no effect
// either, the caller can use another key.
var ErrKeySpent = errors.New("the processor stored a failure under the idempotency key")

// RetryWithFreshKey makes a call with its key. If the key is spent, it makes the call once more
// with a key that is constant for an hour. The caller must first read back the effect of earlier
// calls.
func RetryWithFreshKey[T any](key string, now time.Time, call func(key string) (T, error)) (T, error) {
	v, err := call(key)
	if errors.Is(err, ErrKeySpent) || errors.Is(err, ErrKeyReused) {
		return call(key + ":" + now.UTC().Format("2006-01-02T15"))
	}
	return v, err
}

// ErrDeleted reports that the processor has deleted an object. An object that it never knew may
// belong to another account.
var ErrDeleted = errors.New("the processor has deleted the object")

// Customer is an organization at the payment processor.
type Customer struct {
	ID             string
	OrganizationID uuid.UUID // Nil for a customer without an organization
	Name           string
	Email          string
	CreatedAt      time.Time
}

// CustomerKey returns the idempotency key for creating an organization's customer. replaced is the
// deleted customer that it replaces, "" for the first. The key depends on no mutable value.
func CustomerKey(organization uuid.UUID, replaced string) string {
	if replaced == "" {
		return "customer-create:" + organization.String()
	}
	return "customer-create:" + uuid.NewSHA1(organization, []byte(replaced)).String()
}

// Customers manages the processor's customers.
type Customers interface {
	// Create creates a customer that refers to organization and has no other data. Repeated and
	// concurrent calls with one key create one customer, as long as the processor stores the key
	// (24 hours).
	Create(ctx context.Context, key string, organization uuid.UUID) (Customer, error)
	// OfOrganization finds the customers that refer to organization, oldest first. The processor's
	// index is delayed: for up to an hour after a Create the result may be empty. An empty result
	// proves nothing about the last hour.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]Customer, error)
	// ByID returns a customer. It returns NotFound with ErrDeleted in the chain for a deleted
	// customer.
	ByID(ctx context.Context, id string) (Customer, error)
	// Update sets a customer's organization, name and e-mail address; "" keeps the current value.
	// It returns NotFound for a deleted customer.
	Update(ctx context.Context, c Customer) (Customer, error)
}

// Price is a price of a product at the payment processor.
type Price struct {
	ID              string
	Product         string // its id
	ProductName     string
	LookupKey       string // the operator's own name of the price; may be ""
	Active          bool   // false if the price or its product is archived
	Recurring       bool
	Interval        string         // day, week, month or year of a recurring price
	IntervalCount   int            // the number of intervals in one period
	Currency        string         // ISO 4217, upper case
	Amount          *money.Decimal // for one unit; nil if there is no single price (tiers, packages, customer's choice)
	TaxBehaviour    string         // exclusive, inclusive or unspecified
	Metadata        map[string]string
	ProductMetadata map[string]string
}

// Plan returns the plan name of a price (domain D14).
func (p Price) Plan() string {
	if p.LookupKey != "" {
		return p.LookupKey
	}
	return p.ProductName
}

// Limits are the limits of a plan. A nil limit means unlimited.
type Limits struct {
	MaxEntities         *int
	MaxInvoicesPerMonth *int
}

// Limits reads the limits from the metadata of the price, else of its product; absent means
// unlimited. A value that is not a whole number is an error, because it must not be treated as
// unlimited.
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
		// Interface 4.6.1 anchors every subscription to the 1st of a month. A period of days or
		// weeks does not end on a 1st.
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

// Prices reads the prices at the payment processor.
type Prices interface {
	// ByID returns a price, active or not.
	ByID(ctx context.Context, id string) (Price, error)
	// OfProducts returns every price of the products, including archived prices, in the order of
	// products, oldest price first. A product that does not exist has no prices.
	OfProducts(ctx context.Context, products []string) ([]Price, error)
}

// SubscriptionStatus is the processor's status of a subscription. The processor may add values.
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

// Writable reports whether new entities, uploads and extractions are allowed (domain D14). They
// stay allowed while a payment is retried.
func (s SubscriptionStatus) Writable() bool { return s == Active || s == Trialing || s == PastDue }

// Ongoing reports whether the processor charges the subscription, or will do so when its customer
// pays or resumes it.
func (s SubscriptionStatus) Ongoing() bool { return s.Writable() || s == Unpaid || s == Paused }

// SubscriptionItem is one price of a subscription.
type SubscriptionItem struct {
	Price    Price
	Quantity int64 // 0 if the price is metered
}

// Subscription is the current state of a customer's subscription.
type Subscription struct {
	ID            string
	Customer      string // its id
	Status        SubscriptionStatus
	PeriodEnd     time.Time // end of the current period; zero if there is none
	Items         []SubscriptionItem
	Metadata      map[string]string
	PaymentMethod string   // the subscription's default, else the customer's; "" if neither has one
	AutomaticTax  bool     // the processor computes the tax
	TaxRates      []string // ids of the rates that apply if the tax is not automatic
	LatestInvoice *ProcessorInvoice
	CreatedAt     time.Time
}

// Quantity returns the quantity of a price in the subscription; 1 if it has none.
func (s Subscription) Quantity(price string) int64 {
	for _, item := range s.Items {
		if item.Price.ID == price && item.Quantity > 0 {
			return item.Quantity
		}
	}
	return 1
}

// Snapshot contains everything that determines a plan.
type Snapshot struct {
	Subscriptions []Subscription    // newest first, including ended ones
	OpenInvoice   *ProcessorInvoice // the newest one that awaits payment
}

// Effective returns the subscription that determines the plan: one that allows writing, else the
// newest (domain D14).
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

// Ongoing returns the newest subscription that has not ended. A second one would be charged in
// addition to it.
func (s Snapshot) Ongoing() (Subscription, bool) {
	i := slices.IndexFunc(s.Subscriptions, func(sub Subscription) bool { return sub.Status.Ongoing() })
	if i < 0 {
		return Subscription{}, false
	}
	return s.Subscriptions[i], true
}

// Subscriptions reads subscriptions. It never changes one (interface 3).
type Subscriptions interface {
	// OfCustomer reads everything that determines a customer's plan.
	OfCustomer(ctx context.Context, customer string) (Snapshot, error)
	// ByID returns one subscription, including an ended one.
	ByID(ctx context.Context, id string) (Subscription, error)
}

// Checkout describes a subscription to be sold on the processor's page.
type Checkout struct {
	Customer   string
	Price      string
	SuccessURL string
	CancelURL  string
	// Anchor is when the first full period begins; zero means now.
	Anchor time.Time
	// Prorate makes the processor charge the time before Anchor once, in proportion. Otherwise that
	// time is free of charge.
	Prorate bool
	// Until is when the page closes, 30 minutes to 24 hours from now; zero means 24 hours.
	Until    time.Time
	Metadata map[string]string // of the subscription
}

// Sessions opens pages of the payment processor. Each page is for one visit.
type Sessions interface {
	// Checkout returns the URL of the page that sells the described subscription.
	Checkout(ctx context.Context, c Checkout) (url string, err error)
	// CloseCheckouts closes the customer's open checkout pages, so that nothing can be bought on
	// them. It returns NotFound for an unknown customer.
	CloseCheckouts(ctx context.Context, customer string) error
	// Portal returns the URL of the page on which a customer manages subscriptions, invoices and
	// cards. The page links back to returnURL.
	Portal(ctx context.Context, customer, returnURL string) (url string, err error)
}

// EventType is the type of an event at the processor. The processor may add values.
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

// PaymentEvent reports a change at the processor. Mutable state must be read from the processor,
// because events arrive repeatedly, late and in any order.
type PaymentEvent struct {
	ID           string
	Type         EventType
	CreatedAt    time.Time // at the processor; the same on every delivery
	Customer     string    // "" if the event has no customer
	Subscription string    // "" if the event has no subscription
	Status       SubscriptionStatus
	PeriodEnd    time.Time         // as in Subscription
	Metadata     map[string]string // of the event's object
	// Quantities are those of the subscription's prices when the event was written, by price id.
	// Prices without a quantity are left out.
	Quantities   map[string]int64
	APIVersion   string // the API version in which the processor wrote the event
	OtherVersion bool   // APIVersion is not the version that docledger uses
	Body         []byte // the body for Webhooks.Read; set by Events.Since
}

// Webhooks parses webhooks from the processor.
type Webhooks interface {
	// Verify validates the signature in header against the raw body and parses the event,
	// regardless of its API version. It returns Invalid with invalid_signature if the signature is
	// missing, wrong, or more than five minutes from now in either direction. It returns Invalid
	// with invalid_request if the body is not an event; the event then contains its id and type if
	// they can be read. If several secrets are configured, one of them must match.
	Verify(header map[string][]string, body []byte, now time.Time) (PaymentEvent, error)
	// Read parses an event from a body that was verified before it was stored.
	Read(body []byte) (PaymentEvent, error)
}

// Events reads the processor's event log.
type Events interface {
	// Since passes the events of the types since from to each, newest first. An error of each stops
	// the iteration and is returned unchanged. An unreadable event is passed with its error and the
	// readable part. The processor keeps events for 30 days.
	Since(ctx context.Context, from time.Time, types []EventType, each func(e PaymentEvent, unreadable error) error) error
}

// String returns the name of the event for logs.
func (e PaymentEvent) String() string { return fmt.Sprintf("%s %s", e.Type, e.ID) }
