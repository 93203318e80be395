package objectstore

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// door passes connections on to a server's socket.
type door struct {
	net.Listener
	socket string

	mu      sync.Mutex
	closed  bool // shut by a test
	open    map[net.Conn]bool
	cutAt   int64 // bytes from the server
	cutLeft int   // connections that are still to be cut
}

func openDoor(socket string) (*door, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the object store's door: %w", err)
	}
	d := &door{Listener: l, socket: socket, open: map[net.Conn]bool{}}
	go d.serve()
	return d, nil
}

func (d *door) serve() {
	for {
		conn, err := d.Accept()
		if err != nil {
			return // closed with the server
		}
		go d.pass(conn)
	}
}

// pass copies both ways until either end closes. Errors are the ends' to see.
func (d *door) pass(conn net.Conn) {
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

func (d *door) enter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.open[conn] = true
	}
	return !d.closed
}

func (d *door) leave(conn net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, conn)
}

func (d *door) shut(closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = closed
	for conn := range d.open {
		if closed {
			_ = conn.Close()
		}
	}
}

func (d *door) cutAfter(bytes int64, times int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cutAt, d.cutLeft = bytes, times
}

var errCut = errors.New("cut")

// meter counts what comes from the server over one connection.
type meter struct {
	door  *door
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
