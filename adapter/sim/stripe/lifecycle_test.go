package stripe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/stripe"
)

const day = 24 * time.Hour

func unix(y int, m time.Month, d int) string {
	return fmt.Sprint(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix())
}

func dateOf(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04") }

func TestSubscriptionBegins(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		card   string
		more   []string
		status string
		end    string // of the first period
		paid   int64  // -1: no invoice
		open   bool
	}{
		"at once":              {"pm_card_visa", nil, "active", "2026-12-15 12:00", 3000, false},
		"quantity":             {"pm_card_visa", []string{"items[0][quantity]", "3"}, "active", "2026-12-15 12:00", 9000, false},
		"anchored, free":       {"pm_card_visa", []string{"billing_cycle_anchor", unix(2026, 12, 1), "proration_behavior", "none"}, "active", "2026-12-01 00:00", -1, false},
		"anchored, no card":    {"", []string{"billing_cycle_anchor", unix(2026, 12, 1), "proration_behavior", "none"}, "active", "2026-12-01 00:00", -1, false},
		"anchored, prorated":   {"pm_card_visa", []string{"billing_cycle_anchor", unix(2026, 12, 1)}, "active", "2026-12-01 00:00", 1550, false},
		"anchored by day":      {"pm_card_visa", []string{"billing_cycle_anchor_config[day_of_month]", "31", "proration_behavior", "none"}, "active", "2026-11-30 12:00", -1, false},
		"trial":                {"", []string{"trial_period_days", "7"}, "trialing", "2026-11-22 12:00", 0, false},
		"declined":             {"pm_card_chargeCustomerFail", nil, "incomplete", "2026-12-15 12:00", 0, true},
		"declined, incomplete": {"pm_card_visa", []string{"payment_behavior", "default_incomplete"}, "incomplete", "2026-12-15 12:00", 0, true},
		"by invoice":           {"", []string{"collection_method", "send_invoice", "days_until_due", "14"}, "active", "2026-12-15 12:00", 0, true},
	} {
		a := open(t)
		sub := a.post("/v1/subscriptions", append([]string{
			"customer", a.buyer(tt.card), "items[0][price]", a.monthly(), "expand[]", "latest_invoice",
		}, tt.more...)...)
		if sub.text("status") != tt.status || dateOf(sub.number("current_period_end")) != tt.end {
			t.Errorf("%s: %s until %s", name, sub.text("status"), dateOf(sub.number("current_period_end")))
		}
		if none := sub.at("latest_invoice") == nil; none != (tt.paid < 0) {
			t.Errorf("%s: invoice %v", name, sub.at("latest_invoice"))
		} else if !none && (sub.number("latest_invoice.amount_paid") != tt.paid || (sub.text("latest_invoice.status") == "open") != tt.open) {
			t.Errorf("%s: %d paid, invoice %s", name, sub.number("latest_invoice.amount_paid"), sub.text("latest_invoice.status"))
		}
	}
}

func TestSubscriptionRefused(t *testing.T) {
	t.Parallel()
	a := open(t)
	price, card := a.monthly(), a.buyer("pm_card_visa")
	once := a.post("/v1/prices", "currency", "eur", "unit_amount", "1", "product_data[name]", "Once").text("id")
	gone := a.monthly()
	a.post("/v1/prices/"+gone, "active", "false")
	dollars := a.post("/v1/prices", "currency", "usd", "unit_amount", "1", "product_data[name]", "D", "recurring[interval]", "month").text("id")
	for name, tt := range map[string]struct {
		status int
		pairs  []string
	}{
		"no item":            {400, []string{"customer", card}},
		"one-time price":     {400, []string{"customer", card, "items[0][price]", once}},
		"archived price":     {400, []string{"customer", card, "items[0][price]", gone}},
		"two currencies":     {400, []string{"customer", card, "items[0][price]", price, "items[1][price]", dollars}},
		"anchor in the past": {400, []string{"customer", card, "items[0][price]", price, "billing_cycle_anchor", unix(2026, 11, 1)}},
		"anchor too far":     {400, []string{"customer", card, "items[0][price]", price, "billing_cycle_anchor", unix(2027, 1, 1)}},
		"nothing to pay by":  {400, []string{"customer", a.buyer(""), "items[0][price]", price}},
		"declined":           {402, []string{"customer", a.buyer("pm_card_chargeCustomerFail"), "items[0][price]", price, "payment_behavior", "error_if_incomplete"}},
	} {
		before := len(a.get("/v1/subscriptions", "status", "all")["data"].([]any))
		a.want(tt.status, "POST", "/v1/subscriptions", tt.pairs...)
		if n := len(a.get("/v1/subscriptions", "status", "all")["data"].([]any)); n != before {
			t.Errorf("%s left a subscription", name)
		}
	}
}

