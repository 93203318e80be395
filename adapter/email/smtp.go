package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"docledger/domain/email"
	"docledger/domain/fault"

	"github.com/emersion/go-smtp"
)

// Limits of a connection.
const (
	maxRecipients  = 20
	maxConnections = 100
	maxPerNetwork  = 20
	commandTime    = 10 * time.Minute // of a command and the data after it
	connectionTime = 15 * time.Minute
	maxLine        = 100_000 // many senders exceed the 998 of RFC 5322
	maxErrors      = 10      // refused recipients, after which the connection ends
)

// Receiver stores messages.
type Receiver interface {
	// Lookup returns the intake of an address; an unknown one is a NotFound fault.
	Lookup(ctx context.Context, address string) (*email.Intake, error)
	// Receive stores a message. It is a Forbidden fault if the sender is not accepted.
	Receive(ctx context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error
}

// Options configure a Server.
type Options struct {
	Receiver  Receiver
	Domain    string // of the addresses
	MaxBytes  int64  // of a message
	Cert, Key string // files for STARTTLS; "" for none
	Log       *slog.Logger
}

// Server receives e-mail for the addresses of entities. It sends none: mail to any
// other address is refused.
type Server struct {
	smtp *smtp.Server
	o    Options
}

// NewServer returns a Server. It fails if the certificate cannot be read.
func NewServer(o Options) (*Server, error) {
	s := &Server{o: o}
	s.smtp = smtp.NewServer(smtp.BackendFunc(s.session))
	s.smtp.Domain = o.Domain
	s.smtp.MaxRecipients = maxRecipients
	s.smtp.MaxMessageBytes, s.smtp.MaxLineLength = o.MaxBytes, maxLine
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = commandTime, commandTime
	s.smtp.EnableSMTPUTF8 = true
	s.smtp.ErrorLog = errorLog{o.Log}
	if o.Cert != "" {
		c := &certificate{cert: o.Cert, key: o.Key}
		if _, err := c.get(nil); err != nil {
			return nil, fmt.Errorf("EMAIL_TLS_CERT: %w", err)
		}
		s.smtp.TLSConfig = &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}
	}
	return s, nil
}

// Serve receives e-mail on l until ctx ends. Then it waits for the running messages, at
// most for the given time.
func (s *Server) Serve(ctx context.Context, l net.Listener, patience time.Duration) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		if s.smtp.Shutdown(limited) != nil {
			_ = s.smtp.Close() // the senders send their messages again
		}
	})
	err := s.smtp.Serve(newListener(l))
	if !stop() {
		<-ended
		return nil
	}
	return err
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	return &session{s: s, c: c}, nil
}

// session is one connection.
type session struct {
	s          *Server
	c          *smtp.Conn
	sender     string
	recipients []*email.Intake
	refused    int
}

// Reset implements smtp.Session.
func (n *session) Reset() { n.sender, n.recipients = "", nil }

// Logout implements smtp.Session.
func (n *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (n *session) Mail(from string, _ *smtp.MailOptions) error {
	n.sender = from
	return nil
}

// Rcpt implements smtp.Session.
func (n *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if n.refused >= maxErrors {
		_ = n.c.Conn().Close() // a sender that guesses addresses
		return errUnknown
	}
	found, err := n.s.o.Receiver.Lookup(context.Background(), to)
	if err != nil {
		if fault.CodeOf(err) == fault.CodeNotFound {
			n.refused++
			return errUnknown
		}
		return n.s.later("look up recipient", err)
	}
	for _, r := range n.recipients {
		if r.EntityID == found.EntityID {
			return nil
		}
	}
	n.recipients = append(n.recipients, found)
	return nil
}

// Data implements smtp.Session.
func (n *session) Data(r io.Reader) error {
	e := email.Envelope{Helo: n.c.Hostname(), Sender: n.sender}
	if host, _, err := net.SplitHostPort(n.c.Conn().RemoteAddr().String()); err == nil {
		e.IP = net.ParseIP(host)
	}
	err := n.s.o.Receiver.Receive(context.Background(), n.recipients, e, r)
	var refusal *smtp.SMTPError
	f, isFault := fault.As(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, smtp.ErrTooLongLine):
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "A line is too long"}
	case errors.As(err, &refusal):
		return refusal // such as a message that is too large
	case isFault && (f.Kind == fault.Forbidden || f.Kind == fault.Invalid):
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: f.Message}
	}
	return n.s.later("store message", err)
}

var errUnknown = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such recipient here; mail is not relayed"}

// later asks the sender to try again.
func (s *Server) later(what string, err error) error {
	s.o.Log.Error("e-mail not received, its sender tries again", "step", what, "error", err)
	return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Try again later"}
}

// errorLog implements smtp.Logger.
type errorLog struct{ log *slog.Logger }

func (l errorLog) Printf(format string, v ...any) { l.log.Warn("smtp: " + fmt.Sprintf(format, v...)) }

func (l errorLog) Println(v ...any) { l.log.Warn("smtp: " + strings.TrimSpace(fmt.Sprintln(v...))) }

// certificate reads a certificate again when its file changes.
type certificate struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	at     time.Time
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if err == nil && c.loaded != nil && info.ModTime().Equal(c.at) {
		return c.loaded, nil
	}
	if err == nil {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.cert, c.key); err == nil {
			c.loaded, c.at = &pair, info.ModTime()
			return c.loaded, nil
		}
	}
	if c.loaded != nil {
		return c.loaded, nil // a renewal that is not complete yet
	}
	return nil, err
}
