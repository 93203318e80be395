package service

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"docledger/adapter/email"
	"docledger/adapter/webhook"
	domainbilling "docledger/domain/billing"
	"docledger/usecase/emails"
)

// mailDoor is the SMTP receiver of a process; empty without one.
type mailDoor struct {
	resolver email.Resolver // of the names of senders
	// mailboxTLS replaces the usual roots for EMAIL_IMAP; nil for these.
	mailboxTLS *tls.Config
	smtp       *email.Server
	mailAt     net.Listener
}

func newMailDoor(o Overrides) mailDoor {
	if o.Resolver != nil {
		return mailDoor{resolver: o.Resolver, mailboxTLS: o.MailboxTLS}
	}
	return mailDoor{resolver: net.DefaultResolver, mailboxTLS: o.MailboxTLS}
}

// newEmails builds the use case that receives e-mail.
func (s *Service) newEmails(plans domainbilling.Plans) *emails.Service {
	st := s.store
	return &emails.Service{
		Intakes: st.EmailIntakes(), Documents: s.Documents, Entities: st.Entities(), Authenticator: &email.Authenticator{Resolver: s.resolver},
		Events: st.Events(), Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock,
		CharsetReader: email.CharsetReader, Domain: s.cfg.Email.Domain, TempDir: s.cfg.DataDir,
	}
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
