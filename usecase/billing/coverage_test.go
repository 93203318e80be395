package billing_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/test/harness"
)

// term is the price of one period.
type term struct {
	name, interval, count string
	amount                int64 // in cents
}

var terms = []term{{"monthly", "month", "1", 3000}, {"quarterly", "month", "3", 9000}, {"yearly", "year", "1", 36500}}

// paidLine is a line of an invoice with an amount.
type paidLine struct {
	from, until time.Time
	amount      int64
}

func (w *world) paidLines(customer string) (lines []paidLine) {
	w.t.Helper()
	number := func(v any) int64 { n, _ := v.(float64); return int64(n) }
	for _, inv := range w.list("/v1/invoices", "customer", customer, "limit", "100") {
		embedded, _ := inv["lines"].(map[string]any)
		data, _ := embedded["data"].([]any)
		for _, d := range data {
			line, _ := d.(map[string]any)
			period, _ := line["period"].(map[string]any)
			if amount := number(line["amount"]); amount > 0 {
				lines = append(lines, paidLine{time.Unix(number(period["start"]), 0).UTC(), time.Unix(number(period["end"]), 0).UTC(), amount})
			}
		}
	}
	slices.SortFunc(lines, func(a, b paidLine) int { return a.from.Compare(b.from) })
	return lines
}

// checkPaid verifies that every moment since the purchase is paid exactly once,
// and that the time before the anchor has the right price.
func checkPaid(t *testing.T, name string, bought time.Time, sold term, lines []paidLine) {
	t.Helper()
	if len(lines) == 0 {
		t.Errorf("%s: nothing was paid", name)
		return
	}
	if lines[0].from.After(bought) {
		t.Errorf("%s: the time from %s to %s is not paid", name, bought, lines[0].from)
	}
	for i := 1; i < len(lines); i++ {
		switch before, line := lines[i-1], lines[i]; {
		case line.from.Before(before.until):
			t.Errorf("%s: the time from %s to %s is paid twice: %+v", name, line.from, before.until, lines)
		case line.from.After(before.until):
			t.Errorf("%s: the time from %s to %s is not paid: %+v", name, before.until, line.from, lines)
		}
	}
	if first := lines[0]; bought.Day() != 1 && sold.name != "monthly" {
		left, whole := first.until.Sub(bought).Hours(), 365*24.0
		if sold.name == "quarterly" {
			whole = first.until.Sub(first.until.AddDate(0, -3, 0)).Hours()
		}
		if want := float64(sold.amount) * left / whole; float64(first.amount) < want-1 || float64(first.amount) > want+1 {
			t.Errorf("%s: the %v hours before the anchor cost %d, want %.0f", name, left, first.amount, want)
		}
	}
	for _, line := range lines[1:] {
		if line.from.Day() != 1 {
			t.Errorf("%s: a period begins on %s, want a 1st", name, line.from)
		}
	}
}

// TestNoDayIsPaidTwice buys each price through the checkout on several days of
// a month. It changes the plan and quantity before or after the first event was
// processed, and verifies the paid amounts in the invoices of the processor.
func TestNoDayIsPaidTwice(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{Env: map[string]string{"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": "prod_team"}})
	product := w.make("/v1/products", "id", "prod_team", "name", "Team")
	prices := map[string]string{}
	for _, p := range terms {
		prices[p.name] = w.make("/v1/prices", "product", product, "currency", "eur", "unit_amount", fmt.Sprint(p.amount),
			"recurring[interval]", p.interval, "recurring[interval_count]", p.count)
	}
	type purchase struct {
		name, customer string
		at             time.Time
		term           term
	}
	var bought []purchase
	for _, day := range []time.Time{
		midMonth, midMonth.AddDate(0, 0, 15), // November 30
		december.Add(9 * time.Hour), december.AddDate(0, 0, 30).Add(23 * time.Hour),
	} {
		w.advance(day.Sub(w.clock.Now()))
		for _, p := range terms {
			for _, change := range append([]string{""}, prices["monthly"], prices["yearly"]) {
				for _, quantity := range []string{"1", "3"} {
					for _, late := range []bool{false, true} {
						if late && change == "" && quantity == "1" {
							continue // nothing changes
						}
						name := fmt.Sprintf("%s on %s, then %q × %s, event late %t", p.name, day.Format(time.DateOnly), change, quantity, late)
						customer := w.buy(prices[p.name])
						events := w.list("/v1/events", "type", "customer.subscription.created", "limit", "1")
						id, _ := events[0]["id"].(string)
						if !late {
							w.deliver(id, "customer.subscription.created")
						}
						w.changePlan(customer, change, quantity)
						w.deliver(id, "customer.subscription.created") // late, or a second time
						bought = append(bought, purchase{name, customer, w.clock.Now(), p})
					}
				}
			}
		}
	}
	w.advance(14 * 31 * 24 * time.Hour)
	for _, b := range bought {
		checkPaid(t, b.name, b.at, b.term, w.paidLines(b.customer))
	}
}

