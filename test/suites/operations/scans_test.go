package operations

import (
	"context"
	"sync"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/adapter/queue/queuetest"
	"docledger/domain/job"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestDocumentsWithTextDoNotWaitForScans checks that separate workers process
// documents with text while many scans wait, and that the number of concurrent scans
// does not exceed the number of their processes.
func TestDocumentsWithTextDoNotWaitForScans(t *testing.T) {
	t.Parallel()
	const scansAtOnce, waiting, documents = 2, 50, 20
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		q, cfg := queueOf(t, o)
		ctx := context.Background()
		release := make(chan struct{})
		reading, done := make(chan struct{}, waiting), make(chan struct{}, documents)
		var mu sync.Mutex
		now, most := 0, 0
		cfg.Scans = scansAtOnce
		cfg.Handlers = queuetest.Only(func(context.Context, job.ExtractDocument) error {
			done <- struct{}{}
			return nil
		}, queue.Handle(job.Scan, func(context.Context, job.ReadScan) error {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			reading <- struct{}{}
			<-release
			mu.Lock()
			now--
			mu.Unlock()
			return nil
		}))
		enqueue := func(n int, of func(organization uuid.UUID) job.Args) {
			t.Helper()
			organization := uuid.New()
			args := make([]job.Args, n)
			for i := range args {
				args[i] = of(organization)
			}
			if err := q.EnqueueAll(ctx, args, job.Automatic); err != nil {
				t.Fatal(err)
			}
		}
		enqueue(waiting, func(organization uuid.UUID) job.Args {
			return job.ReadScan{V: job.ScanVersion, OrganizationID: organization, DocumentID: uuid.New()}
		})
		runner, err := queue.NewRunner(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := runner.Start(ctx); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := runner.Stop(ctx); err != nil {
				t.Error(err)
			}
		}()
		late := time.After(30 * time.Second)
		wait := func(what string, n int, c <-chan struct{}) {
			t.Helper()
			for i := range n {
				select {
				case <-c:
				case <-late:
					t.Fatalf("%d of %d %s", i, n, what)
				}
			}
		}
		wait("scans are being extracted", scansAtOnce, reading)
		enqueue(documents, func(organization uuid.UUID) job.Args {
			return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: organization, DocumentID: uuid.New()}
		})
		wait("documents were extracted while all scans were blocked", documents, done)
		close(release)
		wait("scans were extracted", waiting-scansAtOnce, reading)
		mu.Lock()
		defer mu.Unlock()
		if most > scansAtOnce {
			t.Errorf("%d scans were extracted concurrently, want at most %d", most, scansAtOnce)
		}
	})
}
