// These tests check billing with the whole service and the simulated
// payment processor.
package billing_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
	sim "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/domain/inbox"
	"docledger/domain/job"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/billing"
	usecaseinbox "docledger/usecase/inbox"

	"github.com/google/uuid"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

const (
	secretKey     = "sk_test_billing"
	signingSecret = "whsec_billing_0123456789"
)

// midMonth is neither the first nor the last day of a month.
var midMonth = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// world is a service with the simulated payment processor. The test runs the
// jobs.
type world struct {
	*harness.Server
	t   testing.TB
	sim *sim.Server
	org harness.Organization

	clock     *hands
	processor string // its address
}

// hands is a fixed clock that a test advances.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

// Now implements usecase.Clock.
func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// advance advances the time of the service and of the processor.
func (w *world) advance(by time.Duration) {
	w.t.Helper()
	w.control("clock", `{"advance":"`+by.String()+`"}`)
	w.clock.mu.Lock()
	defer w.clock.mu.Unlock()
	w.clock.now = w.clock.now.Add(by)
}

func open(t testing.TB, o harness.Options) *world {
	t.Helper()
	limits := sim.DefaultLimits()
	limits.RequestsPerSecond = 0
	w := &world{t: t, clock: &hands{now: midMonth}, sim: sim.New(sim.Options{Account: sim.ReadyAccount(), SecretKeys: []string{secretKey}, Start: midMonth, Limits: &limits})}
	processor := httptest.NewServer(w.sim)
	t.Cleanup(func() {
		processor.Close()
		w.sim.Close()
	})
	w.processor = processor.URL
	o.NoWorkers = true
	o.Overrides = service.Overrides{Clock: w.clock}
	env := map[string]string{
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": secretKey, "PAYMENT_SIGNING_SECRETS": signingSecret, "PAYMENT_URL": processor.URL,
	}
	maps.Copy(env, o.Env)
	o.Env = env
	w.Server = harness.Start(t, o)
	w.org = w.NewOrganization("Payer")
	return w
}

// do calls the simulator. form contains pairs of name and value.
func (w *world) do(method, path string, form ...string) map[string]any {
	w.t.Helper()
	return harness.AskProcessor(w.t, w.sim, method, path, form...)
}

func (w *world) make(path string, form ...string) string {
	w.t.Helper()
	id, _ := w.do(http.MethodPost, path, form...)["id"].(string)
	return id
}

// list returns objects of the processor. query contains pairs of name and
// value.
func (w *world) list(path string, query ...string) []map[string]any {
	w.t.Helper()
	data, _ := w.do(http.MethodGet, path, query...)["data"].([]any)
	var out []map[string]any
	for _, d := range data {
		object, _ := d.(map[string]any)
		out = append(out, object)
	}
	return out
}

// customer creates the customer of the organization with a card.
func (w *world) customer(card string) string {
	w.t.Helper()
	id, err := w.Service.Billing.Customers.Ensure(context.Background(), w.org.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	method := w.make("/v1/payment_methods/"+card+"/attach", "customer", id)
	w.do(http.MethodPost, "/v1/customers/"+id, "invoice_settings[default_payment_method]", method)
	return id
}

// price creates a monthly price of 30.00 EUR with limits.
func (w *world) price(metadata ...string) string {
	product := w.make("/v1/products", "name", "Team")
	form := []string{"product", product, "currency", "eur", "unit_amount", "3000", "recurring[interval]", "month", "lookup_key", "team"}
	for i := 0; i+1 < len(metadata); i += 2 {
		form = append(form, "metadata["+metadata[i]+"]", metadata[i+1])
	}
	return w.make("/v1/prices", form...)
}

// subscribe creates a subscription that begins on the next 1st and requests the
// charge of the current month.
func (w *world) subscribe(customer, price string) string {
	w.t.Helper()
	return w.make("/v1/subscriptions", "customer", customer, "items[0][price]", price,
		"billing_cycle_anchor", "1796083200", "proration_behavior", "none",
		"metadata[charge_current_month]", "true", "metadata[price_id]", price)
}

// receive delivers the event of a type like its webhook and runs its job until
// it is done, at most as often as the queue.
func (w *world) receive(eventType string) {
	w.t.Helper()
	for _, e := range w.list("/v1/events", "type", eventType) {
		id, _ := e["id"].(string)
		w.deliver(id, eventType)
	}
}

func (w *world) deliver(id, eventType string) {
	w.t.Helper()
	body, ok := w.sim.Payload(id, "")
	if !ok {
		w.t.Fatalf("there is no event %s", id)
	}
	err := w.Service.Inbox.Receive(context.Background(), inbox.Payments,
		usecaseinbox.Event{ID: id, Type: eventType, OccurredAt: midMonth, Body: body})
	if err != nil {
		w.t.Fatal(err)
	}
	w.process()
}

// forget removes an organization's plan from the cache.
func (w *world) forget(organization uuid.UUID) {
	w.t.Helper()
	if err := w.Service.Billing.Source.(*usecase.Subscribed).Cache.Invalidate(context.Background(), organization); err != nil {
		w.t.Fatal(err)
	}
}

// process processes the messages of the inbox.
func (w *world) process() {
	w.t.Helper()
	for range 10 {
		waiting, err := w.Service.Inbox.Inbox.Unfinished(context.Background(), w.clock.Now().Add(time.Hour), 100)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(waiting) == 0 {
			return
		}
		for _, m := range waiting {
			_ = w.Service.Inbox.Process(context.Background(), job.ProcessEvent{V: job.EventVersion, MessageID: m.ID})
		}
	}
	w.t.Fatal("an event is never done")
}

// charges returns the invoices of immediate charges at the processor.
func (w *world) charges(customer string) (out []map[string]any) {
	w.t.Helper()
	for _, inv := range w.list("/v1/invoices", "customer", customer) {
		if inv["subscription"] == nil {
			out = append(out, inv)
		}
	}
	return out
}
