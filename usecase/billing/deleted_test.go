package billing_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"docledger/domain/organization"
	"docledger/test/lib/harness"
)

// TestADeletedCustomerIsReplacedOnce deletes the customer of an organization at
// the payment processor. Each organization has one customer (interface 1.5), so
// that concurrent readers create exactly one new customer.
func TestADeletedCustomerIsReplacedOnce(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(w *world) error{
		"billing read": func(w *world) error {
			if got := w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).OK().Text("plan"); got != "trial" {
				return fmt.Errorf("the plan is %s", got)
			}
			return nil
		},
		"upsert": func(w *world) error { return w.Service.Billing.Customers.Upsert(context.Background(), w.org.ID) },
		"portal": func(w *world) error {
			w.Do(http.MethodPost, "/api/billing/portal-session", w.org.Admin.Token, map[string]any{"return_url": "https://app.example/billing"}).OK()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnEach(t, func(t *testing.T, o harness.Options) {
				o.Env = map[string]string{"REDIRECT_ORIGINS": "https://app.example"}
				w := open(t, o)
				first := w.customer("pm_card_visa")
				w.subscribe(first, w.price())
				w.receive("customer.subscription.created")
				w.do(http.MethodDelete, "/v1/customers/"+first)
				w.receive("customer.subscription.deleted")
				var callers sync.WaitGroup
				for range 8 {
					callers.Go(func() {
						if err := look(w); err != nil {
							t.Error(err)
						}
					})
				}
				callers.Wait()
				found := w.list("/v1/customers")
				if len(found) != 1 || found[0]["id"] == first || found[0]["name"] != "Payer" ||
					found[0]["metadata"].(map[string]any)["organization_id"] != w.org.ID.String() {
					t.Fatalf("the customers are %v after %s", found, first)
				}
				if now, err := w.Service.Billing.Customers.Ensure(t.Context(), w.org.ID); err != nil || now != found[0]["id"] {
					t.Errorf("the organization's customer is %s, %v", now, err)
				}
			})
		})
	}
}

// TestACustomerOfAnotherAccountStays verifies that an unknown customer id is
// kept, because it indicates a wrong key.
func TestACustomerOfAnotherAccountStays(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.customer("pm_card_visa")
	plans := w.Service.Entities.Plans
	if _, err := plans.Of(t.Context(), w.org.ID); err != nil {
		t.Fatal(err)
	}
	_, err := w.Service.Billing.Customers.Organizations.Update(t.Context(), w.org.ID, func(o *organization.Organization) error {
		o.PaymentCustomerID = "cus_elsewhere"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.forget(w.org.ID)
	w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).Want(500, "provider_unavailable")
	if p, err := plans.Of(t.Context(), w.org.ID); err != nil || p.Name != "trial" {
		t.Errorf("limits hold by %+v, %v; want the plan known last", p, err)
	}
	if now, err := w.Service.Billing.Customers.Ensure(t.Context(), w.org.ID); err != nil || now != "cus_elsewhere" || len(w.list("/v1/customers")) != 1 {
		t.Errorf("the organization's customer is %s, %v", now, err)
	}
}
