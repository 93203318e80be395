package kit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/sim/kit"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// sim is a simulator that counts its operations.
type sim struct {
	*kit.Kit
	url  string
	done atomic.Int64
}

func open(t *testing.T, o kit.Options) *sim {
	t.Helper()
	s := &sim{}
	if o.State == nil {
		o.State = func() any { return map[string]int64{"done": s.done.Load()} }
	}
	s.Kit = kit.New(o)
	server := httptest.NewServer(s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.done.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(append([]byte("did "), body...))
	})))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *sim) call(t *testing.T, method, path, body string) (int, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer canary")
	req.Header.Set("X-Note", "seen")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

func (s *sim) control(t *testing.T, method, path, body string, want int) string {
	t.Helper()
	status, got, err := s.call(t, method, "/_sim/"+path, body)
	if err != nil || status != want {
		t.Fatalf("%s %s: %d %s (%v)", method, path, status, got, err)
	}
	return got
}

func TestActions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		action string
		status int
		body   string
		done   int64
		lost   bool
	}{
		{"status:503", 503, `{"vendor":503}`, 0, false},
		{"status:429", 429, `{"vendor":429}`, 0, false},
		{"status:200", 200, `{"vendor":200}`, 0, false},
		{"fail:500", 201, "did it", 1, false}, // its operation does not call Failing
		{"delay:1ms", 201, "did it", 1, false},
		{"drop", 0, "", 0, true},
		{"commit_then_drop", 0, "", 1, true},
		{"garbage", 200, "<html>", 1, false},
	} {
		s := open(t, kit.Options{ErrorBody: func(status int) []byte { return fmt.Appendf(nil, `{"vendor":%d}`, status) }})
		s.control(t, "POST", "faults", `{"match":"POST /a/*","times":1,"action":"`+tt.action+`"}`, 200)
		status, body, err := s.call(t, "POST", "/a/b", "it")
		if (err != nil) != tt.lost || status != tt.status || !strings.HasPrefix(body, tt.body) || s.done.Load() != tt.done {
			t.Errorf("%s: %d %q %v, done %d", tt.action, status, body, err, s.done.Load())
		}
		if json.Valid([]byte(body)) == (tt.action == "garbage") && body != "did it" && !tt.lost {
			t.Errorf("%s: body %q", tt.action, body)
		}
		status, body, err = s.call(t, "POST", "/a/b", "more")
		if err != nil || status != 201 || body != "did more" {
			t.Errorf("after %s: %d %q %v", tt.action, status, body, err)
		}
		seen := s.Requests()
		if len(seen) != 2 || seen[0].Fault != tt.action || seen[0].Status != tt.status || seen[0].Body != "it" || seen[1].Fault != "" {
			t.Errorf("%s: recorded %+v", tt.action, seen)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		match, method, path string
		hit                 bool
	}{
		{"GET /a", "GET", "/a", true},
		{"GET /a", "POST", "/a", false},
		{"* /a", "POST", "/a", true},
		{"GET /a/*", "GET", "/a/b", true},
		{"GET /a/*", "GET", "/a", false},
		{"GET /a/*", "GET", "/a/b/c", false},
		{"GET /a/*/c", "GET", "/a/b/c", true},
		{"GET /a/x*", "GET", "/a/xyz", true},
		{"GET /**", "GET", "/a/b/c", true},
		{"GET /a/**/d", "GET", "/a/b/c/d", true},
		{"GET /a/**/d", "GET", "/a/d", true},
		{"GET /a/**/d", "GET", "/a/b/c", false},
	} {
		s := open(t, kit.Options{})
		if err := s.Inject(kit.Fault{Match: tt.match, Action: "status:418"}); err != nil {
			t.Fatal(err)
		}
		status, _, err := s.call(t, tt.method, tt.path, "")
		if err != nil || (status == 418) != tt.hit {
			t.Errorf("%q and %s %s: %d %v", tt.match, tt.method, tt.path, status, err)
		}
	}
}

