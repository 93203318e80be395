package billingtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
)

// calls contains one call of each method that uses the network.
func (b bundle) calls(t testing.TB) map[string]func(context.Context) error {
	p := b.monthlyPlan(t, GoodCard)
	id, price, customer := p.charge.Subscription, p.item.Price.ID, p.charge.Customer
	draft := must[billing.ProcessorInvoice](t)(b.Charges.Draft(context.Background(), p.charge.Key("invoice"), p.draft))
	return map[string]func(context.Context) error{
		"create customer": func(ctx context.Context) error {
			_, err := b.Customers.Create(ctx, billing.CustomerKey(p.charge.Organization, ""), p.charge.Organization)
			return err
		},
		"find customer": func(ctx context.Context) error {
			_, err := b.Customers.OfOrganization(ctx, p.charge.Organization)
			return err
		},
		"read customer": func(ctx context.Context) error { _, err := b.Customers.ByID(ctx, customer); return err },
		"update customer": func(ctx context.Context) error {
			_, err := b.Customers.Update(ctx, billing.Customer{ID: customer})
			return err
		},
		"read price":   func(ctx context.Context) error { _, err := b.Prices.ByID(ctx, price); return err },
		"list prices":  func(ctx context.Context) error { _, err := b.Prices.OfProducts(ctx, []string{"prod_any"}); return err },
		"snapshot":     func(ctx context.Context) error { _, err := b.Subscriptions.OfCustomer(ctx, customer); return err },
		"subscription": func(ctx context.Context) error { _, err := b.Subscriptions.ByID(ctx, id); return err },
		"checkout": func(ctx context.Context) error {
			_, err := b.Sessions.Checkout(ctx, billing.Checkout{Customer: customer, Price: price, SuccessURL: "https://a.example", CancelURL: "https://a.example"})
			return err
		},
		"portal": func(ctx context.Context) error {
			_, err := b.Sessions.Portal(ctx, customer, "https://a.example")
			return err
		},
		"find invoice": func(ctx context.Context) error {
			_, err := b.Charges.Find(ctx, p.charge, november)
			return err
		},
		"draft":    func(ctx context.Context) error { _, err := b.Charges.Draft(ctx, "k1", p.draft); return err },
		"item":     func(ctx context.Context) error { return b.Charges.AddItem(ctx, "k2", draft.ID, p.item) },
		"finalize": func(ctx context.Context) error { _, err := b.Charges.Finalize(ctx, "k3", draft.ID); return err },
		"pay":      func(ctx context.Context) error { _, err := b.Charges.Pay(ctx, "k4", draft.ID); return err },
		"events": func(ctx context.Context) error {
			return b.Events.Since(ctx, november, nil, func(billing.PaymentEvent, error) error { return nil })
		},
	}
}

const always = 1000

// testOutages combines every call with every failure.
func testOutages(t *testing.T, b bundle) {
	calls := b.calls(t)
	for _, f := range []Failure{Status429, Status500, Status503, Dropped, NonsenseLost, AnswerLost, Status401} {
		want := fault.CodeProviderUnavailable
		if f == Status401 {
			want = fault.CodeProviderUnauthorized
		}
		for name, call := range calls {
			b.Break(CallAny, f, always)
			err := call(context.Background())
			b.Repair()
			failed, ok := fault.As(err)
			if !ok || failed.Code != want || failed.Kind != fault.Upstream || failed.Message == "" {
				t.Errorf("%s with %s: %v", name, f, err)
				continue
			}
			if (failed.RetryAfter > 0) != (want == fault.CodeProviderUnavailable) {
				t.Errorf("%s with %s: retry after %s", name, f, failed.RetryAfter)
			}
		}
	}
}

// testContexts ends the context of every call.
func testContexts(t *testing.T, b bundle) {
	calls := b.calls(t)
	b.Break(CallAny, Slow, always)
	defer b.Repair()
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		began := time.Now()
		err := call(ctx)
		cancel()
		wantCode(t, err, fault.CodeProviderUnavailable)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
			t.Errorf("%s: after %s: %v", name, time.Since(began), err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		cancel()
		if err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
	}
}

// testKeysSpent makes the processor store failures under idempotency keys.
func testKeysSpent(t *testing.T, b bundle) {
	ctx := context.Background()
	p := b.monthlyPlan(t, GoodCard)
	draft := must[billing.ProcessorInvoice](t)(b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft))
	for _, step := range []struct {
		name Call
		do   func(key string) error
	}{
		{CallCreateCustomer, func(key string) error {
			_, err := b.Customers.Create(ctx, key, p.charge.Organization)
			return err
		}},
		{CallCreateInvoice, func(key string) error { _, err := b.Charges.Draft(ctx, key, p.draft); return err }},
		{CallAddItem, func(key string) error { return b.Charges.AddItem(ctx, key, draft.ID, p.item) }},
		{CallFinalize, func(key string) error { _, err := b.Charges.Finalize(ctx, key, draft.ID); return err }},
		{CallPay, func(key string) error { _, err := b.Charges.Pay(ctx, key, draft.ID); return err }},
	} {
		b.Break(step.name, FailureKept, 1)
		spent, fresh := "spent: "+string(step.name), "fresh: "+string(step.name)
		if err := step.do(spent); errors.Is(err, billing.ErrKeySpent) {
			t.Errorf("%s: the first failure is reported as a stored one: %v", step.name, err)
		} else {
			wantCode(t, err, fault.CodeProviderUnavailable)
		}
		err := step.do(spent)
		wantCode(t, err, fault.CodeProviderUnavailable)
		if !errors.Is(err, billing.ErrKeySpent) {
			t.Errorf("%s: the stored failure is %v", step.name, err)
		}
		if err := step.do(fresh); err != nil {
			t.Errorf("%s with a fresh key: %v", step.name, err)
		}
	}
}
