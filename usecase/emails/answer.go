package emails

import (
	"context"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/domain/email"
)

const (
	// maxMessageID is the maximum length of a Message-ID that an answer names.
	maxMessageID = 250
	// maxAddress is the maximum length of an address that gets answers.
	maxAddress = 254
	// maxAhead is the maximum time by which the clock of a sender can be ahead.
	maxAhead = 24 * time.Hour
)

// machines are the local parts of addresses that no person reads.
var machines = []string{
	"mailer-daemon", "postmaster", "daemon", "bounce", "bounces", "noreply", "no-reply", "no_reply", "no.reply", "donotreply",
	"do-not-reply", "do_not_reply", "do.not.reply", "majordomo", "listserv",
}

// answering returns the recipient for which the sender of a message gets an answer; nil for none. A message has at
// most one answer, whatever the number of its recipients.
func (s *Service) answering(recipients []*email.Intake, e email.Envelope, h heading, r email.Results) *email.Intake {
	i := slices.IndexFunc(recipients, func(r *email.Intake) bool { return r.AnswerSenders })
	if i < 0 || s.AnswersFrom == "" || h.messageID == "" || automatic(e, h) || s.isOwn(h.from) {
		return nil
	}
	if !authentic(e, h, r) || !r.SenderAligned && !addressed(recipients, h, r) {
		return nil
	}
	// The first read of a mailbox can find messages of years. An answer is known by its Message-ID for a limited time.
	sent, err := mail.ParseDate(only(h.fields, "Date"))
	if age := s.Clock.Now().Sub(sent); err != nil || age > email.AnswerLifetime || age < -maxAhead {
		return nil
	}
	return recipients[i]
}

// authentic reports whether the author of a message is the one that it names, so that no other person gets the answer.
// Without a DMARC policy, a signature of the author's domain or SPF for the same address is required.
func authentic(e email.Envelope, h heading, r email.Results) bool {
	if !answerable(h.from) {
		return false
	}
	switch r.DMARC {
	case email.Pass:
		return true
	case email.None:
		return r.DKIM == email.Pass || r.SPF == email.Pass && strings.EqualFold(e.Sender, h.from)
	}
	return false
}

// addressed reports whether the author wrote to one of the recipients, in a field that the author's signature covers.
// Anyone can send a signed message again, also one that its author wrote to another person.
func addressed(recipients []*email.Intake, h heading, r email.Results) bool {
	for name, signed := range map[string]bool{"To": r.SignedTo, "Cc": r.SignedCc} {
		// A signature covers the last of several fields.
		list, err := mail.ParseAddressList(only(h.fields, name))
		if !signed || err != nil {
			continue
		}
		for _, a := range list {
			local, tag, _ := strings.Cut(strings.ToLower(a.Address[:max(strings.LastIndexByte(a.Address, '@'), 0)]), "+")
			if slices.ContainsFunc(recipients, func(r *email.Intake) bool { return r.Token != "" && (r.Token == local || r.Token == tag) }) {
				return true
			}
		}
	}
	return false
}

// only returns the value of a field; "" unless a header has exactly one.
func only(header textproto.MIMEHeader, name string) string {
	if values := header.Values(name); len(values) == 1 {
		return values[0]
	}
	return ""
}

var (
	// answerableLocal matches the local parts that get answers. Servers can take others for a program, a file, an option
	// or a route.
	answerableLocal = regexp.MustCompile("^[A-Za-z0-9.!#$&'*+=?^_{}~][A-Za-z0-9.!#$&'*+/=?^_{}~-]*$")
	// answerableDomain matches the names of hosts.
	answerableDomain = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
)

// answerable reports whether an address is one that no server can misread.
func answerable(address string) bool {
	local, domain, _ := strings.Cut(address, "@")
	return len(address) <= maxAddress && answerableLocal.MatchString(local) && answerableDomain.MatchString(domain) && net.ParseIP(domain) == nil
}

