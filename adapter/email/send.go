package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"time"

	"docledger/domain/email"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// sendTime is the time limit of one e-mail, with its connection.
const sendTime = 45 * time.Second

// MailerOptions configure a Mailer.
type MailerOptions struct {
	Host     string
	Port     string
	Implicit bool // TLS from the first byte; otherwise STARTTLS
	Plain    bool // no TLS
	User     string
	Password func() string
	From     string
	TLS      *tls.Config // nil for the usual roots
}

// Mailer sends e-mail by the server of the operator. It implements email.Mailer.
type Mailer struct{ o MailerOptions }

var _ email.Mailer = (*Mailer)(nil)

// NewMailer returns a Mailer.
func NewMailer(o MailerOptions) *Mailer { return &Mailer{o: o} }

// Check connects to the server and signs in.
func (m *Mailer) Check(ctx context.Context) error {
	return m.with(ctx, func(c *smtp.Client) error { return c.Noop() })
}

// with connects and signs in. The connection ends with ctx.
func (m *Mailer) with(ctx context.Context, do func(*smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(m.o.Host, m.o.Port))
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer conn.Close()
	c, err := m.client(conn)
	if err != nil {
		return err
	}
	c.CommandTimeout, c.SubmissionTimeout = sendTime, sendTime
	if m.o.User != "" {
		if err := c.Auth(m.auth(c)); err != nil {
			return fmt.Errorf("sign in: %w", err)
		}
	}
	if err := do(c); err != nil {
		return err
	}
	_ = c.Quit() // the connection ends anyway
	return nil
}

func (m *Mailer) client(conn net.Conn) (*smtp.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.o.TLS != nil {
		config = m.o.TLS.Clone()
	}
	config.ServerName = m.o.Host
	name := email.DomainOf(m.o.From)
	if m.o.Plain || m.o.Implicit {
		if m.o.Implicit {
			conn = tls.Client(conn, config)
		}
		c := smtp.NewClient(conn)
		return c, c.Hello(name)
	}
	c, err := smtp.NewClientStartTLS(&named{Conn: conn, name: name}, config)
	if err != nil {
		return nil, err
	}
	return c, c.Hello(name)
}

// named puts a name into the first greeting. The library can change the name only after STARTTLS, and says localhost
// before, for which servers refuse the connection.
type named struct {
	net.Conn
	name string
}

// Write implements net.Conn.
func (n *named) Write(p []byte) (int, error) {
	for _, greeting := range []string{"EHLO", "HELO"} {
		if string(p) == greeting+" localhost\r\n" {
			_, err := n.Conn.Write([]byte(greeting + " " + n.name + "\r\n"))
			return len(p), err
		}
	}
	return n.Conn.Write(p)
}

// auth returns PLAIN, or LOGIN for servers that have nothing else.
func (m *Mailer) auth(c *smtp.Client) sasl.Client {
	if !c.SupportsAuth(sasl.Plain) && c.SupportsAuth(sasl.Login) {
		return sasl.NewLoginClient(m.o.User, m.o.Password())
	}
	return sasl.NewPlainClient("", m.o.User, m.o.Password())
}

// Send implements email.Mailer.
func (m *Mailer) Send(ctx context.Context, e email.Outgoing, handOver func() error) error {
	text, err := m.message(e)
	if err != nil {
		return &email.SendError{Outcome: email.Refused, Reason: "the answer could not be written"}
	}
	var stopped error // why handOver failed
	begun, handed := false, false
	err = m.with(ctx, func(c *smtp.Client) error {
		if err := c.Mail(m.o.From, nil); err != nil {
			return fmt.Errorf("sender: %w", err)
		}
		begun = true
		if err := c.Rcpt(e.To, nil); err != nil {
			return fmt.Errorf("recipient: %w", err)
		}
		data, err := c.Data()
		if err != nil {
			return fmt.Errorf("data: %w", err)
		}
		if _, err := data.Write(text); err != nil {
			return fmt.Errorf("data: %w", err)
		}
		if stopped = handOver(); stopped != nil {
			return stopped // the connection ends, and the server drops what it has
		}
		handed = true
		return data.Close()
	})
	if stopped != nil || err == nil {
		return stopped
	}
	return failureOf(err, begun, handed)
}

// failureOf returns what an error of a server or of its connection means. begun reports whether the server accepted
// the sender. The text of the error has no address: servers repeat that of the recipient.
func failureOf(err error, begun, handed bool) *email.SendError {
	var answer *smtp.SMTPError
	switch {
	case !errors.As(err, &answer) && handed:
		return &email.SendError{Outcome: email.Unconfirmed, Reason: "the connection ended before the server confirmed"}
	case !errors.As(err, &answer):
		return &email.SendError{Outcome: email.NotSent, Reason: err.Error()}
	}
	reason := fmt.Sprintf("the server answered %d %d.%d.%d", answer.Code, answer.EnhancedCode[0], answer.EnhancedCode[1], answer.EnhancedCode[2])
	if step, _, ok := strings.Cut(err.Error(), ": "); ok && !strings.HasPrefix(err.Error(), answer.Error()) {
		reason = step + ": " + reason
	}
	// A refused connection, sign-in or sender does not concern the recipient. The operator can correct it.
	if answer.Temporary() || !begun {
		return &email.SendError{Outcome: email.NotSent, Reason: reason}
	}
	return &email.SendError{Outcome: email.Refused, Reason: reason}
}

// message returns an e-mail with its header, with lines that end with CRLF.
func (m *Mailer) message(e email.Outgoing) ([]byte, error) {
	if strings.ContainsAny(e.To+e.InReplyTo, "\r\n") {
		return nil, errors.New("a field contains a line end")
	}
	var b bytes.Buffer
	field := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	field("From", (&mail.Address{Address: m.o.From}).String())
	field("To", (&mail.Address{Address: e.To}).String())
	field("Subject", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", e.Subject), "?= =?", "?=\r\n =?"))
	field("Date", e.Date.UTC().Format(time.RFC1123Z))
	field("Message-ID", "<"+e.ID+"@"+email.DomainOf(m.o.From)+">")
	if e.InReplyTo != "" {
		field("In-Reply-To", e.InReplyTo)
		field("References", e.InReplyTo)
	}
	field("Auto-Submitted", "auto-replied")
	field("Precedence", "bulk")
	field("X-Auto-Response-Suppress", "All")
	field("MIME-Version", "1.0")
	field("Content-Type", "text/plain; charset=utf-8")
	field("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(strings.ReplaceAll(e.Text, "\n", "\r\n"))); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
