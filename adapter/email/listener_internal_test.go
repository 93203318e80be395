package email

import (
	"io"
	"net"
	"testing"
)

// senders is a listener with one connection from each address.
type senders []string

func (s *senders) Accept() (net.Conn, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	from := sender((*s)[0])
	*s = (*s)[1:]
	return from, nil
}

func (s *senders) Close() error   { return nil }
func (s *senders) Addr() net.Addr { return &net.TCPAddr{} }

// from is a connection from an address.
type from struct {
	net.Conn
	address net.Addr
}

func sender(ip string) net.Conn {
	local, remote := net.Pipe()
	_ = remote.Close()
	return from{local, &net.TCPAddr{IP: net.ParseIP(ip), Port: 2525}}
}

func (f from) RemoteAddr() net.Addr { return f.address }

// TestConnectionsOfOneNetworkAreLimited connects from more addresses of one /64 than one network may
// have connections. Another network still connects, and ended connections make room.
func TestConnectionsOfOneNetworkAreLimited(t *testing.T) {
	t.Parallel()
	var all senders
	for i := range maxPerNetwork + 5 {
		all = append(all, net.IP{0x20, 0x01, 0x0d, 0xb8, 14: byte(i), 15: 1}.String())
	}
	all = append(all, "2001:db8:0:1::1", "192.0.2.1")
	l := newListener(&all)
	accepted := map[string]net.Conn{}
	accept := func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			accepted[c.RemoteAddr().(*net.TCPAddr).IP.String()] = c
		}
	}
	accept()
	if len(accepted) != maxPerNetwork+2 || accepted["2001:db8:0:1::1"] == nil || accepted["192.0.2.1"] == nil {
		t.Errorf("%d connections were accepted, want %d and 2 of other networks", len(accepted), maxPerNetwork)
	}
	_ = accepted["2001:db8::1"].Close()
	all = senders{"2001:db8::ffff", "2001:db8::fffe"}
	accept()
	if accepted["2001:db8::ffff"] == nil || accepted["2001:db8::fffe"] != nil {
		t.Error("an ended connection does not make room for one other")
	}
}
