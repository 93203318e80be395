package email_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	netsmtp "net/smtp"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	adapter "docledger/adapter/email"
	"docledger/domain/email"
	"docledger/domain/fault"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/google/uuid"
)

// names is a Resolver with text records.
type names struct {
	adapter.NoNames
	txt map[string]string
	err error
}

func (n names) LookupTXT(ctx context.Context, name string) ([]string, error) {
	if n.err != nil {
		return nil, n.err
	}
	if text, ok := n.txt[strings.TrimSuffix(name, ".")]; ok {
		return []string{text}, nil
	}
	return n.NoNames.LookupTXT(ctx, name)
}

const message = "From: Shop <billing@mail.shop.example>\r\nTo: a@in.example.com\r\nSubject: Invoice\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n\r\nHello\r\n"

// signed returns a message with a signature of a domain, and the record of its key.
func signed(t *testing.T, domain, message string) (text, record string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := dkim.Sign(&out, strings.NewReader(message), &dkim.SignOptions{Domain: domain, Selector: "s", Signer: private}); err != nil {
		t.Fatal(err)
	}
	return out.String(), "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	own, key := signed(t, "shop.example", message)
	foreign, foreignKey := signed(t, "other.example", message)
	spf := "v=spf1 ip4:192.0.2.1 -all"
	from := "billing@mail.shop.example"
	known := email.Envelope{IP: net.ParseIP("192.0.2.1"), Helo: "mx.shop.example", Sender: "bounce@shop.example"}
	cases := map[string]struct {
		txt     map[string]string
		err     error
		e       email.Envelope
		from    string
		message string
		want    email.Results
	}{
		"nothing is published": {nil, nil, known, from, message, email.Results{SPF: "none", DKIM: "none", DMARC: "none"}},
		"signed":               {map[string]string{"s._domainkey.shop.example": key, "_dmarc.shop.example": "v=DMARC1; p=reject"}, nil, email.Envelope{}, from, own, email.Results{SPF: "none", DKIM: "pass", DMARC: "pass"}},
		"strict alignment":     {map[string]string{"s._domainkey.shop.example": key, "_dmarc.shop.example": "v=DMARC1; p=reject; adkim=s; aspf=s", "shop.example": spf}, nil, known, from, own, email.Results{SPF: "pass", DKIM: "pass", DMARC: "fail", SenderAligned: true}},
		"no policy":            {map[string]string{"s._domainkey.shop.example": key}, nil, known, from, own, email.Results{SPF: "none", DKIM: "pass", DMARC: "none"}},
		"SPF alone":            {map[string]string{"shop.example": spf, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil, known, from, message, email.Results{SPF: "pass", DKIM: "none", DMARC: "pass", SenderAligned: true}},
		"another server":       {map[string]string{"shop.example": spf, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil, email.Envelope{IP: net.ParseIP("192.0.2.9"), Sender: "bounce@shop.example"}, from, message, email.Results{SPF: "fail", DKIM: "none", DMARC: "fail"}},
		"SPF of another domain": {map[string]string{"other.example": spf, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil,
			email.Envelope{IP: known.IP, Sender: "a@other.example"}, from, message, email.Results{SPF: "pass", DKIM: "none", DMARC: "fail"}},
		"signed by another domain": {map[string]string{"s._domainkey.other.example": foreignKey, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil, email.Envelope{}, from, foreign, email.Results{SPF: "none", DKIM: "none", DMARC: "fail"}},
		"changed":                  {map[string]string{"s._domainkey.shop.example": key, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil, email.Envelope{}, from, own + "Pay elsewhere\r\n", email.Results{SPF: "none", DKIM: "fail", DMARC: "fail"}},
		"without an author":        {map[string]string{"s._domainkey.shop.example": key, "_dmarc.shop.example": "v=DMARC1; p=none"}, nil, email.Envelope{}, "", own, email.Results{SPF: "none", DKIM: "permerror", DMARC: "permerror"}},
		"a public suffix":          {map[string]string{"s._domainkey.other.example": foreignKey, "_dmarc.example": "v=DMARC1; p=none"}, nil, email.Envelope{}, from, foreign, email.Results{SPF: "none", DKIM: "none", DMARC: "none"}},
		"the servers are away":     {nil, &net.DNSError{Err: "timeout", IsTimeout: true, IsTemporary: true}, known, from, own, email.Results{SPF: "temperror", DKIM: "temperror", DMARC: "temperror"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &adapter.Authenticator{Resolver: names{txt: c.txt, err: c.err}}
			if got := a.Authenticate(t.Context(), c.e, c.from, strings.NewReader(c.message)); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// receiver is a Receiver that knows one address.
type receiver struct {
	mu       sync.Mutex
	messages []string
	envelope email.Envelope
	fails    error
}

func (r *receiver) Lookup(_ context.Context, address string) (*email.Intake, error) {
	if address != "token@in.example.com" {
		return nil, fault.Missing("recipient")
	}
	return &email.Intake{EntityID: uuid.MustParse("01936b1e-0000-7000-8000-000000000003")}, nil
}

func (r *receiver) Receive(_ context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error {
	text, err := io.ReadAll(message)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fails != nil {
		return r.fails
	}
	if len(recipients) != 1 {
		return errors.New("not one recipient")
	}
	r.messages, r.envelope = append(r.messages, string(text)), e
	return nil
}

// serve starts a server and returns its address.
func serve(t *testing.T, r *receiver, change func(*adapter.Options)) string {
	t.Helper()
	o := adapter.Options{Receiver: r, Domain: "in.example.com", MaxBytes: 1 << 20, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s, err := adapter.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Second) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

func send(address, to, text string) error {
	return netsmtp.SendMail(address, nil, "bounce@shop.example", []string{to}, []byte(text))
}

func TestReception(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	at := serve(t, r, nil)
	if err := send(at, "token@in.example.com", message); err != nil {
		t.Fatal(err)
	}
	if len(r.messages) != 1 || r.messages[0] != message || r.envelope.Sender != "bounce@shop.example" || !r.envelope.IP.IsLoopback() {
		t.Errorf("received %q, %+v", r.messages, r.envelope)
	}
	for name, c := range map[string]struct {
		to, text string
		fails    error
		want     string
	}{
		"relaying":           {"anyone@elsewhere.example", message, nil, "550"},
		"an unknown address": {"guess@in.example.com", message, nil, "550"},
		"a refused sender":   {"token@in.example.com", message, fault.New(fault.Forbidden, fault.CodeForbidden, "not accepted"), "550"},
		"a large message":    {"token@in.example.com", message + strings.Repeat("a\r\n", 1<<20), nil, "552"},
		// The connection is closed, and the reset can overtake the answer.
		"a long line":          {"token@in.example.com", message + strings.Repeat("a", 200_000) + "\r\n", nil, ""},
		"a store that is away": {"token@in.example.com", message, errors.New("away"), "451"},
	} {
		r.mu.Lock()
		r.fails = c.fails
		r.mu.Unlock()
		if err := send(at, c.to, c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if len(r.messages) != 1 {
		t.Errorf("received %d messages", len(r.messages))
	}
}

// TestGuessesEndTheConnection verifies that a sender cannot try addresses without end.
func TestGuessesEndTheConnection(t *testing.T) {
	t.Parallel()
	c, err := netsmtp.Dial(serve(t, &receiver{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Mail("a@example.com"); err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		if err := c.Rcpt(fmt.Sprintf("g%d@in.example.com", n)); err != nil && !strings.HasPrefix(err.Error(), "550") {
			return
		}
	}
	t.Error("100 guesses in one connection")
}

func TestStartTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "in.example.com"}, DNSNames: []string{"in.example.com"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	r := &receiver{}
	at := serve(t, r, func(o *adapter.Options) {
		o.Cert, o.Key = write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", private)
	})
	c, err := netsmtp.Dial(at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pool := x509.NewCertPool()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(certificate)
	if err := c.StartTLS(&tls.Config{ServerName: "in.example.com", RootCAs: pool}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{func() error { return c.Mail("a@example.com") }, func() error { return c.Rcpt("token@in.example.com") }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	w, err := c.Data()
	if err == nil {
		_, err = w.Write([]byte(message))
	}
	if err = errors.Join(err, w.Close()); err != nil || len(r.messages) != 1 {
		t.Errorf("received %d messages, %v", len(r.messages), err)
	}
	if _, err := adapter.NewServer(adapter.Options{Cert: filepath.Join(dir, "none"), Key: "none"}); err == nil {
		t.Error("a server without its certificate")
	}
}

// TestConnectionsOfOneAddressAreLimited verifies that one sender does not use up the
// connections of others.
func TestConnectionsOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	at := serve(t, &receiver{}, nil)
	for n := range 50 {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			if n < 10 {
				t.Errorf("only %d connections", n)
			}
			return
		}
	}
	t.Error("50 connections of one address")
}
