package email_test

import (
	"fmt"
	"strings"
	"testing"

	adapter "docledger/adapter/email"
	"docledger/domain/email"
)

// TestLongHeadersAreNotVerified signs messages with headers that take long to verify. The work of
// go-msgauth grows with the square of the lines of a field, and with the product of the fields and
// the names that a signature lists.
func TestLongHeadersAreNotVerified(t *testing.T) {
	t.Parallel()
	const from = "From: billing@shop.example\r\nSubject: Invoice\r\n"
	folded := func(lines int) string { return "X-Folded: a\r\n" + strings.Repeat(" b\r\n", lines) }
	fields := func(n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, "X-%d: a\r\n", i)
		}
		return out.String()
	}
	for name, c := range map[string]struct {
		header string
		want   email.Result
	}{
		"short":                {from, email.Pass},
		"folded":               {from + folded(1900), email.Pass},
		"folded into too many": {from + folded(2500), email.None},
		"fields":               {from + fields(100), email.Pass},
		"too many fields":      {from + fields(2500), email.None},
		// The signature lists every field.
		"too long a signature": {from + fields(800), email.None},
		"too many bytes":       {from + "X-Long: " + strings.Repeat("a", 300<<10) + "\r\n", email.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, record := signed(t, "shop.example", c.header+"\r\nHello\r\n")
			a := &adapter.Authenticator{Resolver: names{txt: map[string]string{"s._domainkey.shop.example": record}}}
			if got := a.Authenticate(t.Context(), email.Envelope{}, "billing@shop.example", strings.NewReader(text)).DKIM; got != c.want {
				t.Errorf("DKIM is %s, want %s", got, c.want)
			}
		})
	}
}

// TestLongSignatureIsSkipped adds a long signature to a message. The other signature is verified.
func TestLongSignatureIsSkipped(t *testing.T) {
	t.Parallel()
	text, record := signed(t, "shop.example", "From: billing@shop.example\r\nSubject: Invoice\r\n\r\nHello\r\n")
	at := strings.Index(text, "\r\nFrom: ") + len("\r\n")
	signature, fields := text[:at], text[at:]
	long := "dkim-signature : v=1; d=other.example;" + strings.Repeat("\r\n h=a:b:c:d:e;", 400) + "\r\n"
	header, body, _ := strings.Cut(fields, "\r\n\r\n")
	for name, text := range map[string]string{
		"before": long + text, "after": signature + long + fields, "last": signature + header + "\r\n" + long + "\r\n" + body,
	} {
		a := &adapter.Authenticator{Resolver: names{txt: map[string]string{"s._domainkey.shop.example": record}}}
		if got := a.Authenticate(t.Context(), email.Envelope{}, "billing@shop.example", strings.NewReader(text)).DKIM; got != email.Pass {
			t.Errorf("%s: DKIM is %s", name, got)
		}
	}
}
