package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"
)

// connectTime limits the connection, its encryption and the greeting of the server.
const connectTime = 30 * time.Second

var errConnectTime = errors.New("the server did not answer in time")

// dial connects to the server and waits for its greeting. What is sent and received is also written to
// answers. dial returns when ctx ends or after ConnectTime,
// whatever the server sends: the functions of imapclient that dial have no limit for STARTTLS.
func (m *Mailbox) dial(ctx context.Context, answers io.Writer) (*imapclient.Client, error) {
	limit := m.o.ConnectTime
	if limit <= 0 {
		limit = connectTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errConnectTime)
	defer cancel()
	host, _, err := net.SplitHostPort(m.o.Address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.o.Address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	// The connection is closed instead of given a deadline, because the client replaces deadlines.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	c, err := m.encrypt(ctx, conn, host, answers)
	if !stop() && err == nil {
		err = context.Cause(ctx)
		_ = c.Close()
	}
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx) // and not that the connection was closed
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	return c, nil
}

// encrypt returns a client on an encrypted connection that the server has greeted.
func (m *Mailbox) encrypt(ctx context.Context, conn net.Conn, host string, answers io.Writer) (c *imapclient.Client, err error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.o.TLS != nil {
		config = m.o.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	if m.o.StartTLS {
		return imapclient.NewStartTLS(conn, &imapclient.Options{TLSConfig: config, DebugWriter: answers})
	}
	config.NextProtos = []string{"imap"}
	encrypted := tls.Client(conn, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	c = imapclient.New(encrypted, &imapclient.Options{DebugWriter: answers})
	if err := c.WaitGreeting(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}
