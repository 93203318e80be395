package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"docledger/adapter/payment/stripe"
	"docledger/domain/billing"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// mock is the official mock of the payment processor, which validates requests
// against its specification. It implements a later version than the adapter,
// has no state and generates its responses, so that only the requests count.
const mock = "github.com/stripe/stripe-mock@v0.203.0"

// certifyRequests sends every call of the adapter to the mock.
func certifyRequests(ctx context.Context, _ string) error {
	bin, err := os.MkdirTemp("", "docledger-stripe-mock-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := run(ctx, "", []string{"GOBIN=" + bin, "GOFLAGS="}, "go", "install", mock); err != nil {
		return fmt.Errorf("install the mock: %w", err)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	// Without this option, HTTPS would use a fixed port on every interface.
	server := exec.Command(filepath.Join(bin, "stripe-mock"), "-http-addr", address, "-https-addr", "127.0.0.1:")
	if err := server.Start(); err != nil {
		return fmt.Errorf("start the mock: %w", err)
	}
	defer func() {
		_ = server.Process.Kill() // it has nothing to finish
		_ = server.Wait()
	}()
	if err := answers(ctx, "http://"+address); err != nil {
		return err
	}
	seen := &statuses{}
	client, err := stripe.New(stripe.Options{URL: "http://" + address, SecretKey: "sk_test_123", Transport: seen})
	if err != nil {
		return err
	}
	var refused error
	for _, call := range calls(client) {
		seen.reset()
		// A generated response may be useless for the adapter.
		_ = call.do(ctx)
		got := seen.all()
		fmt.Printf("  %-24s %v\n", call.name, got)
		for _, one := range got {
			if one.status >= http.StatusBadRequest {
				refused = errors.Join(refused, fmt.Errorf("%s: %s is refused with %d", call.name, one.path, one.status))
			}
		}
		if len(got) == 0 {
			refused = errors.Join(refused, fmt.Errorf("%s: no request was made", call.name))
		}
	}
	return refused
}

type call struct {
	name string
	do   func(context.Context) error
}

func calls(c *stripe.Client) []call {
	organization := uuid.New()
	charge := billing.Charge{Organization: organization, Customer: "cus_1", Subscription: "sub_1", Month: "2026-11"}
	amount := money.MustParse("30.00")
	price := billing.Price{ID: "price_1", Product: "prod_1", Currency: "EUR", Amount: &amount, TaxBehaviour: "exclusive"}
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	draft := func(in billing.ChargeInvoice) func(context.Context) error {
		in.Charge, in.Currency = charge, "EUR"
		return func(ctx context.Context) error { _, err := c.Charges.Draft(ctx, uuid.NewString(), in); return err }
	}
	return []call{
		{"create customer", func(ctx context.Context) error {
			_, err := c.Customers.Create(ctx, billing.CustomerKey(organization, ""), organization)
			return err
		}},
		{"search customers", func(ctx context.Context) error { _, err := c.Customers.OfOrganization(ctx, organization); return err }},
		{"read customer", func(ctx context.Context) error { _, err := c.Customers.ByID(ctx, "cus_1"); return err }},
		{"update customer", func(ctx context.Context) error {
			_, err := c.Customers.Update(ctx, billing.Customer{ID: "cus_1", OrganizationID: organization, Name: "A", Email: "a@example.com"})
			return err
		}},
		{"read price", func(ctx context.Context) error { _, err := c.Prices.ByID(ctx, "price_1"); return err }},
		{"list prices", func(ctx context.Context) error { _, err := c.Prices.OfProducts(ctx, []string{"prod_1"}); return err }},
		{"subscriptions", func(ctx context.Context) error { _, err := c.Subscriptions.OfCustomer(ctx, "cus_1"); return err }},
		{"read subscription", func(ctx context.Context) error { _, err := c.Subscriptions.ByID(ctx, "sub_1"); return err }},
		{"checkout session", func(ctx context.Context) error {
			_, err := c.Sessions.Checkout(ctx, billing.Checkout{
				Customer: "cus_1", Price: "price_1", SuccessURL: "https://a.example/ok", CancelURL: "https://a.example/no",
				Anchor: from.AddDate(0, 1, 0), Metadata: map[string]string{billing.MetadataPrice: "price_1"},
			})
			return err
		}},
		{"portal session", func(ctx context.Context) error {
			_, err := c.Sessions.Portal(ctx, "cus_1", "https://a.example/")
			return err
		}},
		{"find invoices", func(ctx context.Context) error { _, err := c.Charges.Find(ctx, charge, from); return err }},
		{"draft", draft(billing.ChargeInvoice{})},
		{"draft, card and rates", draft(billing.ChargeInvoice{PaymentMethod: "pm_1", TaxRates: []string{"txr_1"}})},
		{"draft, automatic tax", draft(billing.ChargeInvoice{PaymentMethod: "card_1", AutomaticTax: true})},
		{"item by price_data", func(ctx context.Context) error {
			return c.Charges.AddItem(ctx, uuid.NewString(), "in_1", billing.ChargeItem{
				Charge: charge, Price: price, Quantity: 2, Description: "Team", From: from, Until: from.AddDate(0, 1, 0),
			})
		}},
		{"finalize", func(ctx context.Context) error {
			_, err := c.Charges.Finalize(ctx, uuid.NewString(), "in_1")
			return err
		}},
		{"pay", func(ctx context.Context) error { _, err := c.Charges.Pay(ctx, uuid.NewString(), "in_1"); return err }},
		{"events", func(ctx context.Context) error {
			return c.Events.Since(ctx, from, billing.PaymentEvents(), func(billing.PaymentEvent, error) error { return nil })
		}},
	}
}

// statuses records the statuses of the responses.
type statuses struct {
	mu   sync.Mutex
	seen []status
}

type status struct {
	path   string
	status int
}

func (s status) String() string { return fmt.Sprintf("%s %d", s.path, s.status) }

func (s *statuses) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, status{r.Method + " " + r.URL.Path, resp.StatusCode})
	}
	return resp, err
}

func (s *statuses) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = nil
}

func (s *statuses) all() []status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}