func TestSubscriptionRenews(t *testing.T) {
	t.Parallel()
	a := open(t, func(o *stripe.Options) { o.Start = time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC) })
	customer := a.buyer("pm_card_visa")
	id := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly()).text("id")
	var ends []string
	for range 4 {
		sub := a.get("/v1/subscriptions/" + id)
		ends = append(ends, time.Unix(sub.number("current_period_end"), 0).UTC().Format("01-02"))
		a.Kit.Clock.Advance(29 * day)
		a.Kit.Clock.Advance(2 * day)
	}
	if got := strings.Join(ends, " "); got != "02-28 03-31 04-30 05-31" {
		t.Errorf("periods end on %s", got)
	}
	invoices := a.get("/v1/invoices", "customer", customer, "status", "paid")
	if n := len(invoices["data"].([]any)); n != 5 || invoices.text("data.0.billing_reason") != "subscription_cycle" {
		t.Errorf("%d paid invoices, the last one for %s", n, invoices.text("data.0.billing_reason"))
	}
	a.post("/v1/subscriptions/"+id, "cancel_at_period_end", "true")
	a.Kit.Clock.Advance(40 * day)
	sub := a.get("/v1/subscriptions/" + id)
	if sub.text("status") != "canceled" || sub.at("ended_at") == nil || sub.at("ended_at") != sub.at("current_period_end") {
		t.Errorf("after its last period: %v", sub)
	}
	if n := len(a.get("/v1/invoices", "customer", customer)["data"].([]any)); n != 5 {
		t.Errorf("%d invoices after the end", n)
	}
	a.want(404, "DELETE", "/v1/subscriptions/"+id)
	a.want(400, "POST", "/v1/subscriptions/"+id, "description", "x")
}

func TestSubscriptionFallsBehind(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("pm_card_chargeCustomerFail")
	id := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly(),
		"billing_cycle_anchor", unix(2026, 12, 1), "proration_behavior", "none").text("id")
	a.Kit.Clock.Advance(16 * day)
	inv := a.get("/v1/invoices", "customer", customer)
	if s := a.get("/v1/subscriptions/" + id).text("status"); s != "past_due" || inv.text("data.0.status") != "open" {
		t.Fatalf("subscription %s, invoice %s", s, inv.text("data.0.status"))
	}
	a.Kit.Clock.Advance(20 * day)
	if n := a.get("/v1/invoices/" + inv.text("data.0.id")).number("attempt_count"); n != 4 {
		t.Errorf("%d attempts, want the first and three more", n)
	}
	card := a.post("/v1/payment_methods/pm_card_visa/attach", "customer", customer).text("id")
	paid := a.post("/v1/invoices/"+inv.text("data.0.id")+"/pay", "payment_method", card)
	if s := a.get("/v1/subscriptions/" + id).text("status"); paid.text("status") != "paid" || s != "active" {
		t.Errorf("invoice %s, subscription %s", paid.text("status"), s)
	}
	// The first payment never succeeds.
	other := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly(), "payment_behavior", "default_incomplete")
	a.Kit.Clock.Advance(24 * time.Hour)
	if s := a.get("/v1/subscriptions/" + other.text("id")).text("status"); s != "incomplete_expired" {
		t.Errorf("subscription %s", s)
	}
}

