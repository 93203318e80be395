package billing_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/billing"
	usecaseinbox "docledger/usecase/inbox"
)

func TestOneCustomerHoweverManyAsk(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		ids := sync.Map{}
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() {
				id, err := w.Service.Billing.Customers.Ensure(context.Background(), w.org.ID)
				if err != nil {
					t.Error(err)
				}
				ids.Store(id, true)
			})
		}
		callers.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		found := w.list("/v1/customers")
		if n != 1 || len(found) != 1 {
			t.Fatalf("%d ids were answered, %d customers were made", n, len(found))
		}
		metadata, _ := found[0]["metadata"].(map[string]any)
		if metadata["organization_id"] != w.org.ID.String() || found[0]["name"] != "Payer" {
			t.Errorf("the customer is %v", found[0])
		}
	})
}

func TestALostAnswerMakesNoSecondCustomer(t *testing.T) {
	t.Parallel()
	for _, pause := range []string{"1s", "25h"} { // within and beyond the life of idempotency keys
		t.Run(pause, func(t *testing.T) {
			t.Parallel()
			w := open(t, harness.Options{})
			w.fault(`{"match":"POST /v1/customers","times":1,"action":"commit_then_drop"}`)
			if _, err := w.Service.Billing.Customers.Ensure(context.Background(), w.org.ID); fault.CodeOf(err) != fault.CodeProviderUnavailable {
				t.Fatalf("Ensure = %v, want the outage", err)
			}
			w.control("clock", `{"advance":"`+pause+`"}`)
			if _, err := w.Service.Billing.Customers.Ensure(context.Background(), w.org.ID); err != nil {
				t.Fatal(err)
			}
			if n := len(w.list("/v1/customers")); n != 1 {
				t.Errorf("%d customers were made", n)
			}
		})
	}
}

func (w *world) fault(body string) { w.control("faults", body) }

func (w *world) control(name, body string) {
	w.t.Helper()
	url := w.processor + "/_sim/" + name
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		w.t.Fatalf("%s returns %d", url, resp.StatusCode)
	}
}

func TestPlansFollowTheProcessor(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		plans := w.Service.Entities.Plans
		read := func() billing.Plan {
			t.Helper()
			p, err := plans.Of(context.Background(), w.org.ID)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		if p := read(); p.Name != "trial" || p.Status != "trialing" || !p.Writable || *p.MaxEntities != 10 || *p.MaxInvoicesPerMonth != 300 {
			t.Errorf("without a subscription the plan is %+v", p)
		}
		customer := w.customer("pm_card_visa")
		sub := w.subscribe(customer, w.price("max_entities", "25"))
		if p := read(); p.Name != "trial" {
			t.Errorf("before its event the plan is %+v", p)
		}
		w.receive("customer.subscription.created")
		if p := read(); p.Name != "team" || p.Status != "active" || *p.MaxEntities != 25 || p.MaxInvoicesPerMonth != nil {
			t.Errorf("with a subscription the plan is %+v", p)
		}
		w.do(http.MethodDelete, "/v1/subscriptions/"+sub)
		w.receive("customer.subscription.deleted")
		if p := read(); p.Status != "canceled" || p.Writable {
			t.Errorf("after its end the plan is %+v", p)
		}
	})
}

func TestOutagesOfTheProcessor(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	plans := w.Service.Entities.Plans
	customer := w.customer("pm_card_visa")
	w.subscribe(customer, w.price())
	w.receive("customer.subscription.created")
	if _, err := plans.Of(context.Background(), w.org.ID); err != nil {
		t.Fatal(err)
	}
	other := w.NewOrganization("Never read")
	if _, err := w.Service.Billing.Customers.Ensure(context.Background(), other.ID); err != nil {
		t.Fatal(err)
	}
	w.forget(w.org.ID)
	w.forget(other.ID)
	w.fault(`{"match":"GET /v1/**","times":1000,"action":"status:503"}`)
	if p, err := plans.Of(context.Background(), w.org.ID); err != nil || p.Name != "team" {
		t.Errorf("with the processor down the plan is %+v, %v", p, err)
	}
	if _, err := w.Service.Billing.Source.Read(context.Background(), w.org.ID); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("a billing read returns %v", err)
	}
}

