package billing_test

import (
	"net/http"
	"testing"
	"time"

	"docledger/test/lib/harness"
)

// TestPlanChangeIsRecordedOnce reads the plan through a trial, its end, a subscription and the end
// of the subscription. Each change is one event, however often the plan is read.
func TestPlanChangeIsRecordedOnce(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		customer := w.customer("pm_card_visa")
		read := func() {
			for range 2 {
				w.forget(w.org.ID)
				w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).OK()
			}
		}
		var changes [][2]any // the plan of each event, before and after; nil where it is the same
		want := func(step string, added ...[2]any) {
			read()
			changes = append(changes, added...)
			r := w.Do(http.MethodGet, "/api/events?type=billing.plan_changed", w.org.Admin.Token, nil).OK()
			if r.Len("items") != len(changes) {
				t.Fatalf("%s: events %s, want %v", step, r.Raw, changes)
			}
			for i, c := range changes {
				n := r.Len("items", i, "changes")
				field := r.Text("items", i, "changes", 0, "field")
				switch {
				case n == 0, c[0] == nil && field != "subscription_status":
					t.Errorf("%s: %s", step, r.Raw)
				case c[0] != nil && (field != "plan" || r.At("items", i, "changes", 0, "from") != c[0] || r.At("items", i, "changes", 0, "to") != c[1]):
					t.Errorf("%s: event %d is %s, want %v", step, i, r.Raw, c)
				}
			}
		}
		want("the first reading")
		sub := w.subscribe(customer, w.price())
		w.receive("customer.subscription.created")
		want("subscribed", [2]any{"trial", "team"})
		w.advance(time.Hour)
		w.do(http.MethodDelete, "/v1/subscriptions/"+sub)
		w.receive("customer.subscription.deleted")
		want("ended", [2]any{nil, nil})
	})
}
