package queuetest

import (
	"context"
	"slices"
	"testing"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func testOperator(t *testing.T, e *Env) {
	ctx, q := context.Background(), e.Queue
	list := func(f job.Filter, p page.Request) page.Of[job.Record] {
		t.Helper()
		got, err := q.ForOperator(ctx, f, p)
		must(t, err)
		return got
	}
	set := func(id int64, change string) {
		t.Helper()
		e.exec(t, "UPDATE river_job SET "+change+" WHERE id = $1", id)
	}
	read := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: uuid.New(), DocumentID: uuid.New(), Restart: 3}
	book := job.SyncInvoice{V: job.SyncVersion, OrganizationID: uuid.New(), InvoiceID: uuid.New(), Round: 2}
	newer := job.PollStore{V: job.PollVersion + 1, OrganizationID: uuid.New(), IntegrationID: uuid.New()}
	for _, args := range []job.Args{read, book, newer} {
		must(t, q.Enqueue(ctx, args, job.Automatic))
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
	for _, cursor := range []string{"x", "0", "-1", "1 OR true", first.Next + "x"} {
		if _, err := q.ForOperator(ctx, job.Filter{}, page.Request{After: cursor}); fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
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
		got, err := q.RecordForOperator(ctx, reads.ID)
		must(t, err)
		in := list(job.Filter{Kind: reads.Kind, States: []job.State{c.want, job.Cancelled}}, page.Request{})
		if got.State != c.want || len(in.Items) != 1 || in.Items[0].State != c.want {
			t.Errorf("%s: %s, listed %+v", c.change, got.State, in)
		}
		ok, err := q.CancelForOperator(ctx, reads.ID)
		must(t, err)
		if ok != c.want.Open() {
			t.Errorf("%s: cancelled %t", c.change, ok)
		}
		if got, err = q.RecordForOperator(ctx, reads.ID); err != nil || ok != (got.State == job.Cancelled) {
			t.Errorf("%s: after a cancel %+v, %v", c.change, got, err)
		}
		set(reads.ID, "state = 'available', finalized_at = NULL, metadata = '{}'")
	}
	testOperatorRetry(t, e, read, reads.ID)
}

func testOperatorRetry(t *testing.T, e *Env, args job.ExtractDocument, id int64) {
	t.Helper()
	ctx, q := context.Background(), e.Queue
	e.exec(t, "UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP WHERE id = $1", id)
	must(t, q.RetryForOperator(ctx, id))
	got, err := q.RecordForOperator(ctx, id)
	must(t, err)
	if got.State != job.Waiting {
		t.Errorf("retried, it is %s", got.State)
	}
	e.exec(t, "UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP WHERE id = $1", id)
	must(t, q.Enqueue(ctx, args, job.Automatic))
	if err := q.RetryForOperator(ctx, id); fault.CodeOf(err) != fault.CodeConflict {
		t.Errorf("retried while another job does the same work: %v", err)
	}
	for _, err := range []error{q.RetryForOperator(ctx, 1<<40), func() error { _, err := q.RecordForOperator(ctx, 1<<40); return err }()} {
		if fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("a missing job: %v", err)
		}
	}
	waiting, err := q.ForOperator(ctx, job.Filter{States: job.States()}, page.Request{})
	must(t, err)
	if !slices.IsSortedFunc(waiting.Items, func(x, y job.Record) int { return int(y.ID - x.ID) }) {
		t.Errorf("not newest first: %+v", waiting)
	}
}
