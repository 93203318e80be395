package e2e

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/gen/mock/documentmock"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/extraction"

	"github.com/google/uuid"
	"go.uber.org/mock/gomock"
)

// studied are suppliers with approved invoices the document of which is read again.
type studied struct {
	usecase.Suppliers
	document uuid.UUID
	examples int
}

func (s studied) Study(_ context.Context, inv *invoice.Invoice) (bool, []invoice.Invoice, error) {
	out := make([]invoice.Invoice, s.examples)
	for i := range out {
		out[i] = invoice.Invoice{ID: uuid.New(), DocumentID: s.document, OrganizationID: inv.OrganizationID}
	}
	return true, out, nil
}

// TestLearningNeverEndsAnExtraction verifies that approved invoices with documents that are slow,
// damaged or unavailable do not prevent the result, and that the number of readings is limited.
func TestLearningNeverEndsAnExtraction(t *testing.T) {
	t.Parallel()
	var slow, failing atomic.Bool
	var again atomic.Int64
	read := func(ctx context.Context, source extraction.Source) (*extraction.Result, error) {
		if source.Readings {
			again.Add(1)
			switch {
			case slow.Load():
				<-ctx.Done()
				return nil, ctx.Err()
			case failing.Load() && again.Load() > 1:
				return nil, errors.New("the reader does not start")
			}
		}
		content := invoice.Content{Type: invoice.TypeInvoice, Number: "L-1"}
		return &extraction.Result{Method: invoice.Text, Drafts: []extraction.Draft{{Content: content, Fields: map[string]invoice.Evidence{}}}}, nil
	}
	for _, c := range []struct {
		name     string
		examples int
		change   func(*testing.T, *usecase.Service)
		most     int64
	}{
		{"Slow", 3, func(_ *testing.T, ex *usecase.Service) { slow.Store(true); ex.StudyTime = time.Millisecond }, 1},
		{"Failing", 3, func(*testing.T, *usecase.Service) { failing.Store(true) }, 4},
		{"Many", 12, func(*testing.T, *usecase.Service) {}, 7},
		{"Unavailable", 3, func(t *testing.T, ex *usecase.Service) {
			real, calls := ex.Blobs, 0
			blobs := documentmock.NewMockBlobs(gomock.NewController(t))
			blobs.EXPECT().Local(gomock.Any(), gomock.Any()).DoAndReturn(func(ctx context.Context, sha256 string) (string, func(), error) {
				if calls++; calls > 2 { // the document itself is read twice
					return "", nil, errors.New("the disk is gone")
				}
				return real.Local(ctx, sha256)
			}).AnyTimes()
			ex.Blobs = blobs
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			slow.Store(false)
			failing.Store(false)
			again.Store(0)
			s, org, args := resting(t, read, harness.UBL("L-1"))
			ex := *s.Service.Extraction
			ex.Suppliers = studied{ex.Suppliers, args.DocumentID, c.examples}
			c.change(t, &ex)
			if err := ex.Run(context.Background(), args); err != nil {
				t.Fatal(err)
			}
			if d := state(s, org, args); d.Text("status") != "EXTRACTED" {
				t.Errorf("the document is %s", d.Raw)
			}
			if n := again.Load(); n > c.most {
				t.Errorf("%d readings, want at most %d", n, c.most)
			}
		})
	}
}

// TestTheEndOfAJobWhileLearningIsAnError verifies that the document waits for the next attempt.
func TestTheEndOfAJobWhileLearningIsAnError(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	read := func(ctx context.Context, source extraction.Source) (*extraction.Result, error) {
		if source.Readings {
			end()
			return nil, ctx.Err()
		}
		return &extraction.Result{Method: invoice.Text, Drafts: []extraction.Draft{{Fields: map[string]invoice.Evidence{}}}}, nil
	}
	s, org, args := resting(t, read, harness.UBL("L-2"))
	ex := *s.Service.Extraction
	ex.Suppliers = studied{ex.Suppliers, args.DocumentID, 1}
	if err := ex.Run(ctx, args); !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want the end of the job", err)
	}
	if d := state(s, org, args); d.Text("status") != "UPLOADED" {
		t.Errorf("the document is %s", d.Raw)
	}
}
