package email

import (
	"net"
	"sync"
	"time"
)

// listener bounds the connections, in all and from one address, and the time of each:
// a sender that sends one byte a minute does not keep a connection.
type listener struct {
	net.Listener

	mu   sync.Mutex
	all  int
	from map[string]int
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, from: map[string]int{}}
}

// Accept implements net.Listener. Connections beyond the limits are closed.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil || !l.take(host) {
			_ = c.Close() // the sender tries again later
			continue
		}
		limited := &conn{Conn: c, release: func() { l.giveBack(host) }}
		limited.limit = time.AfterFunc(connectionTime, func() { _ = limited.Close() })
		return limited, nil
	}
}

func (l *listener) take(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= maxConnections || l.from[host] >= maxPerAddress {
		return false
	}
	l.all++
	l.from[host]++
	return true
}

func (l *listener) giveBack(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[host]--; l.from[host] == 0 {
		delete(l.from, host)
	}
}

// conn is a connection that counts until it is closed.
type conn struct {
	net.Conn
	limit   *time.Timer
	once    sync.Once
	release func()
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() {
		c.limit.Stop()
		c.release()
	})
	return c.Conn.Close()
}