func TestFaultsAreUsedInTurn(t *testing.T) {
	t.Parallel()
	s := open(t, kit.Options{})
	for _, f := range []kit.Fault{{"GET /a", 2, "status:500"}, {"GET /**", 1, "status:503"}} {
		if err := s.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{500, 500, 503, 201} {
		if status, _, err := s.call(t, "GET", "/a", ""); err != nil || status != want {
			t.Errorf("request %d: %d (%v), want %d", i, status, err, want)
		}
	}
	if err := s.Inject(kit.Fault{Match: "GET /a", Action: "drop"}); err != nil {
		t.Fatal(err)
	}
	s.control(t, "DELETE", "faults", "", 200)
	if status, _, err := s.call(t, "GET", "/a", ""); err != nil || status != 201 {
		t.Errorf("after DELETE: %d %v", status, err)
	}
}

func TestControlRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, kit.Options{})
	for _, body := range []string{
		`{"match":"/a","action":"drop"}`, `{"match":"GET a","action":"drop"}`, `{"match":"GET /[","action":"drop"}`,
		`{"match":"GET /a","action":"explode"}`, `{"match":"GET /a","action":"status:abc"}`, `{"match":"GET /a","action":"status:700"}`, `{"match":"GET /a","action":"fail:400"}`,
		`{"match":"GET /a","action":"delay:soon"}`, `{"match":"GET /a","action":"delay:-1s"}`, `{"match":"GET /a","action":"drop:x"}`,
		`{"match":"GET /a","action":"drop","times":-1}`, `{"match":"GET /a","action":"drop","often":2}`, `[`,
	} {
		s.control(t, "POST", "faults", body, 400)
	}
	for _, body := range []string{`{"advance":"tomorrow"}`, `{"advance":"-1h"}`, `{}`, `x`} {
		s.control(t, "POST", "clock", body, 400)
	}
	s.control(t, "GET", "nothing", "", 404)
	s.control(t, "DELETE", "requests", "", 404)
}

func TestRecord(t *testing.T) {
	t.Parallel()
	s := open(t, kit.Options{MaxRequests: 3, Start: start})
	for i := range 5 {
		if _, _, err := s.call(t, "POST", fmt.Sprintf("/p/%d?q=1", i), strings.Repeat("x", 9000)); err != nil {
			t.Fatal(err)
		}
	}
	shown := s.control(t, "GET", "requests", "", 200)
	var seen []kit.Request
	if err := json.Unmarshal([]byte(shown), &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[0].Number != 3 || seen[2].Path != "/p/4" || seen[2].Query != "q=1" || !seen[0].At.Equal(start) ||
		seen[0].Status != 201 || seen[0].Header["X-Note"] != "seen" || len(seen[0].Body) != 8<<10 || !seen[0].Truncated {
		t.Errorf("recorded %+v", seen)
	}
	if strings.Contains(shown, "canary") {
		t.Error("the record holds a credential")
	}
	if got := s.control(t, "GET", "state", "", 200); !strings.Contains(got, `"done": 5`) {
		t.Errorf("state %s", got)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	s := open(t, kit.Options{Start: start})
	var moved []time.Time
	s.Clock.OnAdvance(func() { moved = append(moved, s.Clock.Now()) })
	waited := make(chan error, 1)
	go func() { waited <- s.Clock.Wait(context.Background(), start.Add(36*time.Hour)) }()
	for range 2 {
		s.control(t, "POST", "clock", `{"advance":"24h"}`, 200)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if now := s.Clock.Now(); !now.Equal(start.Add(48 * time.Hour)) {
		t.Errorf("now %s", now)
	}
	if len(moved) != 2 || !moved[0].Equal(start.Add(24*time.Hour)) {
		t.Errorf("OnAdvance received %v", moved)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Clock.Wait(ctx, start.Add(time.Hour*1000)); err != context.Canceled {
		t.Errorf("cancelled wait: %v", err)
	}

	running := kit.New(kit.Options{})
	before := running.Clock.Now()
	if err := running.Clock.Wait(context.Background(), before.Add(5*time.Millisecond)); err != nil {
		t.Error(err)
	}
	running.Clock.Advance(time.Hour)
	if passed := running.Clock.Now().Sub(before); passed < time.Hour || passed > 2*time.Hour {
		t.Errorf("%s passed", passed)
	}
}

func TestDelayEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s := open(t, kit.Options{})
	if err := s.Inject(kit.Fault{Match: "POST /slow", Action: "delay:1h"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", s.url+"/slow", bytes.NewReader(make([]byte, 1<<16)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("the answer came")
	}
	// Otherwise the server's cleanup would wait for one hour.
}
