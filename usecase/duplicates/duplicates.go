// Package duplicates compares invoices with the others of their organization, and keeps the check
// not_a_duplicate of both invoices of a pair current (domain D7).
package duplicates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/review"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Service implements duplicate.Detection.
type Service struct {
	Pairs     duplicate.Repository
	Invoices  invoice.Repository
	Entities  entity.Reader
	Settings  entity.SettingsRepository
	Events    event.Log
	Clock     usecase.Clock
	Bookings  Bookings
	Suppliers Suppliers

	backfill sync.Mutex
	// resume is when Backfill looks again for invoices without keys.
	resume time.Time
}

// Bookings starts the sync of an invoice that was approved automatically, if the entity's settings
// require it.
type Bookings interface {
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error
}

// Suppliers records the supplier of an invoice that was approved automatically.
type Suppliers interface {
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

// InTurn implements duplicate.Detection.
func (s *Service) InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error {
	return s.Pairs.InTurn(ctx, organization, fn)
}

// Find implements duplicate.Detection.
func (s *Service) Find(ctx context.Context, inv *invoice.Invoice, bytes string) (found duplicate.Found, err error) {
	if bytes == "" {
		if bytes, err = s.Pairs.Bytes(ctx, inv.OrganizationID, inv.ID); err != nil {
			return found, err
		}
	}
	if found, err = duplicate.Find(ctx, s.Pairs, inv, bytes); err != nil {
		return found, fmt.Errorf("find duplicates: %w", err)
	}
	due, _, err := s.Pairs.PostponedFor(ctx, inv.OrganizationID, inv.ID)
	found.Assistant = due.Assistant
	return found, err
}

// FindNew implements duplicate.Detection.
func (s *Service) FindNew(ctx context.Context, inv *invoice.Invoice, bytes string) (duplicate.Found, error) {
	found, err := duplicate.FindNew(ctx, s.Pairs, inv, bytes)
	if err != nil {
		return found, fmt.Errorf("find duplicates: %w", err)
	}
	return found, nil
}

// Keep implements duplicate.Detection.
func (s *Service) Keep(ctx context.Context, inv *invoice.Invoice, found duplicate.Found, assistant bool) ([]duplicate.Match, error) {
	if found.New { // the invoice was in no pair
		if len(found.Matches) == 0 {
			return nil, nil
		}
		return found.Matches, s.Pairs.Add(ctx, inv.OrganizationID, inv.ID, found.Matches, s.Clock.Now())
	}
	fresh, ended, err := s.Pairs.Keep(ctx, inv.OrganizationID, inv.ID, found.Matches, s.Clock.Now())
	if err != nil {
		return nil, err
	}
	return fresh, s.recheck(ctx, inv.OrganizationID, assistant, ended...)
}

// Rejected implements duplicate.Detection.
func (s *Service) Rejected(ctx context.Context, inv *invoice.Invoice, assistant bool) error {
	partners, err := s.Pairs.Partners(ctx, inv.OrganizationID, inv.ID)
	if err != nil {
		return err
	}
	return s.recheck(ctx, inv.OrganizationID, assistant, partners...)
}

// Partners returns the other invoices of an invoice's pairs.
func (s *Service) Partners(ctx context.Context, organization, id uuid.UUID) ([]uuid.UUID, error) {
	return s.Pairs.Partners(ctx, organization, id)
}

// Deleted evaluates invoices again that were in pairs with deleted ones. Deleted ones among them are
// ignored.
func (s *Service) Deleted(ctx context.Context, organization uuid.UUID, partners []uuid.UUID) error {
	var left []uuid.UUID
	for _, id := range partners {
		_, err := s.Invoices.Revision(ctx, identity.System(organization).Scope(), id)
		if fault.CodeOf(err) == fault.CodeNotFound || slices.Contains(left, id) {
			continue
		}
		if err != nil {
			return err
		}
		left = append(left, id)
	}
	return s.recheck(ctx, organization, false, left...)
}

// Dismiss records that two invoices are different ones. The caller changes the first one; Dismissed
// follows for the other. It returns invoice.ErrUnchanged if the pair is dismissed already.
func (s *Service) Dismiss(ctx context.Context, a identity.Actor, inv *invoice.Invoice, other uuid.UUID, reason string) error {
	return s.Pairs.Dismiss(ctx, inv.OrganizationID, inv.ID, other, invoice.Dismissal{By: a.UserID, At: s.Clock.Now(), Reason: reason})
}

// Dismissed evaluates the other invoice of a dismissed pair again, and appends its event.
func (s *Service) Dismissed(ctx context.Context, a identity.Actor, other uuid.UUID, reason string) error {
	if err := s.recheck(ctx, a.OrganizationID, a.IsAssistant(), other); err != nil {
		return err
	}
	inv, err := s.Invoices.Get(ctx, a.Scope(), other)
	if err != nil {
		return fmt.Errorf("read other invoice: %w", err)
	}
	ev := event.By(a, event.InvoiceDuplicateDismissed, inv.EntityID, subjectOf(inv))
	ev.Data = map[string]string{"reason": reason}
	return s.Events.Append(ctx, ev)
}

// approval is an invoice that recheck approved, with the settings of its entity.
type approval struct {
	invoice  *invoice.Invoice
	settings *entity.Settings
}

// recheck evaluates the check not_a_duplicate of open invoices again, because another invoice changed.
// They may belong to an entity that the caller may not see. It evaluates a few of them at once, so
// that the caller sees the result. It leaves the others to Sweep, so that the time of a transaction
// does not grow with the number of equal invoices.
func (s *Service) recheck(ctx context.Context, organization uuid.UUID, assistant bool, ids ...uuid.UUID) error {
	if len(ids) > recheckBatch {
		if err := s.Pairs.Postpone(ctx, organization, ids[recheckBatch:], assistant, s.Clock.Now()); err != nil {
			return err
		}
		ids = ids[:recheckBatch]
	}
	due := make([]duplicate.Recheck, len(ids))
	for i, id := range ids {
		due[i] = duplicate.Recheck{InvoiceID: id, Assistant: assistant}
	}
	return s.recheckAll(ctx, organization, due)
}

// recheckAll evaluates invoices again. It locks every invoice before it follows an approval, which
// locks suppliers, as every other transaction does.
func (s *Service) recheckAll(ctx context.Context, organization uuid.UUID, due []duplicate.Recheck) error {
	var approvals []approval
	for _, r := range due {
		approved, err := s.recheckOne(ctx, organization, r.InvoiceID, r.Assistant)
		if err != nil {
			return err
		}
		if approved != nil {
			approvals = append(approvals, *approved)
		}
	}
	system := identity.System(organization)
	for _, approved := range approvals {
		if err := s.Suppliers.Approved(ctx, system, approved.invoice); err != nil {
			return err
		}
		if err := s.Bookings.Approved(ctx, system, approved.invoice, approved.settings); err != nil {
			return err
		}
	}
	return nil
}

// recheckOne evaluates the check of one invoice. It returns the invoice if SYSTEM approved it. If an
// assistant caused it that may not approve in the entity of this invoice, a person must approve the
// invoice, also if another duplicate remains and ends later.
func (s *Service) recheckOne(ctx context.Context, organization, id uuid.UUID, assistant bool) (*approval, error) {
	system := identity.System(organization)
	var settings *entity.Settings
	var found duplicate.Found
	open, changed := false, false
	inv, err := s.Invoices.Update(ctx, system.Scope(), id, 0, func(inv *invoice.Invoice) (err error) {
		if open = inv.Status.Open(); !open {
			return invoice.ErrUnchanged
		}
		if found, err = s.Find(ctx, inv, ""); err != nil {
			return err
		}
		assistant = assistant || found.Assistant
		check := found.Check()
		same := slices.Contains(inv.Checks, check)
		if same && (inv.Reopened || !assistant) {
			return invoice.ErrUnchanged
		}
		if settings, err = s.Settings.Get(ctx, system.Scope(), inv.EntityID); err != nil {
			return fmt.Errorf("read settings: %w", err)
		}
		if assistant && !settings.AssistantsApprove() {
			inv.Reopened = true
		} else if same {
			return invoice.ErrUnchanged
		}
		e, err := s.Entities.Get(ctx, system.Scope(), inv.EntityID)
		if err != nil {
			return fmt.Errorf("read entity: %w", err)
		}
		review.Evaluate(inv, e, settings, append(kept(inv), check), s.Clock.Now(), inv.Version+1)
		inv.UpdatedAt = s.Clock.Now()
		changed = true
		return nil
	})
	if err != nil && !errors.Is(err, invoice.ErrUnchanged) {
		return nil, fmt.Errorf("check duplicates again: %w", err)
	}
	if err := s.Pairs.Rechecked(ctx, organization, id); err != nil {
		return nil, err
	}
	if open {
		if _, _, err := s.Pairs.Keep(ctx, organization, id, found.Matches, s.Clock.Now()); err != nil {
			return nil, err
		}
	}
	if !changed {
		return nil, nil
	}
	events := []event.Event{event.By(system, event.InvoiceRechecked, inv.EntityID, subjectOf(inv))}
	events[0].Data = map[string]string{"rule": invoice.RuleNotADuplicate, "found": duplicate.Rules(found.Open)}
	if inv.Status == invoice.Approved {
		events = append(events, event.By(system, event.InvoiceApproved, inv.EntityID, subjectOf(inv)))
	}
	if err := s.Events.Append(ctx, events...); err != nil || inv.Status != invoice.Approved {
		return nil, err
	}
	return &approval{invoice: inv, settings: settings}, nil
}

// kept returns the checks that a change of another invoice does not affect, and that review.Evaluate
// does not evaluate itself.
func kept(inv *invoice.Invoice) []invoice.Check {
	out := review.Findings(inv)
	for _, c := range inv.Checks {
		if c.Rule == invoice.RuleBankAccountKnown {
			out = append(out, c)
		}
	}
	return out
}

func subjectOf(inv *invoice.Invoice) event.Subject {
	return event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version}
}

