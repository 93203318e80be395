package emails

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/email"

	"github.com/google/uuid"
)

// stopped is a clock that does not move.
type stopped struct{ time.Time }

// Now implements usecase.Clock.
func (s stopped) Now() time.Time { return s.Time }

// TestWhoGetsAnAnswer verifies that only a person who was authenticated gets an answer, and only if the entity has
// switched it on.
func TestWhoGetsAnAnswer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const date, from = "Date: Fri, 20 Nov 2026 11:00:00 +0000", "From: Shop <billing@shop.example>"
	bySMTP := email.Envelope{IP: net.IPv4(192, 0, 2, 1), Sender: "billing@shop.example"}
	passed := email.Results{SPF: email.Pass, DKIM: email.Pass, DMARC: email.Pass, SenderAligned: true}
	signed := email.Results{SPF: email.None, DKIM: email.Pass, DMARC: email.Pass, SignedTo: true}
	signedCc := email.Results{SPF: email.None, DKIM: email.Pass, DMARC: email.Pass, SignedCc: true}
	webhook, mailbox := email.Envelope{Sender: "billing@shop.example"}, email.Envelope{Mailbox: true}
	const to, returned = "To: Docs <TOKEN@in.example.com>", "Return-Path: <billing@shop.example>"
	none := email.Results{SPF: email.None, DKIM: email.None, DMARC: email.None}
	for name, c := range map[string]struct {
		fields   []string
		envelope email.Envelope
		results  email.Results
		off      bool
		want     bool
	}{
		"a person":                   {[]string{from, date}, bySMTP, passed, false, true},
		"explicitly a person":        {[]string{from, date, "Auto-Submitted: no"}, bySMTP, passed, false, true},
		"switched off":               {[]string{from, date}, bySMTP, passed, true, false},
		"no policy, signed":          {[]string{from, date}, bySMTP, email.Results{SPF: email.Fail, DKIM: email.Pass, DMARC: email.None, SenderAligned: true}, false, true},
		"no policy, SPF":             {[]string{from, date}, bySMTP, email.Results{SPF: email.Pass, DKIM: email.None, DMARC: email.None, SenderAligned: true}, false, true},
		"no policy, SPF of another":  {[]string{from, date}, email.Envelope{IP: bySMTP.IP, Sender: "a@other.example"}, email.Results{SPF: email.Pass, DKIM: email.None, DMARC: email.None, SenderAligned: true}, false, false},
		"nothing is known":           {[]string{from, date}, bySMTP, none, false, false},
		"DMARC failed":               {[]string{from, date}, bySMTP, email.Results{SPF: email.Pass, DKIM: email.Pass, DMARC: email.Fail}, false, false},
		"DMARC without an answer":    {[]string{from, date}, bySMTP, email.Results{SPF: email.Pass, DKIM: email.Pass, DMARC: email.TempError}, false, false},
		"several authors":            {[]string{from + ", other@shop.example", date}, bySMTP, passed, false, false},
		"empty return path":          {[]string{from, date}, email.Envelope{IP: bySMTP.IP}, passed, false, false},
		"mailbox":                    {[]string{from, date, to, returned}, mailbox, signed, false, true},
		"mailbox, tag of an address": {[]string{from, date, "To: invoices+token@example.com", returned}, mailbox, signed, false, true},
		"mailbox, empty return path": {[]string{from, date, to, "Return-Path: <>"}, mailbox, signed, false, false},
		"mailbox, no return path":    {[]string{from, date, to}, mailbox, signed, false, false},
		"webhook":                    {[]string{from, date, to}, webhook, signed, false, true},
		"webhook, no sender":         {[]string{from, date, to, returned}, email.Envelope{}, signed, false, false},
		"sent again":                 {[]string{from, date, to}, email.Envelope{IP: bySMTP.IP, Sender: "a@other.example"}, email.Results{SPF: email.Pass, DKIM: email.Pass, DMARC: email.Pass}, false, false},
		"sent again to another":      {[]string{from, date, "To: mallory@other.example"}, webhook, signed, false, false},
		"second To":                  {[]string{to, from, date, "To: mallory@other.example"}, webhook, signed, false, false},
		"Cc":                         {[]string{from, date, "To: a@other.example", "Cc: token@in.example.com"}, webhook, signedCc, false, true},
		"Cc is not signed":           {[]string{from, date, "To: a@other.example", "Cc: token@in.example.com"}, webhook, signed, false, false},
		"second Date":                {[]string{from, date, date}, bySMTP, passed, false, false},
		"second Message-ID":          {[]string{from, date, "Message-ID: <b@shop.example>"}, bySMTP, passed, false, false},
		"date to come":               {[]string{from, "Date: Sun, 22 Nov 2026 11:00:00 +0000"}, bySMTP, passed, false, false},
		"a field is not the path":    {[]string{from, date, "Return-Path: <a@shop.example>"}, email.Envelope{IP: bySMTP.IP}, passed, false, false},
		"automatic":                  {[]string{from, date, "Auto-Submitted: auto-generated; x=y"}, bySMTP, passed, false, false},
		"an answer":                  {[]string{from, date, "auto-submitted: AUTO-REPLIED"}, bySMTP, passed, false, false},
		"bulk":                       {[]string{from, date, "Precedence: Bulk"}, bySMTP, passed, false, false},
		"list":                       {[]string{from, date, "Precedence: list"}, bySMTP, passed, false, false},
		"named list":                 {[]string{from, date, "List-Id: <a.shop.example>"}, bySMTP, passed, false, false},
		"newsletter":                 {[]string{from, date, "List-Unsubscribe: <mailto:a@shop.example>"}, bySMTP, passed, false, false},
		"no answers wanted":          {[]string{from, date, "X-Auto-Response-Suppress: OOF"}, bySMTP, passed, false, false},
		"report":                     {[]string{from, date, "Content-Type: multipart/report; boundary=x"}, bySMTP, passed, false, false},
		"no-reply":                   {[]string{"From: Shop <No-Reply+x@shop.example>", date}, bySMTP, passed, false, false},
		"mailer-daemon":              {[]string{from, date}, email.Envelope{IP: bySMTP.IP, Sender: "MAILER-DAEMON@shop.example"}, passed, false, false},
		"no domain":                  {[]string{from, date}, email.Envelope{IP: bySMTP.IP, Sender: "MAILER-DAEMON"}, passed, false, false},
		"bounces of a list":          {[]string{from, date}, email.Envelope{IP: bySMTP.IP, Sender: "news-bounces@shop.example"}, passed, false, false},
		"own address":                {[]string{"From: answers@example.com", date}, bySMTP, passed, false, false},
		"address of an entity":       {[]string{"From: token@IN.example.com", date}, bySMTP, passed, false, false},
		"old":                        {[]string{from, "Date: Mon, 16 Nov 2026 11:00:00 +0000"}, bySMTP, passed, false, false},
		"without a date":             {[]string{from}, bySMTP, passed, false, false},
		"damaged header":             {[]string{from, date, "this is no field"}, bySMTP, passed, false, false},
	} {
		c.fields = append([]string{"Message-ID: <a@shop.example>"}, c.fields...)
		s := &Service{Domain: "in.example.com", AnswersFrom: "answers@example.com", Clock: stopped{now}}
		h, err := s.headerOf(strings.NewReader(strings.Join(c.fields, "\r\n") + "\r\n\r\n"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		first, second := &email.Intake{}, &email.Intake{Token: "token", AnswerSenders: !c.off}
		switch got := s.answering([]*email.Intake{first, second}, c.envelope, h, c.results); {
		case c.want && got != second, !c.want && got != nil:
			t.Errorf("%s: %v", name, got)
		}
		unnamed := h
		if unnamed.messageID = ""; s.answering([]*email.Intake{second}, c.envelope, unnamed, c.results) != nil {
			t.Errorf("%s: answered without a Message-ID", name)
		}
		s.AnswersFrom = ""
		if s.answering([]*email.Intake{second}, c.envelope, h, c.results) != nil {
			t.Errorf("%s: answered without a server", name)
		}
	}
}

// TestAnswerableAddresses verifies that only addresses that no server can misread get answers.
func TestAnswerableAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"billing@shop.example": true, "o'brien+a/b=c.d-e_f@mail.shop-1.example": true, "a{b}~c?d^e&f$g#h!i*j@x.example": true,
		"": false, "a": false, "@shop.example": false, "a@": false, "a@shop": false, "a@b@shop.example": false, "victim%gmail.com@evil.example": false,
		"-oq/tmp@shop.example": false, "/etc/passwd@shop.example": false, "|cat@shop.example": false, "a|cat@shop.example": false, "`id`@shop.example": false,
		"a@[127.0.0.1]": false, "a@127.0.0.1": false, "a@-shop.example": false, "a@shop..example": false, "a@shop.example.": false, "a b@shop.example": false,
		"\"a\"@shop.example": false, "a,b@shop.example": false, "a:b@shop.example": false, "ü@shop.example": false, "a@ü.example": false, "a\n@shop.example": false,
		"a@shop.example\n": false, "a@" + strings.Repeat("a.", 126) + "example": false,
	} {
		if answerable(address) != want {
			t.Errorf("%q: %v", address, !want)
		}
	}
}

