// Package email defines how entities receive documents by e-mail (domain D33).
package email

import (
	"context"
	"io"
	"net"
	"net/mail"
	"slices"
	"strings"
	"time"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

// MaxSenders is the maximum number of accepted senders of an entity.
const MaxSenders = 500

// Intake is the address at which an entity receives e-mail, with its rules.
type Intake struct {
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Token          string // the local part of the address; secret enough to prevent guesses
	// Senders are the accepted senders: addresses, or domains with a leading @. Their
	// authenticated e-mail is treated like an upload.
	Senders     []string
	OnlySenders bool // e-mail of other senders is refused
	// AnswerSenders reports whether authenticated senders get one answer to each message.
	AnswerSenders bool
	UpdatedAt     time.Time
}

// Lists reports whether an address is one of the accepted senders.
func (i *Intake) Lists(address string) bool {
	address = strings.ToLower(address)
	at := strings.LastIndexByte(address, '@')
	return at > 0 && (slices.Contains(i.Senders, address) || slices.Contains(i.Senders, address[at:]))
}

// Sender returns an address or a domain with a leading @ in the form of Senders. ok is
// false if it is neither.
func Sender(text string) (sender string, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	probe := text
	if strings.HasPrefix(text, "@") {
		probe = "a" + text
	}
	a, err := mail.ParseAddress(probe)
	if err != nil || a.Address != probe || !strings.Contains(DomainOf(probe), ".") || strings.ContainsAny(probe, " \"[]") {
		return "", false
	}
	return text, true
}

// DomainOf returns the domain of an address, in lower case.
func DomainOf(address string) string {
	return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
}

// Envelope is what the server that sends a message states and shows of itself.
type Envelope struct {
	IP     net.IP // nil if it is not known
	Helo   string
	Sender string // "" of a notification
	// Mailbox reports whether the message was read from a mailbox. The server of the mailbox added Return-Path.
	Mailbox bool
}

// Result is the result of a check of SPF, DKIM or DMARC (RFC 8601).
type Result string

// The results.
const (
	None      Result = "none"
	Pass      Result = "pass"
	Fail      Result = "fail"
	TempError Result = "temperror"
	PermError Result = "permerror"
)

// Results are the checks of a message.
type Results struct {
	SPF, DKIM, DMARC Result
	// SenderAligned reports whether SPF passed for an envelope sender in the organization of the author.
	SenderAligned bool
	// SignedTo and SignedCc report whether a valid signature of the author's organization covers To or Cc, and with it
	// Date and Message-ID.
	SignedTo, SignedCc bool
}

// Authenticator checks who sent a message.
type Authenticator interface {
	// Authenticate checks a message with the address from in its From field; "" if it does
	// not have exactly one. It returns in a limited time, whatever the name servers do.
	Authenticate(ctx context.Context, e Envelope, from string, message io.Reader) Results
}

// Intakes stores the addresses of entities.
type Intakes interface {
	Lists
	// Add stores a new intake. It does nothing if the entity has one.
	Add(ctx context.Context, i *Intake) error
	// Update loads the intake under a row lock, applies change and stores it.
	Update(ctx context.Context, s identity.Scope, entity uuid.UUID, change func(*Intake) error) (*Intake, error)
	// OfTokenForReceiver returns the intake with the token, or nil. It has no scope,
	// because the token is the only thing that a message shows.
	OfTokenForReceiver(ctx context.Context, token string) (*Intake, error)
}
