package storetest

import (
	"testing"
	"time"

	"docledger/domain/job"
)

func testHolds(t *testing.T, b *bench) {
	want := func(since time.Time) {
		t.Helper()
		got, err := b.Holds().Since(b.ctx)
		must(t, err)
		held, err := job.Paused(b.ctx, b.Holds())
		must(t, err)
		w, err := b.WorkloadForOperator(b.ctx)
		must(t, err)
		if !got.Equal(since) || held == since.IsZero() || (w.Held > 0) == since.IsZero() {
			t.Errorf("held since %s (%t, %v s), want %s", got, held, w.Held, since)
		}
	}
	want(time.Time{})
	must(t, b.Holds().End(b.ctx, b.at))
	want(time.Time{})
	must(t, b.Holds().Begin(b.ctx, b.at))
	must(t, b.Holds().Begin(b.ctx, b.at.Add(time.Hour)))
	want(b.at)
	ended := b.at.Add(2 * time.Hour)
	must(t, b.Holds().End(b.ctx, ended))
	want(time.Time{})
	if got, err := b.Holds().Ended(b.ctx); err != nil || !got.Equal(ended) {
		t.Errorf("ended %s, want %s (%v)", got, ended, err)
	}
}
