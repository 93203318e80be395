package storetest

import (
	"reflect"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/organization"
)

func testKnownPlans(t *testing.T, b *bench) {
	org := b.organization(t).OrganizationID
	_, err := b.KnownPlans().Get(b.ctx, org)
	wantCode(t, err, fault.CodeNotFound)
	five := 5
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first := billing.Known{Plan: billing.Plan{Name: "team", Status: "active", Writable: true, CycleEnd: at.AddDate(0, 1, 0), MaxEntities: &five}, ReadAt: at}
	must(t, b.KnownPlans().Put(b.ctx, org, first))
	got, err := b.KnownPlans().Get(b.ctx, org)
	must(t, err)
	same(t, "the plan", *got, first)
	second := billing.Known{Plan: billing.Plan{Name: "trial", Status: "trial_expired"}, PaymentURL: "https://pay.example/1", ReadAt: at.Add(time.Second)}
	must(t, b.KnownPlans().Put(b.ctx, org, second))
	must(t, b.KnownPlans().Put(b.ctx, org, first))
	got, err = b.KnownPlans().Get(b.ctx, org)
	must(t, err)
	same(t, "the plan after an older reading", *got, second)
}

func testCharges(t *testing.T, b *bench) {
	org := b.organization(t).OrganizationID
	c := billing.Charge{Organization: org, Customer: "cus_1", Subscription: "sub_1", Month: "2026-03"}
	at := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	first, err := b.Charges().Begin(b.ctx, &billing.ChargeRecord{Charge: c, Price: "price_1", EventID: "evt_1", EventAt: at, State: billing.ChargePlanned})
	must(t, err)
	again, err := b.Charges().Begin(b.ctx, &billing.ChargeRecord{Charge: c, Price: "price_2", EventID: "evt_2", EventAt: at, State: billing.ChargePlanned})
	must(t, err)
	if !reflect.DeepEqual(first, again) || again.Price != "price_1" {
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
	o := &organization.Organization{ID: newID(), Name: "Terms", Trial: &organization.Trial{Expiry: calendar.Date{Year: 2026, Month: 4, Day: 1}, MaxEntities: 2, MaxInvoicesPerMonth: 3}}
	must(t, b.Organizations().Add(b.ctx, o))
	kept, err := b.Organizations().ByID(b.ctx, o.ID)
	must(t, err)
	if kept.Trial == nil || *kept.Trial != *o.Trial {
		t.Errorf("the trial came back as %+v", kept.Trial)
	}
}
