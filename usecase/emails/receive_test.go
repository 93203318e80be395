package emails

import (
	"strings"
	"testing"
)

// TestHeaderOf verifies that the character set of a name does not hide the address of the sender, and that no
// address is read from a field that does not have exactly one.
func TestHeaderOf(t *testing.T) {
	t.Parallel()
	const sender = "billing@shop.example"
	for from, want := range map[string]string{
		"From: Shop <Billing@shop.example>":                                  sender,
		"From: =?iso-8859-15?q?B=FCro_=A4?= <billing@shop.example>":          sender,
		"From: =?windows-1252?B?QvxybyCA?= <billing@shop.example>":           sender,
		"From: =?x-unknown?q?B=FCro?= <billing@shop.example>":                sender,
		"From: B\xfcro <billing@shop.example>":                               sender,
		"From: bill\xfcing@shop.example":                                     "bill\ufffding@shop.example",
		"From: Shop <billing@shop.example>, other@example.com":               "",
		"From: billing@shop.example other@example.com":                       "",
		"From: billing@shop.example\r\nFrom: other@example.com":              "",
		"From: =?x-unknown?q?billing=40shop.example?= <other@example.com":    "",
		"From: =?iso-8859-15?q?billing=40shop.example?= <other@example.com>": "other@example.com",
		// Another From field can follow a line that is no field.
		"From: billing@shop.example\r\nX(y): 1":                   "",
		"From: billing@shop.example\r\n: 1":                       "",
		"From: billing@shop.example\r\nX: y\rz":                   "",
		"From: billing@shop.example\r\nno colon":                  "",
		"From: billing@shop.example\r\nFrom\t: other@example.com": "",
		"From: billing@shop.example\r\nFrom : other@example.com":  "",
		"From : billing@shop.example":                             sender,
	} {
		got, err := (&Service{}).headerOf(strings.NewReader(from + "\r\nSubject: Invoice\r\n\r\n"))
		if got.from != want || err != nil {
			t.Errorf("%s: %q, %v", from, got.from, err)
		}
	}
}
