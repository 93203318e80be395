package e2e

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/job"
	"docledger/gen/mock/billingmock"
	"docledger/gen/mock/documentmock"
	"docledger/test/harness"

	"github.com/google/uuid"
	"go.uber.org/mock/gomock"
)

// readerFunc is a reader that does what a test wants.
type readerFunc func(context.Context, extraction.Source) (*extraction.Result, error)

func (f readerFunc) Read(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	return f(ctx, s)
}

// resting is a service without workers, so that a test runs jobs itself.
func resting(t *testing.T, read readerFunc) (*harness.Server, harness.Organization, job.ExtractDocument) {
	t.Helper()
	o := harness.Options{NoWorkers: true, Env: map[string]string{"EXTRACT_DEADLINE": "50ms"}}
	if read != nil {
		o.Overrides.Reader = read
	}
	s := harness.Start(t, o)
	org := s.NewOrganization("Resting")
	up := s.Upload(org.Admin.Token, org.Entity, "x.xml", harness.UBL("X-1")).OK()
	return s, org, job.ExtractDocument{V: job.ExtractVersion, OrganizationID: org.ID, DocumentID: uuid.MustParse(up.Text("id"))}
}

func state(s *harness.Server, org harness.Organization, args job.ExtractDocument) harness.Response {
	return s.Do(http.MethodGet, "/api/documents/"+args.DocumentID.String(), org.Admin.Token, nil).OK()
}

func TestHopelessDocumentsEndAfterABoundedNumberOfTries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read readerFunc
		want string
	}{
		"Panics": {func(context.Context, extraction.Source) (*extraction.Result, error) { panic("boom") }, "crashed"},
		"TakesLong": {func(ctx context.Context, _ extraction.Source) (*extraction.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, "timed_out"},
		"EatsMemory": {func(context.Context, extraction.Source) (*extraction.Result, error) {
			return nil, extraction.Fail(extraction.OutOfMemory, "It needs too much memory.")
		}, "out_of_memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int64
			s, org, args := resting(t, func(ctx context.Context, src extraction.Source) (*extraction.Result, error) {
				tries.Add(1)
				return c.read(ctx, src)
			})
			for try := 1; ; try++ {
				err := s.Service.Extraction.Run(context.Background(), args)
				if err == nil {
					break
				}
				if try > document.MaxAttempts {
					t.Fatalf("try %d still wants another: %v", try, err)
				}
				if got := state(s, org, args).Text("status"); got != "UPLOADED" {
					t.Errorf("between tries the document is %s", got)
				}
			}
			d := state(s, org, args)
			if d.Text("status") != "FAILED" || d.Text("failure", "code") != c.want || tries.Load() != document.MaxAttempts {
				t.Errorf("after %d tries: %s", tries.Load(), d.Raw)
			}
		})
	}
}

func TestDocumentThatKillsTheProcessIsGivenUp(t *testing.T) {
	t.Parallel()
	died := errors.New("the process dies here")
	s, org, args := resting(t, nil)
	ex := *s.Service.Extraction
	// A panic outside the reader leaves things as a kill does.
	blobs := documentmock.NewMockBlobs(gomock.NewController(t))
	blobs.EXPECT().Local(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, string) (string, func(), error) { panic(died) }).Times(document.MaxAttempts)
	ex.Blobs = blobs
	for range document.MaxAttempts {
		func() {
			defer func() { _ = recover() }()
			_ = ex.Run(context.Background(), args)
		}()
		if got := state(s, org, args).Text("status"); got != "PROCESSING" {
			t.Fatalf("a killed extraction leaves the document %s", got)
		}
	}
	if err := ex.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "FAILED" || d.Text("failure", "code") != "crashed" {
		t.Errorf("the document is %s", d.Raw)
	}
}

func TestOutagesDoNotCountAgainstADocument(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil)
	out := errors.New("the store of documents is out of reach")
	blobs := documentmock.NewMockBlobs(gomock.NewController(t))
	blobs.EXPECT().Local(gomock.Any(), gomock.Any()).Return("", nil, out).AnyTimes()
	ex := *s.Service.Extraction
	ex.Blobs = blobs
	for range 3 * document.MaxAttempts {
		if err := ex.Run(context.Background(), args); !errors.Is(err, out) {
			t.Fatalf("Run = %v, want the outage", err)
		}
	}
	if d := state(s, org, args); d.Text("status") != "UPLOADED" {
		t.Errorf("the document is %s", d.Raw)
	}
	s.Service.Extraction.Deadline = time.Minute
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "EXTRACTED" {
		t.Errorf("after the outage the document is %s", d.Raw)
	}
}

func TestFullPlanHoldsTheDocument(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil)
	one := 0
	plans := billingmock.NewMockPlans(gomock.NewController(t))
	full := billing.Plan{Name: "small", Status: "active", Writable: true, MaxInvoicesPerMonth: &one}
	plans.EXPECT().Of(gomock.Any(), gomock.Any()).Return(full, nil).AnyTimes()
	ex := *s.Service.Extraction
	ex.Plans, ex.Deadline = plans, time.Minute
	if err := ex.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "UPLOADED" || d.Text("held_reason") != "plan_limit_reached" {
		t.Errorf("the document is %s", d.Raw)
	}
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "EXTRACTED" || d.At("held_reason") != nil {
		t.Errorf("with room in the plan the document is %s", d.Raw)
	}
}

func TestSweepFindsDocumentsWithoutAJob(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{NoWorkers: true, Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Sweep")
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"auto_extract": false}).OK()
	s.Upload(org.Admin.Token, org.Entity, "waits.xml", harness.UBL("W-1")).OK()
	clock.advance(time.Minute)
	if n, err := s.Service.Extraction.Sweep(context.Background()); n != 0 || err != nil {
		t.Errorf("Sweep = %d, %v; a document that nobody wants read is left alone", n, err)
	}
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"auto_extract": true}).OK()
	if n, err := s.Service.Extraction.Sweep(context.Background()); n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v; want the document without a job", n, err)
	}
	if n, err := s.Service.Extraction.Sweep(context.Background()); n != 0 || err != nil {
		t.Errorf("Sweep = %d, %v; its job is there now", n, err)
	}
}
