package e2e

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/gen/mock/billingmock"
	"docledger/gen/mock/documentmock"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/extraction"

	"github.com/google/uuid"
	"go.uber.org/mock/gomock"
)

// readerFunc is a reader with test behavior.
type readerFunc func(context.Context, extraction.Source) (*extraction.Result, error)

func (f readerFunc) Read(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	return f(ctx, s)
}

// resting is a service without workers; the test runs the jobs.
func resting(t *testing.T, read readerFunc, content []byte) (*harness.Server, harness.Organization, job.ExtractDocument) {
	t.Helper()
	o := harness.Options{NoWorkers: true}
	if read != nil {
		o.Overrides.Reader = read
	}
	s := harness.Start(t, o)
	org := s.NewOrganization("Resting")
	up := s.Upload(org.Admin.Token, org.Entity, "x.xml", content).OK()
	return s, org, job.ExtractDocument{V: job.ExtractVersion, OrganizationID: org.ID, DocumentID: uuid.MustParse(up.Text("id"))}
}

func state(s *harness.Server, org harness.Organization, args job.ExtractDocument) harness.Response {
	return s.Do(http.MethodGet, "/api/documents/"+args.DocumentID.String(), org.Admin.Token, nil).OK()
}

func TestHopelessDocumentsEndAfterABoundedNumberOfTries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read  readerFunc
		want  string
		tries int64
	}{
		"Panics": {func(context.Context, extraction.Source) (*extraction.Result, error) { panic("boom") }, "crashed", document.MaxAttempts},
		"TakesLong": {func(context.Context, extraction.Source) (*extraction.Result, error) {
			return nil, extraction.Fail(extraction.TimedOut, "It takes too long.")
		}, "timed_out", 1},
		"EatsMemory": {func(context.Context, extraction.Source) (*extraction.Result, error) {
			return nil, extraction.Fail(extraction.OutOfMemory, "It needs too much memory.")
		}, "out_of_memory", 1},
		"BreaksSomethingOfOurs": {func(context.Context, extraction.Source) (*extraction.Result, error) {
			return nil, errors.New("a mistake of ours")
		}, "crashed", document.MaxAttempts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int64
			s, org, args := resting(t, func(ctx context.Context, src extraction.Source) (*extraction.Result, error) {
				tries.Add(1)
				return c.read(ctx, src)
			}, harness.UBL("H-1"))
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
			if d.Text("status") != "FAILED" || d.Text("failure", "code") != c.want || tries.Load() != c.tries {
				t.Errorf("after %d tries: %s", tries.Load(), d.Raw)
			}
		})
	}
}

// TestTheBytesOfAFailedDocumentAreExtractedAgain uploads the bytes of a FAILED document, which are no other
// document.
func TestTheBytesOfAFailedDocumentAreExtractedAgain(t *testing.T) {
	t.Parallel()
	content := harness.UBL("AGAIN-1")
	var tries atomic.Int64
	s, org, args := resting(t, func(context.Context, extraction.Source) (*extraction.Result, error) {
		if tries.Add(1) == 1 {
			return nil, extraction.Fail(extraction.TimedOut, "It takes too long.")
		}
		return nil, extraction.Fail(extraction.OutOfMemory, "It needs too much memory.")
	}, content)
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "FAILED" || d.Text("failure", "code") != "timed_out" {
		t.Fatalf("at first: %s", d.Raw)
	}
	again := s.Upload(org.Admin.Token, org.Entity, "again.xml", content).OK()
	if again.Text("id") != args.DocumentID.String() || again.Text("status") != "UPLOADED" || again.At("failure") != nil {
		t.Errorf("the bytes were uploaded again: %s", again.Raw)
	}
	args.Restart++
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); tries.Load() != 2 || d.Text("failure", "code") != "out_of_memory" {
		t.Errorf("after %d tries: %s", tries.Load(), d.Raw)
	}
}

