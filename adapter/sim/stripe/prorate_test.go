package stripe_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestPlanChangesAreProrated changes a subscription in the middle of its period and
// compares the invoice items, the next invoice and the customer's credit.
func TestPlanChangesAreProrated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bought, changed []string // quantity and parameters of the change
		yearly          bool
		pending         []int64 // amounts after the change
		invoices        []int64 // totals, newest first, after the next renewal
		balance         int64
	}{
		"more seats":             {[]string{"1"}, []string{"items[0][quantity]", "3"}, false, []int64{-1500, 4500}, []int64{12000, 3000}, 0},
		"fewer seats":            {[]string{"3"}, []string{"items[0][quantity]", "1"}, false, []int64{-4500, 1500}, []int64{0, 9000}, 0},
		"without prorations":     {[]string{"1"}, []string{"items[0][quantity]", "3", "proration_behavior", "none"}, false, nil, []int64{9000, 3000}, 0},
		"invoiced at once":       {[]string{"1"}, []string{"items[0][quantity]", "3", "proration_behavior", "always_invoice"}, false, nil, []int64{9000, 3000, 3000}, 0},
		"the same":               {[]string{"2"}, []string{"items[0][quantity]", "2"}, false, nil, []int64{6000, 6000}, 0},
		"another item":           {[]string{"1"}, []string{"items[1][price]", "%other"}, false, []int64{500}, []int64{4500, 3000}, 0},
		"a longer interval":      {[]string{"1"}, []string{"items[0][price]", "%yearly"}, false, nil, []int64{35000, 3000}, 0},
		"a longer one, no items": {[]string{"1"}, []string{"items[0][price]", "%yearly", "proration_behavior", "none"}, false, nil, []int64{36500, 3000}, 0},
		"a credit for later":     {[]string{"20"}, []string{"items[0][quantity]", "1"}, false, []int64{-30000, 1500}, []int64{-25500, 60000}, -25500},
	} {
		a := open(t)
		product := a.post("/v1/products", "name", "Team").text("id")
		price := func(amount, interval string) string {
			return a.post("/v1/prices", "product", product, "currency", "eur", "unit_amount", amount, "recurring[interval]", interval).text("id")
		}
		monthly := price("3000", "month")
		others := map[string]string{"%other": price("1000", "month"), "%yearly": price("36500", "year")}
		customer := a.buyer("pm_card_visa")
		// A period of 30 days, changed after 15 of them.
		sub := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", monthly, "items[0][quantity]", c.bought[0])
		a.Kit.Clock.Advance(15 * day)
		form := []string{}
		if c.changed[0] != "items[1][price]" {
			form = append(form, "items[0][id]", sub.text("items.data.0.id"))
		}
		for _, v := range c.changed {
			if id := others[v]; id != "" {
				v = id
			}
			form = append(form, v)
		}
		a.post("/v1/subscriptions/"+sub.text("id"), form...)
		var pending []int64
		items := a.get("/v1/invoiceitems", "customer", customer, "pending", "true").at("data").([]any)
		for i := range items {
			item := object(items[i].(map[string]any))
			if item.at("proration") != true || item.text("subscription") != sub.text("id") {
				t.Errorf("%s: item %v", name, item)
			}
			pending = append(pending, item.number("amount"))
		}
		slices.Sort(pending)
		if !slices.Equal(pending, c.pending) {
			t.Errorf("%s: pending %v, want %v", name, pending, c.pending)
		}
		a.Kit.Clock.Advance(16 * day)
		var totals []int64
		for _, v := range a.get("/v1/invoices", "customer", customer).at("data").([]any) {
			totals = append(totals, object(v.(map[string]any)).number("total"))
		}
		if fmt.Sprint(totals) != fmt.Sprint(c.invoices) {
			t.Errorf("%s: invoices %v, want %v", name, totals, c.invoices)
		}
		if got := a.get("/v1/customers/" + customer).number("balance"); got != c.balance {
			t.Errorf("%s: balance %v, want %v", name, got, c.balance)
		}
	}
}
