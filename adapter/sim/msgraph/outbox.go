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

const maxNotifications = 1000 // that are remembered

// outbox sends notifications: at least once, again after a failure, in no
// certain order.
type outbox struct {
	server *Server
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu      sync.Mutex
	log     []Notification
	flying  int                        // attempts that are on their way
	waiting map[*notification]struct{} // for their next attempt
	changed chan struct{}              // closed when an attempt ends
}

// Notification tells how one attempt went.
type Notification struct {
	At           time.Time `json:"at"`
	Subscription string    `json:"subscription"`
	Address      string    `json:"address"`
	Status       int       `json:"status"` // 0: no answer
}

// notification is on its way.
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

// send starts a notification on its way; the server's lock is held.
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

// deliver tries until an attempt is answered with success, or there were all of
// them.
func (o *outbox) deliver(n *notification) {
	for !o.note(n, o.attempt(n)) && o.server.Kit.Clock.Wait(o.ctx, n.due) == nil {
		o.mu.Lock()
		delete(o.waiting, n)
		o.flying++
		o.mu.Unlock()
	}
}

// note keeps how an attempt went and says whether it was the last one.
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

// attempt returns the status of the answer, or 0.
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
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // for the connection's sake
	_ = resp.Body.Close()
	return resp.StatusCode
}

// drain waits until nothing is due or on its way.
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
			return fmt.Errorf("notifications are still on their way: %w", ctx.Err())
		}
	}
}

// Notifications are the latest attempts, oldest first.
func (s *Server) Notifications() []Notification {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return slices.Clone(s.out.log)
}