func TestDocumentThatKillsTheProcessIsGivenUp(t *testing.T) {
	t.Parallel()
	died := errors.New("the process dies here")
	s, org, args := resting(t, nil, harness.UBL("X-1"))
	ex := *s.Service.Extraction
	// A panic outside the reader has the same effect as a kill.
	blobs := documentmock.NewMockBlobs(gomock.NewController(t))
	blobs.EXPECT().Local(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, string) (string, func(), error) { panic(died) }).Times(document.MaxInterruptions)
	ex.Blobs = blobs
	for range document.MaxInterruptions {
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
	out := fault.New(fault.Unavailable, fault.CodeUnavailable, "unreachable")
	for name, cut := range map[string]func(*gomock.Controller, *usecase.Service){
		"Blobs": func(ctl *gomock.Controller, ex *usecase.Service) {
			blobs := documentmock.NewMockBlobs(ctl)
			blobs.EXPECT().Local(gomock.Any(), gomock.Any()).Return("", nil, errors.New("the disk is gone")).AnyTimes()
			ex.Blobs = blobs
		},
		"Plans": func(ctl *gomock.Controller, ex *usecase.Service) {
			plans := billingmock.NewMockPlans(ctl)
			plans.EXPECT().Of(gomock.Any(), gomock.Any()).Return(billing.Plan{}, out).AnyTimes()
			ex.Plans = plans
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, org, args := resting(t, nil, harness.UBL("O-1"))
			ex := *s.Service.Extraction
			cut(gomock.NewController(t), &ex)
			for range 3 * document.MaxAttempts {
				if err := ex.Run(context.Background(), args); fault.CodeOf(err) != fault.CodeUnavailable {
					t.Fatalf("Run = %v, want the outage", err)
				}
			}
			if d := state(s, org, args); d.Text("status") != "UPLOADED" {
				t.Errorf("the document is %s", d.Raw)
			}
			if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
				t.Fatal(err)
			}
			if d := state(s, org, args); d.Text("status") != "EXTRACTED" {
				t.Errorf("after the outage the document is %s", d.Raw)
			}
		})
	}
}

// flaky is a repository whose database fails for some changes after the first
// one, which claims the document.
type flaky struct {
	document.Repository
	changes, away int
}

func (f *flaky) Update(ctx context.Context, s identity.Scope, id uuid.UUID, change func(*document.Document) error) (*document.Document, error) {
	if f.changes++; f.changes > 1 && f.changes <= 1+f.away {
		return nil, fault.New(fault.Unavailable, fault.CodeUnavailable, "unreachable")
	}
	return f.Repository.Update(ctx, s, id, change)
}

func TestADocumentIsGivenBackOnceTheDatabaseIsThere(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil, harness.UBL("B-1"))
	ex := *s.Service.Extraction
	ex.Documents = &flaky{Repository: ex.Documents, away: 2}
	plans := billingmock.NewMockPlans(gomock.NewController(t))
	plans.EXPECT().Of(gomock.Any(), gomock.Any()).Return(billing.Plan{}, fault.New(fault.Unavailable, fault.CodeUnavailable, "unreachable"))
	ex.Plans = plans
	if err := ex.Run(context.Background(), args); fault.CodeOf(err) != fault.CodeUnavailable {
		t.Fatalf("Run = %v, want the outage", err)
	}
	if d := state(s, org, args); d.Text("status") != "UPLOADED" {
		t.Errorf("the document is %s", d.Raw)
	}
}

func TestAGoneOriginalIsSaid(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil, harness.UBL("G-1"))
	if err := os.RemoveAll(filepath.Join(s.DataDir, "blobs")); err != nil {
		t.Fatal(err)
	}
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "FAILED" || d.Text("failure", "code") != "content_missing" {
		t.Errorf("the document is %s", d.Raw)
	}
}

// TestForceWhileReading restarts the extraction of a document during an
// extraction. The older extraction must not end it.
func TestForceWhileReading(t *testing.T) {
	t.Parallel()
	began, release := make(chan struct{}), make(chan struct{})
	var reads atomic.Int64
	var forced atomic.Bool
	read := readerFunc(func(_ context.Context, src extraction.Source) (*extraction.Result, error) {
		if reads.Add(1) == 1 {
			close(began)
			<-release
		}
		forced.Store(src.Forced)
		return nil, extraction.NoInvoice(extraction.Proforma, "It is a proforma invoice.")
	})
	s, org, args := resting(t, read, harness.UBL("W-1"))
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
			t.Error(err)
		}
	})
	<-began
	ex := *s.Service.Extraction
	ex.WaitTimeout = 5 * time.Second
	actor := identity.Actor{Type: identity.ActorUser, UserID: org.Admin.ID, OrganizationID: org.ID, Role: identity.RoleAdmin}
	running.Go(func() {
		if _, err := ex.Request(context.Background(), actor, args.DocumentID, true); fault.CodeOf(err) != fault.CodeNotAnInvoice {
			t.Errorf("Request = %v", err)
		}
	})
	for state(s, org, args).Text("status") != "UPLOADED" {
		runtime.Gosched()
	}
	close(release)
	running.Wait()
	if reads.Load() != 2 || !forced.Load() {
		t.Errorf("read %d times, at last forced: %v", reads.Load(), forced.Load())
	}
}

