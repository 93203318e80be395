package service

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"docledger/adapter/email"
	"docledger/adapter/queue"
	"docledger/adapter/webhook"
	domainbilling "docledger/domain/billing"
	"docledger/infrastructure/config"
	"docledger/usecase/emails"
)

// mailDoor is the SMTP receiver of a process; empty without one.
type mailDoor struct {
	resolver email.Resolver // of the names of senders
	// mailboxTLS replaces the usual roots for EMAIL_IMAP; nil for these.
	mailboxTLS *tls.Config
	mailerTLS  *tls.Config // the same for EMAIL_SMTP_HOST
	answers    *emails.Answering
	smtp       *email.Server
	mailAt     net.Listener
}

func newMailDoor(o Overrides) mailDoor {
	d := mailDoor{resolver: net.DefaultResolver, mailboxTLS: o.MailboxTLS, mailerTLS: o.MailerTLS}
	if o.Resolver != nil {
		d.resolver = o.Resolver
	}
	return d
}

// newEmails builds the use case that receives e-mail.
func (s *Service) newEmails(plans domainbilling.Plans) *emails.Service {
	st := s.store
	answersFrom := ""
	if o := s.cfg.Email.Outgoing; o.Host != "" { // EMAIL_SMTP_FROM alone sends nothing
		answersFrom = o.From
	}
	return &emails.Service{
		Intakes: st.EmailIntakes(), Answers: st.EmailAnswers(), Documents: s.Documents, Entities: st.Entities(), Authenticator: &email.Authenticator{Resolver: s.resolver},
		Events: st.Events(), Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock,
		CharsetReader: email.CharsetReader, Domain: s.cfg.Email.Domain, TempDir: s.cfg.DataDir,
		AnswersFrom: answersFrom, Log: s.log,
	}
}

// newAnswering builds the use case that answers senders.
func (s *Service) newAnswering() *emails.Answering {
	st := s.store
	a := &emails.Answering{
		Answers: st.EmailAnswers(), Intakes: st.EmailIntakes(), Documents: st.Documents(), Queue: s.queue, Holds: st.Holds(), Clock: s.clock, Log: s.log,
	}
	if o := s.cfg.Email.Outgoing; o.Host != "" {
		options := mailerOptions(o)
		options.TLS = s.mailerTLS
		a.Mailer = email.NewMailer(options)
	}
	return a
}

func mailerOptions(c config.Outgoing) email.MailerOptions {
	return email.MailerOptions{
		Host: c.Host, Port: c.Port, Implicit: c.TLS == "tls", Plain: c.TLS == "off", User: c.User, Password: c.Password.Reveal, From: c.From,
	}
}

// enqueueAnswers finds answers to senders that are due.
func (s *Service) enqueueAnswers() queue.Task {
	return queue.Task{Name: "answers that are due", Run: func(ctx context.Context) error {
		_, err := s.answers.Enqueue(ctx)
		return err
	}}
}

// checkOutgoing signs in to EMAIL_SMTP_HOST.
func checkOutgoing(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "outgoing e-mail", OK: "not used", Remedy: "check the variables EMAIL_SMTP_…, and that this machine reaches the server"}
	o := cfg.Email.Outgoing
	if o.Host == "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	f.OK = "connected"
	if o.User != "" {
		f.OK = "signed in"
	}
	if f.Err = email.NewMailer(mailerOptions(o)).Check(ctx); f.Err == nil && o.TLS == "off" {
		f.Warning = f.OK + ", without encryption"
	}
	return f
}

// emailInbound returns what providers of inbound e-mail call; nil without a secret.
func (s *Service) emailInbound() *webhook.EmailInbound {
	if s.cfg.Email.WebhookSecret.Reveal() == "" {
		return nil
	}
	return &webhook.EmailInbound{Emails: s.Emails, Secret: s.cfg.Email.WebhookSecret, MaxBytes: s.cfg.Email.MaxBytes}
}

// ListenEmail opens the address at which Run receives e-mail.
func (s *Service) ListenEmail(address string) (_ net.Addr, err error) {
	c := s.cfg.Email
	s.smtp, err = email.NewServer(email.Options{Receiver: s.Emails, Domain: c.Domain, MaxBytes: c.MaxBytes, Cert: c.Cert, Key: c.Key, Log: s.log})
	if err != nil {
		return nil, err
	}
	if s.mailAt, err = net.Listen("tcp", address); err != nil {
		return nil, fmt.Errorf("EMAIL_LISTEN: %w", err)
	}
	return s.mailAt.Addr(), nil
}

// serveEmail receives e-mail until ctx ends. The returned function waits for the
// messages that are being received.
func (s *Service) serveEmail(ctx context.Context) (wait func()) {
	if s.smtp == nil {
		return func() {}
	}
	ctx, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.smtp.Serve(ctx, s.mailAt, s.cfg.ShutdownTimeout); err != nil {
			s.log.ErrorContext(ctx, "SMTP receiver stopped", "error", err)
		}
	}()
	return func() { end(); <-ended }
}