func TestSubscriptionPausesAndResumes(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("")
	id := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly(), "trial_period_days", "3",
		"trial_settings[end_behavior][missing_payment_method]", "pause").text("id")
	a.want(400, "POST", "/v1/subscriptions/"+id+"/resume")
	a.Kit.Clock.Advance(4 * day)
	if s := a.get("/v1/subscriptions/" + id).text("status"); s != "paused" {
		t.Fatalf("after the trial: %s", s)
	}
	card := a.post("/v1/payment_methods/pm_card_visa/attach", "customer", customer).text("id")
	a.post("/v1/customers/"+customer, "invoice_settings[default_payment_method]", card)
	if s := a.post("/v1/subscriptions/" + id + "/resume").text("status"); s != "active" {
		t.Errorf("resumed: %s", s)
	}
	var kinds []string
	for _, e := range a.get("/v1/events", "limit", "100")["data"].([]any) {
		if k := object(e.(map[string]any)).text("type"); strings.HasPrefix(k, "customer.subscription.") {
			kinds = append([]string{strings.TrimPrefix(k, "customer.subscription.")}, kinds...)
		}
	}
	if got := strings.Join(kinds, " "); got != "created updated paused resumed" {
		t.Errorf("events %s", got)
	}
}

func TestSubscriptionChanges(t *testing.T) {
	t.Parallel()
	a := open(t)
	cheap, dear := a.monthly(), a.monthly("lookup_key", "dear")
	sub := a.post("/v1/subscriptions", "customer", a.buyer("pm_card_visa"), "items[0][price]", cheap, "metadata[a]", "1")
	id, item := sub.text("id"), sub.text("items.data.0.id")
	got := a.post("/v1/subscriptions/"+id, "items[0][id]", item, "items[0][price]", dear, "items[0][quantity]", "2",
		"items[1][price]", cheap, "metadata[b]", "2", "proration_behavior", "none")
	if got.text("items.data.0.price.lookup_key") != "dear" || got.number("items.data.0.quantity") != 2 || got.text("items.data.1.price.id") != cheap ||
		got.text("metadata.a") != "1" || got.text("metadata.b") != "2" {
		t.Errorf("changed to %v", got)
	}
	got = a.post("/v1/subscriptions/"+id, "items[0][id]", item, "items[0][deleted]", "true", "metadata[a]", "")
	if len(got.at("items.data").([]any)) != 1 || got.at("metadata.a") != nil {
		t.Errorf("changed to %v", got)
	}
	latest := a.get("/v1/events", "type", "customer.subscription.updated")
	if latest.text("data.0.data.previous_attributes.metadata.a") != "1" || latest.at("data.0.data.previous_attributes.status") != nil {
		t.Errorf("previous attributes %v", latest.at("data.0.data.previous_attributes"))
	}
	a.want(400, "POST", "/v1/subscriptions/"+id, "items[0][id]", "si_none", "items[0][quantity]", "2")
}

