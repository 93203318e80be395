package email_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	adapter "docledger/adapter/email"
	"docledger/domain/email"
	"docledger/domain/fault"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/uuid"
)

const mailboxPassword = "the password of the mailbox"

// mailServer is an IMAP server in memory with one mailbox.
type mailServer struct {
	user    *imapmemserver.User
	address string
	trusted *tls.Config
}

// newMailServer starts a server. Without StartTLS it speaks TLS from the first byte. Each session is changed by
// the functions.
func newMailServer(t *testing.T, startTLS bool, change ...func(*imapserver.Conn, imapserver.Session) imapserver.Session) *mailServer {
	t.Helper()
	cert, key, roots := certificateFiles(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	user := imapmemserver.NewUser("invoices@example.com", mailboxPassword)
	if err := user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(user)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	o := &imapserver.Options{
		NewSession: func(c *imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			session := imapserver.Session(memory.NewSession())
			for _, f := range change {
				session = f(c, session)
			}
			return session, nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, TLSConfig: config, Logger: discard{},
	}
	server := imapserver.New(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := l
	if !startTLS {
		listener = tls.NewListener(l, config)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return &mailServer{user, l.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12}}
}

type discard struct{}

func (discard) Printf(string, ...any) {}

// certificateFiles returns a certificate for localhost and the roots that trust it.
func certificateFiles(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return cert, key, roots
}

func (s *mailServer) put(t *testing.T, message string) {
	t.Helper()
	if _, err := s.user.Append("INBOX", literal{strings.NewReader(message)}, &imap.AppendOptions{Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

type literal struct{ *strings.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

// read is a MailboxReceiver that knows one address, and one of an archived entity.
type read struct {
	messages []string
	fails    error
	restored bool // the archived entity
}

func (r *read) RecipientsOf(_ context.Context, addresses []string) ([]*email.Intake, error) {
	if slices.Contains(addresses, "archived@example.com") && !r.restored {
		return nil, fault.New(fault.Conflict, fault.CodeConflict, "The entity is archived.")
	}
	if !r.restored && !slices.Contains(addresses, "invoices+token@example.com") {
		return nil, fault.Missing("recipient")
	}
	return []*email.Intake{{EntityID: uuid.MustParse("01936b1e-0000-7000-8000-000000000003")}}, nil
}

func (r *read) Receive(_ context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error {
	text, err := io.ReadAll(message)
	if err != nil {
		return err
	}
	if r.fails != nil {
		return r.fails
	}
	if len(recipients) != 1 || e.IP != nil || !e.Mailbox {
		return errors.New("not one recipient, or a server that is known")
	}
	r.messages = append(r.messages, string(text))
	return nil
}

func (s *mailServer) mailbox(t *testing.T, r *read, startTLS bool, log io.Writer) *adapter.Mailbox {
	return adapter.NewMailbox(adapter.MailboxOptions{
		Receiver: r, Address: s.address, StartTLS: startTLS, User: "invoices@example.com", Password: func() string { return mailboxPassword },
		Name: "INBOX", MaxBytes: 2000, Every: time.Minute, TempDir: t.TempDir(), TLS: s.trusted, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

func mailTo(address, subject string) string {
	return "Delivered-To: " + address + "\r\nFrom: Shop <billing@shop.example>\r\nTo: someone@example.com\r\nSubject: " + subject + "\r\n\r\nHello\r\n"
}

// TestMailboxIsRead verifies with both kinds of encryption that each message is received once, and that a
// failure loses none. A message that failed is read after the others.
func TestMailboxIsRead(t *testing.T) {
	t.Parallel()
	for name, startTLS := range map[string]bool{"TLS": false, "STARTTLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newMailServer(t, startTLS), &read{}
			var log bytes.Buffer
			m := s.mailbox(t, r, startTLS, &log)
			first, second := mailTo("invoices+token@example.com", "one"), mailTo("invoices+token@example.com", "two")
			s.put(t, first)
			r.fails = errors.New("the database is away")
			if err := m.Poll(t.Context()); err == nil {
				t.Fatal("a failure was not reported")
			}
			r.fails = nil
			s.put(t, second)
			for range 2 {
				if err := m.Poll(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(r.messages, []string{second, first}) {
				t.Errorf("received %q", r.messages)
			}
			if strings.Contains(log.String(), mailboxPassword) {
				t.Error("the password was logged")
			}
		})
	}
}

// TestMailboxRefuses verifies that a message that is too large, of an unknown recipient or of a sender who
// is not accepted stays in the mailbox, is reported once, and keeps no other from being received.
func TestMailboxRefuses(t *testing.T) {
	t.Parallel()
	s, r := newMailServer(t, false), &read{}
	var log bytes.Buffer
	m := s.mailbox(t, r, false, &log)
	s.put(t, mailTo("invoices+token@example.com", strings.Repeat("x", 2000)))
	s.put(t, mailTo("other@example.com", "unknown"))
	s.put(t, mailTo("invoices+token@example.com", "fine"))
	for range 2 {
		if err := m.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.messages) != 1 || !strings.Contains(r.messages[0], "fine") {
		t.Errorf("received %q", r.messages)
	}
	if got := strings.Count(log.String(), "refused"); got != 2 {
		t.Errorf("%d messages refused: %s", got, log.String())
	}
	r.fails = fault.New(fault.Forbidden, fault.CodeForbidden, "The recipient does not accept messages of this sender.")
	s.put(t, mailTo("invoices+token@example.com", "refused"))
	if err := m.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.fails = nil
	if err := m.Poll(t.Context()); err != nil || len(r.messages) != 1 {
		t.Errorf("received %q, %v", r.messages, err)
	}
}

// TestMailboxIsChecked verifies that a wrong password and an unknown certificate are errors without the
// password.
func TestMailboxIsChecked(t *testing.T) {
	t.Parallel()
	s := newMailServer(t, false)
	o := adapter.MailboxOptions{Address: s.address, User: "invoices@example.com", Password: func() string { return mailboxPassword }, Name: "INBOX", Every: time.Minute, TLS: s.trusted, Log: slog.New(slog.DiscardHandler)}
	if err := adapter.NewMailbox(o).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	wrong := o
	wrong.Password = func() string { return "guess of a password" }
	unknown := o
	unknown.TLS = nil
	missing := o
	missing.Name = "Archive"
	for name, o := range map[string]adapter.MailboxOptions{"wrong password": wrong, "unknown certificate": unknown, "missing mailbox": missing} {
		err := adapter.NewMailbox(o).Check(t.Context())
		if err == nil || strings.Contains(err.Error(), mailboxPassword) || strings.Contains(err.Error(), "guess") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
