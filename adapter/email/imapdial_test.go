package email_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	adapter "docledger/adapter/email"
)

// silentServer starts a server that sends a text and nothing more. read receives a value when a client has sent
// something.
func silentServer(t *testing.T, greeting string) (address string, read <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got, ended := make(chan struct{}, 10), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := io.WriteString(conn, greeting); err == nil {
				_, _ = conn.Read(make([]byte, 1))
			}
			got <- struct{}{}
			_, _ = io.Copy(io.Discard, conn) // until the client closes
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return l.Addr().String(), got
}

// TestMailboxOfASilentServer verifies that a server that stops to answer before the connection is encrypted keeps
// neither a poll nor the end of the process waiting.
func TestMailboxOfASilentServer(t *testing.T) {
	t.Parallel()
	for name, startTLS := range map[string]bool{"TLS": false, "STARTTLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			greeting := ""
			if startTLS {
				greeting = "* OK ready\r\n"
			}
			address, read := silentServer(t, greeting)
			o := adapter.MailboxOptions{
				Address: address, StartTLS: startTLS, User: "invoices", Password: func() string { return mailboxPassword }, Name: "INBOX", Every: time.Hour,
				Log: slog.New(slog.DiscardHandler), ConnectTime: 50 * time.Millisecond,
			}
			if err := adapter.NewMailbox(o).Poll(t.Context()); err == nil {
				t.Error("no error after the limit")
			}
			<-read
			o.ConnectTime = time.Hour
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				adapter.NewMailbox(o).Run(ctx)
			}()
			<-read
			cancel()
			<-ended
		})
	}
}
