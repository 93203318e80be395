package operations

import (
	"context"
	"testing"
	"time"

	"docledger/adapter/queue/queuetest"
	"docledger/domain/job"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// stepRunner is a runner with jobs that end one by one under control of the test.
type stepRunner struct {
	t       *testing.T
	started chan uuid.UUID // organizations of the started jobs
	end     map[uuid.UUID]chan struct{}
	enqueue func(organization uuid.UUID, n int, p job.Priority)
}

func newFloor(t *testing.T, o harness.Options, organizations ...uuid.UUID) *stepRunner {
	t.Helper()
	q, cfg := queueOf(t, o)
	f := &stepRunner{t: t, started: make(chan uuid.UUID, 1000), end: map[uuid.UUID]chan struct{}{}}
	for _, o := range organizations {
		f.end[o] = make(chan struct{})
	}
	over := make(chan struct{})
	f.enqueue = func(organization uuid.UUID, n int, p job.Priority) {
		t.Helper()
		args := make([]job.Args, n)
		for i := range args {
			args[i] = job.ExtractDocument{V: job.ExtractVersion, OrganizationID: organization, DocumentID: uuid.New()}
		}
		if err := q.EnqueueAll(context.Background(), args, p); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Handlers = queuetest.Only(func(_ context.Context, args job.ExtractDocument) error {
		select {
		case f.started <- args.OrganizationID:
		case <-over:
			return nil
		}
		select {
		case <-f.end[args.OrganizationID]:
		case <-over:
		}
		return nil
	})
	runner := runnerOf(t, cfg)
	t.Cleanup(func() {
		close(over)
		if err := runner.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// wantNext verifies that the next started job belongs to an organization.
func (f *stepRunner) wantNext(of uuid.UUID, when string) {
	f.t.Helper()
	select {
	case got := <-f.started:
		if got != of {
			f.t.Fatalf("%s, the next job is another organization's", when)
		}
	case <-time.After(30 * time.Second):
		f.t.Fatalf("%s, no job starts", when)
	}
}

// finish ends one running job.
func (f *stepRunner) finish(of uuid.UUID) {
	f.t.Helper()
	select {
	case f.end[of] <- struct{}{}:
	case <-time.After(30 * time.Second):
		f.t.Fatal("the organization has no running job")
	}
}

// TestOneOrganizationUsesHalfWhileOthersWait checks a document that is added while
// the backlog of another organization uses all workers. It is extracted after one job
// has ended. While both have documents, each uses half of the workers. Then the other
// uses all workers again.
func TestOneOrganizationUsesHalfWhileOthersWait(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		big, small := uuid.New(), uuid.New()
		f := newFloor(t, o, big, small)
		f.enqueue(big, 500, job.Automatic)
		for range workers {
			f.wantNext(big, "with no other organization")
		}
		f.enqueue(big, 4, job.Interactive) // queued before those of the other
		f.enqueue(small, 4, job.Automatic)
		for _, step := range []struct {
			ends, begins uuid.UUID
			when         string
		}{
			{big, small, "after one job"},
			{big, small, "after a second job"},
			{small, small, "while the other uses its half"},
			{big, big, "while the other uses its half and waits"},
			{small, small, "while the other uses its half again"},
			{small, big, "with no other organization waiting"},
			{small, big, "with no other organization again"},
		} {
			f.finish(step.ends)
			f.wantNext(step.begins, step.when)
		}
	})
}

// TestUploadsHavePriorityOverWatches checks that an uploaded document has priority
// over watched documents of the same organization and of others.
func TestUploadsHavePriorityOverWatches(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		big, small := uuid.New(), uuid.New()
		f := newFloor(t, o, big, small)
		f.enqueue(big, 100, job.Watched)
		for range workers {
			f.wantNext(big, "with no other organization")
		}
		f.enqueue(small, 1, job.Interactive)
		f.finish(big)
		f.wantNext(small, "after one job")
		f.finish(big)
		f.wantNext(big, "with no other organization waiting")
	})
}
