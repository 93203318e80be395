package config

import (
	"net"
	"net/url"
	"strings"
	"time"

	"docledger/domain/secret"

	"github.com/google/uuid"
)

// Email configures how documents are received by e-mail.
type Email struct {
	Domain        string // "" if no e-mail is received
	Listen        string // "" for no SMTP
	Cert, Key     string // files for STARTTLS; "" for no encryption
	MaxBytes      int64
	WebhookSecret Secret
	Mailbox       Mailbox
}

// Mailbox is a mailbox that is read by IMAP. Host is empty for none.
type Mailbox struct {
	Host     string // with the port
	StartTLS bool
	User     string
	Password Secret
	Name     string
	Entity   uuid.UUID // receives the messages that name no entity and no address in EMAIL_DOMAIN; zero: none
	Every    time.Duration
}

// minEmailSecret is the minimum length of the secret of inbound e-mail.
const minEmailSecret = 16

func (r *reader) email() Email {
	e := Email{
		Listen: r.listenIf("EMAIL_LISTEN"), Cert: r.text("EMAIL_TLS_CERT", ""), Key: r.text("EMAIL_TLS_KEY", ""),
		MaxBytes: r.number("EMAIL_MAX_BYTES", 50<<20, 1<<10, 1<<30), WebhookSecret: r.secret("EMAIL_WEBHOOK_SECRET", false),
	}
	if n := len(e.WebhookSecret.Reveal()); n > 0 && n < minEmailSecret {
		r.problem("EMAIL_WEBHOOK_SECRET", "must have at least %d characters", minEmailSecret)
	}
	e.Domain = strings.ToLower(r.textIf("EMAIL_DOMAIN", (e.Listen != "" || e.WebhookSecret.Reveal() != "") && !r.toolsAlone))
	if strings.ContainsAny(e.Domain, "@/: ") {
		r.problem("EMAIL_DOMAIN", "must be a domain such as in.example.com")
	}
	if (e.Cert == "") != (e.Key == "") {
		r.problem("EMAIL_TLS_KEY", "is required with EMAIL_TLS_CERT, and EMAIL_TLS_CERT with it")
	}
	e.Mailbox = r.mailbox()
	return e
}

// mailbox reads an address such as imaps://user:password@host/INBOX. No message about it contains the
// address, because it has the password.
func (r *reader) mailbox() (m Mailbox) {
	m.Every = r.duration("EMAIL_IMAP_INTERVAL", time.Minute)
	if text := r.text("EMAIL_IMAP_ENTITY", ""); text != "" {
		id, err := uuid.Parse(text)
		if err != nil {
			r.problem("EMAIL_IMAP_ENTITY", "must be the id of an entity")
		}
		m.Entity = id
	}
	text := r.secret("EMAIL_IMAP", false).Reveal()
	if text == "" {
		return m
	}
	u, err := url.Parse(text)
	password, ok := "", false
	if err == nil {
		password, ok = u.User.Password()
	}
	if err != nil || u.Hostname() == "" || !ok || password == "" || u.User.Username() == "" || u.Scheme != "imaps" && u.Scheme != "imap" || u.RawQuery != "" {
		r.problem("EMAIL_IMAP", "must be imaps://USER:PASSWORD@HOST/MAILBOX, or imap:// for STARTTLS, with user and password percent-encoded")
		return m
	}
	port := u.Port()
	if m.StartTLS = u.Scheme == "imap"; port == "" {
		port = "993"
		if m.StartTLS {
			port = "143"
		}
	}
	m.Host, m.User, m.Password = net.JoinHostPort(u.Hostname(), port), u.User.Username(), secret.New(password)
	if m.Name = strings.TrimPrefix(u.Path, "/"); m.Name == "" {
		m.Name = "INBOX"
	}
	return m
}