// stale returns an earlier state of a document once.
type stale struct {
	document.Repository
	earlier *document.Document
}

func (r *stale) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*document.Document, error) {
	if d := r.earlier; d != nil {
		r.earlier = nil
		return d, nil
	}
	return r.Repository.Get(ctx, s, id)
}

// TestADocumentThatWasExtractedMeanwhileStays requests a document whose extraction ends after the
// request has read it.
func TestADocumentThatWasExtractedMeanwhileStays(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil, harness.UBL("M-1"))
	ctx := t.Context()
	ex := *s.Service.Extraction
	earlier, err := ex.Documents.Get(ctx, identity.System(org.ID).Scope(), args.DocumentID)
	if err != nil {
		t.Fatal(err)
	}
	earlier.Requested = false
	if err := ex.Run(ctx, args); err != nil {
		t.Fatal(err)
	}
	extracted := state(s, org, args)
	ex.Documents, ex.WaitTimeout = &stale{ex.Documents, earlier}, time.Minute
	actor := identity.Actor{Type: identity.ActorUser, UserID: org.Admin.ID, OrganizationID: org.ID, Role: identity.RoleAdmin}
	if inv, err := ex.Request(ctx, actor, args.DocumentID, false); err != nil || inv.DocumentID != args.DocumentID {
		t.Errorf("Request = %+v, %v", inv, err)
	}
	if now := state(s, org, args); string(now.Raw) != string(extracted.Raw) {
		t.Errorf("the document changed from %s to %s", extracted.Raw, now.Raw)
	}
}

func TestFullPlanHoldsTheDocument(t *testing.T) {
	t.Parallel()
	s, org, args := resting(t, nil, harness.UBL("X-1"))
	one := 0
	plans := billingmock.NewMockPlans(gomock.NewController(t))
	full := billing.Plan{Name: "small", Status: "active", Writable: true, MaxInvoicesPerMonth: &one}
	plans.EXPECT().Of(gomock.Any(), gomock.Any()).Return(full, nil).AnyTimes()
	ex := *s.Service.Extraction
	ex.Plans = plans
	if err := ex.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "UPLOADED" || d.Text("held_reason") != "plan_limit_reached" {
		t.Errorf("the document is %s", d.Raw)
	}
	released, err := s.Service.Extraction.SweepHeld(context.Background())
	if err != nil || released != 1 {
		t.Errorf("with room in the plan %d documents are released (%v)", released, err)
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
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := newHands()
		o.NoWorkers, o.Overrides.Clock = true, clock
		o.Env = map[string]string{"EXTRACT_WAIT_TIMEOUT": "1ms"}
		s := harness.Start(t, o)
		org := s.NewOrganization("Sweep")
		sweep := func(want int, why string) {
			t.Helper()
			clock.advance(time.Minute)
			if n, err := s.Service.Extraction.Sweep(context.Background()); n != want || err != nil {
				t.Errorf("Sweep = %d, %v, want %d: %s", n, err, want, why)
			}
		}
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"auto_extract": false}).OK()
		up := s.Upload(org.Admin.Token, org.Entity, "waits.xml", harness.UBL("W-1")).OK()
		sweep(0, "no extraction is requested")
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"auto_extract": true}).OK()
		sweep(0, "the setting speaks of what comes in from now on")
		s.Extract(s.Login(org.Admin.Email), up.Text("id")).Want(503, "still_processing")
		sweep(0, "its job is there")
		s.LoseJobs()
		sweep(1, "a person asked for it, and its job is lost")
		sweep(0, "its job is there again")
	})
}
