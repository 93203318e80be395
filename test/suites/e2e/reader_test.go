package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/test/lib/harness"
)

// The document waits while the reader cannot start, and is extracted when it
// can.
func TestReaderThatCannotStartCostsNoDocument(t *testing.T) {
	t.Parallel()
	var back atomic.Bool
	s, org, args := resting(t, func(context.Context, extraction.Source) (*extraction.Result, error) {
		if !back.Load() {
			return nil, fmt.Errorf("%w: the cache folder cannot be written to", extraction.ErrUnavailable)
		}
		return &extraction.Result{Method: invoice.Structured, Drafts: []extraction.Draft{{Content: invoice.Content{Number: "R-1"}}}}, nil
	}, harness.UBL("R-1"))
	for range 2 * (document.MaxAttempts + document.MaxInterruptions) {
		var later *job.Later
		if err := s.Service.Extraction.Run(context.Background(), args); !errors.As(err, &later) || later.After <= 0 {
			t.Fatalf("Run = %v, want that the job waits", err)
		}
		if d := state(s, org, args); d.Text("status") != "PROCESSING" || d.Text("held_reason") != "reader_unavailable" {
			t.Fatalf("the document is %s", d.Raw)
		}
		if n, err := s.Service.Extraction.SweepHeld(context.Background()); n != 0 || err != nil {
			t.Fatalf("room in the plan releases %d documents (%v)", n, err)
		}
	}
	back.Store(true)
	if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	if d := state(s, org, args); d.Text("status") != "EXTRACTED" || d.At("held_reason") != nil {
		t.Errorf("once the reader is back the document is %s", d.Raw)
	}
}

// A caller who requests the invoice gets still_processing.
func TestExtractWhileTheReaderIsUnavailable(t *testing.T) {
	t.Parallel()
	var o harness.Options
	o.Overrides.Reader = readerFunc(func(context.Context, extraction.Source) (*extraction.Result, error) {
		return nil, extraction.ErrUnavailable
	})
	s := harness.Start(t, o)
	org := s.NewOrganization("Waiting")
	id := s.Upload(org.Admin.Token, org.Entity, "x.xml", harness.UBL("X-1")).OK().Text("id")
	r := s.Do(http.MethodPost, "/api/invoices/extract", org.Admin.Token, map[string]any{"document_id": id})
	if r.Status != http.StatusServiceUnavailable || r.Text("error", "code") != "still_processing" || r.Header.Get("Retry-After") == "" ||
		r.Text("error", "details", "held_reason") != "reader_unavailable" {
		t.Errorf("extract = %d %s", r.Status, r.Raw)
	}
	if d := s.Do(http.MethodGet, "/api/documents/"+id, org.Admin.Token, nil).OK(); d.Text("status") != "PROCESSING" || d.Text("held_reason") != "reader_unavailable" {
		t.Errorf("the document is %s", d.Raw)
	}
}
