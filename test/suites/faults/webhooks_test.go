package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
	"docledger/usecase/webhooks"
)

const (
	// hookLongest is the maximum lifetime of the service between two kills.
	hookLongest = 1500 * time.Millisecond
	// hookPatience is how long the service delivers at each time of its clock.
	hookPatience = 15 * time.Second
)

// hookTimes are how far ahead the clock of the service is after the last kill. Each is after the
// next attempt that the schedule of deliveries can have.
var hookTimes = []string{"1m", "10m", "1h", "4h", "12h", "26h", "40h"}

// TestKilledServiceDeliversEachEvent kills the service repeatedly while it delivers events to a
// webhook that fails, hangs or disappears. After that every event of the log is delivered: those
// that no process had turned into a delivery, those with an attempt that a kill ended, and those that wait
// for a retry.
func TestKilledServiceDeliversEachEvent(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killingDeliveries(t, "") })
	t.Run("postgres", func(t *testing.T) { killingDeliveries(t, postgres.New(t)) })
}

// hook is the receiver of the events.
type hook struct {
	mu        sync.Mutex
	draw      *rand.Rand
	calm      bool
	confirmed map[string]int // by the id of the event
	refused   map[string]int
}

// ServeHTTP implements http.Handler.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var event struct{ ID string }
	if err != nil || json.Unmarshal(raw, &event) != nil || event.ID != r.Header.Get("webhook-id") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	trouble := h.draw.IntN(10)
	switch {
	case len(h.refused) == 0:
		trouble = 4 // the first delivery is always retried
	case h.calm:
		trouble = 9
	}
	confirms := trouble > 4
	if confirms {
		h.confirmed[event.ID]++
	} else {
		h.refused[event.ID]++
	}
	h.mu.Unlock()
	switch {
	case confirms:
		w.WriteHeader(http.StatusNoContent)
	case trouble > 1:
		w.WriteHeader(http.StatusInternalServerError)
	case trouble == 1:
		panic(http.ErrAbortHandler) // the connection ends without a response
	default:
		select { // no response while the service lives
		case <-r.Context().Done():
		case <-time.After(hookLongest):
		}
	}
}

// counts returns how many of the events were confirmed.
func (h *hook) counts(ids map[string]string) (confirmed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range ids {
		if h.confirmed[id] > 0 {
			confirmed++
		}
	}
	return confirmed
}

func killingDeliveries(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	h := &hook{draw: rand.New(rand.NewPCG(seed, 1)), confirmed: map[string]int{}, refused: map[string]int{}}
	receiver := httptest.NewServer(h)
	defer receiver.Close()
	env := map[string]string{"WEBHOOK_LOOPBACK": "on", "DOCLEDGER_ENV": "local"}
	p := newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) {
		url := receiver.URL
		if _, err := s.Webhooks.Create(context.Background(), admin, webhooks.Input{URL: &url, Types: []string{"document.*", "invoice.*"}}); err != nil {
			t.Fatal(err)
		}
	})
	accepted := map[string]bool{}
	for round := range kills(t) {
		r := p.start()
		p.sendUntilKilled(r, round, time.Duration(draw.Int64N(int64(hookLongest))), accepted)
	}
	if len(accepted) == 0 {
		t.Fatal("no upload was accepted, so the test proves nothing")
	}
	atKill := h.counts(allOf(h))
	h.mu.Lock()
	h.calm = true
	h.mu.Unlock()
	events := p.delivered(h)
	for document := range accepted {
		if !hasSubject(events, document) {
			t.Errorf("the upload %s was answered with 200 and has no event", document)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	repeated, retried := 0, 0
	for id := range h.confirmed {
		if events[id] == "" {
			t.Errorf("the event %s was delivered and is not in the log", id)
		}
		if h.confirmed[id] > 1 {
			repeated++
		}
		if h.refused[id] > 0 {
			retried++
		}
	}
	if retried == 0 {
		t.Error("no delivery was retried, so the test proves nothing about retries")
	}
	t.Logf("%d kills, %d uploads returned 200, %d events, %d of them confirmed before the last kill; %d were retried, %d confirmed twice",
		kills(t), len(accepted), len(events), atKill, retried, repeated)
}

func allOf(h *hook) map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := map[string]string{}
	for id := range h.confirmed {
		ids[id] = id
	}
	return ids
}

func hasSubject(events map[string]string, document string) bool {
	for _, subject := range events {
		if subject == document {
			return true
		}
	}
	return false
}

// sendUntilKilled uploads invoices until the service is killed.
func (p *product) sendUntilKilled(r *running, round int, life time.Duration, accepted map[string]bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var senders sync.WaitGroup
	senders.Go(func() {
		for n := 0; n < billed && ctx.Err() == nil; n++ {
			if id, ok := p.upload(ctx, r, harness.UBL(fmt.Sprintf("W-%d-%d", round, n))); ok {
				accepted[id] = true
			}
		}
	})
	wait := time.NewTimer(life)
	<-wait.C
	r.kill()
	cancel()
	senders.Wait()
}

// delivered starts the service, with its clock further ahead each time, until every event of the
// log is confirmed. It returns the subjects of the events by their ids.
func (p *product) delivered(h *hook) map[string]string {
	p.t.Helper()
	for _, later := range hookTimes {
		p.env[laterEnv], p.token = later, ""
		r := p.start()
		tick := time.NewTicker(100 * time.Millisecond)
		for began := time.Now(); time.Since(began) < hookPatience; <-tick.C {
			if open, _ := p.get(r, "/api/documents?status=UPLOADED&status=PROCESSING&limit=1")["items"].([]any); len(open) > 0 {
				continue
			}
			if events := p.events(r); h.counts(events) == len(events) {
				tick.Stop()
				return events
			}
		}
		tick.Stop()
		r.kill()
	}
	p.t.Fatal("not every event was delivered")
	return nil
}

// events returns the subjects of the events of documents and invoices, by the ids of the events.
func (p *product) events(r *running) map[string]string {
	p.t.Helper()
	events, after := map[string]string{}, ""
	for {
		page := p.get(r, "/api/events?limit=200"+after)
		list, _ := page["items"].([]any)
		for _, item := range list {
			e, _ := item.(map[string]any)
			subject, _ := e["subject"].(map[string]any)
			if kind := text(subject, "type"); kind == "document" || kind == "invoice" {
				events[text(e, "id")] = text(subject, "id")
			}
		}
		if len(list) < 200 {
			return events
		}
		after = "&after=" + text(page, "next_cursor")
	}
}
