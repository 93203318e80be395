package storetest

import (
	"slices"
	"testing"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"
)

func testOperator(t *testing.T, b *bench) {
	q := b.Queue()
	list := func(f job.Filter, p page.Request) page.Of[job.Record] {
		t.Helper()
		got, err := q.ForOperator(b.ctx, f, p)
		must(t, err)
		return got
	}
	set := func(id int64, change string) {
		t.Helper()
		must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET "+change+" WHERE id = ?", id).Error)
	}
	read := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: newID(), DocumentID: newID(), Restart: 3}
	book := job.SyncInvoice{V: job.SyncVersion, OrganizationID: newID(), InvoiceID: newID(), Round: 2}
	newer := job.PollStore{V: job.PollVersion + 1, OrganizationID: newID(), IntegrationID: newID()}
	for _, args := range []job.Args{read, book, newer} {
		must(t, q.Enqueue(b.ctx, args, job.Automatic))
	}
	all := list(job.Filter{}, page.Request{})
	if len(all.Items) != 3 || all.Next != "" {
		t.Fatalf("listed are %+v", all)
	}
	polls, books, reads := all.Items[0], all.Items[1], all.Items[2]
	if reads.Args != job.Args(read) || reads.Subject != read.DocumentID.String() || reads.Organization != read.OrganizationID || reads.State != job.Waiting {
		t.Errorf("a reading is %+v", reads)
	}
	if books.Args != job.Args(book) || books.Subject != book.InvoiceID.String() || polls.Args != nil || polls.Organization != newer.OrganizationID {
		t.Errorf("a booking is %+v, one of a newer release %+v", books, polls)
	}
	first := list(job.Filter{}, page.Request{Limit: 2})
	if rest := list(job.Filter{}, page.Request{Limit: 2, After: first.Next}); len(rest.Items) != 1 || rest.Items[0].ID != reads.ID {
		t.Errorf("the second page is %+v", rest)
	}
	if _, err := q.ForOperator(b.ctx, job.Filter{Kind: "other"}, page.Request{After: first.Next}); fault.CodeOf(err) != fault.CodeInvalidRequest {
		t.Errorf("a cursor of another list: %v", err)
	}
	if got := list(job.Filter{Kind: reads.Kind}, page.Request{}); len(got.Items) != 1 {
		t.Errorf("of a kind: %+v", got)
	}
	for _, c := range []struct {
		change string
		want   job.State
	}{
		{"state = 'available'", job.Waiting},
		{"state = 'scheduled'", job.Waiting},
		{"state = 'running'", job.Running},
		{"state = 'retryable'", job.Retrying},
		{"state = 'completed', finalized_at = CURRENT_TIMESTAMP", job.Done},
		{"state = 'discarded', finalized_at = CURRENT_TIMESTAMP", job.Failed},
		{"state = 'cancelled', finalized_at = CURRENT_TIMESTAMP", job.Failed},
	} {
		set(reads.ID, c.change)
		got, err := q.RecordForOperator(b.ctx, reads.ID)
		must(t, err)
		in := list(job.Filter{Kind: reads.Kind, States: []job.State{c.want, job.Cancelled}}, page.Request{})
		if got.State != c.want || len(in.Items) != 1 || in.Items[0].State != c.want {
			t.Errorf("%s: %s, listed %+v", c.change, got.State, in)
		}
		ok, err := q.CancelForOperator(b.ctx, reads.ID)
		must(t, err)
		if ok != c.want.Open() {
			t.Errorf("%s: cancelled %t", c.change, ok)
		}
		if got, err = q.RecordForOperator(b.ctx, reads.ID); err != nil || ok != (got.State == job.Cancelled) {
			t.Errorf("%s: after a cancel %+v, %v", c.change, got, err)
		}
		set(reads.ID, "state = 'available', finalized_at = NULL, metadata = '{}'")
	}
	testOperatorRetry(t, b, read, reads.ID)
}

func testOperatorRetry(t *testing.T, b *bench, args job.ExtractDocument, id int64) {
	t.Helper()
	q := b.Queue()
	must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP WHERE id = ?", id).Error)
	must(t, q.RetryForOperator(b.ctx, id))
	got, err := q.RecordForOperator(b.ctx, id)
	must(t, err)
	if got.State != job.Waiting {
		t.Errorf("retried, it is %s", got.State)
	}
	must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP WHERE id = ?", id).Error)
	must(t, q.Enqueue(b.ctx, args, job.Automatic))
	if err := q.RetryForOperator(b.ctx, id); fault.CodeOf(err) != fault.CodeConflict {
		t.Errorf("retried beside another of the same: %v", err)
	}
	for _, err := range []error{q.RetryForOperator(b.ctx, 1<<40), func() error { _, err := q.RecordForOperator(b.ctx, 1<<40); return err }()} {
		if fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("a job that is not there: %v", err)
		}
	}
	waiting, err := q.ForOperator(b.ctx, job.Filter{States: job.States()}, page.Request{})
	must(t, err)
	if !slices.IsSortedFunc(waiting.Items, func(x, y job.Record) int { return int(y.ID - x.ID) }) {
		t.Errorf("not newest first: %+v", waiting)
	}
}
