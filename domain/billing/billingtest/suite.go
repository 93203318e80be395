// Package billingtest contains the contract tests of the payment processor's ports,
// which every implementation must pass.
package billingtest

import (
	"context"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Processor is an implementation of all the ports.
type Processor struct {
	Customers     billing.Customers
	Prices        billing.Prices
	Subscriptions billing.Subscriptions
	Sessions      billing.Sessions
	Charges       billing.Charges
	Events        billing.Events
	Webhooks      billing.Webhooks
}

// Card is the behaviour of a card.
type Card string

// The cards.
const (
	GoodCard       Card = "good"
	DecliningCard  Card = "declining"  // is accepted, but cannot be charged
	ConfirmingCard Card = "confirming" // the owner must confirm each payment
)

// Subscription describes a new subscription of a customer.
type Subscription struct {
	Customer     string
	Price        string
	Quantity     int64  // 0 for 1
	Card         string // card of the subscription; "" for the customer's
	Metadata     map[string]string
	TaxRates     []string
	AutomaticTax bool
	Whole        bool // start with a full period; otherwise with a free one until the next 1st
}

// Line is one line of an invoice at the processor.
type Line struct {
	Units       int64 // in the smallest unit of the currency
	Quantity    int64
	Product     string
	From, Until time.Time
}

// Invoice is an invoice at the processor.
type Invoice struct {
	ID       string
	Status   billing.InvoiceStatus
	Total    int64 // in the smallest unit of the currency
	Tax      int64
	Lines    []Line
	Attempts int
}

// Call is a call that can be made to fail.
type Call string

// The calls.
const (
	CallAny            Call = "any"
	CallCreateCustomer Call = "create customer"
	CallCreateInvoice  Call = "create invoice"
	CallAddItem        Call = "add item"
	CallFinalize       Call = "finalize"
	CallPay            Call = "pay"
)

// Failure is the way in which a call fails.
type Failure string

// The failures. Those that end in Lost are executed.
const (
	Status401    Failure = "status:401"
	Status429    Failure = "status:429"
	Status500    Failure = "status:500"
	Status503    Failure = "status:503"
	Slow         Failure = "delay:30s"
	Dropped      Failure = "drop"
	FailureKept  Failure = "fail:500" // is stored under the key
	AnswerLost   Failure = "commit_then_drop"
	NonsenseLost Failure = "garbage"
)

// World is the processor as seen by an operator, a customer and the clock. Its clock
// starts at 2026-11-15 12:00 UTC and does not run. Each method fails the test instead
// of returning an error.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	AddProduct(name string, metadata map[string]string) (id string)
	ArchiveProduct(id string)
	// AddPrice creates a price; one without an Amount has tiers.
	AddPrice(p billing.Price) (id string)
	ArchivePrice(id string)
	AddTaxRate(percent string) (id string)

	DeleteCustomer(id string)
	AddCard(customer string, c Card) (id string)
	SetDefaultCard(customer, card string)
	Subscribe(s Subscription) (id string)
	Cancel(subscription string)
	// AddPendingItem adds an item for the customer's next invoice.
	AddPendingItem(customer string, units int64, currency string)
	VoidInvoice(id string)
	// Buy completes the checkout page with a good card, and returns the address that
	// the browser is redirected to; "" if the page is closed.
	Buy(checkoutURL string) (redirect string)

	CountCustomers() int
	// Invoices returns the invoices of a customer, oldest first.
	Invoices(customer string) []Invoice

	// Break makes the next calls fail.
	Break(c Call, f Failure, times int)
	// Repair ends the failures of Break.
	Repair()
	// Delivery is the webhook of the latest event of a type, sent at a given time, in
	// the version that the implementation uses or in a newer one.
	Delivery(t billing.EventType, newer bool, at time.Time) (header map[string][]string, body []byte)
}

// bundle contains the dependencies of a test.
type bundle struct {
	Processor
	World
}

// Run runs the contract tests; open returns an empty processor for each test.
func Run(t *testing.T, open func(t testing.TB) (Processor, World)) {
	for name, test := range map[string]func(*testing.T, bundle){
		"one customer for each key":      testCustomerOnce,
		"customer after lost response":   testCustomerLostAnswer,
		"customer found by organization": testCustomerFound,
		"customer updated":               testCustomerUpdated,
		"customer deleted":               testCustomerDeleted,
		"price fields":                   testPriceFields,
		"price amounts":                  testPriceAmounts,
		"prices for sale":                testPricesForSale,
		"subscription snapshot":          testSnapshot,
		"subscription payment method":    testPaymentMethod,
		"no subscriptions":               testEmptySnapshot,
		"subscriptions that ended":       testSnapshotEnded,
		"many subscriptions":             testManySubscriptions,
		"open invoice":                   testOpenInvoice,
		"checkout":                       testCheckout,
		"portal":                         testPortal,
		"charge":                         testCharge,
		"charge at other amounts":        testChargeAmounts,
		"charge with tax":                testChargeTax,
		"charge steps repeated":          testChargeAgain,
		"charge after lost responses":    testChargeLostAnswers,
		"charge after key expiry":        testChargeKeysExpired,
		"keys that are spent":            testKeysSpent,
		"charge refused":                 testChargeRefused,
		"charge declined":                testChargeDeclined,
		"charge collected later":         testChargeCollectedLater,
		"events since":                   testEventsSince,
		"events of many pages":           testEventPages,
		"webhook verified":               testWebhook,
		"webhook refused":                testWebhookRefused,
		"outages":                        testOutages,
		"contexts":                       testContexts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, w := open(t)
			test(t, bundle{p, w})
		})
	}
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("error code %q, want %q (%v)", got, code, err)
	}
}

// newCustomer creates the customer of an organization.
func (b bundle) newCustomer(t testing.TB) billing.Customer {
	t.Helper()
	organization := uuid.New()
	return must[billing.Customer](t)(b.Customers.Create(context.Background(), billing.CustomerKey(organization, ""), organization))
}

// cardHolder creates a customer with a card as payment method.
func (b bundle) cardHolder(t testing.TB, c Card) billing.Customer {
	t.Helper()
	customer := b.newCustomer(t)
	b.SetDefaultCard(customer.ID, b.AddCard(customer.ID, c))
	return customer
}
