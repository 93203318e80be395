package storetest

import (
	"reflect"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/organization"
)

func testKnownPlans(t *testing.T, b *bench) {
	org := b.organization(t).OrganizationID
	_, err := b.KnownPlans().Get(b.ctx, org)
	wantCode(t, err, fault.CodeNotFound)
	five := 5
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first := billing.LastKnownPlan{Plan: billing.Plan{Name: "team", Status: "active", Writable: true, CycleEnd: at.AddDate(0, 1, 0), MaxEntities: &five}, ReadAt: at}
	put := func(k billing.LastKnownPlan, want *billing.LastKnownPlan) {
		t.Helper()
		replaced, err := b.KnownPlans().Put(b.ctx, org, k)
		must(t, err)
		if (replaced == nil) != (want == nil) {
			t.Fatalf("replaced %+v, want %+v", replaced, want)
		}
		if want != nil {
			same(t, "the replaced plan", *replaced, *want)
		}
	}
	put(first, nil)
	got, err := b.KnownPlans().Get(b.ctx, org)
	must(t, err)
	same(t, "the plan", *got, first)
	second := billing.LastKnownPlan{Plan: billing.Plan{Name: "trial", Status: "trial_expired"}, PaymentURL: "https://pay.example/1", ReadAt: at.Add(time.Second)}
	put(second, &first)
	put(first, nil)
	got, err = b.KnownPlans().Get(b.ctx, org)
	must(t, err)
	same(t, "the plan after an older reading", *got, second)
}

func testPlanEvents(t *testing.T, b *bench) {
	org := b.organization(t).OrganizationID
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	paid := func(id string, occurred time.Time) billing.PlanEvent {
		return billing.PlanEvent{Sender: inbox.Payments, ID: id, Type: "customer.subscription.updated", OccurredAt: occurred}
	}
	identified := billing.PlanEvent{Sender: inbox.Identity, ID: "msg_1", Type: "organization.created", OccurredAt: at}
	for _, e := range []billing.PlanEvent{paid("evt_1", at), paid("evt_3", at.Add(2*time.Second)), identified, paid("evt_2", at.Add(time.Second))} {
		must(t, b.PlanEvents().Put(b.ctx, org, e))
	}
	got, err := b.PlanEvents().OfOrganization(b.ctx, org)
	must(t, err)
	same(t, "the latest events", got, []billing.PlanEvent{identified, paid("evt_3", at.Add(2*time.Second))})
	none, err := b.PlanEvents().OfOrganization(b.ctx, b.organization(t).OrganizationID)
	must(t, err)
	if len(none) != 0 {
		t.Errorf("another organization has %v", none)
	}
}

func testCharges(t *testing.T, b *bench) {
	org := b.organization(t).OrganizationID
	c := billing.Charge{Organization: org, Customer: "cus_1", Subscription: "sub_1", Month: "2026-03"}
	at := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	first, err := b.Charges().Begin(b.ctx, &billing.ChargeRecord{Charge: c, Price: "price_1", Quantity: 3, EventID: "evt_1", EventAt: at, State: billing.ChargePlanned})
	must(t, err)
	again, err := b.Charges().Begin(b.ctx, &billing.ChargeRecord{Charge: c, Price: "price_2", EventID: "evt_2", EventAt: at, State: billing.ChargePlanned})
	must(t, err)
	if !reflect.DeepEqual(first, again) || again.Price != "price_1" || again.Quantity != 3 {
		t.Errorf("begun twice: %+v, then %+v", first, again)
	}
	changed, err := b.Charges().Update(b.ctx, c, func(r *billing.ChargeRecord) error {
		r.State, r.Invoice, r.Outcome, r.Reason = billing.ChargeDone, "in_1", billing.Declined, "insufficient_funds"
		return nil
	})
	must(t, err)
	next := c
	next.Month = "2026-04"
	_, err = b.Charges().Begin(b.ctx, &billing.ChargeRecord{Charge: next, State: billing.ChargePlanned, EventAt: at, CreatedAt: changed.CreatedAt.Add(time.Hour)})
	must(t, err)
	list, err := b.Charges().OfOrganization(b.ctx, org, 10)
	must(t, err)
	if len(list) != 2 || list[0].Charge.Month != "2026-04" || list[1].Outcome != billing.Declined {
		t.Errorf("listed %+v", list)
	}
	foreign := c
	foreign.Organization = b.organization(t).OrganizationID
	_, err = b.Charges().Update(b.ctx, foreign, func(*billing.ChargeRecord) error { return nil })
	wantCode(t, err, fault.CodeNotFound)
	none, err := b.Charges().OfOrganization(b.ctx, foreign.Organization, 10)
	must(t, err)
	if len(none) != 0 {
		t.Errorf("another organization has %d charges", len(none))
	}
}

func testTrials(t *testing.T, b *bench) {
	for name, terms := range map[string]*organization.Trial{
		"of a new organization": nil, "none": {},
		"kept":     {Expiry: calendar.Date{Year: 2026, Month: 4, Day: 1}, MaxEntities: 2, MaxInvoicesPerMonth: 3},
		"no limit": {Expiry: calendar.Date{Year: 2026, Month: 4, Day: 1}},
	} {
		o := &organization.Organization{ID: newID(), Name: "Terms", Trial: terms}
		must(t, b.Organizations().Add(b.ctx, o))
		kept, err := b.Organizations().ByID(b.ctx, o.ID)
		must(t, err)
		same(t, "the trial: "+name, kept.Trial, terms)
	}
}
