package billing_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/job"
	"docledger/test/lib/harness"
)

// purchase is the actions of one organization within a day.
type purchase struct {
	name     string
	card     string
	metadata []string // of the subscription; $price is its price
	anchor   time.Time
	then     func(w *world, sub string)
}

// A day across the end of a month, in steps of four hours.
var (
	december  = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	january   = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	charged   = []string{"metadata[charge_current_month]", "true", "metadata[price_id]", "$price"}
	purchases = []purchase{
		{name: "paid", card: "pm_card_visa", metadata: charged, anchor: december},
		{name: "declined", card: "pm_card_chargeCustomerFail", metadata: charged, anchor: december},
		{name: "not asked for", card: "pm_card_visa", metadata: []string{"metadata[charge_current_month]", "false"}, anchor: december},
		{name: "changed at once", card: "pm_card_visa", metadata: charged, anchor: december, then: func(w *world, sub string) {
			w.do(http.MethodPost, "/v1/subscriptions/"+sub, "metadata[note]", "changed")
		}},
		{name: "no price", card: "pm_card_visa", metadata: charged[:2], anchor: december},
		{name: "on the 1st", card: "pm_card_visa", metadata: charged, anchor: january},
	}
)

// outcome is the result of a purchase: the record of docledger and the charges
// of the processor.
type outcome struct {
	Month   string
	State   billing.ChargeState
	Outcome billing.PaymentOutcome
	Charges []string
}

// TestADayWithoutWebhooksChargesTheSame runs one day twice: with every webhook
// delivered, and without webhooks but with a later reconciliation.
func TestADayWithoutWebhooksChargesTheSame(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		delivered := day(t, harness.Options{}, true)
		reconciled := day(t, o, false)
		for name, want := range delivered {
			if !reflect.DeepEqual(reconciled[name], want) {
				t.Errorf("%s: %+v reconciled, %+v delivered", name, reconciled[name], want)
			}
		}
		november := func(status string) outcome {
			return outcome{"2026-11", billing.ChargeDone, billing.Paid, []string{status + " 3000 2026-11-01 2026-12-01"}}
		}
		declined := november("open")
		declined.Outcome = billing.Declined
		for name, want := range map[string]outcome{
			"paid": november("paid"), "declined": declined, "changed at once": november("paid"), "not asked for": {}, "on the 1st": {},
			"no price": {Month: "2026-11", State: billing.ChargeSkipped},
		} {
			if !reflect.DeepEqual(delivered[name], want) {
				t.Errorf("%s: %+v, want %+v", name, delivered[name], want)
			}
		}
	})
}

func day(t *testing.T, o harness.Options, webhooks bool) map[string]outcome {
	t.Helper()
	w := open(t, o)
	w.advance(december.Add(-20 * time.Hour).Sub(midMonth))
	w.reconcile()
	customers := map[string]string{}
	orgs := map[string]harness.Organization{}
	for _, p := range purchases {
		w.org = w.NewOrganization(p.name)
		customer, price := w.customer(p.card), w.price2()
		customers[p.name], orgs[p.name] = customer, w.org
		form := append([]string{
			"customer", customer, "items[0][price]", price, "billing_cycle_anchor", fmt.Sprint(p.anchor.Unix()), "proration_behavior", "none",
		}, p.metadata...)
		sub := w.make("/v1/subscriptions", strings.Split(strings.ReplaceAll(strings.Join(form, "\n"), "$price", w.charge30()), "\n")...)
		if p.then != nil {
			p.then(w, sub)
		}
		if webhooks {
			w.deliverAll()
		}
		w.advance(4 * time.Hour)
	}
	w.advance(24 * time.Hour)
	w.reconcile()
	out, late := map[string]outcome{}, map[string]outcome{}
	for name, customer := range customers {
		out[name] = w.outcome(orgs[name], customer)
	}
	w.deliverAll() // they come after all
	for name, customer := range customers {
		late[name] = w.outcome(orgs[name], customer)
	}
	if !reflect.DeepEqual(late, out) {
		t.Errorf("late webhooks made %+v of %+v", late, out)
	}
	return out
}

// charge30 is a one-time price of 30.00 EUR.
func (w *world) charge30() string {
	return w.make("/v1/prices", "product", w.make("/v1/products", "name", "Month"), "currency", "eur", "unit_amount", "3000")
}

