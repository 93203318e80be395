package config

import (
	"strings"
)

// Email configures how documents are received by e-mail.
type Email struct {
	Domain        string // "" if no e-mail is received
	Listen        string // "" for no SMTP
	Cert, Key     string // files for STARTTLS; "" for no encryption
	MaxBytes      int64
	WebhookSecret Secret
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
	return e
}
