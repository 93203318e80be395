//go:build !race

package operations

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/domain/extraction"
	"docledger/test/harness"
)

// timed measures the longest extraction.
type timed struct {
	extraction.Reader
	mu      sync.Mutex
	longest time.Duration
}

func (r *timed) Read(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	began := time.Now()
	result, err := r.Reader.Read(ctx, s)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.longest = max(r.longest, time.Since(began))
	return result, err
}

// TestSlowDocumentsDelayNoOthers checks that ten documents with the maximum duration
// do not delay a document of another organization by more than twice its idle time
// and one running job (domain D22).
func TestSlowDocumentsDelayNoOthers(t *testing.T) {
	t.Parallel()
	pipeline := extract.New(extract.Options{CacheDir: harness.CompileCache, ComparePages: true})
	defer pipeline.Close() //nolint:errcheck // it never fails
	reader := &timed{Reader: pipeline}
	o := harness.Options{Env: map[string]string{"WORKERS": "2"}}
	o.Overrides.Reader = reader
	s := harness.Start(t, o)
	if err := pipeline.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow, other := s.NewOrganization("Slow"), s.NewOrganization("Other")
	status := func(org harness.Organization, id string) string {
		return s.Do(http.MethodGet, "/api/documents/"+id, org.Admin.Token, nil).OK().Text("status")
	}
	n := 0
	one := func() time.Duration {
		n++
		began := time.Now()
		id := s.Upload(other.Admin.Token, other.Entity, "a.xml", harness.UBL(fmt.Sprint("S-", n))).OK().Text("id")
		s.Eventually("extracted", time.Minute, func() bool { return status(other, id) == "EXTRACTED" }, func() string { return status(other, id) })
		return time.Since(began)
	}
	idle := max(one(), one(), one())
	reader.mu.Lock()
	reader.longest = 0
	reader.mu.Unlock()
	var ids []string
	for i := range 10 {
		ids = append(ids, s.Upload(slow.Admin.Token, slow.Entity, "slow.pdf", pdftest.Amounts(1500, uint64(i+1))).OK().Text("id"))
	}
	loaded := one()
	s.Eventually("the slow documents ended", 2*time.Minute, func() bool {
		for _, id := range ids {
			if st := status(slow, id); st == "UPLOADED" || st == "PROCESSING" {
				return false
			}
		}
		return true
	}, func() string { return "some are still running" })
	reader.mu.Lock()
	defer reader.mu.Unlock()
	const polling = 500 * time.Millisecond // of the queue and of this test
	if most := 2*idle + reader.longest + polling; loaded > most {
		t.Errorf("the other organization's document took %v, which is more than twice %v and one job of %v", loaded, idle, reader.longest)
	}
	t.Logf("idle %v, with ten slow documents %v, the longest extraction took %v", idle, loaded, reader.longest)
}