const (
	// recheckBatch is the number of invoices that one transaction evaluates again.
	recheckBatch = 20
	// recheckBatches bounds one call of Sweep, so that the sweep continues with its other tasks.
	recheckBatches = 10
)

// Sweep evaluates the invoices again that recheck postponed, in a transaction for each batch, and
// those of each organization in turn. It returns their number. The next call continues, also after a
// restart. A batch that fails does not delay other organizations.
func (s *Service) Sweep(ctx context.Context) (total int, failed error) {
	organizations, err := s.Pairs.Postponing(ctx, recheckBatches)
	if err != nil {
		return 0, err
	}
	for batches := recheckBatches; batches > 0 && len(organizations) > 0; {
		var more []uuid.UUID
		for _, organization := range organizations[:min(batches, len(organizations))] {
			batches--
			n, err := s.sweepOne(ctx, organization)
			if total += n; err != nil {
				failed = errors.Join(failed, fmt.Errorf("evaluate former duplicates of the organization %s: %w", organization, err))
			} else if n == recheckBatch {
				more = append(more, organization)
			}
		}
		organizations = more
	}
	return total, failed
}

// sweepOne evaluates one batch of an organization again. If it fails, each invoice of the batch is
// evaluated in its own transaction. One that fails then waits until the others were evaluated. n is the
// number of evaluated invoices.
func (s *Service) sweepOne(ctx context.Context, organization uuid.UUID) (n int, err error) {
	var due []duplicate.Recheck
	err = s.InTurn(ctx, organization, func(ctx context.Context) (err error) {
		if due, err = s.Pairs.Postponed(ctx, organization, recheckBatch); err != nil {
			return err
		}
		return s.recheckAll(ctx, organization, due)
	})
	if err == nil || ctx.Err() != nil || len(due) == 0 {
		return len(due), err
	}
	var failures []error
	for _, r := range due {
		err := s.InTurn(ctx, organization, func(ctx context.Context) error { return s.recheckAll(ctx, organization, []duplicate.Recheck{r}) })
		if err == nil {
			n++
			continue
		}
		err = errors.Join(err, s.Pairs.Defer(ctx, organization, r.InvoiceID, s.Clock.Now()))
		failures = append(failures, fmt.Errorf("invoice %s: %w", r.InvoiceID, err))
	}
	if len(failures) == 0 {
		return n, nil
	}
	return n, fmt.Errorf("%d of %d invoices: %w", len(failures), len(due), errors.Join(failures...))
}

const (
	// backfillBatch is the number of invoices of one transaction of Backfill.
	backfillBatch = 200
	// backfillBatches bounds one call, so that the sweep continues with its other tasks.
	backfillBatches = 25
	// backfillPause is the time after which Backfill looks again. Processes of the earlier release may
	// have added invoices during an upgrade.
	backfillPause = time.Hour
)

// Backfill gives invoices of an earlier release the keys that duplicates are found by. It returns
// their number. The next call continues, also after a restart.
func (s *Service) Backfill(ctx context.Context) (total int, err error) {
	s.backfill.Lock()
	defer s.backfill.Unlock()
	if s.Clock.Now().Before(s.resume) {
		return 0, nil
	}
	for range backfillBatches {
		n, err := s.Pairs.Backfill(ctx, backfillBatch)
		if total += n; err != nil {
			return total, fmt.Errorf("add keys of duplicates: %w", err)
		}
		if n < backfillBatch {
			s.resume = s.Clock.Now().Add(backfillPause)
			break
		}
	}
	return total, nil
}
