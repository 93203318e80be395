// Package emails receives documents by e-mail (domain D33).
package emails

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Documents stores the messages.
type Documents interface {
	StoreBlob(ctx context.Context, r io.Reader) (document.StoredBlob, error)
	Ingest(ctx context.Context, a identity.Actor, in document.IngestInput) (d *document.Document, fresh bool, err error)
}

// Service keeps the addresses of entities and receives messages.
type Service struct {
	Intakes       email.Intakes
	Answers       email.Answers
	Documents     Documents
	Entities      entity.Reader
	Authenticator email.Authenticator
	Events        event.Log
	Plans         billing.Plans
	Usage         billing.Usage
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	// CharsetReader returns a text of a header in UTF-8. It must not fail for an unknown character set. If it is
	// nil, such texts are not decoded.
	CharsetReader func(charset string, text io.Reader) (io.Reader, error)
	// Domain is the domain of the addresses; "" if the installation receives no e-mail.
	Domain string
	// AnswersFrom is the address from which senders get answers; "" if the installation sends no e-mail.
	AnswersFrom string
	// TempDir is a folder for messages in transit.
	TempDir string
	Log     *slog.Logger
}

// Address returns the address of an intake; "" if the installation receives no e-mail.
func (s *Service) Address(i *email.Intake) string {
	if s.Domain == "" {
		return ""
	}
	return i.Token + "@" + s.Domain
}

// newToken returns a local part of an address that cannot be guessed. It has lower case
// only, because some senders change the case.
func newToken() string { return strings.ToLower(rand.Text()) }

// isToken reports whether a text has the form of a token.
func isToken(text string) bool {
	return len(text) == len(rand.Text()) && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// Get returns the intake of an entity. The first call creates its address.
func (s *Service) Get(ctx context.Context, a identity.Actor, id uuid.UUID) (*email.Intake, error) {
	if _, err := s.Entities.Get(ctx, a.Scope(), id); err != nil {
		return nil, err
	}
	found, err := s.Intakes.Get(ctx, a.Scope(), id)
	if err != nil || found != nil {
		return found, err
	}
	added := &email.Intake{EntityID: id, OrganizationID: a.OrganizationID, Token: newToken(), UpdatedAt: s.Clock.Now()}
	if err := s.Intakes.Add(ctx, added); err != nil {
		return nil, fmt.Errorf("add address: %w", err)
	}
	if found, err = s.Intakes.Get(ctx, a.Scope(), id); err == nil && found == nil {
		err = fault.Missing("entity")
	}
	return found, err
}

// Change is what an administrator changes about an intake; nil keeps a value.
type Change struct {
	Senders      *[]string
	AcceptSender *string
	OnlySenders  *bool
	// AnswerSenders can be switched on only if the installation sends e-mail.
	AnswerSenders *bool
	NewAddress    bool
}

// Update changes who may send to an entity; administrators may.
func (s *Service) Update(ctx context.Context, a identity.Actor, id uuid.UUID, c Change) (*email.Intake, error) {
	if _, err := s.Entities.Get(ctx, a.Scope(), id); err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if _, err := s.Get(ctx, a, id); err != nil {
		return nil, err
	}
	errUnchanged := errors.New("unchanged")
	var updated *email.Intake
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changes []event.Change
		var err error
		updated, err = s.Intakes.Update(ctx, a.Scope(), id, func(i *email.Intake) error {
			before := *i
			if err := c.apply(i, s.AnswersFrom != ""); err != nil {
				return err
			}
			if changes = differences(&before, i); len(changes) == 0 {
				updated = &before
				return errUnchanged
			}
			i.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil {
			return err
		}
		ev := event.By(a, event.EntityChanged, id, event.Subject{Type: event.SubjectEntity, ID: id})
		ev.Changes = changes
		return s.Events.Append(ctx, ev)
	})
	if errors.Is(err, errUnchanged) {
		return s.Intakes.Get(ctx, a.Scope(), id)
	}
	return updated, err
}

// apply changes an intake. It names every wrong value.
func (c Change) apply(i *email.Intake, sends bool) error {
	var wrong fault.Fields
	if c.AnswerSenders != nil && *c.AnswerSenders && !sends {
		wrong.Add("answer_senders", "cannot be true, because this installation has no server for outgoing e-mail (EMAIL_SMTP_HOST)")
	}
	senders := i.Senders
	if c.Senders != nil {
		senders = nil
		for n, text := range *c.Senders {
			sender, ok := email.Sender(text)
			if !ok {
				wrong.Add(fmt.Sprintf("senders[%d]", n), "must be an address, or a domain such as @supplier.example")
			}
			senders = append(senders, sender)
		}
	}
	if c.AcceptSender != nil {
		sender, ok := email.Sender(*c.AcceptSender)
		if !ok {
			wrong.Add("accept_sender", "must be an address, or a domain such as @supplier.example")
		}
		senders = append(slices.Clone(senders), sender)
	}
	senders = slices.Clone(senders)
	slices.Sort(senders)
	if senders = slices.Compact(senders); len(senders) > email.MaxSenders {
		wrong.Add("senders", "must have at most %d items", email.MaxSenders)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	i.Senders = senders
	if c.OnlySenders != nil {
		i.OnlySenders = *c.OnlySenders
	}
	if c.AnswerSenders != nil {
		i.AnswerSenders = *c.AnswerSenders
	}
	if c.NewAddress {
		i.Token = newToken()
	}
	return nil
}

// differences returns the changed values. The address is a secret and is not named.
func differences(before, after *email.Intake) (out []event.Change) {
	if from, to := strings.Join(before.Senders, ", "), strings.Join(after.Senders, ", "); from != to {
		out = append(out, event.Change{Field: "email.senders", From: from, To: to})
	}
	if before.OnlySenders != after.OnlySenders {
		out = append(out, event.Change{Field: "email.only_senders", From: fmt.Sprint(before.OnlySenders), To: fmt.Sprint(after.OnlySenders)})
	}
	if before.AnswerSenders != after.AnswerSenders {
		out = append(out, event.Change{Field: "email.answer_senders", From: fmt.Sprint(before.AnswerSenders), To: fmt.Sprint(after.AnswerSenders)})
	}
	if before.Token != after.Token {
		out = append(out, event.Change{Field: "email.address"})
	}
	return out
}