// TestRememberedFailuresDelayNothingForADay fails each step once. The processor
// stores failures with their idempotency keys.
func TestRememberedFailuresDelayNothingForADay(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.fault(`{"match":"POST /v1/customers","times":1,"action":"fail:500"}`)
	if _, err := w.Service.Billing.Customers.Ensure(context.Background(), w.org.ID); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Fatalf("Ensure = %v, want the outage", err)
	}
	customer := w.customer("pm_card_visa")
	w.subscribe(customer, w.price())
	for _, step := range []string{"/v1/invoices", "/v1/invoiceitems", "/v1/invoices/*/finalize", "/v1/invoices/*/pay"} {
		w.fault(`{"match":"POST ` + step + `","times":1,"action":"fail:500"}`)
	}
	w.receive("customer.subscription.created")
	if charges := w.charges(customer); len(charges) != 1 || charges[0]["status"] != "paid" || fmt.Sprint(charges[0]["total"]) != "3000" {
		t.Errorf("charges are %v", charges)
	}
	if found := w.list("/v1/customers"); len(found) != 1 {
		t.Errorf("%d customers were made", len(found))
	}
}

// crashing fails after that many recorded steps, like a killed process; zero
// means never.
type crashing struct {
	billing.ChargeRecords
	after int
	seen  int
}

var errCrash = errors.New("the process ends here")

func (c *crashing) Update(ctx context.Context, charge billing.Charge, change func(*billing.ChargeRecord) error) (*billing.ChargeRecord, error) {
	r, err := c.ChargeRecords.Update(ctx, charge, change)
	if c.seen++; err == nil && c.seen == c.after {
		return nil, errCrash
	}
	return r, err
}

func permutations(items []string) [][]string {
	if len(items) < 2 {
		return [][]string{items}
	}
	var out [][]string
	for i, first := range items {
		rest := append(append([]string{}, items[:i]...), items[i+1:]...)
		for _, tail := range permutations(rest) {
			out = append(out, append([]string{first}, tail...))
		}
	}
	return out
}

// TestEventsEndInOneStateWithAtMostOneCharge delivers the four subscription
// events in every order, each once or twice, with a crash after each recorded
// step of the charge.
func TestEventsEndInOneStateWithAtMostOneCharge(t *testing.T) {
	t.Parallel()
	types := []string{
		"customer.subscription.created", "customer.subscription.updated", "customer.subscription.resumed", "customer.subscription.deleted",
	}
	const steps = 5 // updates of the record: looked at, drafted, finalized, done; the fifth never comes
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		price := w.price()
		for n, order := range permutations(types) {
			for _, times := range []int{1, 2} {
				for crash := range steps {
					name := fmt.Sprintf("order %d, %d times, crash after %d", n, times, crash)
					w.org = w.NewOrganization(name)
					w.play(order, times, crash, w.customer("pm_card_visa"), price, name)
				}
			}
		}
	})
}

func (w *world) play(order []string, times, crash int, customer, price, name string) {
	w.t.Helper()
	sub := w.subscribe(customer, price)
	events := w.Service.Inbox.Handlers["payments"].(*usecase.Events)
	records := events.Charger.Records
	defer func() { events.Charger.Records = records }()
	events.Charger.Records = &crashing{ChargeRecords: records, after: crash}
	for _, eventType := range order {
		for range times {
			w.tell(sub, customer, price, eventType)
		}
	}
	charges := w.charges(customer)
	if len(charges) != 1 || charges[0]["status"] != "paid" || fmt.Sprint(charges[0]["total"]) != "3000" {
		w.t.Errorf("%s: %d charges", name, len(charges))
	}
	made, err := records.OfOrganization(context.Background(), w.org.ID, 10)
	if err != nil || len(made) != 1 || made[0].State != billing.ChargeDone || made[0].Outcome != billing.Paid {
		w.t.Errorf("%s: records are %+v, %v", name, made, err)
	}
	if status := w.do(http.MethodGet, "/v1/subscriptions/"+sub)["status"]; status != "active" {
		w.t.Errorf("%s: the subscription is %v", name, status)
	}
}

