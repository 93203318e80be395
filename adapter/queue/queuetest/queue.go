package queuetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/domain/job"

	"github.com/google/uuid"
)

var errRollback = errors.New("roll back")

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// count returns the number of jobs that meet an SQL condition.
func (e *Env) count(t testing.TB, where string, args ...any) (n int) {
	t.Helper()
	must(t, e.SQL.QueryRow("SELECT count(*) FROM river_job WHERE "+where, args...).Scan(&n))
	return n
}

func testQueue(t *testing.T, e *Env) {
	ctx := context.Background()
	args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: uuid.New(), DocumentID: uuid.New()}
	live := func(a job.Args) bool {
		t.Helper()
		live, err := e.Queue.Live(ctx, a)
		must(t, err)
		return live
	}
	count := func(where string) int { t.Helper(); return e.count(t, where) }
	if live(args) {
		t.Error("live before it was enqueued")
	}
	err := e.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		must(t, e.Queue.Enqueue(ctx, args, job.Automatic))
		return errRollback
	})
	if err != errRollback || live(args) || count("true") != 0 {
		t.Errorf("a job outlived its transaction (%v)", err)
	}
	must(t, e.Queue.Enqueue(ctx, args, job.Automatic))
	must(t, e.UnitOfWork.InTx(ctx, func(ctx context.Context) error { return e.Queue.Enqueue(ctx, args, job.Bulk) }))
	if !live(args) || count("true") != 1 || count("priority = 2") != 1 {
		t.Errorf("the same job twice: %d jobs", count("true"))
	}
	must(t, e.Queue.Enqueue(ctx, args, job.Interactive))
	if count("priority = 1") != 1 {
		t.Error("a more urgent request did not move the job up")
	}
	other := args
	other.DocumentID = uuid.New()
	if live(other) {
		t.Error("other arguments count as live")
	}
	must(t, e.Queue.Enqueue(ctx, other, job.Automatic))
	for _, state := range []string{"running", "retryable", "scheduled"} {
		e.exec(t, "UPDATE river_job SET state = $1", state)
		must(t, e.Queue.Enqueue(ctx, args, job.Automatic))
		if !live(args) || count("true") != 2 {
			t.Errorf("%s: %d jobs", state, count("true"))
		}
	}
	for n, state := range []string{"completed", "discarded", "cancelled"} {
		e.exec(t, "UPDATE river_job SET state = $1, finalized_at = CURRENT_TIMESTAMP", state)
		if live(args) {
			t.Errorf("%s counts as live", state)
		}
		must(t, e.Queue.Enqueue(ctx, args, job.Automatic))
		if !live(args) || count("true") != 3+n {
			t.Errorf("after one %s: %d jobs", state, count("true"))
		}
	}
}

func testOneJob(t *testing.T, e *Env) {
	args := job.ExtractDocument{V: 1, DocumentID: uuid.New()}
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if err := e.Queue.Enqueue(context.Background(), args, job.Automatic); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if n := e.count(t, "true"); n != 1 {
		t.Errorf("%d jobs", n)
	}
}

// testWake checks that jobs that were snoozed during a pause are due after its end, and only then.
func testWake(t *testing.T, e *Env) {
	ctx, at := context.Background(), time.Now().UTC().Truncate(time.Second)
	for _, args := range []job.Args{
		job.SyncInvoice{V: 1, InvoiceID: uuid.New()}, job.ProcessEvent{V: 1, MessageID: uuid.New()}, job.ExtractDocument{V: 1, DocumentID: uuid.New()},
	} {
		must(t, e.Queue.Enqueue(ctx, args, job.Automatic))
	}
	e.exec(t, "UPDATE river_job SET state = 'scheduled'")
	wake := func(now time.Time, woken int, waiting ...string) {
		t.Helper()
		n, err := job.WakePaused(ctx, e.Holds, e.Queue, now)
		must(t, err)
		var kinds []string
		for _, k := range job.Kinds() {
			if e.count(t, "state = 'scheduled' AND kind = $1", k.Name) > 0 {
				kinds = append(kinds, k.Name)
			}
		}
		if n != woken || !slices.Equal(kinds, waiting) {
			t.Errorf("%d jobs were woken and %v wait, want %d and %v", n, kinds, woken, waiting)
		}
	}
	must(t, e.Holds.Begin(ctx, at))
	wake(at, 0, "extract_document", "process_event", "sync_invoice")
	ended := at.Add(2 * time.Hour)
	must(t, e.Holds.End(ctx, ended))
	wake(ended.Add(time.Hour), 0, "extract_document", "process_event", "sync_invoice")
	wake(ended.Add(time.Second), 2, "extract_document")
}

func testCounts(t *testing.T, e *Env) {
	ctx := context.Background()
	if counts, err := e.Queue.CountsForOperator(ctx); err != nil || len(counts) != 0 {
		t.Errorf("an empty queue: %+v, %v", counts, err)
	}
	e.Enqueue(t)
	e.Enqueue(t)
	e.exec(t, "UPDATE river_job SET scheduled_at = $1", time.Now().UTC().Add(-time.Hour))
	done := e.Enqueue(t)
	e.exec(t, "UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE args->>'DocumentID' = $1", done.DocumentID.String())
	counts, err := e.Queue.CountsForOperator(ctx)
	must(t, err)
	if len(counts) != 1 || counts[0].Kind != extraction || counts[0].State != "available" || counts[0].Count != 2 || counts[0].Age < 3590 || counts[0].Age > 3700 {
		t.Errorf("counts %+v", counts)
	}
}

// testConditions checks the query with which repositories find records without a job.
func testConditions(t *testing.T, e *Env) {
	args := e.Enqueue(t)
	without := func(id uuid.UUID, kinds ...string) (ok bool) {
		t.Helper()
		must(t, e.SQL.QueryRow("SELECT '"+id.String()+"' NOT IN ("+queue.Conditions{}.Arguments("DocumentID", kinds...)+")").Scan(&ok))
		return ok
	}
	if without(args.DocumentID, job.Scan.Name, job.Extraction.Name) || !without(args.DocumentID, job.Scan.Name) || !without(uuid.New(), job.Extraction.Name) {
		t.Error("a queued job")
	}
	e.exec(t, "UPDATE river_job SET state = 'cancelled', finalized_at = CURRENT_TIMESTAMP")
	if !without(args.DocumentID, job.Extraction.Name) {
		t.Error("a cancelled job")
	}
}
