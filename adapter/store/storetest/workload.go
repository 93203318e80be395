package storetest

import (
	"math"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/inbox"
	"docledger/domain/integration"
	"docledger/domain/watch"
)

// near reports whether an age matches a time, with a tolerance for the test's duration.
func near(age float64, since time.Time) bool {
	return math.Abs(age-time.Since(since).Seconds()) < 30
}

func testWorkload(t *testing.T, b *bench) {
	empty, err := b.WorkloadForOperator(b.ctx)
	must(t, err)
	if len(empty.Watches)+len(empty.Integrations)+len(empty.Grants)+len(empty.Inbox)+len(empty.Meters) != 0 {
		t.Errorf("nothing to do is %+v", empty)
	}
	s, now := b.organization(t), time.Now()
	late, paused := b.watched(t, s), b.watched(t, s)
	for i, change := range map[*integration.Integration]func(*watch.Watch) error{
		late: func(w *watch.Watch) error { w.UpToDateAt = now.Add(-time.Hour); return nil },
		paused: func(w *watch.Watch) error {
			w.UpToDateAt, w.Pause = now.Add(-9*time.Hour), watch.PausedPlan
			return nil
		},
	} {
		due := watch.Due{OrganizationID: s.OrganizationID, IntegrationID: i.ID}
		w, err := b.Watches().Claim(b.ctx, due)
		must(t, err)
		_, err = b.Watches().Update(b.ctx, due, w.Run, change)
		must(t, err)
	}
	b.grant(t, s, "account")
	m := message("evt_late")
	m.ReceivedAt = now.Add(-time.Minute)
	_, err = b.Inbox().Add(b.ctx, []*inbox.Message{m})
	must(t, err)
	must(t, b.Meters().Change(b.ctx, integration.MeterKey(integration.AccountingB, "tenant"), func(m *integration.RateTracker) { m.Failures = 3 }))
	w, err := b.WorkloadForOperator(b.ctx)
	must(t, err)
	checkWorkload(t, w, b.at, now)
}

func checkWorkload(t *testing.T, w store.Workload, at, now time.Time) {
	t.Helper()
	if len(w.Watches) != 1 || w.Watches[0].Provider != "DOCSTORE_A" || w.Watches[0].Count != 1 || !near(w.Watches[0].Lag, now.Add(-time.Hour)) {
		t.Errorf("watches %+v", w.Watches)
	}
	if len(w.Integrations) != 1 || w.Integrations[0] != (store.IntegrationCount{Provider: "DOCSTORE_A", Status: "ACTIVE", Count: 2}) {
		t.Errorf("integrations %+v", w.Integrations)
	}
	if len(w.Grants) != 1 || w.Grants[0].Provider != "ACCOUNTING_A" || w.Grants[0].Count != 1 || !near(w.Grants[0].Idle, now) ||
		!near(-w.Grants[0].Expires, at.Add(time.Hour)) {
		t.Errorf("grants %+v", w.Grants)
	}
	if len(w.Inbox) != 1 || w.Inbox[0].Sender != "payments" || w.Inbox[0].State != "RECEIVED" || w.Inbox[0].Count != 1 || !near(w.Inbox[0].Age, now.Add(-time.Minute)) {
		t.Errorf("inbox %+v", w.Inbox)
	}
	if len(w.Meters) != 1 || len(w.Meters[integration.AccountingB]) != 1 || w.Meters[integration.AccountingB][0].Failures != 3 {
		t.Errorf("meters %+v", w.Meters)
	}
}
