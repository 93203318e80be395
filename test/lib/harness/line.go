package harness

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Line forwards connections to a server. Cut simulates an outage of the server.
type Line struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	away     bool
	mute     bool // see Stall
	stalled  int  // connections that wait for a server that never answers
	reached  int  // all connections of the time since Stall
	open     map[net.Conn]bool
}

// NewLine forwards to a server on this machine until the test ends.
func NewLine(t testing.TB, address string) *Line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &Line{listener: listener, to: address, open: map[net.Conn]bool{}}
	var lines sync.WaitGroup
	lines.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			lines.Go(func() { l.pass(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		l.Cut()
		lines.Wait()
	})
	return l
}

// LineTo is NewLine for the host of a URL. at is that URL through the line.
func LineTo(t testing.TB, to string) (l *Line, at string) {
	t.Helper()
	u, err := url.Parse(to)
	must(t, err)
	l = NewLine(t, u.Host)
	u.Host = l.listener.Addr().String()
	return l, u.String()
}

// Cut closes all connections and refuses new ones until Repair.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = true
	for conn := range l.open {
		_ = conn.Close()
	}
}

// Repair forwards connections again.
func (l *Line) Repair() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = false
}

// Stall closes all connections and accepts new ones without ever answering, as a
// server that hangs.
func (l *Line) Stall() {
	l.Cut()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away, l.mute = false, true
}

// Stalled returns how many callers wait for an answer now, and how many
// connected since Stall.
func (l *Line) Stalled() (now, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stalled, l.reached
}

// stall reads from a connection until its caller closes it. It returns false if
// the server does not hang.
func (l *Line) stall(near net.Conn) bool {
	l.mu.Lock()
	mute := l.mute
	if mute {
		l.stalled++
		l.reached++
	}
	l.mu.Unlock()
	if !mute {
		return false
	}
	_, _ = io.Copy(io.Discard, near)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stalled--
	return true
}

// hold registers connections for Cut. It returns false if the line is cut.
func (l *Line) hold(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.open[c] = true
	}
	return !l.away
}

func (l *Line) pass(near net.Conn) {
	defer l.end(near)
	if !l.hold(near) || l.stall(near) {
		return
	}
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer l.end(far)
	if !l.hold(far) {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(near, far) // either side ends it, at any time
		_ = near.Close()
	}()
	_, _ = io.Copy(far, near)
	_ = far.Close()
	<-back
}

func (l *Line) end(conn net.Conn) {
	_ = conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
}
