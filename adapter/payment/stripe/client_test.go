package stripe_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"docledger/adapter/payment/stripe"
	"docledger/adapter/sim/kit"
	"docledger/domain/billing"
	"docledger/domain/billing/billingtest"
	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]stripe.Options{
		"no key":            {},
		"no URL":            {SecretKey: "sk", URL: "api.stripe.com"},
		"another scheme":    {SecretKey: "sk", URL: "ftp://api.stripe.com"},
		"empty secret":      {SecretKey: "sk", WebhookSecrets: []string{"whsec", ""}},
		"unreadable as URL": {SecretKey: "sk", URL: "http://a b"},
	} {
		if _, err := stripe.New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := stripe.New(stripe.Options{SecretKey: "sk"}); err != nil {
		t.Errorf("the key alone must do: %v", err)
	}
}

// TestRequests looks at what goes over the wire.
func TestRequests(t *testing.T) {
	t.Parallel()
	c, w := open(t)
	ctx, organization := context.Background(), uuid.New()
	customer, err := c.Customers.Create(ctx, billing.CustomerKey(organization, ""), organization)
	if err != nil {
		t.Fatal(err)
	}
	charge := billing.Charge{Organization: organization, Customer: customer.ID, Subscription: "sub_1", Month: "2026-11"}
	if _, err := c.Charges.Draft(ctx, charge.Key("invoice"), billing.ChargeInvoice{Charge: charge, Currency: "EUR"}); err != nil {
		t.Fatal(err)
	}
	requests := w.server.Kit.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests, want 2", len(requests))
	}
	for i, key := range []string{"customer-create:" + organization.String(), "immediate:sub_1:2026-11:invoice"} {
		h := requests[i].Header
		if h["Idempotency-Key"] != key || h["Stripe-Version"] != stripe.APIVersion {
			t.Errorf("request %d: %v", i, h)
		}
		for name, value := range h {
			if host, err := os.Hostname(); err == nil && strings.Contains(value, host) || name == "X-Stripe-Client-User-Agent" {
				t.Errorf("request %d names this machine in %s: %s", i, name, value)
			}
		}
	}
	body := requests[1].Body
	for _, want := range []string{"auto_advance=false", "pending_invoice_items_behavior=exclude", "collection_method=charge_automatically"} {
		if !strings.Contains(body, want) {
			t.Errorf("the draft lacks %s: %s", want, body)
		}
	}
	if strings.Contains(body, "subscription=") {
		t.Errorf("the draft is tied to the subscription: %s", body)
	}
}

// TestErrorsAreDiscreet answers what a careless third party might, and looks
// for keys, mail addresses and bodies in what we would log.
func TestErrorsAreDiscreet(t *testing.T) {
	t.Parallel()
	const canary = "person@canary.example"
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"refused key":   {401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: ` + secretKey + `"}}`},
		"forbidden":     {403, `{"error":{"type":"invalid_request_error","message":"` + canary + `"}}`},
		"bad request":   {400, `{"error":{"type":"invalid_request_error","code":"email_invalid","param":"email","message":"` + canary + `"}}`},
		"missing":       {404, `{"error":{"type":"invalid_request_error","code":"resource_missing","message":"` + canary + `"}}`},
		"broken":        {500, `{"error":{"type":"api_error","message":"` + canary + `"}}`},
		"a page":        {502, `<html>` + canary + secretKey},
		"no JSON":       {200, canary + secretKey},
		"other JSON":    {200, `{"message":"` + canary + `"}`},
		"a redirect":    {302, canary},
		"a list":        {200, `[]`},
		"another error": {400, `{"message":"` + canary + `"}`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/"+canary)
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		c, err := stripe.New(stripe.Options{URL: server.URL, SecretKey: secretKey})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Customers.Update(context.Background(), billing.Customer{ID: "cus_1", Email: canary})
		server.Close()
		if err == nil {
			t.Errorf("%s passes for an answer", name)
			continue
		}
		if text := err.Error(); strings.Contains(text, "canary") {
			t.Errorf("%s: the error contains %q", name, text)
		}
		if f, ok := fault.As(err); ok && strings.Contains(f.Message, "canary") {
			t.Errorf("%s: the message contains %q", name, f.Message)
		}
		if name == "bad request" && fault.CodeOf(err) != fault.CodeProviderRefused {
			t.Errorf("a refused request is %v", err)
		}
	}
}

// TestAnswerWithoutEnd has a third party that never stops talking.
func TestAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for block := make([]byte, 1<<20); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	c, err := stripe.New(stripe.Options{URL: server.URL, SecretKey: secretKey})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Customers.ByID(context.Background(), "cus_1"); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("%v", err)
	}
}

// TestFaultsPass has a customer created while the processor refuses, twice.
func TestFaultsPass(t *testing.T) {
	t.Parallel()
	c, w := open(t)
	if err := w.server.Kit.Inject(kit.Fault{Match: "POST /v1/customers", Times: 2, Action: "status:429"}); err != nil {
		t.Fatal(err)
	}
	organization := uuid.New()
	for try := range 3 {
		_, err := c.Customers.Create(context.Background(), billing.CustomerKey(organization, ""), organization)
		if (err == nil) != (try == 2) {
			t.Errorf("try %d: %v", try, err)
		}
	}
}

// BenchmarkSnapshot measures a plan read after a cache miss, without the vendor's own time.
func BenchmarkSnapshot(b *testing.B) {
	c, w := open(b)
	product := w.AddProduct("Team", nil)
	amount := money.MustParse("30")
	price := w.AddPrice(billing.Price{Product: product, Currency: "EUR", Amount: &amount, Interval: "month"})
	ctx, organization := context.Background(), uuid.New()
	customer, err := c.Customers.Create(ctx, billing.CustomerKey(organization, ""), organization)
	if err != nil {
		b.Fatal(err)
	}
	w.Subscribe(billingtest.Subscription{Customer: customer.ID, Price: price})
	for b.Loop() {
		if _, err := c.Subscriptions.OfCustomer(ctx, customer.ID); err != nil {
			b.Fatal(err)
		}
	}
}