// TestMessageID verifies that an answer names only ids that cannot begin another field.
func TestMessageID(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"<a@b>": "<a@b>", " <a@b> ": "<a@b>", "a@b": "", "a@b>": "", "<a@b": "", "<>": "", "<a b>": "", "<a@b> <c@d>": "", "<ü@b>": "", "<" + strings.Repeat("a", 300) + ">": "", "": "",
	} {
		h, err := (&Service{}).headerOf(strings.NewReader("From: a@b.example\r\nMessage-ID: " + given + "\r\n\r\n"))
		if err != nil || h.messageID != want {
			t.Errorf("%q: %q, %v", given, h.messageID, err)
		}
	}
}

// counted is email.Answers that only counts.
type counted struct {
	email.Answers
	before, added int
	domain        int // answers to the domain
	now           time.Time
	since         time.Time
}

// CountForReceiver implements email.Answers.
func (c *counted) CountForReceiver(_ context.Context, _ string, since time.Time) (int, error) {
	c.since = since
	return c.before + c.added, nil
}

// CountForDomain implements email.Answers.
func (c *counted) CountForDomain(_ context.Context, _ uuid.UUID, domain string, since time.Time) (int, error) {
	if domain != "shop.example" || c.now.Sub(since) != 24*time.Hour {
		return 0, errors.New("another domain or time")
	}
	return c.domain + c.added, nil
}

// Add implements email.Answers.
func (c *counted) Add(_ context.Context, a *email.Answer) error {
	if a.To != "billing@shop.example" || a.State != email.AnswerPending {
		return errors.New("another answer")
	}
	c.added++
	return nil
}

// TestAnswersAreLimited verifies that an address gets a limited number of answers within an hour, and a domain within a day.
func TestAnswersAreLimited(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]*counted{
		"of an address": {before: email.AnswersPerHour - 2, now: now}, "of a domain": {domain: email.AnswersPerDomain - 2, now: now},
	} {
		s := &Service{Answers: c, Clock: stopped{now}, Log: slog.New(slog.DiscardHandler)}
		for range 5 {
			d := &document.Document{ID: uuid.New(), Email: &document.Email{From: "billing@shop.example"}}
			if err := s.addAnswer(t.Context(), &email.Intake{}, d, ""); err != nil {
				t.Fatal(err)
			}
		}
		if c.added != 2 || !c.since.Equal(now.Add(-time.Hour)) {
			t.Errorf("the limit %s: %d answers were added, counted since %v", name, c.added, c.since)
		}
	}
}
