package billing_test

import (
	"testing"
	"time"

	"docledger/domain/billing"
)

func TestTrialEndsWithTheThirdDayAfterCreation(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 2, 26, 23, 30, 0, 0, time.FixedZone("", -5*3600)) // 27 February in UTC
	for at, want := range map[time.Time]bool{
		created: true,
		time.Date(2026, 3, 2, 23, 59, 59, 999_999_999, time.UTC): true,
		time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC):              false,
	} {
		p := billing.Trial(created, at)
		if p.Writable != want || *p.MaxEntities != 10 || *p.MaxInvoicesPerMonth != 300 {
			t.Errorf("at %s the trial is %+v", at, p)
		}
	}
}

func TestMonthIsUTC(t *testing.T) {
	t.Parallel()
	if got := billing.Month(time.Date(2026, 1, 31, 23, 0, 0, 0, time.FixedZone("", -2*3600))); got != "2026-02" {
		t.Errorf("the month is %s", got)
	}
}
