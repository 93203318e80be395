package email

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestAddressesOf verifies that neither a character set nor a wrong address hides the address of an entity.
func TestAddressesOf(t *testing.T) {
	t.Parallel()
	const entity = "token@in.example.com"
	for name, field := range map[string]string{
		"plain":             "To: " + entity,
		"UTF-8":             "To: =?utf-8?q?B=C3=BCro?= <" + entity + ">",
		"Latin-9":           "To: =?iso-8859-15?q?B=FCro_=A4?= <" + entity + ">",
		"Windows-1252":      "Cc: Shop <shop@example.org>, =?windows-1252?B?QvxybyCA?= <" + entity + ">",
		"Shift JIS":         "Delivered-To: =?Shift_JIS?B?k/qWe4zq?= <" + entity + ">",
		"unknown":           "To: =?x-unknown?q?B=FCro?= <" + entity + ">",
		"wrong bytes":       "To: =?gb2312?B?/////w==?= <" + entity + ">",
		"wrong address":     "To: undisclosed <recipients, " + entity + ", (",
		"without a comma":   "To: a@example.com " + entity,
		"dot at the end":    "To: name.@example.com, <" + entity + ">",
		"damaged line":      "From shop Mon Nov 30\r\n folded\r\nFrom: a@example.com\r\n=?x?\r\nTo: a@example.com,\r\n\t" + entity,
		"space":             "To : " + entity,
		"colon in the name": "To: Re: invoices <" + entity + ">; <",
	} {
		if got := addressesOf(strings.NewReader(field + "\r\n\r\n")); !slices.Contains(got, entity) {
			t.Errorf("%s: %q", name, got)
		}
	}
	many := strings.Repeat("a@example.com ", 200)
	if got := addressesOf(strings.NewReader("To: " + many + "\r\nCc: " + many + "\r\n\r\n")); len(got) != maxAddresses {
		t.Errorf("%d addresses", len(got))
	}
	if got := addressesOf(strings.NewReader("From: a@example.com\r\n\r\nTo: " + entity + "\r\n\r\n")); len(got) != 0 {
		t.Errorf("the body: %q", got)
	}
	if got := addressesOf(strings.NewReader("To: undisclosed-recipients:;\r\n\r\n")); len(got) != 0 {
		t.Errorf("an empty group: %q", got)
	}
}

// TestCharsetReader verifies that texts are decoded.
func TestCharsetReader(t *testing.T) {
	t.Parallel()
	for charset, c := range map[string]struct{ text, want string }{
		"iso-8859-15": {"B\xfcro \xa4", "Büro €"}, "windows-1252": {"B\xfcro \x80", "Büro €"}, "koi8-r": {"\xf0", "П"}, "x-unknown": {"B\xfcro", "Bro"},
	} {
		r, err := CharsetReader(charset, strings.NewReader(c.text))
		if err != nil {
			t.Fatal(charset, err)
		}
		if got, err := io.ReadAll(r); string(got) != c.want || err != nil {
			t.Errorf("%s: %q, %v", charset, got, err)
		}
	}
}
