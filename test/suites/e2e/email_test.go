package e2e

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"docledger/adapter/email"
	"docledger/test/lib/harness"

	"github.com/emersion/go-msgauth/dkim"
)

// emailSecret is the secret of inbound e-mail.
const emailSecret = "secret of inbound e-mail"

// mailNames publishes the records of the domain shop.example.
type mailNames struct {
	email.NoNames
	key string
}

func (n mailNames) LookupTXT(ctx context.Context, name string) ([]string, error) {
	switch strings.TrimSuffix(name, ".") {
	case "s._domainkey.shop.example":
		return []string{n.key}, nil
	case "_dmarc.shop.example":
		return []string{"v=DMARC1; p=reject"}, nil
	case "shop.example":
		return []string{"v=spf1 ip4:192.0.2.1 ~all"}, nil
	}
	return n.NoNames.LookupTXT(ctx, name)
}

// mailed is a service that receives e-mail.
type mailed struct {
	*harness.Server
	t       *testing.T
	org     harness.Organization
	address string
	sender  string // of the envelope
	private ed25519.PrivateKey
}

func newMailed(t *testing.T) *mailed {
	t.Helper()
	return newMailedWith(t, nil)
}

// newMailedWith sets further variables.
func newMailedWith(t *testing.T, env map[string]string) *mailed {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := harness.Options{Env: map[string]string{"EMAIL_DOMAIN": "in.example.com", "EMAIL_LISTEN": "127.0.0.1:0", "EMAIL_WEBHOOK_SECRET": emailSecret}}
	maps.Copy(o.Env, env)
	o.Overrides.Resolver = mailNames{key: "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)}
	s := harness.Start(t, o)
	m := &mailed{Server: s, t: t, org: s.NewOrganization("Mailed"), private: private, sender: "bounce@shop.example"}
	s.Do(http.MethodPut, "/api/settings/"+m.org.Entity.String(), m.org.Admin.Token, map[string]any{
		"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "date_plausible", "single_invoice"}, "review_threshold": 0,
	}).OK()
	m.address = m.rules(http.MethodGet, nil).OK().Text("address")
	return m
}

func (m *mailed) rules(method string, body any) harness.Response {
	return m.Do(method, "/api/entities/"+m.org.Entity.String()+"/email", m.org.Admin.Token, body)
}

func (m *mailed) sign(message []byte) []byte {
	m.t.Helper()
	var out bytes.Buffer
	if err := dkim.Sign(&out, bytes.NewReader(message), &dkim.SignOptions{Domain: "shop.example", Selector: "s", Signer: m.private}); err != nil {
		m.t.Fatal(err)
	}
	return out.Bytes()
}

// post sends a message by the webhook.
func (m *mailed) post(to string, message []byte, headers ...string) harness.Response {
	headers = append([]string{"Content-Type", "message/rfc822"}, headers...)
	return m.Send(http.MethodPost, "/webhook/email?recipient="+to+"&sender="+m.sender, "", bytes.NewReader(message), headers...)
}

// curl sends a message by SMTP and returns what curl prints.
func (m *mailed) curl(to string, message []byte) (string, error) {
	c := exec.Command("curl", "--silent", "--show-error", "smtp://"+m.EmailAddress, "--mail-from", "bounce@shop.example", "--mail-rcpt", to, "--upload-file", "-", "--crlf")
	c.Stdin = bytes.NewReader(bytes.ReplaceAll(message, []byte("\r\n"), []byte("\n")))
	out, err := c.CombinedOutput()
	return string(out), err
}

// documents returns the documents of the entity, newest first.
func (m *mailed) documents() harness.Response {
	return m.Do(http.MethodGet, "/api/documents?entity_id="+m.org.Entity.String(), m.org.Admin.Token, nil).OK()
}

// invoiceOf returns the newest document with a parent, and its invoice.
func (m *mailed) invoiceOf(name string) (d, inv harness.Response) {
	m.t.Helper()
	m.Eventually(name+" extracted", 30*time.Second, func() bool {
		list := m.documents()
		for i := range list.Len("items") {
			if list.Text("items", i, "filename") == name && list.At("items", i, "invoice_id") != nil {
				d = m.Do(http.MethodGet, "/api/documents/"+list.Text("items", i, "id"), m.org.Admin.Token, nil).OK()
				inv = m.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), m.org.Admin.Token, nil).OK()
				return true
			}
		}
		return false
	}, func() string { return string(m.documents().Raw) })
	return d, inv
}

