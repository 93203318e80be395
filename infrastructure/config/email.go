package config

import (
	"cmp"
	"net"
	"net/mail"
	"net/url"
	"strconv"
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
	Outgoing      Outgoing
}

// Outgoing is the server for answers to senders. Host is empty for none.
type Outgoing struct {
	Host, Port string
	TLS        string // "starttls", "tls" or "off"
	User       string
	Password   Secret
	From       string // the address of the answers
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
	e.Mailbox, e.Outgoing = r.mailbox(), r.outgoing()
	return e
}

// outgoingPorts are the usual ports for each kind of encryption.
var outgoingPorts = map[string]int64{"starttls": 587, "tls": 465, "off": 25}

func (r *reader) outgoing() Outgoing {
	o := Outgoing{
		Host: r.text("EMAIL_SMTP_HOST", ""), TLS: r.oneOf("EMAIL_SMTP_TLS", "starttls", "starttls", "tls", "off"),
		User: r.text("EMAIL_SMTP_USER", ""), Password: r.secret("EMAIL_SMTP_PASSWORD", false),
	}
	port := r.number("EMAIL_SMTP_PORT", 0, 0, 65535)
	o.Port = strconv.FormatInt(cmp.Or(port, outgoingPorts[o.TLS]), 10)
	o.From = strings.ToLower(r.textIf("EMAIL_SMTP_FROM", o.Host != "" && !r.toolsAlone))
	if a, err := mail.ParseAddress(o.From); o.From != "" && (err != nil || a.Address != o.From || a.Name != "") {
		r.problem("EMAIL_SMTP_FROM", "must be an address such as invoices@example.com")
	}
	if strings.ContainsAny(o.Host, "/:@ ") && net.ParseIP(o.Host) == nil {
		r.problem("EMAIL_SMTP_HOST", "must be a host name or an IP address; EMAIL_SMTP_PORT is its port")
	}
	if (o.User == "") != (o.Password.Reveal() == "") {
		r.problem("EMAIL_SMTP_PASSWORD", "is required with EMAIL_SMTP_USER, and EMAIL_SMTP_USER with it")
	}
	if o.TLS == "off" && o.User != "" && !isLoopback(o.Host) {
		r.problem("EMAIL_SMTP_TLS", "must not be off with EMAIL_SMTP_USER, because the password would be readable in the network")
	}
	return o
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
