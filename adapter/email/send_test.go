package email

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/domain/email"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// submission is a server for outgoing e-mail.
type submission struct {
	mu       sync.Mutex
	messages []string
	signedIn bool
	name     string // of the client
	// greetings are the names that the client says, before and after STARTTLS.
	greetings []string
	// mail, rcpt and data replace the answers of the server; nil accepts.
	mail, rcpt, data error
	drop             bool // ends the connection instead of the last answer
}

type submissionSession struct {
	*submission
	conn *smtp.Conn
}

// AuthMechanisms implements smtp.AuthSession.
func (s submissionSession) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s submissionSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "user" || password != "password of the server" {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s submissionSession) Mail(string, *smtp.MailOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = s.conn.Hostname()
	return s.mail
}

// Rcpt implements smtp.Session.
func (s submissionSession) Rcpt(string, *smtp.RcptOptions) error { return s.rcpt }

// Data implements smtp.Session.
func (s submissionSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.messages = append(s.messages, string(text))
	s.mu.Unlock()
	if s.drop {
		_ = s.conn.Conn().Close()
	}
	return s.data
}

// Reset implements smtp.Session.
func (s submissionSession) Reset() {}

// Logout implements smtp.Session.
func (s submissionSession) Logout() error { return nil }

// start serves on loopback. implicit is TLS from the first byte.
func (s *submission) start(t *testing.T, implicit bool) MailerOptions {
	t.Helper()
	web := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	t.Cleanup(web.Close)
	config := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.greetings = append(s.greetings, c.Hostname())
		return submissionSession{s, c}, nil
	}))
	server.Domain = "smtp.example.com"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		l = tls.NewListener(l, config)
	} else {
		server.TLSConfig = config
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return MailerOptions{
		Host: host, Port: port, Implicit: implicit, User: "user", Password: func() string { return "password of the server" },
		From: "answers@example.com", TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
}

var answered = email.Outgoing{
	ID: "id", To: "billing@shop.example", Subject: "Re: Reçu " + strings.Repeat("lang ", 40), InReplyTo: "<a@shop.example>",
	Text: "Taken:\n- Rechnung für Öl.pdf\n.\nEnd\n", Date: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
}

// TestMailerSends verifies the message that a server gets with each kind of encryption.
func TestMailerSends(t *testing.T) {
	t.Parallel()
	for _, implicit := range []bool{false, true} {
		s := &submission{}
		m := NewMailer(s.start(t, implicit))
		if err := m.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		handed := 0
		if err := m.Send(t.Context(), answered, func() error { handed++; return nil }); err != nil {
			t.Fatal(err)
		}
		if handed != 1 || len(s.messages) != 1 || !s.signedIn {
			t.Fatalf("handed over %d times, %d messages", handed, len(s.messages))
		}
		s.mu.Lock()
		if s.name != "example.com" {
			t.Errorf("the client is named %q", s.name)
		}
		if slices.ContainsFunc(s.greetings, func(name string) bool { return name != "example.com" }) || len(s.greetings) < 2 {
			t.Errorf("the client greets as %q", s.greetings)
		}
		s.mu.Unlock()
		got, err := mail.ReadMessage(strings.NewReader(s.messages[0]))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
		if err != nil || subject != answered.Subject {
			t.Errorf("the subject: %q, %v", subject, err)
		}
		for name, want := range map[string]string{
			"From": "<answers@example.com>", "To": "<billing@shop.example>", "Auto-Submitted": "auto-replied", "In-Reply-To": "<a@shop.example>",
			"References": "<a@shop.example>", "Message-Id": "<id@example.com>", "Date": "Fri, 20 Nov 2026 12:00:00 +0000",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: %q", name, got.Header.Get(name))
			}
		}
		text, err := io.ReadAll(quotedprintable.NewReader(got.Body))
		if err != nil || strings.ReplaceAll(string(text), "\r\n", "\n") != answered.Text {
			t.Errorf("the text: %q, %v", text, err)
		}
		for line := range strings.SplitSeq(s.messages[0], "\r\n") {
			if len(line) > 100 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
	}
}

// TestMailerTellsWhatTheServerHas verifies what is known after each failure, and that no reason has the address.
func TestMailerTellsWhatTheServerHas(t *testing.T) {
	t.Parallel()
	unknown := &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no billing@shop.example here"}
	later := &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later, billing@shop.example"}
	for name, c := range map[string]struct {
		s      *submission
		change func(*MailerOptions)
		want   email.SendOutcome
		handed bool
		reason string
	}{
		"unknown recipient": {s: &submission{rcpt: unknown}, want: email.Refused, reason: "recipient: the server answered 550 5.1.1"},
		"sender refused":    {s: &submission{mail: unknown}, want: email.NotSent, reason: "sender: the server answered 550 5.1.1"},
		"recipient later":   {s: &submission{rcpt: later}, want: email.NotSent, reason: "recipient: the server answered 451 4.3.0"},
		"content refused":   {s: &submission{data: unknown}, want: email.Refused, handed: true, reason: "the server answered 550 5.1.1"},
		"content later":     {s: &submission{data: later}, want: email.NotSent, handed: true, reason: "the server answered 451 4.3.0"},
		"no confirmation":   {s: &submission{drop: true}, want: email.Unconfirmed, handed: true},
		"wrong password":    {s: &submission{}, change: func(o *MailerOptions) { o.Password = func() string { return "guess" } }, want: email.NotSent},
		"unknown authority": {s: &submission{}, change: func(o *MailerOptions) { o.TLS = nil }, want: email.NotSent},
		"no server":         {s: &submission{}, change: func(o *MailerOptions) { o.Port = "1" }, want: email.NotSent},
	} {
		o := c.s.start(t, false)
		if c.change != nil {
			c.change(&o)
		}
		handed := false
		err := NewMailer(o).Send(t.Context(), answered, func() error { handed = true; return nil })
		var failure *email.SendError
		if !errors.As(err, &failure) || failure.Outcome != c.want || handed != c.handed || c.reason != "" && failure.Reason != c.reason {
			t.Errorf("%s: handed over: %v, %v", name, handed, err)
		}
		if err != nil && (strings.Contains(err.Error(), "@") || strings.Contains(err.Error(), "guess")) {
			t.Errorf("%s: the reason has an address or a secret: %v", name, err)
		}
	}
	s := &submission{}
	stop := errors.New("stop")
	if err := NewMailer(s.start(t, false)).Send(context.Background(), answered, func() error { return stop }); !errors.Is(err, stop) || len(s.messages) > 0 {
		t.Errorf("an answer that was not handed over: %v, %d messages", err, len(s.messages))
	}
}

// TestRefusedConnectionIsRepeated verifies that no answer of the server before it accepted the sender ends an answer.
func TestRefusedConnectionIsRepeated(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]string{
		"greeting": {"554 5.7.1 no service"},
		"name":     {"220 smtp.example.com", "550 5.7.1 unknown name"},
		"STARTTLS": {"220 smtp.example.com", "250-smtp.example.com\r\n250 STARTTLS", "554 5.7.0 no certificate"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			r := bufio.NewReader(conn)
			for _, answer := range answers {
				_, _ = io.WriteString(conn, answer+"\r\n")
				if _, err := r.ReadString('\n'); err != nil {
					return
				}
			}
		}()
		host, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		o := MailerOptions{Host: host, Port: port, From: "answers@example.com"}
		err = NewMailer(o).Send(t.Context(), answered, func() error { return nil })
		var failure *email.SendError
		if !errors.As(err, &failure) || failure.Outcome != email.NotSent || !strings.Contains(failure.Reason, "the server answered 55") {
			t.Errorf("%s: %v", name, err)
		}
		_ = l.Close()
		<-ended
	}
}
