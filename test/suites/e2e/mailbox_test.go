package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/harness"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// mailboxLiteral is a message for the server in memory.
type mailboxLiteral struct{ *strings.Reader }

// Size implements imap.LiteralReader.
func (l mailboxLiteral) Size() int64 { return l.Reader.Size() }

// mailboxServer starts an IMAP server in memory with TLS. It returns the address and the roots.
func mailboxServer(t *testing.T) (user *imapmemserver.User, address string, roots *tls.Config) {
	t.Helper()
	web := httptest.NewTLSServer(nil) // its certificate is for example.com and 127.0.0.1
	t.Cleanup(web.Close)
	user = imapmemserver.NewUser("invoices", "password of the mailbox")
	if err := user.Create("INBOX", nil); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(user)
	server := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: true,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(tls.NewListener(l, &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}))
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	pool := x509.NewCertPool()
	pool.AddCert(web.Certificate())
	return user, l.Addr().String(), &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// TestMailboxOfTheOperator reads messages to the address of an entity and to its tag. A message for
// another recipient is not received.
func TestMailboxOfTheOperator(t *testing.T) {
	t.Parallel()
	user, address, roots := mailboxServer(t)
	o := harness.Options{Env: map[string]string{
		"EMAIL_DOMAIN": "in.example.com", "EMAIL_IMAP": "imaps://invoices:password%20of%20the%20mailbox@" + address + "/INBOX", "EMAIL_IMAP_INTERVAL": "50ms",
	}}
	o.Overrides.MailboxTLS = roots
	s := harness.Start(t, o)
	org := s.NewOrganization("Mailbox")
	own := s.Do(http.MethodGet, "/api/entities/"+org.Entity.String()+"/email", org.Admin.Token, nil).OK().Text("address")
	token, _, _ := strings.Cut(own, "@")
	for to, number := range map[string]string{own: "I-1", "invoices+" + token + "@example.com": "I-2", "someone@example.com": "I-3"} {
		message := "Delivered-To: " + to + "\r\n" + string(mimeMessage("Shop <billing@shop.example>", number+".xml", string(harness.UBL(number))))
		if _, err := user.Append("INBOX", mailboxLiteral{strings.NewReader(message)}, &imap.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	names := func() string {
		list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
		var out []string
		for i := range list.Len("items") {
			if list.At("items", i, "invoice_id") != nil {
				out = append(out, list.Text("items", i, "filename")+" "+list.Text("items", i, "source"))
			}
		}
		return strings.Join(out, ", ")
	}
	s.Eventually("both messages were received", time.Minute, func() bool {
		got := names()
		return strings.Contains(got, "I-1.xml EMAIL") && strings.Contains(got, "I-2.xml EMAIL")
	}, names)
	// Every message is marked, so none is received again.
	s.Eventually("all messages are marked", time.Minute, func() bool {
		status, err := user.Status("INBOX", &imap.StatusOptions{NumUnseen: true})
		return err == nil && status.NumUnseen != nil && *status.NumUnseen == 0
	}, func() string { return "unseen messages" })
	if got := names(); strings.Contains(got, "I-3") || strings.Count(got, "I-1") != 1 || strings.Count(got, "I-2") != 1 {
		t.Errorf("the documents: %s", got)
	}
}

// TestMailboxOfAnArchivedEntity verifies that a message for EMAIL_IMAP_ENTITY waits without a mark while the entity is
// archived, does not delay the others, and is received once when the entity is not archived any more.
func TestMailboxOfAnArchivedEntity(t *testing.T) {
	t.Parallel()
	o := harness.Options{NoWorkers: true, DataDir: t.TempDir()}
	org := harness.Start(t, o).NewOrganization("Archived")
	user, address, roots := mailboxServer(t)
	o.NoWorkers, o.Overrides.MailboxTLS = false, roots
	o.Env = map[string]string{
		"EMAIL_DOMAIN": "in.example.com", "EMAIL_IMAP": "imaps://invoices:password%20of%20the%20mailbox@" + address + "/INBOX", "EMAIL_IMAP_INTERVAL": "50ms",
		"EMAIL_IMAP_ENTITY": org.Entity.String(),
	}
	s := harness.Start(t, o)
	org.Admin.Token = s.Login(org.Admin.Email)
	archive := func(on bool) {
		s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), org.Admin.Token, map[string]any{"archived": on}).OK()
	}
	archive(true)
	open := s.NewOrganization("Open")
	own := s.Do(http.MethodGet, "/api/entities/"+open.Entity.String()+"/email", open.Admin.Token, nil).OK().Text("address")
	send := func(to, number string) {
		t.Helper()
		message := "Delivered-To: " + to + "\r\n" + string(mimeMessage("Shop <billing@shop.example>", number+".xml", string(harness.UBL(number))))
		if _, err := user.Append("INBOX", mailboxLiteral{strings.NewReader(message)}, &imap.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	names := func(of harness.Organization) string {
		list := s.Do(http.MethodGet, "/api/documents?entity_id="+of.Entity.String(), of.Admin.Token, nil).OK()
		var out []string
		for i := range list.Len("items") {
			out = append(out, list.Text("items", i, "filename"))
		}
		return strings.Join(out, ", ")
	}
	unseen := func() uint32 {
		status, err := user.Status("INBOX", &imap.StatusOptions{NumUnseen: true})
		if err != nil || status.NumUnseen == nil {
			t.Fatalf("status of the mailbox: %v", err)
		}
		return *status.NumUnseen
	}
	send("someone@example.com", "W-1")
	// The messages of a poll are read in their order: after the second one the first was tried.
	send(own, "W-2")
	s.Eventually("the message of the open entity was received", time.Minute, func() bool {
		return strings.Contains(names(open), "W-2.xml") && unseen() == 1
	}, func() string { return names(open) })
	if got := names(org); got != "" {
		t.Errorf("an archived entity received %s", got)
	}
	archive(false)
	s.Eventually("the waiting message was received", time.Minute, func() bool {
		return strings.Contains(names(org), "W-1.xml") && unseen() == 0
	}, func() string { return names(org) })
	if got := names(org); strings.Count(got, "W-1") != 1 || strings.Contains(got, "W-2") {
		t.Errorf("the entity received %s", got)
	}
}
