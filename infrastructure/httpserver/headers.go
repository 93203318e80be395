package httpserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// freeHeader is what the header of a request needs no budget for. It fits into
	// the buffer that each connection has.
	freeHeader = 4 << 10
	// headerMemory is the budget of all headers beyond freeHeader.
	headerMemory = 32 << 20
	refusalTime  = time.Second
)

// headerListener limits the memory of the headers of all connections, so that
// connections with long headers that never become complete do not use up the
// memory of the process. Requests with ordinary headers are never refused.
type headerListener struct {
	net.Listener
	left atomic.Int64
}

func limitHeaders(l net.Listener, budget int64) *headerListener {
	h := &headerListener{Listener: l}
	h.left.Store(budget)
	return h
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
	read   int64
	taken  int64 // of the budget
	closed bool
}

// errHeaders is a failed read, for which the server closes the connection
// without a response.
var errHeaders = &net.OpError{Op: "read", Err: errors.New("memory for headers used up")}

const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// Read implements net.Conn.
func (c *headerConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.count(int64(n)) {
		_ = c.SetWriteDeadline(time.Now().Add(refusalTime))
		_, _ = io.WriteString(c.Conn, refusal)
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
func (c *headerConn) count(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.header || c.closed {
		return true
	}
	c.read += n
	more := max(c.read-freeHeader, 0) - c.taken
	if c.listener.left.Add(-more) < 0 {
		c.listener.left.Add(more)
		return false
	}
	c.taken += more
	return true
}

func (c *headerConn) enter(s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.header = s == http.StateNew || s == http.StateIdle
	if s == http.StateActive || s == http.StateNew {
		return
	}
	c.listener.left.Add(c.taken)
	c.read, c.taken = 0, 0
	c.closed = c.closed || s == http.StateClosed
}
