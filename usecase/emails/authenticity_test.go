package emails

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net"
	"strings"
	"testing"

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
