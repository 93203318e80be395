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
	"docledger/test/lib/harness"
)

// term is the price of one period.
type term struct {
	name, interval, count string
	amount                int64   // in cents
	least, most           float64 // for an hour of the longest and of the shortest period
	price                 string  // its id
}

func terms() []term {
	perHour := func(amount int64, days int) float64 { return float64(amount) / float64(days*24) }
	return []term{
		{"monthly", "month", "1", 3000, perHour(3000, 31), perHour(3000, 28), ""},
		{"dear", "month", "1", 5000, perHour(5000, 31), perHour(5000, 28), ""},
		{"quarterly", "month", "3", 9000, perHour(9000, 92), perHour(9000, 89), ""},
		{"yearly", "year", "1", 36500, perHour(36500, 366), perHour(36500, 365), ""},
	}
}

// paidLine is a line of an invoice with an amount, which is negative for a credit.
type paidLine struct {
	from, until time.Time
	amount      int64
}

// perHour returns the amount for an hour.
func (l paidLine) perHour() float64 { return float64(l.amount) / l.until.Sub(l.from).Hours() }

func (w *world) paidLines(customer string) (lines []paidLine) {
	w.t.Helper()
	number := func(v any) int64 { n, _ := v.(float64); return int64(n) }
	for _, inv := range w.list("/v1/invoices", "customer", customer, "limit", "100") {
		embedded, _ := inv["lines"].(map[string]any)
		data, _ := embedded["data"].([]any)
		for _, d := range data {
			line, _ := d.(map[string]any)
			period, _ := line["period"].(map[string]any)
			if amount := number(line["amount"]); amount != 0 {
				lines = append(lines, paidLine{time.Unix(number(period["start"]), 0).UTC(), time.Unix(number(period["end"]), 0).UTC(), amount})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b paidLine) int { return a.from.Compare(b.from) })
	return lines
}

// soldPlan is a bought subscription with its change.
type soldPlan struct {
	name, customer string
	event          string // of its creation
	at, changedAt  time.Time
	sold, to       term // equal if only the quantity changes
	quantity       int64
	late           bool // the event was processed after the change
}

// check verifies that each moment since the purchase is paid exactly once until the given
// time, counting charges less credits, and that it costs what the plan of that moment
// costs.
func (p soldPlan) check(t *testing.T, lines []paidLine, until time.Time) {
	t.Helper()
	marks := []time.Time{p.at, p.changedAt, until}
	for _, l := range lines {
		marks = append(marks, l.from, l.until)
	}
	slices.SortFunc(marks, time.Time.Compare)
	marks = slices.CompactFunc(marks, time.Time.Equal)
	for i := 0; i+1 < len(marks); i++ {
		from, to := marks[i], marks[i+1]
		if from.Before(p.at) || to.After(until) {
			continue
		}
		times, paid := 0, 0.0
		for _, l := range lines {
			switch {
			case l.from.After(from) || l.until.Before(to):
				continue
			case l.amount > 0:
				times++
			default:
				times--
			}
			paid += l.perHour()
		}
		if times != 1 {
			t.Errorf("%s: the time from %s to %s is paid %d times: %+v", p.name, from, to, times, lines)
			return
		}
		plan, quantity := p.sold, int64(1)
		if !from.Before(p.changedAt) {
			plan, quantity = p.to, p.quantity
		}
		hours := to.Sub(from).Hours()
		least, most := plan.least*float64(quantity)*hours-1, plan.most*float64(quantity)*hours+1
		if got := paid * hours; got < least || got > most {
			t.Errorf("%s: the time from %s to %s costs %.2f, want %.2f to %.2f: %+v", p.name, from, to, got, least, most, lines)
			return
		}
	}
}

// TestNoDayIsPaidTwice buys each price through the checkout on several days of
// a month. It changes the plan and quantity at once or weeks later, before or after the
// first event was processed, and verifies the paid amounts in the invoices of the
// processor, which prorates the changes.
func TestNoDayIsPaidTwice(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{Env: map[string]string{"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": "prod_team"}})
	product := w.make("/v1/products", "id", "prod_team", "name", "Team")
	sellable := terms()
	for i, p := range sellable {
		sellable[i].price = w.make("/v1/prices", "product", product, "currency", "eur", "unit_amount", fmt.Sprint(p.amount),
			"recurring[interval]", p.interval, "recurring[interval_count]", p.count)
	}
	var all, waiting []soldPlan
	change := func(p soldPlan) {
		p.changedAt = w.clock.Now()
		w.changePlan(p.customer, p.to.price, fmt.Sprint(p.quantity))
		w.deliver(p.event, "customer.subscription.created") // late, or a second time
		all = append(all, p)
	}
	for _, day := range []struct {
		at     time.Time
		closed bool // nothing is bought
	}{
		{midMonth, false}, {midMonth.AddDate(0, 0, 15), false}, // November 30
		{december.Add(9 * time.Hour), false}, {december.AddDate(0, 0, 19), true},
		{december.AddDate(0, 0, 30).Add(23 * time.Hour), false}, {december.AddDate(0, 0, 40), true},
	} {
		w.advance(day.at.Sub(w.clock.Now()))
		for _, p := range waiting {
			change(p)
		}
		if waiting = nil; day.closed {
			continue
		}
		for _, sold := range sellable {
			for _, to := range sellable {
				for _, quantity := range []int64{1, 3} {
					for _, later := range []bool{false, true} {
						for _, late := range []bool{false, true} {
							if sold.name == "dear" || quantity == 1 && late && (later || to.name == sold.name) {
								continue // similar to others
							}
							p := soldPlan{
								name: fmt.Sprintf("%s on %s, then %s × %d, change later %t, event late %t",
									sold.name, day.at.Format(time.DateOnly), to.name, quantity, later, late),
								customer: w.buy(sold.price), at: w.clock.Now(), sold: sold, to: to, quantity: quantity, late: late,
							}
							events := w.list("/v1/events", "type", "customer.subscription.created", "limit", "1")
							p.event, _ = events[0]["id"].(string)
							if !late {
								w.deliver(p.event, "customer.subscription.created")
							}
							if later {
								waiting = append(waiting, p)
							} else {
								change(p)
							}
						}
					}
				}
			}
		}
	}
	w.advance(14 * 31 * 24 * time.Hour)
	for _, p := range all {
		p.check(t, w.paidLines(p.customer), december.AddDate(1, 0, 0))
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
