package webhook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/httpapi/spectest"
	"docledger/adapter/webhook"
	"docledger/domain/fault"
	"docledger/domain/identity"
	domain "docledger/domain/inbox"
	"docledger/usecase/inbox"
)

const secret = "a secret of the tests"

var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

type clock struct{}

func (clock) Now() time.Time { return noon }

type noCredential struct{}

func (noCredential) Authenticate(context.Context, string) (identity.Actor, error) {
	return identity.Actor{}, errors.New("webhooks have no bearer")
}

// verify is that of a sender with one header: the signature in hexadecimal.
func verify(header map[string][]string, body []byte, now time.Time) (inbox.Event, error) {
	if !now.Equal(noon) {
		return inbox.Event{}, errors.New("asked at another time than the clock's")
	}
	if http.Header(header).Get("Svix-Signature") != sign(body) {
		return inbox.Event{}, fault.New(fault.Invalid, fault.CodeInvalidSignature, "The webhook's signature is not valid: no signing secret fits.")
	}
	var event struct{ ID, Type string }
	if err := json.Unmarshal(body, &event); err != nil {
		return inbox.Event{OccurredAt: noon, Body: body, Unreadable: "it is no event"}, nil
	}
	return inbox.Event{ID: event.ID, Type: event.Type, OccurredAt: noon, Body: body}, nil
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// store stores its input unless it is set to fail.
type store struct {
	fails error

	mu   sync.Mutex
	kept []kept
}

type kept struct {
	sender domain.Sender
	event  inbox.Event
}

func (s *store) Receive(_ context.Context, sender domain.Sender, e inbox.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return s.fails
	}
	s.kept = append(s.kept, kept{sender, e})
	return nil
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

type world struct {
	t      *testing.T
	server *httptest.Server
	store  *store
	log    *lines
}

func start(t *testing.T, fails error, change ...func(*webhook.Receiver)) *world {
	t.Helper()
	return startWith(t, time.Minute, fails, change...)
}

// startWith starts a receiver that reads a body for at most a time.
func startWith(t *testing.T, limit time.Duration, fails error, change ...func(*webhook.Receiver)) *world {
	t.Helper()
	w := &world{t: t, store: &store{fails: fails}, log: &lines{}}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	r := &webhook.Receiver{
		Inbox:   w.store,
		Senders: map[domain.Sender]webhook.Verify{domain.Payments: verify, domain.Identity: verify},
		Clock:   clock{}, Log: log, WriteError: edge.WriteError,
	}
	for _, c := range change {
		c(r)
	}
	engine, err := edge.NewEngine(edge.Options{
		Authenticator: noCredential{}, Logger: log, Limits: edge.Limits{JSONBytes: 64, Timeout: limit},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Register(engine)
	w.server = httptest.NewServer(edge.Handler(engine))
	t.Cleanup(w.server.Close)
	return w
}

// send delivers a body and compares the response with the specification.
func (w *world) send(path string, body io.Reader, header http.Header) (status int, code string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header = header
	resp, err := w.server.Client().Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	spectest.New(w.t).Check(w.t, req, resp, raw)
	var envelope struct{ Error struct{ Code string } }
	if err := json.Unmarshal(raw, &envelope); err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, envelope.Error.Code
}

func signed(body string) http.Header {
	return http.Header{"Svix-Signature": {sign([]byte(body))}, "Content-Type": {"application/json"}}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	down := errors.New("the database is away")
	const (
		payments = "/webhook/payments"
		people   = "/webhook/identity"
		event    = `{"id":"evt_1","type":"customer.subscription.updated","who":"Ada"}`
	)
	only := func(sender domain.Sender) func(*webhook.Receiver) {
		return func(r *webhook.Receiver) { delete(r.Senders, sender) }
	}
	none := func(*webhook.Receiver) {}
	unsigned := http.Header{"Content-Type": {"application/json"}}
	for name, test := range map[string]struct {
		path   string
		body   string
		header http.Header
		fails  error
		change func(*webhook.Receiver)
		status int
		code   string
	}{
		"kept":                       {payments, event, signed(event), nil, none, 200, ""},
		"kept of the other":          {people, event, signed(event), nil, none, 200, ""},
		"without signature":          {payments, event, unsigned, nil, none, 400, "invalid_signature"},
		"signed for another body":    {payments, event, signed(event + " "), nil, none, 400, "invalid_signature"},
		"two signatures":             {people, event, http.Header{"Svix-Signature": {sign([]byte(event)), "x"}}, nil, none, 400, "invalid_signature"},
		"signed, but no event":       {payments, `[`, signed(`[`), nil, none, 200, ""},
		"nothing":                    {payments, ``, unsigned, nil, none, 400, "invalid_signature"},
		"too large":                  {payments, strings.Repeat("x", 1<<20+1), unsigned, nil, none, 400, "payload_too_large"},
		"as large as may be":         {payments, strings.Repeat("x", 1<<20), unsigned, nil, none, 400, "invalid_signature"},
		"payments not configured":    {payments, event, signed(event), nil, only(domain.Payments), 404, "not_found"},
		"identity not configured":    {people, event, unsigned, nil, only(domain.Identity), 404, "not_found"},
		"one is not the other":       {people, event, signed(event), nil, only(domain.Payments), 200, ""},
		"critical, not kept":         {payments, event, signed(event), down, none, 500, "internal"},
		"critical, kept too late":    {payments, event, signed(event), context.DeadlineExceeded, none, 500, "internal"},
		"critical of another sender": {people, event, signed(event), down, none, 200, ""},
		"forged, not kept":           {payments, event, unsigned, down, none, 400, "invalid_signature"},
		"critical, queue down": {payments, event, signed(event),
			fault.New(fault.Unavailable, fault.CodeUnavailable, "Later."), none, 500, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, test.fails, test.change)
			status, code := w.send(test.path, strings.NewReader(test.body), test.header)
			if status != test.status || code != test.code {
				t.Errorf("returned %d %q, want %d %q", status, code, test.status, test.code)
			}
			want := 0
			if test.status == 200 && test.fails == nil {
				want = 1
			}
			if len(w.store.kept) != want {
				t.Errorf("%d events kept, want %d", len(w.store.kept), want)
			}
			if log := w.log.String(); strings.Contains(log, "Ada") || test.fails != nil && test.code != "invalid_signature" && !strings.Contains(log, "evt_1") {
				t.Errorf("the log holds a body, or not the event's id:\n%s", log)
			}
		})
	}
}

// TestOnlyTheSixAreRepeated plays every event of the contract and others while
// nothing can be kept.
func TestOnlyTheSixAreRepeated(t *testing.T) {
	t.Parallel()
	w := start(t, errors.New("the database is away"))
	for path, types := range map[string]map[string]int{
		"/webhook/payments": {
			"customer.subscription.created": 500, "customer.subscription.updated": 500,
			"customer.subscription.deleted": 500, "customer.subscription.resumed": 500,
			"customer.subscription.paused": 200, "invoice.paid": 200, "organization.created": 200, "": 200,
		},
		"/webhook/identity": {
			"organization.created": 500, "organization.updated": 500,
			"organization.deleted": 200, "user.created": 200, "customer.subscription.created": 200,
		},
	} {
		for name, want := range types {
			body := `{"id":"e","type":"` + name + `"}`
			if status, _ := w.send(path, strings.NewReader(body), signed(body)); status != want {
				t.Errorf("%s %q: %d, want %d", path, name, status, want)
			}
		}
	}
}

// TestBytesStayAsTheyWereSigned sends bodies that any decoding would change.
func TestBytesStayAsTheyWereSigned(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	bodies := []string{
		"{\"id\" : \"1\",\r\n\t\"type\":\"a\", \"n\": 1.0}\n\n",
		`{"id":"2","type":"b","type":"b","k":1,"k":2}`,
		`{"id":"3","type":"caf\u00e9","x":"é"}`,
		"{\"id\":\"4\",\"type\":\"\xff\xfe\"}",
		`{"id":"5","type":"` + strings.Repeat("y", 500_000) + `"}`,
	}
	for _, body := range bodies {
		header := signed(body)
		header.Set("Content-Type", "text/plain; charset=latin1")
		header.Set("Content-Encoding", "identity, x")
		if status, code := w.send("/webhook/payments?x=%zz", strings.NewReader(body), header); status != 200 {
			t.Errorf("%.60q: %d %s", body, status, code)
		}
	}
	for i, k := range w.store.kept {
		if string(k.event.Body) != bodies[i] || k.sender != domain.Payments {
			t.Errorf("kept %.60q of %s, sent %.60q", k.event.Body, k.sender, bodies[i])
		}
	}
	if len(w.store.kept) != len(bodies) {
		t.Errorf("%d events kept, want %d", len(w.store.kept), len(bodies))
	}
}

// TestLimitIsConfigured also covers a body without a stated size.
func TestLimitIsConfigured(t *testing.T) {
	t.Parallel()
	w := start(t, nil, func(r *webhook.Receiver) { r.MaxBytes = 40 })
	for length, want := range map[int]string{39: "", 40: "", 41: "payload_too_large", 4000: "payload_too_large"} {
		body := `{"id":"1","type":"a","x":"` + strings.Repeat("z", length-28) + `"}`
		for _, r := range []io.Reader{strings.NewReader(body), io.MultiReader(strings.NewReader(body))} {
			if _, code := w.send("/webhook/identity", r, signed(body)); code != want {
				t.Errorf("%d bytes: %q, want %q", length, code, want)
			}
		}
	}
}

// TestSlowBodyIsCutOff sends half an event and then nothing.
func TestSlowBodyIsCutOff(t *testing.T) {
	t.Parallel()
	w := startWith(t, 300*time.Millisecond, nil)
	half, rest := io.Pipe()
	t.Cleanup(func() { _ = rest.Close() })
	go func() { _, _ = rest.Write([]byte(`{"id":"1",`)) }()
	if status, code := w.send("/webhook/payments", half, signed("")); status != 400 || code != "invalid_request" {
		t.Errorf("returned %d %q, want 400 invalid_request", status, code)
	}
	if len(w.store.kept) != 0 {
		t.Error("half an event was kept")
	}
}
