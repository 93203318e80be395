package gdrive

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// message is one call to a channel's address.
type message struct {
	address string
	header  http.Header
}

// outbox calls channels one after another, in the order of the events. A failed call is lost. The
// provider retries some of them, but clients must not rely on that.
type outbox struct {
	queue  chan message
	client *http.Client
	stop   context.CancelFunc
	done   sync.WaitGroup
}

func newOutbox(transport http.RoundTripper, size int) *outbox {
	const callTimeout = 10 * time.Second
	ctx, stop := context.WithCancel(context.Background())
	o := &outbox{
		queue: make(chan message, size), stop: stop,
		client: &http.Client{
			Transport: transport, Timeout: callTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	o.done.Add(1)
	go o.run(ctx)
	return o
}

// send queues a message, or drops it if the queue is full.
func (o *outbox) send(m message) {
	select {
	case o.queue <- m:
	default:
	}
}

func (o *outbox) run(ctx context.Context) {
	defer o.done.Done()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-o.queue:
			o.post(ctx, m)
		}
	}
}

func (o *outbox) post(ctx context.Context, m message) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.address, http.NoBody)
	if err != nil {
		return // an address that cannot be called
	}
	req.Header = m.header
	if resp, err := o.client.Do(req); err == nil {
		_ = resp.Body.Close() // the response is ignored
	}
}

func (o *outbox) close() {
	o.stop()
	o.done.Wait()
}
