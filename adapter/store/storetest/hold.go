package storetest

import (
	"slices"
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

	for _, args := range []job.Args{
		job.SyncInvoice{V: 1, InvoiceID: newID()}, job.ProcessEvent{V: 1, MessageID: newID()}, job.ExtractDocument{V: 1, DocumentID: newID()},
	} {
		must(t, b.Queue().Enqueue(b.ctx, args, job.Automatic))
	}
	must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = 'scheduled'").Error)
	wake := func(now time.Time, woken int, waiting ...string) {
		t.Helper()
		n, err := b.Holds().Wake(b.ctx, now, job.PausedKinds()...)
		must(t, err)
		var kinds []string
		must(t, b.db.WithContext(b.ctx).Raw("SELECT kind FROM river_job WHERE state = 'scheduled' ORDER BY kind").Scan(&kinds).Error)
		if n != woken || !slices.Equal(kinds, waiting) {
			t.Errorf("%d jobs were woken and %v wait, want %d and %v", n, kinds, woken, waiting)
		}
	}
	wake(b.at, 0, "extract_document", "process_event", "sync_invoice")
	ended := b.at.Add(2 * time.Hour)
	must(t, b.Holds().End(b.ctx, ended))
	want(time.Time{})
	wake(ended.Add(time.Hour), 0, "extract_document", "process_event", "sync_invoice")
	wake(ended.Add(time.Second), 2, "extract_document")
}
