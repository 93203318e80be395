// Package mailsink is a server for outgoing e-mail that keeps what it gets.
package mailsink

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Message is an e-mail that the server got.
type Message struct {
	To   string
	Text string
}

// Sink is a running server without encryption.
type Sink struct {
	Host, Port string
	// Begun is called when a client names the sender of an e-mail, and Got when the server has a whole one, before it
	// confirms it. Both can be nil. An error is the answer of the server.
	Begun, Got func() error

	mu       sync.Mutex
	messages []Message
}

// Start starts a server on loopback that ends with the test. The hooks must be set before the first connection.
func Start(t testing.TB) *Sink {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sink{}
	if s.Host, s.Port, err = net.SplitHostPort(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{sink: s}, nil }))
	server.Domain = "smtp.example.com"
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }() // it ends with an error when it is closed
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return s
}

// Env returns the variables of a service that sends by the server.
func (s *Sink) Env() map[string]string {
	return map[string]string{
		"EMAIL_SMTP_HOST": s.Host, "EMAIL_SMTP_PORT": s.Port, "EMAIL_SMTP_TLS": "off", "EMAIL_SMTP_FROM": "answers@example.com",
	}
}

// Messages returns what the server got until now.
func (s *Sink) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

type session struct {
	sink *Sink
	to   string
}

// Mail implements smtp.Session.
func (n *session) Mail(string, *smtp.MailOptions) error {
	if n.sink.Begun != nil {
		return n.sink.Begun()
	}
	return nil
}

// Rcpt implements smtp.Session.
func (n *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	n.to = to
	return nil
}

// Data implements smtp.Session.
func (n *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	n.sink.mu.Lock()
	n.sink.messages = append(n.sink.messages, Message{To: n.to, Text: string(text)})
	n.sink.mu.Unlock()
	if n.sink.Got != nil {
		return n.sink.Got()
	}
	return nil
}

// Reset implements smtp.Session.
func (n *session) Reset() {}

// Logout implements smtp.Session.
func (n *session) Logout() error { return nil }
