// Package tcpproxy lets tests reach a server that listens on a socket of this machine
// over TCP, and break the connections to it.
package tcpproxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Proxy forwards connections to the socket of a server.
type Proxy struct {
	net.Listener
	socket string

	mu      sync.Mutex
	closed  bool // shut by a test
	open    map[net.Conn]bool
	cutAt   int64 // bytes from the server
	cutLeft int   // connections that are still to be cut
}

// Open listens on a free port of this machine. The server may start later.
func Open(socket string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a proxy: %w", err)
	}
	d := &Proxy{Listener: l, socket: socket, open: map[net.Conn]bool{}}
	go d.serve()
	return d, nil
}

func (d *Proxy) serve() {
	for {
		conn, err := d.Accept()
		if err != nil {
			return // closed with the server
		}
		go d.pass(conn)
	}
}

// pass copies in both directions until one side closes. It ignores errors,
// because both sides see them.
func (d *Proxy) pass(conn net.Conn) {
	defer conn.Close()
	if !d.enter(conn) {
		return
	}
	defer d.leave(conn)
	server, err := net.Dial("unix", d.socket)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, conn)
		_ = server.Close()
	}()
	_, err = io.Copy(conn, io.TeeReader(server, &meter{door: d}))
	if errors.Is(err, errCut) {
		_ = conn.(*net.TCPConn).SetLinger(0) // as a line that breaks
	}
}

func (d *Proxy) enter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.open[conn] = true
	}
	return !d.closed
}

func (d *Proxy) leave(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, conn)
}

// Shut closes all connections and refuses new ones until Reopen.
func (d *Proxy) Shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for conn := range d.open {
		_ = conn.Close()
	}
}

// Reopen undoes Shut.
func (d *Proxy) Reopen() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = false
}

// CutAfter closes each of the next times connections after the server has sent
// that many bytes over it.
func (d *Proxy) CutAfter(bytes int64, times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cutAt, d.cutLeft = bytes, times
}

var errCut = errors.New("cut")

// meter counts the bytes of the server over one connection.
type meter struct {
	door  *Proxy
	bytes int64
}

// Write implements io.Writer.
func (m *meter) Write(p []byte) (int, error) {
	m.door.mu.Lock()
	defer m.door.mu.Unlock()
	m.bytes += int64(len(p))
	if m.door.cutLeft > 0 && m.bytes > m.door.cutAt {
		m.door.cutLeft--
		return 0, errCut
	}
	return len(p), nil
}
