package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	// freeHeader is what the header of a request needs no budget for. It fits into
	// the buffer that each connection has.
	freeHeader = 4 << 10
	// freeLines is the number of lines of a header that need no budget.
	freeLines = 64
	// lineMemory is what each further line takes beyond its bytes: a field of a few
	// bytes is an entry of a map, with two strings and a slice.
	lineMemory = 128
	// headerMemory is the budget of all headers beyond freeHeader and freeLines.
	headerMemory = 32 << 20
	refusalTime  = time.Second
	// warnEvery limits the warnings of refused requests.
	warnEvery = time.Minute
)

// headerBudget is the memory that headers may take at the same time.
type headerBudget struct {
	left   atomic.Int64
	warned atomic.Int64 // when, in nanoseconds
}

func newHeaderBudget(bytes int64) *headerBudget {
	b := &headerBudget{}
	b.left.Store(bytes)
	return b
}

// take returns false if fewer than n bytes are left.
func (b *headerBudget) take(n int64) bool {
	if b.left.Add(-n) < 0 {
		b.left.Add(n)
		return false
	}
	return true
}

// warn reports whether a refusal at this time is to be logged.
func (b *headerBudget) warn(now time.Time) bool {
	last := b.warned.Load()
	return now.UnixNano()-last >= int64(warnEvery) && b.warned.CompareAndSwap(last, now.UnixNano())
}

// processHeaders is the budget of all servers of the process.
var processHeaders = newHeaderBudget(headerMemory)

// headerListener limits the memory of the headers of all connections, so that
// connections with long headers that never become complete do not use up the
// memory of the process. Requests with headers of at most freeHeader bytes and
// freeLines lines are never refused.
type headerListener struct {
	net.Listener
	budget *headerBudget
	log    *slog.Logger
}

func limitHeaders(l net.Listener, budget *headerBudget, log *slog.Logger) *headerListener {
	return &headerListener{Listener: l, budget: budget, log: log}
}

// Accept implements net.Listener.
func (l *headerListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	limitUnsent(c)
	return &headerConn{Conn: c, listener: l, header: true}, nil
}

// state is the http.Server.ConnState of the connections.
func (l *headerListener) state(c net.Conn, s http.ConnState) {
	if h, ok := c.(*headerConn); ok {
		h.enter(s)
	}
}

// headerConn counts what it reads of the header of a request. The header stays
// in memory until the request ends.
type headerConn struct {
	net.Conn
	listener *headerListener

	mu     sync.Mutex
	header bool // the next bytes belong to a header
	begun  bool // the header has a line that is not empty
	line   line
	read   int64
	lines  int64
	taken  int64 // of the budget
	closed bool
}

// line is what the current line of a header consists of.
type line int

const (
	empty line = iota
	onlyCR
	text
)

// errHeaders is a failed read, for which the server closes the connection
// without a response.
var errHeaders = &net.OpError{Op: "read", Err: errors.New("memory for headers used up")}

// refusal is the response to a header beyond the budget, in the format of every error.
func refusal() string {
	id := uuid.Must(uuid.NewV7()).String()
	body := `{"error":{"code":"unavailable","message":"Too many requests with long headers wait at the moment. Retry the request after Retry-After.","details":{"request_id":"` + id + `"}}}`
	return fmt.Sprintf("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nX-Request-Id: %s\r\n"+
		"Retry-After: 1\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", id, len(body), body)
}

// Read implements net.Conn.
func (c *headerConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.count(p[:n]) {
		if c.listener.budget.warn(time.Now()) {
			c.listener.log.WarnContext(context.Background(), "request refused: the headers of requests use up their memory", "remote_address", c.RemoteAddr().String())
		}
		_ = c.SetWriteDeadline(time.Now().Add(refusalTime))
		_, _ = io.WriteString(c.Conn, refusal())
		return 0, errHeaders
	}
	return n, err
}

// ReadFrom lets the system copy a file to the connection.
func (c *headerConn) ReadFrom(r io.Reader) (int64, error) {
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// CloseWrite lets the server end a response before it closes the connection.
func (c *headerConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// count adds bytes of a header. It returns false if the budget is used up.
func (c *headerConn) count(p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.header || c.closed {
		return true
	}
	c.scan(p)
	more := max(c.read-freeHeader, 0) + lineMemory*max(c.lines-freeLines, 0) - c.taken
	if !c.listener.budget.take(more) {
		return false
	}
	c.taken += more
	return true
}

// scan counts the bytes and lines of p until the empty line that ends the header. What
// follows is a body, which the same read can return. The server skips empty lines before
// a request.
func (c *headerConn) scan(p []byte) {
	for i, b := range p {
		switch {
		case b == '\n':
			c.lines++
			if c.begun && c.line != text {
				c.read += int64(i + 1)
				c.header = false
				return
			}
			c.line = empty
		case b == '\r' && c.line == empty:
			c.line = onlyCR
		default:
			c.line, c.begun = text, true
		}
	}
	c.read += int64(len(p))
}

func (c *headerConn) enter(s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == http.StateNew {
		return // as Accept returns it
	}
	c.header = s == http.StateIdle
	if s == http.StateActive {
		return
	}
	c.listener.budget.left.Add(c.taken)
	c.begun, c.line, c.read, c.lines, c.taken = false, empty, 0, 0, 0
	c.closed = c.closed || s == http.StateClosed
}
