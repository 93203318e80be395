package emails

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net"
	"strings"
	"testing"
	"time"

	adapter "docledger/adapter/email"
	"docledger/domain/email"

	"github.com/emersion/go-msgauth/dkim"
)

// names is a Resolver with the TXT records of a test.
type names struct {
	adapter.NoNames
	txt map[string]string
}

// LookupTXT implements adapter.Resolver.
func (n names) LookupTXT(ctx context.Context, name string) ([]string, error) {
	if text, ok := n.txt[strings.TrimSuffix(name, ".")]; ok {
		return []string{text}, nil
	}
	return n.NoNames.LookupTXT(ctx, name)
}

// signer signs messages of shop.example.
type signer struct {
	t       *testing.T
	private ed25519.PrivateKey
	*adapter.Authenticator
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t: t, private: private, Authenticator: &adapter.Authenticator{Resolver: names{txt: map[string]string{
		"s._domainkey.shop.example": "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public),
		"_dmarc.shop.example":       "v=DMARC1; p=reject",
		"shop.example":              "v=spf1 ip4:192.0.2.1 -all",
		"evil.example":              "v=spf1 ip4:198.51.100.1 -all",
	}}}}
}

// sign returns a message with a signature of the named fields.
func (s *signer) sign(message string, fields ...string) string {
	s.t.Helper()
	var out bytes.Buffer
	o := &dkim.SignOptions{Domain: "shop.example", Selector: "s", Signer: s.private, HeaderKeys: fields}
	if err := dkim.Sign(&out, strings.NewReader(message), o); err != nil {
		s.t.Fatal(err)
	}
	return out.String()
}

// check reads the header of a message and authenticates the same bytes.
func (s *signer) check(e email.Envelope, message string) (heading, email.Results) {
	s.t.Helper()
	h, err := (&Service{}).headerOf(strings.NewReader(message))
	if err != nil {
		s.t.Fatal(err)
	}
	return h, s.Authenticate(s.t.Context(), e, h.from, strings.NewReader(message))
}

// TestAuthorIsTheOneThatWasVerified verifies that no field in front of a signed message replaces its author.
func TestAuthorIsTheOneThatWasVerified(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	own := s.sign("From: Mallory <mallory@shop.example>\r\nSubject: Invoice\r\n\r\nHello\r\n", "From", "Subject")
	e := email.Envelope{IP: net.IPv4(192, 0, 2, 1), Sender: "mallory@shop.example"}
	if h, r := s.check(e, own); h.from != "mallory@shop.example" || r.DMARC != email.Pass {
		t.Errorf("the message itself: %q, %+v", h.from, r)
	}
	for name, forged := range map[string]string{
		"second field":  "From: victim@shop.example\r\n" + own,
		"space":         "From: victim@shop.example\r\n" + strings.Replace(own, "From:", "From :", 1),
		"tab":           "From: victim@shop.example\r\n" + strings.Replace(own, "From:", "From\t:", 1),
		"no colon":      "From: victim@shop.example\r\nno colon\r\n" + own,
		"wrong name":    "From: victim@shop.example\r\nX(y): 1\r\n" + own,
		"no name":       "From: victim@shop.example\r\n: 1\r\n" + own,
		"bare CR":       "From: victim@shop.example\r\nX: y\rz\r\n" + own,
		"line of space": "From: victim@shop.example\r\n   \r\n" + own,
	} {
		if h, r := s.check(e, forged); h.from != "" || r.DMARC != email.PermError || r.DKIM == email.Pass {
			t.Errorf("%s: %q, %+v", name, h.from, r)
		}
	}
}

// TestSignedMessageSentAgain verifies that a signed message gets an answer only if its author sent it to a recipient.
func TestSignedMessageSentAgain(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	message := func(to string) string {
		return "From: victim@shop.example\r\nTo: " + to + "\r\nSubject: Hi\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n" +
			"Message-ID: <1@shop.example>\r\n\r\nHello\r\n"
	}
	all := []string{"From", "Subject", "Date", "To", "Message-ID"}
	again := email.Envelope{IP: net.IPv4(198, 51, 100, 1), Sender: "mallory@evil.example"}
	own := email.Envelope{IP: net.IPv4(192, 0, 2, 1), Sender: "victim@shop.example"}
	const entity = "token@in.example.com"
	for name, c := range map[string]struct {
		e       email.Envelope
		message string
		want    bool
	}{
		"by the author":               {own, message("invoices@example.com"), true},
		"by the author, signed":       {own, s.sign(message(entity), all...), true},
		"forwarded":                   {again, s.sign(message(entity), all...), true},
		"sent to another":             {again, s.sign(message("mallory@evil.example"), all...), false},
		"second To":                   {again, "To: " + entity + "\r\n" + s.sign(message("mallory@evil.example"), all...), false},
		"second To with a space":      {again, "To : " + entity + "\r\n" + s.sign(message("mallory@evil.example"), all...), false},
		"second Message-ID":           {again, "Message-ID: <2@shop.example>\r\n" + s.sign(message(entity), all...), false},
		"To is not signed":            {again, s.sign(message(entity), "From", "Subject", "Date", "Message-ID"), false},
		"Message-ID is not signed":    {again, s.sign(message(entity), "From", "Subject", "Date", "To"), false},
		"Date is not signed":          {again, s.sign(message(entity), "From", "Subject", "Message-ID", "To"), false},
		"Cc is not part of the field": {again, "Cc: " + entity + "\r\n" + s.sign(message("mallory@evil.example"), all...), false},
	} {
		h, r := s.check(c.e, c.message)
		if r.DMARC != email.Pass {
			t.Errorf("%s: %+v", name, r)
		}
		now := stopped{time.Date(2026, 3, 2, 10, 1, 0, 0, time.UTC)}
		service := &Service{AnswersFrom: "answers@example.com", Domain: "in.example.com", Clock: now}
		if got := service.answering([]*email.Intake{{Token: "token", AnswerSenders: true}}, c.e, h, r); (got != nil) != c.want {
			t.Errorf("%s: answered %v, %+v", name, got != nil, r)
		}
	}
}