func TestInvoiceItems(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer, price := a.buyer("pm_card_visa"), a.monthly()
	product := a.get("/v1/prices/" + price).text("product")
	once := a.post("/v1/prices", "currency", "eur", "unit_amount", "700", "product", product).text("id")
	pending := a.post("/v1/invoiceitems", "customer", customer, "amount", "99", "currency", "eur").text("id")
	inv := a.post("/v1/invoices", "customer", customer, "currency", "eur").text("id")
	if n := len(a.get("/v1/invoices/" + inv).at("lines.data").([]any)); n != 0 {
		t.Errorf("%d lines were swept up unasked", n)
	}
	refused := a.want(400, "POST", "/v1/invoiceitems", "customer", customer, "invoice", inv, "price", price)
	if !strings.Contains(refused.text("error.message"), "only accepts prices with `type=one_time`") {
		t.Errorf("recurring price: %v", refused)
	}
	for _, pairs := range [][]string{
		{"customer", customer, "invoice", inv},
		{"customer", a.buyer(""), "invoice", inv, "amount", "1", "currency", "eur"},
		{"customer", customer, "invoice", inv, "amount", "1", "currency", "usd"},
		{"customer", customer, "invoice", inv, "price_data[currency]", "eur", "price_data[product]", "prod_none", "price_data[unit_amount]", "1"},
		{"customer", customer, "invoice", inv, "price_data[currency]", "eur", "price_data[product]", product},
		{"customer", customer, "amount", "1"},
	} {
		a.want(400, "POST", "/v1/invoiceitems", pairs...)
	}
	a.post("/v1/invoiceitems", "customer", customer, "invoice", inv, "price", once, "quantity", "2")
	a.post("/v1/invoiceitems", "customer", customer, "invoice", inv, "price_data[currency]", "eur", "price_data[product]", product,
		"price_data[unit_amount_decimal]", "0.5", "quantity", "3")
	gone := a.post("/v1/invoiceitems", "customer", customer, "invoice", inv, "unit_amount", "5", "currency", "eur").text("id")
	a.want(200, "DELETE", "/v1/invoiceitems/"+gone)
	if got := a.get("/v1/invoices/" + inv); got.number("total") != 1402 || len(got.at("lines.data").([]any)) != 2 {
		t.Errorf("total %d, lines %v", got.number("total"), got.at("lines.data"))
	}
	a.post("/v1/invoices/" + inv + "/finalize")
	a.want(400, "POST", "/v1/invoices/"+inv+"/finalize")
	a.want(400, "POST", "/v1/invoiceitems", "customer", customer, "invoice", inv, "amount", "1", "currency", "eur")
	a.want(400, "DELETE", "/v1/invoices/"+inv)
	if got := a.post("/v1/invoices/" + inv + "/pay"); got.text("status") != "paid" {
		t.Errorf("paid: %v", got)
	}
	a.want(400, "POST", "/v1/invoices/"+inv+"/pay")
	swept := a.post("/v1/invoices", "customer", customer, "currency", "eur", "pending_invoice_items_behavior", "include")
	if swept.number("total") != 99 || a.get("/v1/invoiceitems/"+pending).text("invoice") != swept.text("id") {
		t.Errorf("swept up: %v", swept)
	}
	a.want(200, "DELETE", "/v1/invoices/"+swept.text("id"))
	a.want(404, "GET", "/v1/invoices/"+swept.text("id"))
	sub := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", price).text("id")
	a.want(400, "POST", "/v1/invoices", "customer", customer, "subscription", sub, "pending_invoice_items_behavior", "exclude")
}

func TestInvoicesMoveByThemselves(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("pm_card_visa")
	draft := func(advance string) string {
		id := a.post("/v1/invoices", "customer", customer, "currency", "eur", "auto_advance", advance).text("id")
		a.post("/v1/invoiceitems", "customer", customer, "invoice", id, "amount", "500", "currency", "eur")
		return id
	}
	moving, resting := draft("true"), draft("false")
	a.Kit.Clock.Advance(2 * time.Hour)
	if got := a.get("/v1/invoices/"+moving).text("status") + " " + a.get("/v1/invoices/"+resting).text("status"); got != "paid draft" {
		t.Errorf("after two hours: %s", got)
	}
	a.post("/v1/invoices/"+resting+"/finalize", "auto_advance", "false")
	a.Kit.Clock.Advance(30 * day)
	if got := a.get("/v1/invoices/" + resting); got.text("status") != "open" || got.at("next_payment_attempt") != nil {
		t.Errorf("without auto_advance: %v", got)
	}
	if got := a.post("/v1/invoices/" + resting + "/void"); got.text("status") != "void" {
		t.Errorf("voided: %v", got)
	}
	a.want(400, "POST", "/v1/invoices/"+resting+"/pay")
	empty := a.post("/v1/invoices", "customer", customer, "currency", "eur").text("id")
	if got := a.post("/v1/invoices/" + empty + "/finalize"); got.text("status") != "paid" || got.number("total") != 0 {
		t.Errorf("an empty draft becomes %v", got)
	}
}

