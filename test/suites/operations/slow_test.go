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
	"docledger/test/lib/harness"
)

// stuck keeps the jobs of documents named slow.pdf busy: it reads such a document in a
// child process again and again until the test lets one job end.
type stuck struct {
	extraction.Reader
	end     chan struct{} // each value ends one job; closed, it ends all
	mu      sync.Mutex
	running int
	ended   int
	longest time.Duration // of one reading
}

func (r *stuck) Read(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	if s.Name != "slow.pdf" {
		return r.Reader.Read(ctx, s)
	}
	r.mu.Lock()
	r.running++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running--
		r.ended++
	}()
	for {
		began := time.Now()
		result, err := r.Reader.Read(ctx, s)
		r.mu.Lock()
		r.longest = max(r.longest, time.Since(began))
		r.mu.Unlock()
		select {
		case <-r.end:
			return result, err
		case <-ctx.Done():
			return result, err
		default:
		}
	}
}

func (r *stuck) counts() (running, ended int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running, r.ended
}

// TestSlowDocumentsDelayNoOthers checks that ten documents of one organization, which
// occupy every worker, delay XML of another organization by one running job at most. The
// XML is large enough for a child process. It is done while nine of the ten documents
// are not, within twice its idle time and one running job (domain D22). Other processes
// may use the processors, so the time is measured up to three times.
func TestSlowDocumentsDelayNoOthers(t *testing.T) {
	t.Parallel()
	pipeline := extract.New(extract.Options{CacheDir: harness.CompileCache, ComparePages: true})
	defer pipeline.Close() //nolint:errcheck // it never fails
	const workers, slowDocuments, attempts = 2, 10, 3
	reader := &stuck{Reader: pipeline, end: make(chan struct{})}
	var closing sync.Once
	endAll := func() { closing.Do(func() { close(reader.end) }) }
	o := harness.Options{Env: map[string]string{"WORKERS": fmt.Sprint(workers)}}
	o.Overrides.Reader = reader
	s := harness.Start(t, o)
	t.Cleanup(endAll) // before the service stops
	if err := pipeline.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow, other := s.NewOrganization("Slow"), s.NewOrganization("Other")
	status := func(org harness.Organization, id string) string {
		return s.Do(http.MethodGet, "/api/documents/"+id, org.Admin.Token, nil).OK().Text("status")
	}
	n := 0
	upload := func() string {
		n++
		data := harness.UBLLines(fmt.Sprint("S-", n), 300)
		if len(data) <= extract.SmallXML {
			t.Fatalf("%d bytes are not read in a child process", len(data))
		}
		return s.Upload(other.Admin.Token, other.Entity, "a.xml", data).OK().Text("id")
	}
	extracted := func(id string) {
		s.Eventually("extracted", time.Minute, func() bool { return status(other, id) == "EXTRACTED" }, func() string { return status(other, id) })
	}
	var idle time.Duration
	for range 3 {
		began := time.Now()
		extracted(upload())
		idle = max(idle, time.Since(began))
	}
	var ids []string
	for i := range slowDocuments {
		ids = append(ids, s.Upload(slow.Admin.Token, slow.Entity, "slow.pdf", pdftest.Amounts(1500, uint64(i+1))).OK().Text("id"))
	}
	occupied := func() {
		s.Eventually("every worker has a slow document", time.Minute,
			func() bool { running, _ := reader.counts(); return running == workers },
			func() string {
				running, ended := reader.counts()
				return fmt.Sprint(running, " run, ", ended, " ended")
			})
	}
	const polling = 500 * time.Millisecond // of the queue and of this test
	for attempt := 1; ; attempt++ {
		occupied()
		_, endedBefore := reader.counts()
		began := time.Now()
		id := upload()
		reader.end <- struct{}{} // one running job ends
		extracted(id)
		took := time.Since(began)
		if _, ended := reader.counts(); ended != endedBefore+1 {
			t.Errorf("%d slow documents ended before the other organization's document, want 1", ended-endedBefore)
		}
		unfinished := 0
		for _, id := range ids {
			if st := status(slow, id); st == "UPLOADED" || st == "PROCESSING" {
				unfinished++
			}
		}
		if want := slowDocuments - endedBefore - 1; unfinished < want {
			t.Errorf("%d slow documents are unfinished, want %d", unfinished, want)
		}
		reader.mu.Lock()
		most := 2*idle + reader.longest + polling
		reader.mu.Unlock()
		t.Logf("idle %v, with %d slow documents %v, at most %v", idle, unfinished, took, most)
		if took <= most {
			break
		}
		if attempt == attempts {
			t.Errorf("the other organization's document took %v, more than %v, in each of %d attempts", took, most, attempts)
			break
		}
	}
	endAll()
	s.Eventually("the slow documents ended", 2*time.Minute, func() bool {
		for _, id := range ids {
			if st := status(slow, id); st == "UPLOADED" || st == "PROCESSING" {
				return false
			}
		}
		return true
	}, func() string { return "some are still running" })
}
