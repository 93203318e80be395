// Package email receives e-mail by SMTP and checks its senders (domain D33).
package email

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"docledger/domain/email"

	"blitiri.com.ar/go/spf"
	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-msgauth/dmarc"
	"golang.org/x/net/publicsuffix"
)

const (
	// checkTime is the time limit of all name servers for one message.
	checkTime = 20 * time.Second
	// maxSignatures is the maximum number of signatures that are verified.
	maxSignatures = 5
)

// Resolver looks up the names of senders. *net.Resolver implements it.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

// Authenticator implements email.Authenticator.
type Authenticator struct{ Resolver Resolver }

var _ email.Authenticator = (*Authenticator)(nil)

// signature is a verified DKIM signature.
type signature struct {
	domain string
	result email.Result
	fields []string // that it covers
}

// covers reports whether a signature covers all fields.
func (s signature) covers(fields ...string) bool {
	for _, field := range fields {
		if !slices.ContainsFunc(s.fields, func(name string) bool { return strings.EqualFold(name, field) }) {
			return false
		}
	}
	return true
}

// Authenticate implements email.Authenticator.
func (a *Authenticator) Authenticate(ctx context.Context, e email.Envelope, from string, message io.Reader) email.Results {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	out := email.Results{SPF: a.spf(ctx, e), DKIM: email.None, DMARC: email.None}
	signatures := a.signatures(ctx, message)
	domain := email.DomainOf(from)
	if from == "" || domain == "" {
		if len(signatures) > 0 {
			out.DKIM = email.PermError
		}
		out.DMARC = email.PermError // the message has no author who could be authenticated
		return out
	}
	out.SenderAligned = out.SPF == email.Pass && e.Sender != "" && sameOrganization(spfDomain(e), domain)
	for _, s := range signatures {
		if !sameOrganization(s.domain, domain) {
			continue
		}
		if out.DKIM != email.Pass {
			out.DKIM = s.result
		}
		if s.result == email.Pass && s.covers("Date", "Message-ID") {
			out.SignedTo, out.SignedCc = out.SignedTo || s.covers("To"), out.SignedCc || s.covers("Cc")
		}
	}
	policy, err := a.policy(ctx, domain)
	switch {
	case errors.Is(err, dmarc.ErrNoPolicy):
		return out
	case err != nil && (dmarc.IsTempFail(err) || ctx.Err() != nil):
		out.DMARC = email.TempError
		return out
	case err != nil:
		out.DMARC = email.PermError
		return out
	}
	out.DMARC = email.Fail
	if out.SPF == email.Pass && aligned(spfDomain(e), domain, policy.SPFAlignment) {
		out.DMARC = email.Pass
	}
	for _, s := range signatures {
		if s.result == email.Pass && aligned(s.domain, domain, policy.DKIMAlignment) {
			out.DMARC = email.Pass
		}
	}
	return out
}

// spfDomain returns the domain that SPF checks.
func spfDomain(e email.Envelope) string {
	if e.Sender == "" {
		return strings.ToLower(e.Helo)
	}
	return email.DomainOf(e.Sender)
}

func (a *Authenticator) spf(ctx context.Context, e email.Envelope) email.Result {
	if e.IP == nil {
		return email.None
	}
	sender := e.Sender
	if sender == "" {
		sender = "postmaster@" + e.Helo
	}
	result, _ := spf.CheckHostWithSender(e.IP, e.Helo, sender, spf.WithContext(ctx), spf.WithResolver(a.Resolver)) //nolint:errcheck // the result includes it
	return email.Result(result)
}

// signatures verifies the signatures of a message. go-msgauth refuses signatures of a
// part of the body and those that do not cover the From field. It finds none in a message with a
// header that takes too long to verify, and skips a signature that does.
func (a *Authenticator) signatures(ctx context.Context, message io.Reader) []signature {
	message, ok := verifiable(message)
	if !ok {
		return nil
	}
	verified, err := dkim.VerifyWithOptions(message, &dkim.VerifyOptions{
		LookupTXT:        func(name string) ([]string, error) { return a.Resolver.LookupTXT(ctx, name) },
		MaxVerifications: maxSignatures,
	})
	if err != nil && !errors.Is(err, dkim.ErrTooManySignatures) {
		return nil
	}
	out := make([]signature, 0, len(verified))
	for _, v := range verified {
		s := signature{domain: strings.ToLower(v.Domain), result: email.Fail, fields: v.HeaderKeys}
		switch {
		case v.Err == nil:
			s.result = email.Pass
		case dkim.IsTempFail(v.Err):
			s.result = email.TempError
		case dkim.IsPermFail(v.Err):
			s.result = email.PermError
		}
		out = append(out, s)
	}
	return out
}

// policy returns the DMARC policy of a domain, or that of its organization.
func (a *Authenticator) policy(ctx context.Context, domain string) (*dmarc.Record, error) {
	o := &dmarc.LookupOptions{LookupTXT: func(name string) ([]string, error) { return a.Resolver.LookupTXT(ctx, name) }}
	record, err := dmarc.LookupWithOptions(domain, o)
	if top := organization(domain); errors.Is(err, dmarc.ErrNoPolicy) && top != domain {
		return dmarc.LookupWithOptions(top, o)
	}
	return record, err
}

// aligned reports whether an authenticated domain speaks for the author's.
func aligned(authenticated, author string, mode dmarc.AlignmentMode) bool {
	if mode == dmarc.AlignmentStrict {
		return authenticated == author
	}
	return sameOrganization(authenticated, author)
}

func sameOrganization(a, b string) bool { return a != "" && organization(a) == organization(b) }

// organization returns the domain that a registry gives to one organization.
func organization(domain string) string {
	top, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(domain, "."))
	if err != nil {
		return domain
	}
	return top
}

// NoNames is a Resolver that knows no name, for installations without name servers.
type NoNames struct{}

func unknown(name string) error {
	return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// LookupTXT implements Resolver.
func (NoNames) LookupTXT(_ context.Context, name string) ([]string, error) { return nil, unknown(name) }

// LookupMX implements Resolver.
func (NoNames) LookupMX(_ context.Context, name string) ([]*net.MX, error) { return nil, unknown(name) }

// LookupIPAddr implements Resolver.
func (NoNames) LookupIPAddr(_ context.Context, host string) ([]net.IPAddr, error) {
	return nil, unknown(host)
}

// LookupAddr implements Resolver.
func (NoNames) LookupAddr(_ context.Context, addr string) ([]string, error) {
	return nil, unknown(addr)
}
