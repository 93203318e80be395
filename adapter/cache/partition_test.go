package cache_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"docledger/test/lib/redis"

	"github.com/google/uuid"
	client "github.com/redis/go-redis/v9"
)

// wire is a proxy to a server that can be disconnected.
type wire struct {
	listener net.Listener
	network  string
	target   string

	mu   sync.Mutex
	cut  bool
	open []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	options, err := client.ParseURL(to)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{network: options.Network, target: options.Addr}
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.listener.Close()
		w.set(true)
	})
	go func() {
		for {
			from, err := w.listener.Accept()
			if err != nil {
				return
			}
			w.connect(from)
		}
	}()
	return w
}

func (w *wire) connect(from net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		from.Close()
		return
	}
	to, err := net.Dial(w.network, w.target)
	if err != nil {
		from.Close()
		return
	}
	w.open = append(w.open, from, to)
	for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1]) // until either side closes
			pair[0].Close()
		}()
	}
}

// set disconnects or reconnects the wire.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

func (w *wire) url(to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: "redis", User: u.User, Host: w.listener.Addr().String()}).String()
}

// TestStaleRecordIsNotUsedAfterReconnect checks a server that is unreachable when an
// event arrives and reachable afterwards, with the old record.
func TestStaleRecordIsNotUsedAfterReconnect(t *testing.T) {
	t.Parallel()
	server := redis.URL(t)
	w := newWire(t, server)
	r, org := openRedis(t, w.url(server)), uuid.New()
	if got := loaded(t, r, org, "old"); got != "old" {
		t.Fatalf("the plan is %q", got)
	}
	w.set(true)
	if err := r.Invalidate(t.Context(), org); err == nil {
		t.Fatal("the proxy is still connected")
	}
	if got := loaded(t, r, org, "new"); got != "new" {
		t.Errorf("while the server is unreachable the plan is %q", got)
	}
	w.set(false)
	for _, c := range []string{"new", "newer"} {
		if got := loaded(t, r, org, c); got != "new" {
			t.Errorf("after the reconnect the plan is %q", got)
		}
	}
	if got := loaded(t, openRedis(t, server), org, "newer"); got != "new" {
		t.Errorf("another process reads %q", got)
	}
}
