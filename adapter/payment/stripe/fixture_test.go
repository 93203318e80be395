package stripe_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/adapter/payment/stripe"
	"docledger/adapter/sim/definition/definitiontest"
	sim "docledger/adapter/sim/stripe"
	"docledger/domain/billing"
	"docledger/domain/billing/billingtest"
	"docledger/domain/money"
)

const (
	secretKey     = "sk_test_canary_4f1d"
	webhookSecret = "whsec_canary_77ab"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// fixture drives the simulator through its own interface.
type fixture struct {
	t      testing.TB
	server *sim.Server
	url    string
}

// open starts an empty simulator and the adapter over it.
func open(t testing.TB) (*stripe.Client, *fixture) {
	limits := sim.DefaultLimits()
	limits.RequestsPerSecond = 0
	server := sim.New(sim.Options{Account: sim.ReadyAccount(), SecretKeys: []string{secretKey}, Start: start, Limits: &limits})
	listener := httptest.NewServer(definitiontest.Handler(t, "stripe", server))
	t.Cleanup(func() {
		listener.Close()
		server.Close()
	})
	client, err := stripe.New(stripe.Options{
		URL: listener.URL, SecretKey: secretKey, WebhookSecrets: []string{"whsec_next", webhookSecret}, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, &fixture{t, server, listener.URL}
}

func TestContract(t *testing.T) {
	t.Parallel()
	billingtest.Run(t, func(t testing.TB) (billingtest.Processor, billingtest.World) {
		c, w := open(t)
		return billingtest.Processor{
			Customers: c.Customers, Prices: c.Prices, Subscriptions: c.Subscriptions, Sessions: c.Sessions,
			Charges: c.Charges, Events: c.Events, Webhooks: c.Webhooks,
		}, w
	})
}

// do calls the simulator; form is pairs of name and value.
func (w *fixture) do(method, path string, form ...string) map[string]any {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		if form[i+1] != "" {
			values.Add(form[i], form[i+1])
		}
	}
	status, body := w.server.Do(method, path, values)
	if status != http.StatusOK {
		w.t.Fatalf("%s %s: %d %v", method, path, status, body)
	}
	return body
}

func (w *fixture) id(path string, form ...string) string {
	w.t.Helper()
	return w.do(http.MethodPost, path, form...)["id"].(string)
}

func (w *fixture) Now() time.Time           { return w.server.Kit.Clock.Now() }
func (w *fixture) Advance(by time.Duration) { w.server.Kit.Clock.Advance(by) }

func metadata(of map[string]string) (form []string) {
	for k, v := range of {
		form = append(form, "metadata["+k+"]", v)
	}
	return form
}

func (w *fixture) AddProduct(name string, of map[string]string) string {
	return w.id("/v1/products", append(metadata(of), "name", name)...)
}

func (w *fixture) ArchiveProduct(id string) {
	w.do(http.MethodPost, "/v1/products/"+id, "active", "false")
}

func (w *fixture) AddPrice(p billing.Price) string {
	form := append(metadata(p.Metadata), "product", p.Product, "currency", strings.ToLower(p.Currency),
		"lookup_key", p.LookupKey, "tax_behavior", p.TaxBehaviour, "recurring[interval]", p.Interval)
	if p.Amount == nil {
		form = append(form, "billing_scheme", "tiered", "tiers_mode", "graduated",
			"tiers[0][up_to]", "10", "tiers[0][unit_amount]", "100", "tiers[1][up_to]", "inf", "tiers[1][unit_amount]", "80")
	} else {
		form = append(form, "unit_amount_decimal", p.Amount.Mul(money.FromInt(perUnit(p.Currency))).String())
	}
	return w.id("/v1/prices", form...)
}

// perUnit says how many smallest units a currency's unit has.
func perUnit(currency string) int64 {
	switch currency {
	case "JPY":
		return 1
	case "KWD":
		return 1000
	}
	return 100
}

func (w *fixture) ArchivePrice(id string) {
	w.do(http.MethodPost, "/v1/prices/"+id, "active", "false")
}

func (w *fixture) AddTaxRate(percent string) string {
	return w.id("/v1/tax_rates", "display_name", "VAT", "percentage", percent, "inclusive", "false")
}

func (w *fixture) DeleteCustomer(id string) { w.do(http.MethodDelete, "/v1/customers/"+id) }

func (w *fixture) AddCard(customer string, c billingtest.Card) string {
	name := map[billingtest.Card]string{
		billingtest.GoodCard: "pm_card_visa", billingtest.DecliningCard: "pm_card_chargeCustomerFail",
		billingtest.ConfirmingCard: "pm_card_authenticationRequired",
	}[c]
	return w.id("/v1/payment_methods/"+name+"/attach", "customer", customer)
}

func (w *fixture) SetDefaultCard(customer, card string) {
	w.do(http.MethodPost, "/v1/customers/"+customer, "invoice_settings[default_payment_method]", card)
}

func (w *fixture) Subscribe(s billingtest.Subscription) string {
	form := append(metadata(s.Metadata), "customer", s.Customer, "items[0][price]", s.Price, "default_payment_method", s.Card)
	if s.Quantity != 0 {
		form = append(form, "items[0][quantity]", strconv.FormatInt(s.Quantity, 10))
	}
	for i, rate := range s.TaxRates {
		form = append(form, fmt.Sprintf("default_tax_rates[%d]", i), rate)
	}
	if s.AutomaticTax {
		form = append(form, "automatic_tax[enabled]", "true")
	}
	if !s.Whole {
		form = append(form, "proration_behavior", "none", "billing_cycle_anchor_config[day_of_month]", "1",
			"billing_cycle_anchor_config[hour]", "0", "billing_cycle_anchor_config[minute]", "0", "billing_cycle_anchor_config[second]", "0")
	}
	return w.id("/v1/subscriptions", form...)
}

func (w *fixture) Cancel(subscription string) {
	w.do(http.MethodDelete, "/v1/subscriptions/"+subscription)
}

func (w *fixture) AddPendingItem(customer string, units int64, currency string) {
	w.do(http.MethodPost, "/v1/invoiceitems", "customer", customer, "amount", strconv.FormatInt(units, 10), "currency", currency)
}

func (w *fixture) VoidInvoice(id string) { w.do(http.MethodPost, "/v1/invoices/"+id+"/void") }

func (w *fixture) Buy(page string) string {
	w.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(page)
	if err != nil {
		w.t.Fatal(err)
	}
	shown, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("the page answers %d %v: %s", resp.StatusCode, err, shown)
	}
	_ = resp.Body.Close()
	if !strings.Contains(string(shown), `name="card"`) {
		return "" // the page is closed
	}
	if resp, err = browser.PostForm(page, url.Values{"card": {"4242 4242 4242 4242"}}); err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.Header.Get("Location")
}

func (w *fixture) CountCustomers() int {
	return len(w.do(http.MethodGet, "/v1/customers", "limit", "100")["data"].([]any))
}

func (w *fixture) Invoices(customer string) []billingtest.Invoice {
	var out []billingtest.Invoice
	for _, item := range w.do(http.MethodGet, "/v1/invoices", "limit", "100", "customer", customer)["data"].([]any) {
		i := item.(map[string]any)
		inv := billingtest.Invoice{
			ID: i["id"].(string), Status: billing.InvoiceStatus(i["status"].(string)),
			Total: number(i["total"]), Tax: number(i["tax"]), Attempts: int(number(i["attempt_count"])),
		}
		for _, item := range i["lines"].(map[string]any)["data"].([]any) {
			l := item.(map[string]any)
			span := l["period"].(map[string]any)
			inv.Lines = append(inv.Lines, billingtest.Line{
				Units: number(l["amount"]), Quantity: number(l["quantity"]), Product: l["price"].(map[string]any)["product"].(string),
				From: time.Unix(number(span["start"]), 0), Until: time.Unix(number(span["end"]), 0),
			})
		}
		out = append([]billingtest.Invoice{inv}, out...)
	}
	return out
}

func number(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}

func (w *fixture) Break(c billingtest.Call, f billingtest.Failure, times int) {
	w.t.Helper()
	match := map[billingtest.Call]string{
		billingtest.CallAny: "* /v1/**", billingtest.CallCreateCustomer: "POST /v1/customers",
		billingtest.CallCreateInvoice: "POST /v1/invoices", billingtest.CallAddItem: "POST /v1/invoiceitems",
		billingtest.CallFinalize: "POST /v1/invoices/*/finalize", billingtest.CallPay: "POST /v1/invoices/*/pay",
	}[c]
	// Over the network, as a person at the sandbox would.
	body := fmt.Sprintf(`{"match":%q,"times":%d,"action":%q}`, match, times, f)
	resp, err := http.Post(w.url+"/_sim/faults", "application/json", strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("/_sim/faults answers %d", resp.StatusCode)
	}
}

func (w *fixture) Repair() { w.server.Kit.ClearFaults() }

func (w *fixture) Delivery(kind billing.EventType, newer bool, at time.Time) (map[string][]string, []byte) {
	w.t.Helper()
	latest := w.do(http.MethodGet, "/v1/events", "limit", "1", "type", string(kind))["data"].([]any)
	if len(latest) == 0 {
		w.t.Fatalf("there is no %s", kind)
	}
	version := ""
	if newer {
		version = sim.VersionBasil
	}
	body, ok := w.server.Payload(latest[0].(map[string]any)["id"].(string), version)
	if !ok {
		w.t.Fatal("the event is gone")
	}
	return http.Header{stripe.SignatureHeader: {sim.Sign(body, at, webhookSecret)}}, body
}