// buy buys a price through the checkout for a new organization and returns its
// customer.
func (w *world) buy(price string) (customer string) {
	w.t.Helper()
	org := w.NewOrganization("Buyer")
	page := w.Do(http.MethodPost, "/api/billing/checkout-session", org.Admin.Token, map[string]any{
		"price_id": price, "success_url": "https://app.example/bought", "cancel_url": "https://app.example/plans",
	}).OK().Text("url")
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.PostForm(page, url.Values{"card": {"4242 4242 4242 4242"}})
	if err != nil {
		w.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Header.Get("Location") != "https://app.example/bought" {
		w.t.Fatalf("the checkout page returns %d", resp.StatusCode)
	}
	customer, err = w.Service.Billing.Customers.Ensure(context.Background(), org.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return customer
}

// changePlan simulates a change of the customer in the billing portal.
func (w *world) changePlan(customer, price, quantity string) {
	w.t.Helper()
	sub := w.list("/v1/subscriptions", "customer", customer)[0]
	items, _ := sub["items"].(map[string]any)
	data, _ := items["data"].([]any)
	item, _ := data[0].(map[string]any)
	form := []string{"items[0][id]", fmt.Sprint(item["id"]), "items[0][quantity]", quantity}
	if price != "" {
		form = append(form, "items[0][price]", price)
	}
	w.do(http.MethodPost, "/v1/subscriptions/"+fmt.Sprint(sub["id"]), form...)
}

// logLines collects what is logged.
type logLines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(line)
}

func (l *logLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// TestUnsellablePrices verifies that an invalid price does not hide others, is
// logged once, cannot be bought and is reported by doctor.
func TestUnsellablePrices(t *testing.T) {
	t.Parallel()
	log := &logLines{}
	env := map[string]string{"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": "prod_team,prod_old"}
	w := open(t, harness.Options{Env: env, Log: log})
	team := w.make("/v1/products", "id", "prod_team", "name", "Team")
	old := w.make("/v1/products", "id", "prod_old", "name", "Old")
	recurring := func(product, interval string, more ...string) string {
		return w.make("/v1/prices", append([]string{"product", product, "currency", "eur", "unit_amount", "3000", "recurring[interval]", interval}, more...)...)
	}
	good := recurring(team, "month")
	wrong := map[string]string{
		"unreadable":             recurring(team, "month", "metadata[max_entities]", "abc"),
		"one-time":               w.make("/v1/prices", "product", team, "currency", "eur", "unit_amount", "3000"),
		"weekly":                 recurring(team, "week"),
		"archived":               recurring(team, "year"),
		"of an archived product": recurring(old, "month"),
	}
	w.do(http.MethodPost, "/v1/prices/"+wrong["archived"], "active", "false")
	w.do(http.MethodPost, "/v1/products/"+old, "active", "false")
	for range 2 {
		r := w.Do(http.MethodGet, "/api/billing/plans", w.org.Admin.Token, nil).OK()
		if r.Len("items") != 1 || r.Text("items", 0, "price_id") != good {
			t.Errorf("for sale is %s, want %s alone", r.Raw, good)
		}
	}
	for kind, price := range wrong {
		if n := strings.Count(log.text(), `"price":"`+price+`"`); n != 1 {
			t.Errorf("the %s price was logged %d times", kind, n)
		}
		w.Do(http.MethodPost, "/api/billing/checkout-session", w.org.Admin.Token, map[string]any{
			"price_id": price, "success_url": "https://app.example/bought", "cancel_url": "https://app.example/plans",
		}).Want(400, "invalid_request")
	}
	env["BILLING"], env["PAYMENT_SECRET_KEY"], env["PAYMENT_SIGNING_SECRETS"], env["PAYMENT_URL"] = "stripe", secretKey, signingSecret, w.processor
	env["DATA_DIR"], env["BASE_URL"], env["IDENTITY"], env["DOCLEDGER_ENV"] = w.DataDir, w.URL, "local", "local"
	cfg, err := config.Load(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range service.Diagnose(context.Background(), cfg, service.DiagnoseOptions{Roles: []string{service.RoleAPI}}) {
		if f.Subject != "plans for sale" {
			continue
		}
		if f.State() != "WARNING" || !strings.HasPrefix(f.Detail(), "1 price(s)") {
			t.Errorf("the doctor reports %s %s", f.State(), f.Detail())
		}
		for kind, price := range wrong {
			if !strings.Contains(f.Detail(), price) {
				t.Errorf("the doctor does not name the %s price: %s", kind, f.Detail())
			}
		}
		return
	}
	t.Error("the doctor reports nothing of the plans")
}