func (w *world) reconcile() {
	w.t.Helper()
	if err := w.Service.Reconcile(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.process()
}

// deliverAll delivers all events of the processor so far, including delivered
// ones.
func (w *world) deliverAll() {
	w.t.Helper()
	for _, eventType := range billing.PaymentEvents() {
		for _, e := range w.list("/v1/events", "type", string(eventType), "limit", "100") {
			id, _ := e["id"].(string)
			body, ok := w.sim.Payload(id, "")
			if !ok {
				w.t.Fatalf("there is no event %s", id)
			}
			w.send(body)
		}
	}
	w.process()
}

func (w *world) outcome(org harness.Organization, customer string) outcome {
	w.t.Helper()
	var out outcome
	for _, inv := range w.charges(customer) {
		lines := inv["lines"].(map[string]any)["data"].([]any)
		if len(lines) == 0 {
			out.Charges = append(out.Charges, fmt.Sprint(inv["status"]))
			continue
		}
		line := lines[0].(map[string]any)
		period := line["period"].(map[string]any)
		out.Charges = append(out.Charges, fmt.Sprintf("%v %v %s %s", inv["status"], inv["total"], date(period["start"]), date(period["end"])))
	}
	records, err := w.Service.Explainer.Charges.OfOrganization(context.Background(), org.ID, 10)
	if err != nil || len(records) > 1 {
		w.t.Fatalf("records are %+v, %v", records, err)
	}
	if len(records) == 1 {
		r := records[0]
		out.Month, out.State, out.Outcome = r.Charge.Month, r.State, r.Outcome
	}
	return out
}

// date formats a timestamp of the processor as a day in UTC.
func date(seconds any) string {
	n, _ := seconds.(float64)
	if whole, ok := seconds.(int64); ok {
		n = float64(whole)
	}
	return time.Unix(int64(n), 0).UTC().Format(time.DateOnly)
}

// TestPriceArchivedMidway archives the price after a failed step. A charge with
// an item is completed; a charge without one is not.
func TestPriceArchivedMidway(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]outcome{
		"/v1/invoiceitems":        {Month: "2026-11", State: billing.ChargeSkipped},
		"/v1/invoices/*/finalize": {"2026-11", billing.ChargeDone, billing.Paid, []string{"paid 3000 2026-11-01 2026-12-01"}},
		"/v1/invoices/*/pay":      {"2026-11", billing.ChargeDone, billing.Paid, []string{"paid 3000 2026-11-01 2026-12-01"}},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := open(t, harness.Options{})
			customer, price := w.customer("pm_card_visa"), w.price()
			w.subscribe(customer, price)
			w.fault(`{"match":"POST ` + step + `","times":1,"action":"status:503"}`)
			body, ok := w.sim.Payload(w.lastEvent("customer.subscription.created"), "")
			if !ok {
				t.Fatal("there is no event")
			}
			w.send(body)
			waiting, err := w.Service.Inbox.Inbox.Unfinished(t.Context(), w.clock.Now().Add(time.Hour), 10)
			if err != nil || len(waiting) != 1 {
				t.Fatalf("%d events wait, %v", len(waiting), err)
			}
			if err := w.Service.Inbox.Process(t.Context(), job.ProcessEvent{V: job.EventVersion, MessageID: waiting[0].ID}); err == nil {
				t.Fatal("nothing failed")
			}
			w.do(http.MethodPost, "/v1/prices/"+price, "active", "false")
			w.process()
			got := w.outcome(w.org, customer)
			if step == "/v1/invoiceitems" {
				got.Charges = nil // an empty draft, which causes no charge
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("it ends as %+v, want %+v", got, want)
			}
		})
	}
}

// TestDoubleChargeIsSuspected buys with proration, so that the subscription
// itself has charged the month. The charge follows the contract, and both
// invoices are named (domain D26).
func TestDoubleChargeIsSuspected(t *testing.T) {
	t.Parallel()
	for name, proration := range map[string]string{"with proration": "create_prorations", "without": "none"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, harness.Options{})
			customer, price := w.customer("pm_card_visa"), w.price()
			sub := w.make("/v1/subscriptions", "customer", customer, "items[0][price]", price,
				"billing_cycle_anchor", fmt.Sprint(december.Unix()), "proration_behavior", proration,
				"metadata[charge_current_month]", "true", "metadata[price_id]", price)
			own, _ := w.do(http.MethodGet, "/v1/subscriptions/"+sub)["latest_invoice"].(string)
			for range 2 {
				w.deliverAll()
			}
			charges := w.charges(customer)
			if len(charges) != 1 || charges[0]["status"] != "paid" {
				t.Fatalf("charges are %v", charges)
			}
			found := w.Do(http.MethodGet, "/api/events?type=billing.double_charge_suspected", w.org.Admin.Token, nil).OK()
			if proration == "none" {
				if found.Len("items") != 0 {
					t.Errorf("suspected without a reason: %s", found.Raw)
				}
				return
			}
			if found.Len("items") != 1 || found.Text("items", 0, "data", "invoice") != charges[0]["id"] ||
				own == "" || found.Text("items", 0, "data", "subscription_invoice") != own {
				t.Errorf("suspected is %s; the invoices are %v and %s", found.Raw, charges[0]["id"], own)
			}
		})
	}
}

// TestAPageOfThe1stClosesWithIt verifies that a checkout page of the 1st
// expires with that day. A purchase on the 2nd would be charged by both the
// processor and docledger.
func TestAPageOfThe1stClosesWithIt(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{Env: map[string]string{"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": "prod_team"}})
	price := w.make("/v1/prices", "product", w.make("/v1/products", "id", "prod_team", "name", "Team"), "currency", "eur",
		"unit_amount", "3000", "recurring[interval]", "month")
	w.advance(december.Add(9 * time.Hour).Sub(midMonth))
	token := w.Login(w.org.Admin.Email)
	w.Do(http.MethodPost, "/api/billing/checkout-session", token, map[string]any{
		"price_id": price, "success_url": "https://app.example/bought", "cancel_url": "https://app.example/plans",
	}).OK()
	w.advance(15 * time.Hour)
	if sessions := w.list("/v1/checkout/sessions"); len(sessions) != 1 || sessions[0]["status"] != "expired" {
		t.Errorf("the sessions are %v", sessions)
	}
}
