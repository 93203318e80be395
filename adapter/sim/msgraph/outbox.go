package msgraph

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const maxNotifications = 1000 // number of recorded attempts

// outbox sends notifications at least once, without a defined order. It retries after a failure.
type outbox struct {
	server *Server
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu      sync.Mutex
	log     []Notification
	flying  int                        // attempts in progress
	waiting map[*notification]struct{} // waiting for their next attempt
	changed chan struct{}              // closed when an attempt ends
}

// Notification is the result of one attempt.
type Notification struct {
	At           time.Time `json:"at"`
	Subscription string    `json:"subscription"`
	Address      string    `json:"address"`
	Status       int       `json:"status"` // 0: no response
}

// notification is a notification that is being sent.
type notification struct {
	subscription, address string
	body                  []byte
	retries               []time.Duration
	timeout               time.Duration
	due                   time.Time // of the next attempt
}

func newOutbox(s *Server) *outbox {
	o := &outbox{server: s, client: s.options.HTTPClient, changed: make(chan struct{}), waiting: map[*notification]struct{}{}}
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

// send starts sending a notification. The caller holds the server's lock.
func (o *outbox) send(to *subscription, body []byte) {
	if o.ctx.Err() != nil {
		return
	}
	n := &notification{
		subscription: to.id, address: to.address, body: body,
		retries: o.server.limits.NotificationRetries, timeout: o.server.limits.NotificationTimeout,
	}
	o.mu.Lock()
	o.flying++
	o.mu.Unlock()
	o.ended.Go(func() { o.deliver(n) })
}

// deliver retries until an attempt succeeds or no attempt is left.
func (o *outbox) deliver(n *notification) {
	for !o.note(n, o.attempt(n)) && o.server.Kit.Clock.Wait(o.ctx, n.due) == nil {
		o.mu.Lock()
		delete(o.waiting, n)
		o.flying++
		o.mu.Unlock()
	}
}

// note records the result of an attempt and reports whether it was the last one.
func (o *outbox) note(n *notification, status int) (last bool) {
	now := o.server.Kit.Clock.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, Notification{now, n.subscription, n.address, status})
	o.log = o.log[max(0, len(o.log)-maxNotifications):]
	o.flying--
	close(o.changed)
	o.changed = make(chan struct{})
	if status >= 200 && status < 300 || len(n.retries) == 0 {
		return true
	}
	n.due, n.retries = now.Add(n.retries[0]), n.retries[1:]
	o.waiting[n] = struct{}{}
	return false
}

// attempt returns the status of the response; 0 for none.
func (o *outbox) attempt(n *notification) int {
	ctx, cancel := context.WithTimeout(o.ctx, n.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.address, bytes.NewReader(n.body))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := o.client.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be reused
	_ = resp.Body.Close()
	return resp.StatusCode
}

// drain waits until no notification is due or being sent.
func (o *outbox) drain(ctx context.Context) error {
	for {
		now := o.server.Kit.Clock.Now()
		o.mu.Lock()
		busy, changed := o.flying > 0, o.changed
		for n := range o.waiting {
			busy = busy || !n.due.After(now)
		}
		o.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("notifications are still being sent: %w", ctx.Err())
		}
	}
}

// Notifications returns the latest attempts, oldest first.
func (s *Server) Notifications() []Notification {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return slices.Clone(s.out.log)
}
