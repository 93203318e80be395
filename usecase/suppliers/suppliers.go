// Package suppliers keeps the suppliers of entities: it makes them from approved invoices, finds
// them for new ones, and lets people change, confirm and merge them (domain D8).
package suppliers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/page"
	"docledger/domain/supplier"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Ledgers checks what a supplier says about the ledger of its entity. While the integration does not
// work every id is accepted.
type Ledgers interface {
	// CheckAccount refuses an account that no bill's line may name.
	CheckAccount(ctx context.Context, a identity.Actor, integration uuid.UUID, account, field string) error
	// CheckContact refuses an id that is not an active contact.
	CheckContact(ctx context.Context, a identity.Actor, integration uuid.UUID, contact, field string) error
	// TaxPercent returns the percentage of a tax rate for bills and refuses any other id. It returns
	// "" if the percentage cannot be read.
	TaxPercent(ctx context.Context, a identity.Actor, integration uuid.UUID, rate, field string) (string, error)
}

// Reviews evaluates the checks of an open invoice again, in a transaction of its own.
type Reviews interface {
	Reassess(ctx context.Context, a identity.Actor, id uuid.UUID) error
}

// Service holds the operations on suppliers.
type Service struct {
	Suppliers  supplier.Repository
	OfInvoices supplier.Invoices
	Invoices   invoice.Repository
	Entities   entity.Reader
	Settings   entity.SettingsRepository
	Codings    ledgersync.Codings
	Changes    usecase.OrganizationLock
	Contacts   supplier.Contacts
	Ledgered   integration.CrossOrganizationReader
	Accesses   integration.Accesses
	Connectors map[integration.Provider]integration.Authorizer
	Ledgers    Ledgers
	Reviews    Reviews
	Events     event.Log
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Log        *slog.Logger
}

// Get returns a supplier within the caller's scope.
func (s *Service) Get(ctx context.Context, a identity.Actor, id uuid.UUID) (*supplier.Supplier, error) {
	return s.Suppliers.Get(ctx, a.Scope(), id)
}

// List returns the suppliers that the caller may see, newest first.
func (s *Service) List(ctx context.Context, a identity.Actor, f supplier.Filter, p page.Request) (page.Of[supplier.Supplier], error) {
	return s.Suppliers.List(ctx, a.Scope(), f, p)
}

// require returns the supplier if the caller has a permission on its entity.
func (s *Service) require(ctx context.Context, a identity.Actor, id uuid.UUID, p identity.Permission) (*supplier.Supplier, error) {
	now, err := s.Suppliers.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), now.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	return now, e.Require(ctx, a, p, s.Settings)
}

func subjectOf(s *supplier.Supplier) event.Subject {
	return event.Subject{Type: event.SubjectSupplier, ID: s.ID, Version: s.Version}
}

// ConfirmInput names the account that a person checked, and how.
type ConfirmInput struct {
	IBAN   string
	Method supplier.Method
}

// Confirm records that a person checked a new bank account with the supplier. Approving an invoice
// never does this. Open invoices of the supplier are checked again afterwards.
func (s *Service) Confirm(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, in ConfirmInput) (*supplier.Supplier, error) {
	if _, err := s.require(ctx, a, id, identity.ConfirmBankAccount); err != nil {
		return nil, err
	}
	var updated *supplier.Supplier
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		changed := false
		var err error
		updated, err = s.Suppliers.Update(ctx, a.Scope(), id, ifVersion, func(now *supplier.Supplier) error {
			err := now.Confirm(in.IBAN, supplier.Confirmation{By: a.UserID, At: s.Clock.Now(), Method: in.Method})
			now.UpdatedAt, changed = s.Clock.Now(), err == nil
			return err
		})
		if err != nil || !changed {
			return err
		}
		e := event.By(a, event.SupplierChanged, updated.EntityID, subjectOf(updated))
		e.Changes = []event.Change{{Field: "ibans.confirmed", To: invoice.FoldIBAN(in.IBAN)}}
		e.Data = map[string]string{"method": string(in.Method)}
		return s.Events.Append(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	s.reassess(ctx, a, updated)
	return updated, nil
}

// maxReassessed is the maximum number of open invoices that one change checks again. The others are
// checked again when they are changed or approved.
const maxReassessed = 200

// reassess checks the open invoices of a supplier again. A failure does not undo the change: the
// checks also run when an invoice is approved.
func (s *Service) reassess(ctx context.Context, a identity.Actor, of *supplier.Supplier) {
	ids, err := s.OfInvoices.OpenOf(ctx, of.OrganizationID, of.ID, maxReassessed)
	for _, id := range ids {
		err = errors.Join(err, s.Reviews.Reassess(ctx, a, id))
	}
	if err != nil {
		s.Log.WarnContext(ctx, "invoices of supplier not checked again", "supplier", of.ID, "error", err)
	}
}

// Merge moves everything of a supplier to another one of the same entity. Merging it again into the
// same supplier changes nothing.
func (s *Service) Merge(ctx context.Context, a identity.Actor, id, into uuid.UUID) (*supplier.Supplier, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	from, err := s.Suppliers.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	target, err := s.Suppliers.Get(ctx, a.Scope(), into)
	if fault.CodeOf(err) == fault.CodeNotFound || err == nil && target.EntityID != from.EntityID {
		return nil, fault.InvalidField("into", "must be another supplier of the same entity")
	}
	if err != nil {
		return nil, err
	}
	if from.ID == target.ID {
		if id == into {
			return nil, fault.InvalidField("into", "must be another supplier of the same entity")
		}
		return target, nil
	}
	var updated *supplier.Supplier
	err = s.Changes.InTurn(ctx, from.OrganizationID, func(ctx context.Context) error {
		if err := s.Suppliers.Lock(ctx, from.OrganizationID, from.EntityID); err != nil {
			return err
		}
		if from, err = s.Suppliers.Get(ctx, a.Scope(), from.ID); err != nil {
			return err
		}
		updated, err = s.Suppliers.Update(ctx, a.Scope(), target.ID, 0, func(now *supplier.Supplier) error {
			if now.ID == from.ID {
				return invoice.ErrUnchanged
			}
			now.Absorb(from)
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil || updated.ID == from.ID {
			return err
		}
		if err := s.Suppliers.Replace(ctx, from, updated.ID); err != nil {
			return err
		}
		if updated, err = s.Suppliers.Get(ctx, a.Scope(), updated.ID); err != nil {
			return err
		}
		e := event.By(a, event.SupplierMerged, updated.EntityID, subjectOf(updated))
		e.Data = map[string]string{"merged_id": from.ID.String()}
		return s.Events.Append(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	s.reassess(ctx, a, updated)
	return updated, nil
}
