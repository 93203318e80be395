package msgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/sim/msgraph"
)

// receiver accepts notifications as an application does.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []map[string]any
	refuse int  // number of notifications that it refuses
	mute   bool // the address does not return the validation token
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if token := req.URL.Query().Get("validationToken"); token != "" {
			w.Header().Set("Content-Type", "text/plain")
			if !r.mute {
				_, _ = io.WriteString(w, token)
			}
			return
		}
		if r.refuse > 0 {
			r.refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var body struct{ Value []map[string]any }
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		r.got = append(r.got, body.Value...)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

func (w *world) drain() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	w.must(w.sim.Drain(ctx))
}

func wanted(address string, change map[string]any) map[string]any {
	out := map[string]any{
		"changeType": "updated", "notificationUrl": address, "resource": "/drives/" + msgraph.DefaultDrive + "/root",
		"expirationDateTime": start.Add(24 * time.Hour), "clientState": "proof",
	}
	for name, value := range change {
		out[name] = value
	}
	return out
}

func TestSubscription(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *msgraph.Options) { o.LoopbackNotifications = true })
	to := receive(t)
	made := w.call(http.MethodPost, "/v1.0/subscriptions", wanted(to.URL+"/hook?x=1", nil))
	id := made.text("id")
	if made.status != 201 || id == "" || made.text("clientState") != "proof" {
		t.Fatalf("%d %s", made.status, made.raw)
	}
	w.put("a.xml", "x")
	w.drain()
	if to.count() != 1 || to.got[0]["clientState"] != "proof" || to.got[0]["subscriptionId"] != id || to.got[0]["resource"] != "drives/"+msgraph.DefaultDrive+"/root" {
		t.Fatalf("%v", to.got)
	}
	to.refuse = 1
	w.put("b.xml", "x")
	w.drain()
	if to.count() != 1 {
		t.Error("a refused notification was recorded as accepted")
	}
	w.sim.Kit.Clock.Advance(time.Minute)
	w.drain()
	if to.count() != 2 {
		t.Error("a refused notification was not retried")
	}
	w.sim.Configure(func(s *msgraph.Settings) { s.RepeatNotifications = true })
	w.put("c.xml", "x")
	w.drain()
	w.sim.Configure(func(s *msgraph.Settings) { s.DropNotifications = true })
	w.put("d.xml", "x")
	w.drain()
	if to.count() != 4 || len(w.sim.Notifications()) != 5 {
		t.Errorf("%d arrived of %d attempts", to.count(), len(w.sim.Notifications()))
	}
	w.sim.Configure(func(s *msgraph.Settings) { *s = msgraph.Settings{} })
	path := "/v1.0/subscriptions/" + id
	later := map[string]any{"expirationDateTime": start.Add(48 * time.Hour)}
	if r := w.call(http.MethodPatch, path, later); r.status != 200 || !strings.HasPrefix(r.text("expirationDateTime"), "2026-03-04T09:30:00") {
		t.Errorf("%d %s", r.status, r.raw)
	}
	if list, _ := w.all("/v1.0/subscriptions"); len(list) != 1 || w.get(200, path).text("clientState") != "" {
		t.Errorf("%v", list)
	}
	if r := w.call(http.MethodPatch, path, map[string]any{"expirationDateTime": start.Add(31 * 24 * time.Hour)}); r.status != 400 {
		t.Errorf("for 31 days: %d", r.status)
	}
	if r := w.call(http.MethodDelete, path, nil); r.status != 204 {
		t.Errorf("%d", r.status)
	}
	w.get(404, path)
	w.put("e.xml", "x")
	w.drain()
	if to.count() != 4 {
		t.Error("a deleted subscription sent a notification")
	}
}

func TestSubscriptionRefusals(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *msgraph.Options) { o.LoopbackNotifications = true })
	to := receive(t)
	for name, change := range map[string]map[string]any{
		"change":      {"changeType": "created"},
		"address":     {"notificationUrl": "http://books.example/"},
		"no host":     {"notificationUrl": "https://"},
		"drive":       {"resource": "/drives/no/root"},
		"resource":    {"resource": "/drives/" + msgraph.DefaultDrive + "/items/x"},
		"past":        {"expirationDateTime": start.Add(-time.Hour)},
		"too long":    {"expirationDateTime": start.Add(42301 * time.Minute)},
		"state":       {"clientState": strings.Repeat("x", 129)},
		"expiry":      {"expirationDateTime": "tomorrow"},
		"no listener": {"notificationUrl": "http://127.0.0.1:1/"},
	} {
		if r := w.call(http.MethodPost, "/v1.0/subscriptions", wanted(to.URL, change)); r.status != 400 {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	to.mute = true
	if r := w.call(http.MethodPost, "/v1.0/subscriptions", wanted(to.URL, nil)); r.status != 400 || r.code() != "ValidationError" {
		t.Errorf("an address without the validation token: %d", r.status)
	}
	w.sim.Configure(func(s *msgraph.Settings) { s.ReadOnlySubscriptions = false })
	if r := w.call(http.MethodPost, "/v1.0/subscriptions", wanted(to.URL, nil)); r.status != 403 {
		t.Errorf("without the scope: %d", r.status)
	}
	if list, _ := w.all("/v1.0/subscriptions"); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// TestSubscriptionsOfOne checks that a drive notifies only its own subscriptions.
func TestSubscriptionsOfOne(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *msgraph.Options) { o.LoopbackNotifications = true })
	to := receive(t)
	w.sim.AddSites(1)
	sites, _ := w.all("/v1.0/sites?search=Seeded")
	drives, _ := w.all("/v1.0/sites/" + sites[0]["id"].(string) + "/drives")
	other := drives[0]["id"].(string)
	r := w.call(http.MethodPost, "/v1.0/subscriptions", wanted(to.URL, map[string]any{"resource": fmt.Sprintf("drives/%s/root", other)}))
	if r.status != 201 {
		t.Fatal(r.raw)
	}
	w.put("a.xml", "x")
	w.drain()
	if to.count() != 0 {
		t.Error("notified about another drive")
	}
}
