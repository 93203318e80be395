// Package billingtest is the contract of the payment processor's ports as
// tests, which every implementation passes.
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

// Card says how a card behaves.
type Card string

// The cards.
const (
	GoodCard       Card = "good"
	DecliningCard  Card = "declining"  // is accepted, but can't be charged
	ConfirmingCard Card = "confirming" // its owner must confirm each payment
)

// Subscription says what a customer is given.
type Subscription struct {
	Customer     string
	Price        string
	Quantity     int64  // 0 for 1
	Card         string // the subscription's own; "" for the customer's
	Metadata     map[string]string
	TaxRates     []string
	AutomaticTax bool
	Whole        bool // begin with a whole period; else with a free one until the next 1st
}

// Line is one line of an invoice as the processor holds it.
type Line struct {
	Units       int64 // in the smallest unit of the currency
	Quantity    int64
	Product     string
	From, Until time.Time
}

// Invoice is an invoice as the processor holds it.
type Invoice struct {
	ID       string
	Status   billing.InvoiceStatus
	Total    int64 // in the smallest unit of the currency
	Tax      int64
	Lines    []Line
	Attempts int
}

// Call names a call that can be made to fail.
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

// Failure says how a call fails.
type Failure string

// The failures. Those that end in Lost have done the work.
const (
	Status401    Failure = "status:401"
	Status429    Failure = "status:429"
	Status500    Failure = "status:500"
	Status503    Failure = "status:503"
	Slow         Failure = "delay:30s"
	Dropped      Failure = "drop"
	FailureKept  Failure = "fail:500" // is remembered with the key
	AnswerLost   Failure = "commit_then_drop"
	NonsenseLost Failure = "garbage"
)

// World is the processor seen from its own side: what an operator, a customer
// and the passing of time do there. Its clock starts on 2026-11-15 12:00 UTC
// and stands still. Each method fails the test rather than return an error.
type World interface {
	Now() time.Time
	Advance(by time.Duration)

	AddProduct(name string, metadata map[string]string) (id string)
	ArchiveProduct(id string)
	// AddPrice makes a price; one without an Amount has tiers.
	AddPrice(p billing.Price) (id string)
	ArchivePrice(id string)
	AddTaxRate(percent string) (id string)

	DeleteCustomer(id string)
	AddCard(customer string, c Card) (id string)
	SetDefaultCard(customer, card string)
	Subscribe(s Subscription) (id string)
	Cancel(subscription string)
	// AddPendingItem has something wait for the customer's next invoice.
	AddPendingItem(customer string, units int64, currency string)
	VoidInvoice(id string)
	// Buy does on the checkout page what a customer with a good card does, and
	// returns the address that the browser is sent to; "" if the page is closed.
	Buy(checkoutURL string) (goesTo string)

	CountCustomers() int
	// Invoices of a customer, oldest first.
	Invoices(customer string) []Invoice

	// Break has the next calls fail.
	Break(c Call, f Failure, times int)
	Mend()
	// Delivery is the webhook of the latest event of a type, as it is sent at a
	// moment, in the version that the implementation speaks or in a newer one.
	Delivery(t billing.EventType, newer bool, at time.Time) (header map[string][]string, body []byte)
}

// bundle is what a test works with.
type bundle struct {
	Processor
	World
}

// Run runs the contract; open gives each test an empty processor.
func Run(t *testing.T, open func(t testing.TB) (Processor, World)) {
	for name, test := range map[string]func(*testing.T, bundle){
		"customer once for a key":        testCustomerOnce,
		"customer after a lost answer":   testCustomerLostAnswer,
		"customer found by organization": testCustomerFound,
		"customer updated":               testCustomerUpdated,
		"customer deleted":               testCustomerDeleted,
		"price fields":                   testPriceFields,
		"price amounts":                  testPriceAmounts,
		"prices for sale":                testPricesForSale,
		"subscription snapshot":          testSnapshot,
		"subscription payment method":    testPaymentMethod,
		"subscriptions of nobody":        testSnapshotOfNobody,
		"subscriptions that ended":       testSnapshotEnded,
		"many subscriptions":             testManySubscriptions,
		"open invoice":                   testOpenInvoice,
		"checkout":                       testCheckout,
		"portal":                         testPortal,
		"charge":                         testCharge,
		"charge at other amounts":        testChargeAmounts,
		"charge with tax":                testChargeTax,
		"charge steps again":             testChargeAgain,
		"charge after lost answers":      testChargeLostAnswers,
		"charge after keys are gone":     testChargeKeysGone,
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

// newCustomer makes an organization's customer.
func (b bundle) newCustomer(t testing.TB) billing.Customer {
	t.Helper()
	organization := uuid.New()
	return must[billing.Customer](t)(b.Customers.Create(context.Background(), billing.CustomerKey(organization, ""), organization))
}

// cardHolder makes a customer whose invoices a card pays.
func (b bundle) cardHolder(t testing.TB, c Card) billing.Customer {
	t.Helper()
	customer := b.newCustomer(t)
	b.SetDefaultCard(customer.ID, b.AddCard(customer.ID, c))
	return customer
}
