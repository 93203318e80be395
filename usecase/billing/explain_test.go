package billing_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/organization"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/billing"

	"github.com/google/uuid"
)

// explained is one fact as shown to an operator.
type explained struct {
	value, source, detail, event string
}

func explain(t *testing.T, s *harness.Server, id uuid.UUID) map[string]explained {
	t.Helper()
	e, err := s.Service.Explainer.Explain(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]explained{}
	for _, f := range e.Facts {
		x := explained{value: f.Value, source: string(f.Source), detail: f.Detail}
		if f.Event != nil {
			x.event = f.Event.ID
		}
		facts[f.Name] = x
	}
	return facts
}

func wantFacts(t *testing.T, got, want map[string]explained) {
	t.Helper()
	for name, w := range want {
		g := got[name]
		if g.value != w.value || g.source != w.source || g.event != w.event || !strings.Contains(g.detail, w.detail) {
			t.Errorf("%s is %+v, want %+v", name, g, w)
		}
	}
}

func TestExplainWithoutProcessor(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Self-hosted")
	wantFacts(t, explain(t, s, org.ID), map[string]explained{
		"status": {"active", "configuration", "BILLING=none", ""}, "plan": {"self_hosted", "configuration", "", ""},
		"entities": {"1", "counter", "", ""}, "entities, most": {"unlimited", "configuration", "", ""},
	})
	if _, err := s.Service.Explainer.Explain(context.Background(), uuid.New()); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("of an unknown organization: %v", err)
	}
}

func (w *world) trial(terms *organization.Trial) {
	w.t.Helper()
	_, err := w.Service.Billing.Customers.Organizations.Update(context.Background(), w.org.ID, func(o *organization.Organization) error {
		o.Trial = terms
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestExplainTrials(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.trial(&organization.Trial{Expiry: calendar.Of(midMonth), MaxEntities: 4, MaxInvoicesPerMonth: 5})
	wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
		"status": {"trialing", "trial metadata", "identity provider", ""}, "adding": {"allowed", "trial metadata", "", ""},
		"cycle end": {"2026-11-16T00:00:00Z", "trial metadata", "", ""}, "entities, most": {"4", "trial metadata", "", ""},
		"invoices a month, most": {"5", "trial metadata", "", ""}, "payment customer": {"-", "none", "first billing read", ""},
	})
	w.trial(&organization.Trial{Expiry: calendar.Of(midMonth).AddDays(-1), MaxEntities: 4, MaxInvoicesPerMonth: 5})
	wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
		"status": {"trial_expired", "trial metadata", "", ""}, "adding": {"refused", "trial metadata", "", ""},
	})
	w.trial(&organization.Trial{})
	wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
		"status": {"none", "none", "no trial date", ""}, "plan": {"none", "none", "", ""}, "adding": {"refused", "none", "", ""},
	})
	w.trial(nil)
	wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
		"entities, most": {"10", "trial metadata", "new organization", ""}, "invoices a month, most": {"300", "trial metadata", "", ""},
	})
}

func TestExplainSubscriptionAndOutage(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		customer := w.customer("pm_card_chargeCustomerFail")
		price := w.price("max_entities", "25")
		sub := w.subscribe(customer, price)
		w.receive("customer.subscription.created")
		created := w.lastEvent("customer.subscription.created")
		charged := explained{"DONE, declined, generic_decline", "record", sub, created}
		wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
			"status": {"active", "subscription", sub, created}, "plan": {"team", "subscription", sub, created},
			"adding": {"allowed", "subscription", sub, created}, "cycle end": {"2026-12-01T00:00:00Z", "subscription", sub, created},
			"entities, most":         {"25", "subscription", "max_entities of " + price, created},
			"invoices a month, most": {"unlimited", "subscription", "no max_invoices_per_month on " + price, created},
			"payment customer":       {customer, "record", "", ""}, "charge 2026-11": charged,
		})
		if facts := explain(t, w.Server, w.org.ID); !strings.HasPrefix(facts["invoice to pay"].value, "http") || facts["answered with"].value != "" {
			t.Errorf("the invoice to pay is %+v, the cache holds %+v", facts["invoice to pay"], facts["answered with"])
		}

		fresh, err := w.Service.Organizations.Create(context.Background(), "Never read")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Service.Billing.Customers.Ensure(context.Background(), fresh.ID); err != nil {
			t.Fatal(err)
		}
		w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).OK()
		w.fault(`{"match":"GET /v1/subscriptions","times":1000,"action":"status:503"}`)
		wantFacts(t, explain(t, w.Server, w.org.ID), map[string]explained{
			"status":         {"active", "last known plan", "read 2026-11-15T12:00:00Z", created},
			"entities, most": {"25", "last known plan", "", created},
			"answered with":  {"active, team", "cache", "billing:plan:" + w.org.ID.String(), ""},
		})
		wantFacts(t, explain(t, w.Server, fresh.ID), map[string]explained{
			"status": {"unknown", "none", "never read", ""}, "adding": {"refused", "none", "", ""},
		})
	})
}

// lastEvent returns the id of the latest event of a type.
func (w *world) lastEvent(eventType string) string {
	w.t.Helper()
	id, _ := w.list("/v1/events", "limit", "1", "type", eventType)[0]["id"].(string)
	return id
}

// TestWithoutTrialNothingIsAdded verifies an organization without subscription
// and trial.
func TestWithoutTrialNothingIsAdded(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.trial(&organization.Trial{})
	w.forget(w.org.ID)
	r := w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).OK()
	if r.Text("subscription_status") != "none" || r.Text("plan") != "none" || r.At("trial") != nil || r.At("billing_cycle_end") != nil ||
		r.Len("alerts") != 1 || r.Text("alerts", 0, "code") != string(usecase.SubscriptionInactive) {
		t.Errorf("the plan is %s", r.Raw)
	}
	if r.At("limits", "max_entities") != 0.0 || r.At("limits", "max_invoices_per_month") != 0.0 {
		t.Errorf("the limits are %s, which null would call unlimited", r.Raw)
	}
	w.Do(http.MethodPost, "/api/entities", w.org.Admin.Token, map[string]any{"name": "E"}).Want(403, "subscription_inactive")
	w.Upload(w.org.Admin.Token, w.org.Entity, "a.xml", harness.UBL("A-1")).Want(403, "subscription_inactive")
}
