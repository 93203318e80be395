// Package invoices is what people do with invoices: read, correct, approve,
// reject, reopen.
package invoices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/domain/review"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Service holds the operations on invoices; reading them needs no rule beyond
// the scope, so Get, List and Lines are the repository's own.
type Service struct {
	invoice.Reader
	Invoices    invoice.Repository
	Duplicates  Duplicates
	Entities    entity.Reader
	Buyers      entity.Buyers
	Settings    entity.SettingsRepository
	Memberships identity.Memberships
	Events      event.Log
	UnitOfWork  usecase.UnitOfWork
	Clock       usecase.Clock
	IDs         usecase.IDs
	Bookings    Bookings
	Ledgers     Ledgers
	Suppliers   Suppliers
	Documents   document.Reader
	Blobs       document.Blobs
	Originals   extraction.Reader // reads originals for Validation, apart from the jobs

	validations usecase.Turns[uuid.UUID]
}

// Bookings applies the decisions of people to syncs: an approved invoice may be synced
// automatically, and an invoice without approval is no longer synced. Both methods work within
// the caller's transaction.
type Bookings interface {
	// Approved begins the booking of an invoice that was just approved, where
	// the entity's settings ask for it.
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error
	// Withdrawn ends a booking that waits, for an invoice that is no longer
	// approved.
	Withdrawn(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

// Suppliers finds the suppliers of invoices. It runs within the caller's transaction.
type Suppliers interface {
	// Checks finds the supplier of an invoice and returns the checks of its bank accounts.
	Checks(ctx context.Context, a identity.Actor, inv *invoice.Invoice) ([]invoice.Check, error)
	// Approved records an approved invoice with its supplier.
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

// History lists what happened to an invoice and its document, oldest first. It contains what happened
// in former entities, because the history moves with the document.
func (s *Service) History(ctx context.Context, a identity.Actor, id uuid.UUID, newestFirst bool, p page.Request) (page.Of[event.Event], error) {
	inv, err := s.Invoices.Get(ctx, a.Scope(), id)
	if err != nil {
		return page.Of[event.Event]{}, err
	}
	whole := identity.System(inv.OrganizationID).Scope()
	out, err := s.Events.List(ctx, whole, event.Filter{SubjectIDs: []uuid.UUID{inv.ID, inv.DocumentID}, NewestFirst: newestFirst}, p)
	out.Items = slices.DeleteFunc(out.Items, event.Event.Departed)
	return out, err
}

// Correct changes values of an invoice. The checks then determine its status again. An approval
// is withdrawn if the document's own values changed, or if an assistant that may not approve changed
// the coding, because a bill follows an approval without another decision (domain D2).
func (s *Service) Correct(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, c invoice.Correction) (*invoice.Invoice, error) {
	permission := identity.Correct
	if c.OnlyNote() {
		permission = identity.Note
	}
	if err := s.checkAccounts(ctx, a, id, c); err != nil {
		return nil, err
	}
	var found *duplicate.Found
	return s.change(ctx, a, id, ifVersion, permission, func(ctx context.Context, inv *invoice.Invoice, e *entity.Entity, settings *entity.Settings) ([]event.Event, error) {
		wasApproved := inv.Status == invoice.Approved
		done, err := inv.Correct(c, s.IDs.New)
		if err != nil {
			return nil, err
		}
		if done.Document {
			inv.ChangedBy = a.UserID
		}
		if done.Coding {
			inv.CodedBy = a.UserID // it decides who is paid; a change of the document must not hide it
		}
		if done.Bill && a.IsAssistant() && !settings.AssistantsApprove() {
			done.Withdrawn = inv.WithdrawApproval() || done.Withdrawn
		}
		if inv.Status.Open() {
			if found, err = s.judge(ctx, a, inv, e, settings, done.Bill); err != nil {
				return nil, err
			}
		}
		corrected := event.Event{Type: event.InvoiceCorrected}
		for _, ch := range done.Changes {
			corrected.Changes = append(corrected.Changes, event.Change{Field: ch.Path, From: ch.From, To: ch.To})
		}
		events := []event.Event{corrected}
		if done.Withdrawn {
			events = append(events, event.Event{Type: event.InvoiceApprovalWithdrawn})
		}
		if approved := inv.Status == invoice.Approved && inv.Approval.By == uuid.Nil; approved && (done.Withdrawn || !wasApproved) {
			events = append(events, event.Event{Type: event.InvoiceApproved, ActorType: identity.ActorSystem})
		}
		return events, nil
	}, func(ctx context.Context, inv *invoice.Invoice) ([]event.Event, error) {
		return s.keepDuplicates(ctx, a, inv, found)
	})
}

// judge runs the checks of a corrected invoice and lets SYSTEM approve it where
// it may. An assistant that may not approve does not cause an approval by its
// correction: values that it changed and that a bill depends on need a person.
func (s *Service) judge(
	ctx context.Context, a identity.Actor, inv *invoice.Invoice, e *entity.Entity, settings *entity.Settings, bill bool,
) (*duplicate.Found, error) {
	found, err := s.Duplicates.Find(ctx, inv, "")
	if err != nil {
		return nil, err
	}
	accounts, err := s.Suppliers.Checks(ctx, a, inv)
	if err != nil {
		return nil, err
	}
	if !settings.AssistantsApprove() {
		inv.Reopened = inv.Reopened || found.Assistant
	}
	attended := inv.Reopened
	if a.IsAssistant() && !settings.AssistantsApprove() {
		attended, inv.Reopened = attended || bill, true
	}
	review.Evaluate(inv, e, settings, append(append(review.Findings(inv), accounts...), found.Check()), s.Clock.Now(), inv.Version+1)
	if inv.Status != invoice.Approved {
		inv.Reopened = attended
	}
	return &found, review.Suggest(ctx, inv, e, s.Buyers)
}

// Approve approves the version that the caller saw; acknowledged names the
// rules with failed BLOCKING checks (domain D31).
func (s *Service) Approve(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion, version int, acknowledged []string) (*invoice.Invoice, error) {
	stale := false
	inv, err := s.change(ctx, a, id, ifVersion, identity.Approve, func(ctx context.Context, inv *invoice.Invoice, _ *entity.Entity, settings *entity.Settings) ([]event.Event, error) {
		if settings.FourEyes && slices.Contains([]uuid.UUID{inv.CreatedBy, inv.ChangedBy, inv.CodedBy}, a.UserID) {
			return nil, fault.New(fault.Forbidden, fault.CodeForbidden,
				"This entity asks for four eyes: whoever uploaded an invoice or changed it last can't approve it. Ask another approver.")
		}
		// The supplier can have become known since the invoice was checked.
		if inv.Status.Open() {
			accounts, err := s.Suppliers.Checks(ctx, a, inv)
			if err != nil {
				return nil, err
			}
			stale = inv.ReplaceChecks(invoice.RuleBankAccountKnown, accounts)
		}
		if err := inv.Approve(a.UserID, s.Clock.Now(), version, acknowledged); err != nil {
			return nil, err
		}
		approved := event.Event{Type: event.InvoiceApproved}
		if len(acknowledged) > 0 {
			approved.Data = map[string]string{"acknowledged_checks": strings.Join(acknowledged, ",")}
		}
		return []event.Event{approved}, nil
	})
	if stale && fault.CodeOf(err) == fault.CodeChecksFailed {
		// The refusal lists checks that the stored invoice does not have.
		if err := s.Reassess(ctx, a, id); err != nil {
			return nil, err
		}
	}
	return inv, err
}

// Reject takes an invoice out of everything but sight.
func (s *Service) Reject(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, reason string) (*invoice.Invoice, error) {
	return s.change(ctx, a, id, ifVersion, identity.Reject, func(_ context.Context, inv *invoice.Invoice, _ *entity.Entity, _ *entity.Settings) ([]event.Event, error) {
		if err := inv.Reject(a.UserID, s.Clock.Now(), reason); err != nil {
			return nil, err
		}
		return []event.Event{{Type: event.InvoiceRejected, Data: map[string]string{"reason": reason}}}, nil
	}, func(ctx context.Context, inv *invoice.Invoice) ([]event.Event, error) {
		return nil, s.Duplicates.Rejected(ctx, inv, a.IsAssistant())
	})
}

// Reopen sends an invoice back to review. It compares the invoice again: a REJECTED
// invoice was no duplicate of others.
func (s *Service) Reopen(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int) (*invoice.Invoice, error) {
	var found *duplicate.Found
	return s.change(ctx, a, id, ifVersion, identity.Reopen, func(ctx context.Context, inv *invoice.Invoice, _ *entity.Entity, _ *entity.Settings) ([]event.Event, error) {
		if err := inv.Reopen(); err != nil {
			return nil, err
		}
		compared, err := s.Duplicates.Find(ctx, inv, "")
		if err != nil {
			return nil, err
		}
		inv.Checks, found = compared.Replace(inv.Checks), &compared
		return []event.Event{{Type: event.InvoiceReopened}}, nil
	}, func(ctx context.Context, inv *invoice.Invoice) ([]event.Event, error) {
		return s.keepDuplicates(ctx, a, inv, found)
	})
}

// change is the frame of every operation, in one transaction: it checks visibility and
// permission, changes the invoice under a row lock, and appends the events. An action without
// effect returns the unchanged invoice. after runs when the change is stored; its events
// follow those of the change.
func (s *Service) change(
	ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, p identity.Permission,
	do func(context.Context, *invoice.Invoice, *entity.Entity, *entity.Settings) ([]event.Event, error),
	after ...func(context.Context, *invoice.Invoice) ([]event.Event, error),
) (*invoice.Invoice, error) {
	inv, err := s.Invoices.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, p, s.Settings); err != nil {
		return nil, err
	}
	settings, err := s.Settings.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	var events []event.Event
	err = s.Duplicates.InTurn(ctx, a.OrganizationID, func(ctx context.Context) error {
		var err error
		inv, err = s.Invoices.Update(ctx, a.Scope(), id, ifVersion, func(inv *invoice.Invoice) error {
			if inv.EntityID != e.ID { // moved meanwhile, to an entity with other rights and settings
				return fault.StaleVersion(inv.Version)
			}
			var err error
			if events, err = do(ctx, inv, e, settings); err != nil {
				return err
			}
			inv.UpdatedAt = s.Clock.Now()
			return nil
		})
		if errors.Is(err, invoice.ErrUnchanged) || err == nil && events == nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, step := range after {
			more, err := step(ctx, inv)
			if err != nil {
				return err
			}
			events = append(events, more...)
		}
		if err := s.tell(ctx, a, inv, events); err != nil {
			return err
		}
		return s.follow(ctx, a, inv, settings, events)
	})
	if err != nil {
		return nil, err
	}
	return s.Invoices.Get(ctx, a.Scope(), id)
}

// follow lets the booking follow what was done.
func (s *Service) follow(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings, events []event.Event) error {
	if !inv.CanSync() {
		return s.Bookings.Withdrawn(ctx, a, inv)
	}
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Type == event.InvoiceApproved }) {
		if err := s.Suppliers.Approved(ctx, a, inv); err != nil {
			return err
		}
		return s.Bookings.Approved(ctx, a, inv, settings)
	}
	return nil
}

func (s *Service) tell(ctx context.Context, a identity.Actor, inv *invoice.Invoice, events []event.Event) error {
	subject := event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version}
	for i, e := range events {
		by := a
		if e.ActorType == identity.ActorSystem {
			by = identity.System(a.OrganizationID)
		}
		full := event.By(by, e.Type, inv.EntityID, subject)
		full.Changes, full.Data = e.Changes, e.Data
		events[i] = full
	}
	return s.Events.Append(ctx, events...)
}
