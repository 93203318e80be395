package httpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/infrastructure/httpserver"
)

// client is a connection to a server.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func connect(t *testing.T, l net.Listener) *client {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &client{t, conn, bufio.NewReader(conn)}
}

// send writes text. The server may have refused it already.
func (c *client) send(text string) { _, _ = io.WriteString(c.conn, text) }

func (c *client) status() int {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// TestHeadersShareABudget holds long headers that never become complete. Other long
// headers are then refused, and ordinary requests are not.
func TestHeadersShareABudget(t *testing.T) {
	t.Parallel()
	const long, held = 16 << 10, 4
	l := listen(t)
	const budget = held * (long - httpserver.FreeHeader)
	limited := httpserver.Limit(l, budget)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- limited.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	}()
	await := func(what string, want int64) {
		t.Helper()
		deadline, tick := time.After(30*time.Second), time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for limited.Left() != want {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatalf("%s: %d bytes of the budget are left, want %d", what, limited.Left(), want)
			}
		}
	}
	request := func(size int) string {
		head := "GET / HTTP/1.1\r\nHost: x\r\nX-A: "
		return head + strings.Repeat("a", size-len(head)-4) + "\r\n\r\n"
	}
	var open []*client
	for range held {
		c := connect(t, l)
		c.send(request(long + 4)[:long])
		open = append(open, c)
	}
	await("held headers", 0)
	ordinary := connect(t, l)
	for range 3 { // of one connection
		ordinary.send(request(httpserver.FreeHeader))
		if got := ordinary.status(); got != http.StatusOK {
			t.Errorf("an ordinary request gets %d", got)
		}
	}
	// A long body is no header.
	ordinary.send(fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", 1<<20, strings.Repeat("b", 1<<20)))
	if got := ordinary.status(); got != http.StatusOK {
		t.Errorf("a body gets %d", got)
	}
	another := connect(t, l)
	another.send(request(long)[:httpserver.FreeHeader+1])
	if got := another.status(); got != http.StatusServiceUnavailable {
		t.Errorf("a long header gets %d", got)
	}
	for _, c := range open {
		_ = c.conn.Close()
	}
	await("closed connections", budget)
	for range 3 * held {
		c := connect(t, l)
		c.send(request(long))
		if got := c.status(); got != http.StatusOK {
			t.Errorf("a long header gets %d after the others", got)
		}
	}
	await("completed requests", budget)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestTooLongHeaderIsRefused(t *testing.T) {
	t.Parallel()
	l := listen(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	lengths := make(chan int, 2)
	go func() {
		ended <- httpserver.Limit(l, 1<<30).Serve(ctx, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { lengths <- len(r.Header.Get("X-A")) }))
	}()
	for _, size := range []int{40 << 10, 30 << 10} {
		c := connect(t, l)
		c.send("GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", size) + "\r\n\r\n")
		if resp, err := http.ReadResponse(c.in, nil); err == nil {
			_ = resp.Body.Close()
		}
		_ = c.conn.Close()
	}
	if got := <-lengths; got != 30<<10 || len(lengths) > 0 {
		t.Errorf("a header of %d bytes is accepted", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