// TestEmailIsReceived sends messages by SMTP and by the webhook. Only the invoice of an
// accepted and authenticated sender is approved without a person.
func TestEmailIsReceived(t *testing.T) {
	t.Parallel()
	m := newMailed(t)
	message := func(number string) []byte {
		return mimeMessage("Shop <billing@shop.example>", number+".xml", string(harness.UBL(number)))
	}
	if out, err := m.curl(m.address, message("M-1")); err != nil {
		t.Fatalf("curl: %v: %s", err, out)
	}
	d, inv := m.invoiceOf("M-1.xml")
	if d.Text("source") != "EMAIL" || d.Text("email", "from") != "billing@shop.example" || d.Text("email", "subject") != "Your invoice" ||
		d.Text("email", "spf") != "softfail" || d.Text("email", "dkim") != "none" || d.Text("email", "dmarc") != "fail" || d.At("email", "accepted") != false {
		t.Errorf("the document: %s", d.Raw)
	}
	if got := inv.Text("status"); got != "EXTRACTED" {
		t.Errorf("the invoice of an unknown sender is %s", got)
	}

	// A signature alone does not make a sender an accepted one.
	m.post(m.address, m.sign(message("M-2")), "X-Webhook-Secret", emailSecret).OK()
	d, inv = m.invoiceOf("M-2.xml")
	if d.Text("email", "dmarc") != "pass" || d.Text("email", "dkim") != "pass" || d.Text("email", "spf") != "none" || inv.Text("status") != "EXTRACTED" {
		t.Errorf("an authenticated sender who is not accepted: %s, %s", inv.Text("status"), d.Raw)
	}
	m.rules(http.MethodPut, map[string]any{"accept_sender": "Billing@shop.example"}).OK()
	if out, err := m.curl(m.address, message("M-3")); err != nil {
		t.Fatalf("curl: %v: %s", err, out)
	}
	if d, inv = m.invoiceOf("M-3.xml"); inv.Text("status") != "EXTRACTED" {
		t.Errorf("a forged sender: %s, %s", inv.Text("status"), d.Raw)
	}
	signed := m.sign(message("M-4"))
	m.post(strings.Replace(m.address, "@", "%2Btag@", 1), signed, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("any:"+emailSecret))).OK()
	if d, inv = m.invoiceOf("M-4.xml"); inv.Text("status") != "APPROVED" || d.At("email", "accepted") != true {
		t.Errorf("an accepted sender: %s, %s", inv.Text("status"), d.Raw)
	}

	// A sender who names several authors has no address.
	several := bytes.Replace(mimeMessage("a@shop.example, b@shop.example", "M-5.xml", string(harness.UBL("M-5"))), []byte("Your invoice"), []byte("=?utf-8?Q?Re=C3=A7u?="), 1)
	m.post(m.address, several, "X-Webhook-Secret", emailSecret).OK()
	if d, inv = m.invoiceOf("M-5.xml"); d.Text("email", "from") != "" || d.Text("email", "subject") != "Reçu" || inv.Text("status") != "EXTRACTED" {
		t.Errorf("several authors: %s, %s", inv.Text("status"), d.Raw)
	}

	// The same bytes are one document.
	before := m.documents().Len("items")
	m.post(m.address, signed, "Authorization", "Bearer "+emailSecret).OK()
	if after := m.documents().Len("items"); after != before {
		t.Errorf("%d documents, before %d", after, before)
	}
}

// TestEmailIsRefused verifies what is not received: mail to other addresses, of senders
// that the entity does not accept, and without the secret.
func TestEmailIsRefused(t *testing.T) {
	t.Parallel()
	m := newMailed(t)
	message := mimeMessage("Other <a@other.example>", "R-1.xml", string(harness.UBL("R-1")))
	for _, to := range []string{"anyone@elsewhere.example", "guess@in.example.com"} {
		if out, err := m.curl(to, message); err == nil || !strings.Contains(out, "550") {
			t.Errorf("mail to %s: %v, %s", to, err, out)
		}
		m.post(to, message, "X-Webhook-Secret", emailSecret).Want(http.StatusNotFound, "not_found")
	}
	m.post(m.address, message).Want(http.StatusBadRequest, "invalid_signature")
	m.post(m.address, message, "X-Webhook-Secret", "guess").Want(http.StatusBadRequest, "invalid_signature")
	m.post(m.address, nil, "X-Webhook-Secret", emailSecret).Want(http.StatusBadRequest, "invalid_request")

	m.rules(http.MethodPut, map[string]any{"senders": []string{"no address", "@shop.example"}}).Want(http.StatusBadRequest, "invalid_request")
	m.rules(http.MethodPut, map[string]any{"senders": []string{"@shop.example"}, "only_senders": true}).OK()
	if out, err := m.curl(m.address, message); err == nil {
		t.Errorf("mail of a refused sender: %s", out)
	}
	m.post(m.address, message, "X-Webhook-Secret", emailSecret).Want(http.StatusNotFound, "not_found")
	former := m.address
	if m.address = m.rules(http.MethodPut, map[string]any{"new_address": true}).OK().Text("address"); m.address == former {
		t.Error("the address did not change")
	}
	m.post(former, message, "X-Webhook-Secret", emailSecret).Want(http.StatusNotFound, "not_found")
	if got := m.documents().Len("items"); got != 0 {
		t.Errorf("%d documents", got)
	}
	member := m.NewPerson(m.org.ID, "member")
	m.Do(http.MethodPut, "/api/entities/"+m.org.Entity.String()+"/email", member.Token, map[string]any{"only_senders": false}).Want(http.StatusForbidden, "forbidden")
}

// TestWithoutEmail verifies that an installation without EMAIL_DOMAIN has no address.
func TestWithoutEmail(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Without e-mail")
	if r := s.Do(http.MethodGet, "/api/entities/"+org.Entity.String()+"/email", org.Admin.Token, nil).OK(); r.At("address") != nil || r.At("only_senders") != false {
		t.Errorf("the rules: %s", r.Raw)
	}
	s.Send(http.MethodPost, "/webhook/email?recipient=a@b.example", "", strings.NewReader("a"), "Content-Type", "message/rfc822", "X-Webhook-Secret", emailSecret).
		Want(http.StatusNotFound, "not_found")
}
