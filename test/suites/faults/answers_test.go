package faults

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/smtp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/email"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/mailsink"
	"docledger/test/lib/postgres"
	"docledger/usecase/emails"
)

// namesEnv replaces the name servers of the service by shopNames.
const namesEnv = "DOCLEDGER_FAULTS_NAMES"

// shopNames publishes that this machine sends the mail of shop.example.
type shopNames struct{ email.NoNames }

// LookupTXT implements email.Resolver.
func (n shopNames) LookupTXT(ctx context.Context, name string) ([]string, error) {
	switch strings.TrimSuffix(name, ".") {
	case "_dmarc.shop.example":
		return []string{"v=DMARC1; p=reject"}, nil
	case "shop.example":
		return []string{"v=spf1 ip4:127.0.0.1 -all"}, nil
	}
	return n.NoNames.LookupTXT(ctx, name)
}

// TestKilledServiceAnswersOnce kills the service before and after the mail server has the whole answer to a message.
// Every message has exactly one answer.
func TestKilledServiceAnswersOnce(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			at := ""
			if database == "postgres" {
				at = postgres.New(t)
			}
			killingAnswers(t, at)
		})
	}
}

func killingAnswers(t *testing.T, databaseURL string) {
	var running atomic.Pointer[running]
	var atBegin, atEnd atomic.Bool // the next kill
	killed := make(chan struct{}, 1)
	hook := func(due *atomic.Bool) func() error {
		return func() error {
			if due.CompareAndSwap(true, false) {
				running.Load().kill()
				killed <- struct{}{}
			}
			return nil
		}
	}
	sink := mailsink.Start(t)
	sink.Begun, sink.Got = hook(&atBegin), hook(&atEnd)
	address := freeAddress(t)
	env := map[string]string{"EMAIL_DOMAIN": "in.example.com", "EMAIL_LISTEN": address, namesEnv: "1"}
	maps.Copy(env, sink.Env())
	var to string
	p := newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) {
		to = intakeOf(t, s, admin)
		on := true
		if _, err := s.Emails.Update(t.Context(), admin, onlyEntity(t, s, admin), emails.Change{AnswerSenders: &on}); err != nil {
			t.Fatal(err)
		}
	})
	send := func(id string) {
		t.Helper()
		text := fmt.Sprintf("From: a@shop.example\r\nTo: b@in.example.com\r\nMessage-ID: <%s@shop.example>\r\nDate: %s\r\nSubject: %s\r\n\r\nHello\r\n",
			id, time.Now().UTC().Format(time.RFC1123Z), id)
		// The service can be killed as soon as it has the message, so that it need not answer QUIT.
		c, err := smtp.Dial(address)
		p.must(err)
		defer c.Close()
		p.must(c.Mail("a@shop.example"))
		p.must(c.Rcpt(to))
		w, err := c.Data()
		p.must(err)
		_, err = io.WriteString(w, text)
		p.must(err)
		p.must(w.Close())
	}
	answersTo := func(id string) (n int) {
		for _, m := range sink.Messages() {
			if strings.Contains(m.Text, "In-Reply-To: <"+id+"@shop.example>") {
				n++
			}
		}
		return n
	}
	wait := func(id string) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); answersTo(id) == 0; {
			if time.Now().After(end) {
				t.Fatalf("%s has no answer", id)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	for id, due := range map[string]*atomic.Bool{"begin": &atBegin, "end": &atEnd} {
		running.Store(p.start())
		due.Store(true)
		send(id)
		select {
		case <-killed:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: the service sent no answer", id)
		}
		running.Store(p.start())
		wait(id)
		// After this answer the service has looked at that to the message before, too.
		send(id + "-after")
		wait(id + "-after")
		running.Load().kill()
	}
	for _, id := range []string{"begin", "begin-after", "end", "end-after"} {
		if n := answersTo(id); n != 1 {
			t.Errorf("%s has %d answers", id, n)
		}
	}
}
