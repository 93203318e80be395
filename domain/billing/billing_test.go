package billing_test

import (
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/organization"
)

func TestTrialEndsAfterThirdDay(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 2, 26, 23, 30, 0, 0, time.FixedZone("", -5*3600)) // 27 February in UTC
	for at, want := range map[time.Time]bool{
		created: true,
		time.Date(2026, 3, 2, 23, 59, 59, 999_999_999, time.UTC): true,
		time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC):              false,
	} {
		p := billing.TrialPlan(organization.NewTrial(created), at)
		if p.Writable != want || *p.MaxEntities != 10 || *p.MaxInvoicesPerMonth != 300 {
			t.Errorf("at %s the trial is %+v", at, p)
		}
	}
}

func TestWithoutTrialThereIsNoPlan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p, err := billing.PlanOf(billing.Snapshot{}, organization.Trial{}, now)
	if err != nil || p.Status != "none" || p.Writable || p.OnTrial() || !p.CycleEnd.IsZero() {
		t.Errorf("the plan is %+v, %v", p, err)
	}
	if back := p.Record().Plan(now); back != p {
		t.Errorf("the cached plan is read as %+v", back)
	}
}

func TestMonthIsUTC(t *testing.T) {
	t.Parallel()
	if got := billing.Month(time.Date(2026, 1, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600))); got != "2026-02" {
		t.Errorf("the month is %s", got)
	}
}

func TestImmediateCharge(t *testing.T) {
	t.Parallel()
	on := func(more ...string) map[string]string {
		m := map[string]string{"charge_current_month": "true", "price_id": "price_1"}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	at := func(s string) time.Time {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		created  string
		metadata map[string]string
		price    string
		due      bool
	}{
		{"2026-03-01T00:00:00Z", on(), "", false},
		{"2026-03-01T23:59:59Z", on(), "", false},
		{"2026-03-02T00:00:00Z", on(), "price_1", true},
		{"2026-02-28T23:59:59Z", on(), "price_1", true},
		{"2024-02-29T12:00:00Z", on(), "price_1", true},
		{"2026-12-31T23:59:59Z", on(), "price_1", true},
		{"2026-03-01T01:00:00+02:00", on(), "price_1", true}, // 28 February in UTC
		{"2026-02-28T23:00:00-02:00", on(), "", false},       // 1 March in UTC
		{"2026-03-15T12:00:00Z", nil, "", false},
		{"2026-03-15T12:00:00Z", on("charge_current_month", "false"), "", false},
		{"2026-03-15T12:00:00Z", on("charge_current_month", "TRUE"), "", false},
		{"2026-03-15T12:00:00Z", on("charge_current_month", "true "), "", false},
		{"2026-03-15T12:00:00Z", on("charge_current_month", "1"), "", false},
		{"2026-03-15T12:00:00Z", map[string]string{"charge_current_month": "true"}, "", true},
	} {
		price, due := billing.ImmediateCharge(at(c.created), c.metadata)
		if price != c.price || due != c.due {
			t.Errorf("%s %v: %q, %v; want %q, %v", c.created, c.metadata, price, due, c.price, c.due)
		}
	}
}

func TestNextAnchor(t *testing.T) {
	t.Parallel()
	for now, want := range map[time.Time]time.Time{
		time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC):  {},
		time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC):   time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC): time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		if got := billing.NextAnchor(now); !got.Equal(want) {
			t.Errorf("at %s the anchor is %s, want %s", now, got, want)
		}
	}
}