// tell delivers one generated event about a subscription, because the four events cannot all
// happen to one.
func (w *world) tell(sub, customer, price, eventType string) {
	w.t.Helper()
	body := fmt.Appendf(nil, `{"id":"evt_%s_%s","object":"event","type":%q,"created":%d,"api_version":"2024-06-20","data":{"object":{"id":%q,"object":"subscription","customer":%q,"status":"active","metadata":{"charge_current_month":"true","price_id":%q}}}}`,
		sub, strings.ReplaceAll(eventType, ".", "_"), eventType, midMonth.Unix(), sub, customer, price)
	err := w.Service.Inbox.Receive(context.Background(), "payments", usecaseinbox.Event{
		ID: "evt_" + sub + "_" + eventType, Type: eventType, OccurredAt: midMonth, Body: body,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.process()
}

func TestDeclinedChargeLeavesInvoiceOpenAndSubscriptionActive(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	customer := w.customer("pm_card_chargeCustomerFail")
	sub := w.subscribe(customer, w.price())
	w.receive("customer.subscription.created")
	charges := w.charges(customer)
	if len(charges) != 1 || charges[0]["status"] != "open" || charges[0]["auto_advance"] != true {
		t.Errorf("charges are %v", charges)
	}
	if status := w.do(http.MethodGet, "/v1/subscriptions/"+sub)["status"]; status != "active" {
		t.Errorf("the subscription is %v", status)
	}
	if n := w.events("billing.charge_failed"); n != 1 {
		t.Errorf("%d events tell of the decline", n)
	}
}

func (w *world) events(eventType string) int {
	w.t.Helper()
	return w.Do(http.MethodGet, "/api/events?type="+eventType, w.org.Admin.Token, nil).OK().Len("items")
}

func TestChargesThatCannotBeMadeChargeNothing(t *testing.T) {
	t.Parallel()
	for name, price := range map[string]func(w *world) string{
		"no such price": func(*world) string { return "price_none" },
		"archived": func(w *world) string {
			p := w.price()
			w.do(http.MethodPost, "/v1/prices/"+p, "active", "false")
			return p
		},
		"unnamed": func(*world) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, harness.Options{})
			customer := w.customer("pm_card_visa")
			sub := w.subscribe(customer, w.price2())
			w.tell(sub, customer, price(w), "customer.subscription.created")
			if charges := w.charges(customer); len(charges) != 0 {
				t.Errorf("charges are %v", charges)
			}
			if n := w.events("billing.charge_failed"); n != 1 {
				t.Errorf("%d events tell of it", n)
			}
		})
	}
}

// price2 is a price that differs from price, for the subscription itself.
func (w *world) price2() string {
	product := w.make("/v1/products", "name", "Base")
	return w.make("/v1/prices", "product", product, "currency", "eur", "unit_amount", "1000", "recurring[interval]", "month")
}

func TestReconciliationHandlesWhatNeverCame(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	customer := w.customer("pm_card_visa")
	w.subscribe(customer, w.price())
	for range 2 {
		if err := w.Service.Reconcile(context.Background()); err != nil {
			t.Fatal(err)
		}
		w.process()
	}
	w.receive("customer.subscription.created") // late, after all
	if charges := w.charges(customer); len(charges) != 1 || charges[0]["status"] != "paid" {
		t.Errorf("charges are %v", charges)
	}
}