func TestDeclines(t *testing.T) {
	t.Parallel()
	a := open(t)
	for method, want := range map[string]string{
		"pm_card_chargeCustomerFail": "card_declined", "pm_card_authenticationRequired": "invoice_payment_intent_requires_action",
	} {
		customer := a.buyer(method)
		inv := a.post("/v1/invoices", "customer", customer, "currency", "eur").text("id")
		a.post("/v1/invoiceitems", "customer", customer, "invoice", inv, "amount", "500", "currency", "eur")
		a.post("/v1/invoices/"+inv+"/finalize", "auto_advance", "true")
		got := a.want(402, "POST", "/v1/invoices/"+inv+"/pay")
		if got.text("error.type") != "card_error" || got.text("error.code") != want || got.text("error.payment_intent.id") == "" {
			t.Errorf("%s: %v", method, got)
		}
		after := a.get("/v1/invoices/"+inv, "expand[]", "payment_intent.payment_method")
		if after.text("status") != "open" || after.at("attempted") != true || after.at("next_payment_attempt") == nil ||
			after.text("payment_intent.payment_method.card.brand") != "visa" {
			t.Errorf("%s: afterwards %v", method, after)
		}
	}
	for _, method := range []string{"pm_card_visa_chargeDeclined", "pm_card_chargeDeclinedExpiredCard"} {
		a.want(402, "POST", "/v1/payment_methods/"+method+"/attach", "customer", a.buyer(""))
	}
	a.want(402, "POST", "/v1/payment_methods", "type", "card", "card[number]", "1234123412341234")
	bad := a.post("/v1/payment_methods", "type", "card", "card[number]", "4000000000009995").text("id")
	if got := a.want(402, "POST", "/v1/payment_methods/"+bad+"/attach", "customer", a.buyer("")); got.text("error.decline_code") != "insufficient_funds" {
		t.Errorf("attached: %v", got)
	}
}

func TestTiersAndPackages(t *testing.T) {
	t.Parallel()
	a := open(t)
	tiers := []string{"billing_scheme", "tiered", "currency", "eur", "product_data[name]", "T", "recurring[interval]", "month",
		"tiers[0][up_to]", "5", "tiers[0][unit_amount]", "100", "tiers[1][up_to]", "inf", "tiers[1][unit_amount]", "80", "tiers[1][flat_amount]", "10"}
	packs := []string{"currency", "eur", "unit_amount", "500", "product_data[name]", "P", "recurring[interval]", "month",
		"transform_quantity[divide_by]", "10", "transform_quantity[round]", "up"}
	for name, tt := range map[string]struct {
		price []string
		want  map[string]int64
	}{
		"graduated": {append([]string{"tiers_mode", "graduated"}, tiers...), map[string]int64{"5": 500, "7": 670}},
		"volume":    {append([]string{"tiers_mode", "volume"}, tiers...), map[string]int64{"5": 500, "7": 570}},
		"packages":  {packs, map[string]int64{"1": 500, "10": 500, "11": 1000}},
	} {
		price := a.post("/v1/prices", tt.price...).text("id")
		for quantity, want := range tt.want {
			sub := a.post("/v1/subscriptions", "customer", a.buyer("pm_card_visa"), "items[0][price]", price, "items[0][quantity]", quantity,
				"expand[]", "latest_invoice")
			if got := sub.number("latest_invoice.total"); got != want {
				t.Errorf("%s, %s: %d, want %d", name, quantity, got, want)
			}
		}
	}
}
