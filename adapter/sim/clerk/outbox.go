package clerk

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"docledger/adapter/sim/kit/oidc"
)

const maxMessages = 1000

// outbox sends webhooks at least once, without a defined order. It retries after a failure under
// the same id.
type outbox struct {
	server *Server
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu       sync.Mutex
	messages []*message
	flying   int                    // attempts in progress
	waiting  map[*delivery]struct{} // waiting for their next attempt
	changed  chan struct{}          // closed when an attempt ends
}

// message is one event for every endpoint.
type message struct {
	ID       string    `json:"id"`
	Type     string    `json:"type"`
	Attempts []attempt `json:"attempts"`
	body     []byte
}

// delivery is a message for one endpoint.
type delivery struct {
	message  *message
	endpoint Endpoint
	attempts int
	due      time.Time // of the next one
}

// attempt is the result of one delivery.
type attempt struct {
	At     time.Time `json:"at"`
	URL    string    `json:"url"`
	Status int       `json:"status"` // 0: no response
}

func newOutbox(s *Server) *outbox {
	o := &outbox{server: s, client: s.options.HTTPClient, changed: make(chan struct{}), waiting: map[*delivery]struct{}{}}
	if o.client == nil {
		o.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

func (o *outbox) close() {
	o.cancel()
	o.ended.Wait()
}

// emit sends an event to the endpoints. The caller holds the server's lock.
func (s *Server) emit(kind string, data any) string {
	m := &message{ID: newID("msg"), Type: kind, body: oidc.JSON(map[string]any{
		"object": "event", "type": kind, "instance_id": "ins_simulated", "timestamp": s.stamp().UnixMilli(),
		"event_attributes": map[string]any{"http_request": map[string]any{"client_ip": "127.0.0.1", "user_agent": "simulator"}},
		"data":             data,
	})}
	s.out.mu.Lock()
	s.out.messages = append(s.out.messages, m)
	s.out.messages = s.out.messages[max(0, len(s.out.messages)-maxMessages):]
	s.out.mu.Unlock()
	s.out.send(m)
	return m.ID
}

// send starts the deliveries of a message. The caller holds the server's lock.
func (o *outbox) send(m *message) {
	if o.ctx.Err() != nil {
		return
	}
	for _, e := range o.server.options.Endpoints {
		o.mu.Lock()
		o.flying++
		o.mu.Unlock()
		o.ended.Go(func() { o.deliver(&delivery{message: m, endpoint: e}) })
	}
}

// deliver retries until an attempt succeeds or no attempt is left.
func (o *outbox) deliver(d *delivery) {
	for {
		if o.note(d, o.attempt(d.message, d.endpoint)) {
			return
		}
		if o.server.Kit.Clock.Wait(o.ctx, d.due) != nil {
			return
		}
		o.mu.Lock()
		delete(o.waiting, d)
		o.flying++
		o.mu.Unlock()
	}
}

// note records the result of an attempt and reports whether it was the last one.
func (o *outbox) note(d *delivery, status int) (last bool) {
	now, retries := o.server.Kit.Clock.Now(), o.server.limits.WebhookRetries
	o.mu.Lock()
	defer o.mu.Unlock()
	d.message.Attempts = append(d.message.Attempts, attempt{now, d.endpoint.URL, status})
	o.flying--
	close(o.changed)
	o.changed = make(chan struct{})
	if status >= 200 && status < 300 || d.attempts >= len(retries) {
		return true
	}
	d.due = now.Add(retries[d.attempts])
	d.attempts++
	o.waiting[d] = struct{}{}
	return false
}

// attempt returns the status of the response; 0 for none.
func (o *outbox) attempt(m *message, e Endpoint) int {
	ctx, cancel := context.WithTimeout(o.ctx, o.server.limits.WebhookTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(m.body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Svix-Webhooks/1.0")
	for name, value := range Signature(m.ID, m.body, o.server.stamp(), e.Secrets...) {
		req.Header.Set(name, value)
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)) // so that the connection can be reused
	_ = resp.Body.Close()
	return resp.StatusCode
}

// drain waits until no webhook is due or being sent.
func (o *outbox) drain(ctx context.Context) error {
	for {
		now := o.server.Kit.Clock.Now()
		o.mu.Lock()
		busy, changed := o.flying > 0, o.changed
		for d := range o.waiting {
			busy = busy || !d.due.After(now)
		}
		o.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("webhooks are still on their way: %w", ctx.Err())
		}
	}
}

func (o *outbox) report() []message {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []message{}
	for _, m := range o.messages {
		out = append(out, message{ID: m.ID, Type: m.Type, Attempts: slices.Clone(m.Attempts)})
	}
	return out
}

func (o *outbox) find(id string) *message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return find(o.messages, func(m *message) bool { return m.ID == id })
}

// Signature returns the headers of a webhook with one signature for each secret. A secret is
// whsec_ and base64.
func Signature(id string, body []byte, at time.Time, secrets ...string) map[string]string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			panic("a webhook secret is not whsec_ and base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + seconds + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return map[string]string{
		"Svix-Id": id, "Svix-Timestamp": seconds, "Svix-Signature": strings.Join(signatures, " "),
	}
}
