package storetest

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/idempotency"
	"docledger/domain/job"
)

func testQueue(t *testing.T, b *bench) {
	args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: newID(), DocumentID: newID()}
	live := func(a job.Args) bool {
		t.Helper()
		live, err := b.Queue().Live(b.ctx, a)
		must(t, err)
		return live
	}
	count := func(where string) int {
		t.Helper()
		var n int
		must(t, b.db.WithContext(b.ctx).Raw("SELECT count(*) FROM river_job WHERE "+where).Scan(&n).Error)
		return n
	}
	if live(args) {
		t.Error("live before it was enqueued")
	}
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		must(t, b.Queue().Enqueue(ctx, args, job.Automatic))
		return errStop
	})
	if err != errStop || live(args) || count("true") != 0 {
		t.Errorf("a job outlived its transaction (%v)", err)
	}
	must(t, b.Queue().Enqueue(b.ctx, args, job.Automatic))
	must(t, b.InTx(b.ctx, func(ctx context.Context) error { return b.Queue().Enqueue(ctx, args, job.Bulk) }))
	if !live(args) || count("true") != 1 || count("priority = 2") != 1 {
		t.Errorf("the same job twice: %d jobs", count("true"))
	}
	must(t, b.Queue().Enqueue(b.ctx, args, job.Interactive))
	if count("priority = 1") != 1 {
		t.Error("a more urgent request did not move the job up")
	}
	other := args
	other.DocumentID = newID()
	if live(other) {
		t.Error("other arguments count as live")
	}
	must(t, b.Queue().Enqueue(b.ctx, other, job.Automatic))
	for _, state := range []string{"running", "retryable", "scheduled"} {
		must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = ?", state).Error)
		must(t, b.Queue().Enqueue(b.ctx, args, job.Automatic))
		if !live(args) || count("true") != 2 {
			t.Errorf("%s: %d jobs", state, count("true"))
		}
	}
	for n, state := range []string{"completed", "discarded", "cancelled"} {
		must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = ?, finalized_at = CURRENT_TIMESTAMP", state).Error)
		if live(args) {
			t.Errorf("%s counts as live", state)
		}
		must(t, b.Queue().Enqueue(b.ctx, args, job.Automatic))
		if !live(args) || count("true") != 3+n {
			t.Errorf("after one %s: %d jobs", state, count("true"))
		}
	}
}

func testUsage(t *testing.T, b *bench) {
	organization := b.organization(t).OrganizationID
	usage := b.Usage()
	two, none := 2, 0
	take := func(limit *int, want bool) {
		t.Helper()
		got, err := usage.Take(b.ctx, organization, billing.Invoices, "2026-03", limit)
		must(t, err)
		if got != want {
			t.Errorf("took: %t", got)
		}
	}
	used := func(period string, want int) {
		t.Helper()
		n, err := usage.Used(b.ctx, organization, billing.Invoices, period)
		must(t, err)
		if n != want {
			t.Errorf("used in %q: %d, want %d", period, n, want)
		}
	}
	used("2026-03", 0)
	take(&none, false)
	take(&two, true)
	take(&two, true)
	take(&two, false)
	take(nil, true)
	used("2026-03", 3)
	used("2026-04", 0)
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		_, err := usage.Take(ctx, organization, billing.Invoices, "2026-03", nil)
		must(t, err)
		return errStop
	})
	if err != errStop {
		t.Error(err)
	}
	used("2026-03", 3)
	for range 5 {
		must(t, usage.GiveBack(b.ctx, organization, billing.Invoices, "2026-03"))
	}
	used("2026-03", 0)
	must(t, usage.GiveBack(b.ctx, organization, billing.Entities, ""))
}

func testIdempotency(t *testing.T, b *bench) {
	keys := b.Idempotency()
	k := idempotency.Key{OrganizationID: b.organization(t).OrganizationID, Credential: "c", Operation: "o", Key: strings.Repeat("k", idempotency.MaxKey)}
	other := k
	other.Credential = "d"
	begin := func(k idempotency.Key, at time.Time, want idempotency.State) *idempotency.Answer {
		t.Helper()
		state, answer, err := keys.Begin(b.ctx, k, at)
		must(t, err)
		if state != want {
			t.Errorf("state %v, want %v", state, want)
		}
		return answer
	}
	begin(k, b.at, idempotency.Started)
	begin(k, b.at.Add(idempotency.Lease-time.Second), idempotency.Running)
	begin(other, b.at, idempotency.Started)
	must(t, keys.Abandon(b.ctx, k))
	begin(k, b.at, idempotency.Started)
	begin(k, b.at.Add(idempotency.Lease), idempotency.Started) // its owner is gone

	want := idempotency.Answer{Fingerprint: "f", Status: 200, Body: []byte{0, 1, 0xff}, ETag: `"1"`}
	must(t, keys.Finish(b.ctx, k, want, b.at))
	must(t, keys.Finish(b.ctx, k, idempotency.Answer{Fingerprint: "late"}, b.at))
	must(t, keys.Abandon(b.ctx, k))
	got := begin(k, b.at.Add(idempotency.Lifetime), idempotency.Finished)
	if got == nil || got.Fingerprint != want.Fingerprint || got.Status != 200 || !bytes.Equal(got.Body, want.Body) || got.ETag != want.ETag {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	must(t, keys.Expire(b.ctx, b.at.Add(idempotency.Lifetime)))
	begin(other, b.at.Add(idempotency.Lease-time.Second).Add(-time.Hour), idempotency.Started)
	begin(k, b.at, idempotency.Finished)
	begin(k, b.at.Add(idempotency.Lease+idempotency.Lifetime), idempotency.Started) // too old to count
	begin(k, b.at.Add(idempotency.Lease+idempotency.Lifetime), idempotency.Running)
}
