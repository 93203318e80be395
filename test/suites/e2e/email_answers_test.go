package e2e

import (
	"bytes"
	"io"
	"maps"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/harness"
	"docledger/test/lib/mailsink"
)

// TestSendersAreAnswered verifies that an authenticated sender gets one answer to a message, only if the entity has
// switched it on, and that automatic and forged messages get none.
func TestSendersAreAnswered(t *testing.T) {
	t.Parallel()
	sink := mailsink.Start(t)
	m := newMailedWith(t, sink.Env())
	m.sender = "billing@shop.example"
	if m.rules(http.MethodGet, nil).OK().At("answer_senders") != false {
		t.Error("senders are answered by default")
	}
	// The sender has the Message-ID of each message, so that its answer is recognized.
	message := func(id, extra string, attachments ...string) []byte {
		text := mimeMessage("Shop <billing@shop.example>", attachments...)
		text = bytes.Replace(text, []byte("Mon, 2 Mar 2026 10:00:00 +0000"), []byte(time.Now().UTC().Format(time.RFC1123Z)), 1)
		text = bytes.Replace(text, []byte("To: in@example.net"), []byte("To: "+m.address), 1)
		return append([]byte(extra), bytes.Replace(text, []byte("m1@example.com"), []byte(id+"@shop.example"), 1)...)
	}
	send := func(text []byte) {
		m.post(m.address, text, "X-Webhook-Secret", emailSecret).OK()
	}
	of := func(number string) []string { return []string{number + ".xml", string(harness.UBL(number))} }
	send(m.sign(message("off", "", of("A-1")...)))
	m.rules(http.MethodPut, map[string]any{"answer_senders": true}).OK()

	send(message("forged", "", of("A-2")...))
	send(m.sign(message("automatic", "Auto-Submitted: auto-generated\r\n", of("A-3")...)))
	send(m.sign(message("list", "List-Id: <news.shop.example>\r\n", of("A-4")...)))
	answered := m.sign(message("answered", "", append(of("A-5"), "broken.pdf", "%PDF-1.7 no pages")...))
	send(answered)
	send(answered) // the same bytes are one message
	elsewhere := bytes.Replace(message("elsewhere", "", of("A-6")...), []byte("To: "+m.address), []byte("To: a@other.example"), 1)
	send(m.sign(elsewhere)) // its author wrote to another person
	m.Eventually("the answer is sent", time.Minute, func() bool { return len(sink.Messages()) > 0 }, func() string { return string(m.documents().Raw) })
	send(append([]byte("Received: by relay.example\r\n"), answered...)) // the same Message-ID is one message too
	// This answer follows those that the service would have sent for the messages before.
	for _, number := range []string{"A-1", "A-2", "A-3", "A-4", "A-5", "A-6"} {
		m.invoiceOf(number + ".xml")
	}
	send(m.sign(message("last", "", "notes.txt", "no invoice in here")))
	m.Eventually("the last answer is sent", time.Minute, func() bool { return len(sink.Messages()) > 1 }, func() string { return string(m.documents().Raw) })

	seen := map[string]string{}
	for _, got := range sink.Messages() {
		read, err := mail.ReadMessage(strings.NewReader(got.Text))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(read.Body))
		if err != nil {
			t.Fatal(err)
		}
		id := read.Header.Get("In-Reply-To")
		if seen[id] != "" {
			t.Errorf("%s has two answers", id)
		}
		seen[id] = string(text)
		if got.To != "billing@shop.example" || read.Header.Get("Auto-Submitted") != "auto-replied" || read.Header.Get("Subject") != "Re: Your invoice" {
			t.Errorf("the answer to %s: %v", got.To, read.Header)
		}
		token, _, _ := strings.Cut(m.address, "@")
		if strings.Contains(got.Text, token) || strings.Contains(got.Text, m.org.Entity.String()) {
			t.Errorf("the answer has a secret: %s", got.Text)
		}
	}
	if text := seen["<answered@shop.example>"]; !strings.Contains(text, "taken:\r\n- A-5.xml\r\n") || !strings.Contains(text, "refused:\r\n- broken.pdf: ") {
		t.Errorf("the answer: %s", text)
	}
	if text := seen["<last@shop.example>"]; !strings.Contains(text, "refused:\r\n- your message: ") {
		t.Errorf("the answer to a message without an invoice: %s", text)
	}
	if len(seen) != 2 {
		t.Errorf("answers to %v", maps.Keys(seen))
	}
}

// TestAnswersNeedAServer verifies that an installation without a server for outgoing e-mail refuses to switch answers on.
func TestAnswersNeedAServer(t *testing.T) {
	t.Parallel()
	m := newMailedWith(t, map[string]string{"EMAIL_SMTP_FROM": "answers@example.com"}) // an address is no server
	if m.rules(http.MethodGet, nil).OK().At("answer_senders") != nil {
		t.Error("the installation claims that it sends e-mail")
	}
	m.rules(http.MethodPut, map[string]any{"answer_senders": true}).Want(http.StatusBadRequest, "invalid_request")
	m.rules(http.MethodPut, map[string]any{"answer_senders": false}).OK()
}