// isOwn reports whether an address is one of the installation.
func (s *Service) isOwn(address string) bool {
	return strings.EqualFold(address, s.AnswersFrom) || s.Domain != "" && strings.EqualFold(email.DomainOf(address), s.Domain)
}

// automatic reports whether a message was written by a program, or can be one (RFC 3834). An answer to it could lead to
// another message, without end.
func automatic(e email.Envelope, h heading) bool {
	f := h.fields
	if f == nil {
		return true // a field that is not read can say it
	}
	path := e.Sender
	if e.Mailbox { // from others, the field is one of the author
		path = strings.Trim(f.Get("Return-Path"), " <>")
	}
	if path == "" || isMachine(path) || isMachine(h.from) {
		return true
	}
	for _, value := range f.Values("Auto-Submitted") {
		if keyword, _, _ := strings.Cut(value, ";"); !strings.EqualFold(strings.TrimSpace(keyword), "no") {
			return true
		}
	}
	for _, value := range f.Values("Precedence") {
		if slices.Contains([]string{"bulk", "list", "junk", "auto_reply"}, strings.ToLower(strings.TrimSpace(value))) {
			return true
		}
	}
	for _, name := range []string{"List-Id", "List-Unsubscribe", "List-Post", "X-Auto-Response-Suppress", "X-Autoreply", "X-Autorespond", "X-Loop"} {
		if f.Get(name) != "" {
			return true
		}
	}
	kind := strings.ToLower(strings.TrimSpace(f.Get("Content-Type")))
	return strings.HasPrefix(kind, "multipart/report") || strings.HasPrefix(kind, "message/delivery-status")
}

// isMachine reports whether no person reads an address.
func isMachine(address string) bool {
	at := strings.LastIndexByte(address, '@')
	if at < 1 {
		return true
	}
	local, _, _ := strings.Cut(strings.ToLower(address[:at]), "+")
	return slices.Contains(machines, local) || strings.HasPrefix(local, "owner-") || strings.HasSuffix(local, "-request") ||
		strings.HasSuffix(local, "-bounces") || strings.HasSuffix(local, "-noreply") || strings.HasSuffix(local, "-no-reply")
}

// messageIDOf returns the Message-ID of a message in the form in which an answer can name it; "" unless it has one.
func messageIDOf(header textproto.MIMEHeader) string {
	id := strings.TrimSpace(only(header, "Message-Id"))
	inner, begins := strings.CutPrefix(id, "<")
	inner, ends := strings.CutSuffix(inner, ">")
	if !begins || !ends || len(id) > maxMessageID || inner == "" {
		return ""
	}
	for _, r := range inner {
		if r <= ' ' || r >= 0x7f || r == '<' || r == '>' {
			return ""
		}
	}
	return id
}

// addAnswer records that the sender of a message gets an answer. An address and a domain get a limited number of them.
func (s *Service) addAnswer(ctx context.Context, r *email.Intake, d *document.Document, messageID string) error {
	now := s.Clock.Now()
	n, err := s.Answers.CountForReceiver(ctx, d.Email.From, now.Add(-time.Hour))
	if err != nil {
		return err
	}
	if n >= email.AnswersPerHour {
		s.Log.WarnContext(ctx, "e-mail not answered, because its sender got the largest number of answers of an hour", "document_id", d.ID)
		return nil
	}
	n, err = s.Answers.CountForDomain(ctx, r.EntityID, email.DomainOf(d.Email.From), now.Add(-24*time.Hour))
	if err != nil {
		return err
	}
	if n >= email.AnswersPerDomain {
		s.Log.WarnContext(ctx, "e-mail not answered, because the domain of its sender got the largest number of answers of a day", "document_id", d.ID, "entity_id", r.EntityID)
		return nil
	}
	err = s.Answers.Add(ctx, &email.Answer{
		DocumentID: d.ID, EntityID: r.EntityID, OrganizationID: r.OrganizationID, To: d.Email.From, Subject: d.Email.Subject,
		MessageID: messageID, State: email.AnswerPending, NextAttemptAt: now, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		return fmt.Errorf("add answer: %w", err)
	}
	return nil
}
