package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/gen/common"
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
	status, _, _ := c.response()
	return status
}

func (c *client) response() (status int, h http.Header, body []byte) {
	c.t.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Error(err)
		return 0, nil, nil
	}
	defer resp.Body.Close()
	body, _ = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, body
}

// pipes is a listener for connections within the process. A write to one returns once
// the server has read all of it, so that a test decides what each read returns.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

func (p *pipes) connect(t *testing.T) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	if err := ours.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p.conns <- theirs
	return &client{t, ours, bufio.NewReader(ours)}
}

// TestNoBudgetForOrdinaryHeaders sends requests to a server without a budget. Only long
// headers and those with many lines are refused, however their bytes arrive.
func TestNoBudgetForOrdinaryHeaders(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := newPipes()
	limited := httpserver.Limit(l, 0, slog.New(slog.NewJSONHandler(&log, nil)))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- limited.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	}()
	body := strings.Repeat("{\n", 4<<10)
	post := func(size int) string { // with its body
		head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nX-A: ", len(body))
		return head + strings.Repeat("a", size-len(head)-4) + "\r\n\r\n" + body
	}
	lines := func(n int) string {
		return "GET / HTTP/1.1\nHost: x\n" + strings.Repeat("AAA:\n", n-3) + "\n"
	}
	for what, c := range map[string]struct {
		request string
		cut     int // bytes of the first segment; 0 for one segment
		want    int
	}{
		"a header in two segments":        {post(1465), 1400, http.StatusOK},
		"an empty line in two segments":   {post(1465), 1463, http.StatusOK},
		"a header of the free length":     {post(httpserver.FreeHeader), 1400, http.StatusOK},
		"a header and its body":           {post(1465), 0, http.StatusOK},
		"the free number of lines":        {lines(httpserver.FreeLines), 0, http.StatusOK},
		"a line too many":                 {lines(httpserver.FreeLines + 1), 0, http.StatusServiceUnavailable},
		"a line too many in two segments": {lines(httpserver.FreeLines + 1), 100, http.StatusServiceUnavailable},
		"a byte too many":                 {post(httpserver.FreeHeader + 1), 1400, http.StatusServiceUnavailable},
		"a folded field":                  {"GET / HTTP/1.1\nHost: x\nA: b\n \n" + strings.Repeat("AAA:\n", httpserver.FreeLines) + "\n", 0, http.StatusServiceUnavailable},
	} {
		t.Run(what, func(t *testing.T) {
			conn := l.connect(t)
			go func() { // a refused request is not read to its end
				conn.send(c.request[:c.cut])
				conn.send(c.request[c.cut:])
			}()
			status, header, body := conn.response()
			if status != c.want {
				t.Errorf("got %d, want %d", status, c.want)
			}
			if status == http.StatusServiceUnavailable {
				checkEnvelope(t, header, body)
			}
		})
	}
	// A connection is used again, also with the empty line that old clients send after a POST.
	conn := l.connect(t)
	for _, request := range []string{post(1465), "\r\n" + post(1465), "\r\n" + lines(httpserver.FreeLines-1)} {
		go conn.send(request)
		if got := conn.status(); got != http.StatusOK {
			t.Errorf("a further request gets %d", got)
		}
	}
	go conn.send("\r\n\r\n" + lines(httpserver.FreeLines))
	if got := conn.status(); got != http.StatusServiceUnavailable {
		t.Errorf("many lines after empty ones get %d", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := strings.Count(log.String(), `"level":"WARN"`); got != 1 {
		t.Errorf("%d warnings, want one each minute: %s", got, &log)
	}
}

// checkEnvelope checks that a refusal has the format of every error.
func checkEnvelope(t *testing.T, h http.Header, body []byte) {
	t.Helper()
	var got common.ErrorEnvelope
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if got.Error.Code != string(fault.CodeUnavailable) || got.Error.Message == "" || got.Error.Details.RequestId.String() != h.Get("X-Request-Id") ||
		h.Get("Content-Type") != "application/json" || h.Get("Retry-After") == "" {
		t.Errorf("the refusal is %v %s", h, body)
	}
}

// TestHeadersShareABudget holds long headers that never become complete. Other long
// headers are then refused, and ordinary requests are not.
func TestHeadersShareABudget(t *testing.T) {
	t.Parallel()
	const long, held = 16 << 10, 4
	l := listen(t)
	const budget = held * (long - httpserver.FreeHeader)
	limited := httpserver.Limit(l, budget, slog.New(slog.DiscardHandler))
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
	// Body bytes that arrive with the end of the header are no header.
	two := connect(t, l)
	two.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16384\r\nX-A: " + strings.Repeat("a", 1400))
	two.send("\r\n\r\n" + strings.Repeat("b", 16384))
	if got := two.status(); got != http.StatusOK {
		t.Errorf("a header in two segments gets %d", got)
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
		ended <- httpserver.Limit(l, 1<<30, slog.New(slog.DiscardHandler)).Serve(ctx, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { lengths <- len(r.Header.Get("X-A")) }))
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
