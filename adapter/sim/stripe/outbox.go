package stripe

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const maxReports = 1000

// outbox sends webhooks at least once, without a defined order. It retries after a failure.
type outbox struct {
	server *Server
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu      sync.Mutex
	waiting []*delivery
	flying  int
	reports []report
	changed chan struct{} // closed at each change of the queued or current deliveries
}

type delivery struct {
	event    *event
	endpoint *webhookEndpoint
	attempt  int
	due      time.Time
}

// report is the result of one attempt.
type report struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	Type    string    `json:"type"`
	URL     string    `json:"url"`
	Attempt int       `json:"attempt"`
	Status  int       `json:"status"` // 0: no response
}

func newOutbox(s *Server) *outbox {
	o := &outbox{server: s, client: s.options.Client, changed: make(chan struct{})}
	if o.client == nil {
		o.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	o.ended.Go(o.run)
	return o
}

func (o *outbox) close() {
	o.cancel()
	o.ended.Wait()
}

func (o *outbox) put(e *event, w *webhookEndpoint, due time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, &delivery{event: e, endpoint: w, due: due})
	o.signal()
}

// signal wakes all waiting goroutines. The caller holds the lock.
func (o *outbox) signal() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// run starts deliveries when they are due.
func (o *outbox) run() {
	for o.ctx.Err() == nil {
		o.mu.Lock()
		changed := o.changed
		next := o.start()
		o.mu.Unlock()
		waited, stop := context.WithCancel(o.ctx)
		go func() {
			select {
			case <-changed:
				stop()
			case <-waited.Done():
			}
		}()
		if next.IsZero() {
			<-waited.Done()
		} else {
			_ = o.server.Kit.Clock.Wait(waited, next) // in both cases the queue must be checked
		}
		stop()
	}
}

// start sends the due deliveries. It returns the time of the next one, zero if only a change can
// make one due. The caller holds the lock.
func (o *outbox) start() (next time.Time) {
	now := o.server.Kit.Clock.Now()
	most := max(o.server.limits.WebhooksAtOnce, 1)
	var left []*delivery
	for _, d := range o.waiting {
		switch {
		case d.due.After(now):
			left = append(left, d)
			if next.IsZero() || d.due.Before(next) {
				next = d.due
			}
		case o.flying >= most:
			left = append(left, d)
		default:
			o.flying++
			o.ended.Go(func() { o.send(d) })
		}
	}
	o.waiting = left
	return next
}

func (o *outbox) send(d *delivery) {
	status := o.attempt(d)
	delivered := status >= 200 && status < 300
	o.server.mu.Lock()
	if delivered && d.event.pending > 0 {
		d.event.pending--
	}
	o.server.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flying--
	now := o.server.Kit.Clock.Now()
	o.reports = append(o.reports, report{now, d.event.ID, d.event.kind, d.endpoint.URL, d.attempt + 1, status})
	o.reports = o.reports[max(0, len(o.reports)-maxReports):]
	if retries := o.server.limits.WebhookRetries; !delivered && d.attempt < len(retries) && o.ctx.Err() == nil {
		o.waiting = append(o.waiting, &delivery{d.event, d.endpoint, d.attempt + 1, now.Add(retries[d.attempt])})
	}
	o.signal()
}

// attempt returns the status of the response; 0 for none.
func (o *outbox) attempt(d *delivery) int {
	ctx, cancel := o.ctx, context.CancelFunc(func() {})
	if timeout := o.server.limits.WebhookTimeout; timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	o.server.mu.Lock()
	body := write(o.server.renderEvent(d.event, string(d.endpoint.APIVersion)))
	url, secrets := d.endpoint.URL, slices.Clone(d.endpoint.secrets)
	o.server.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
	req.Header.Set("Stripe-Signature", Sign(body, o.server.Kit.Clock.Now(), secrets...))
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
		o.mu.Lock()
		now, changed := o.server.Kit.Clock.Now(), o.changed
		busy := o.flying > 0 || slices.ContainsFunc(o.waiting, func(d *delivery) bool { return !d.due.After(now) })
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

func (o *outbox) report() any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return map[string]any{"waiting": len(o.waiting), "in_flight": o.flying, "attempts": slices.Clone(o.reports)}
}

// Sign returns the signature header of a webhook's body with one signature for each secret.
func Sign(body []byte, at time.Time, secrets ...string) string {
	seconds := fmt.Sprint(at.Unix())
	header := []string{"t=" + seconds}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(seconds + "."))
		mac.Write(body)
		header = append(header, "v1="+hex.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(header, ",")
}

// Payload returns the body of an event in a version of the API ("" for Version), for tests that
// deliver events themselves.
func (s *Server) Payload(eventID, version string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := find[*event](s, eventID)
	if !ok {
		return nil, false
	}
	return write(s.renderEvent(e, version)), true
}

func write(v any) []byte {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // maps and strings only
	}
	return body
}
