package email

import (
	"net"
	"sync"
	"time"

	"docledger/domain/identity"
)

// listener bounds the connections, in all and from one network, and the time of each:
// a sender that sends one byte a minute does not keep a connection. A network is an IPv4
// address or the /64 of an IPv6 address, because one sender has all addresses of the latter.
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
		network := identity.Network(host)
		if err != nil || !l.take(network) {
			_ = c.Close() // the sender tries again later
			continue
		}
		limited := &conn{Conn: c, release: func() { l.giveBack(network) }}
		limited.limit = time.AfterFunc(connectionTime, func() { _ = limited.Close() })
		return limited, nil
	}
}

func (l *listener) take(network string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= maxConnections || l.from[network] >= maxPerNetwork {
		return false
	}
	l.all++
	l.from[network]++
	return true
}

func (l *listener) giveBack(network string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[network]--; l.from[network] == 0 {
		delete(l.from, network)
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
