// Package erasure erases organizations and accounts for the operator (domain D21).
package erasure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Integrations ends the integrations of an organization.
type Integrations interface {
	// Disconnect ends an integration, and revokes its consent at the provider if nothing else uses it.
	Disconnect(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int) (*integration.Integration, error)
}

// Plans removes cached plans.
type Plans interface {
	Invalidate(ctx context.Context, organization uuid.UUID) error
}

// Accounts erases accounts.
type Accounts interface {
	// Erase deletes an account with its memberships and sessions, its roles on entities and its
	// assignments. It returns the organizations that the account was a member of, and the invoices
	// that it was assigned to.
	Erase(ctx context.Context, user uuid.UUID) ([]uuid.UUID, []organization.Unassigned, error)
}

// BlobRemover removes the blobs that are due.
type BlobRemover interface {
	RemoveBlobs(ctx context.Context, now time.Time) error
}

// Service erases organizations and accounts.
type Service struct {
	Organizations organization.Repository
	Erasures      organization.Erasures
	Connected     integration.Reader
	Integrations  Integrations
	Plans         Plans // nil without a cache of plans
	Blobs         BlobRemover
	Users         identity.Users
	Accounts      Accounts
	Events        event.Log
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
}

const (
	// documentBatch is the number of documents of one transaction, without their parts.
	documentBatch = 100
	// rowBatch is the number of rows of one transaction.
	rowBatch = 5000
)

// Result is the result of an erasure.
type Result struct {
	organization.Erasure
	// Left are integrations that docledger could not end at their provider.
	Left []Left
	// PaymentCustomerID is the customer that remains at the payment processor; "" if there is none.
	PaymentCustomerID string
}

// Left is an integration with what remains at its provider.
type Left struct {
	Provider integration.Provider
	Reason   string
}

// Organization erases an organization with everything that belongs to it: integrations with their
// consents, documents, blobs, rows, cached values, and accounts without another organization. confirm
// must be its name. An erasure that was interrupted continues. One that is complete returns its proof.
// It erases nothing while an entity is under legal hold.
func (s *Service) Organization(ctx context.Context, id uuid.UUID, confirm string) (*Result, error) {
	out := &Result{}
	o, err := s.Organizations.ByID(ctx, id)
	if fault.CodeOf(err) == fault.CodeNotFound {
		proof, missing := s.Erasures.Get(ctx, id)
		if missing != nil {
			return nil, err
		}
		out.Erasure = *proof
		return out, errors.Join(s.Blobs.RemoveBlobs(ctx, s.Clock.Now()), s.Erasures.Clean(ctx)) // the process may have ended before
	}
	if err != nil {
		return nil, err
	}
	if confirm != o.Name {
		return nil, fault.InvalidField("confirm", "must be the name of the organization, %q", o.Name)
	}
	out.PaymentCustomerID = o.PaymentCustomerID
	if err := s.Erasures.Begin(ctx, id, organization.ErasedByOperator, s.Clock.Now()); err != nil {
		return nil, err
	}
	if err := s.Erasures.Access(ctx, id); err != nil {
		return nil, err
	}
	if out.Left, err = s.disconnect(ctx, id); err != nil {
		return nil, err
	}
	if err := s.documents(ctx, id); err != nil {
		return nil, err
	}
	// A token of the identity provider can have restored a membership.
	if err := s.Erasures.Access(ctx, id); err != nil {
		return nil, err
	}
	for n := -1; n != 0; {
		// A request that began before the erasure can add documents.
		if err := s.documents(ctx, id); err != nil {
			return nil, err
		}
		if n, err = s.Erasures.Rows(ctx, id, rowBatch); err != nil {
			return nil, err
		}
	}
	if err := s.Erasures.Finish(ctx, id, s.Clock.Now()); err != nil {
		return nil, err
	}
	proof, err := s.Erasures.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	out.Erasure = *proof
	return out, errors.Join(s.invalidate(ctx, id), s.Blobs.RemoveBlobs(ctx, s.Clock.Now()), s.Erasures.Clean(ctx))
}

func (s *Service) documents(ctx context.Context, id uuid.UUID) (err error) {
	for n := -1; n != 0 && err == nil; {
		n, err = s.Erasures.Documents(ctx, id, documentBatch, s.Clock.Now())
	}
	return err
}

func (s *Service) invalidate(ctx context.Context, id uuid.UUID) error {
	if s.Plans == nil {
		return nil
	}
	return s.Plans.Invalidate(ctx, id)
}

// disconnect ends the integrations as SYSTEM. A provider that is unavailable does not prevent the
// erasure.
func (s *Service) disconnect(ctx context.Context, id uuid.UUID) ([]Left, error) {
	system := identity.System(id)
	all, err := s.Connected.List(ctx, system.Scope(), integration.Filter{})
	if err != nil {
		return nil, fmt.Errorf("list integrations: %w", err)
	}
	var left []Left
	for _, i := range all {
		ended, err := s.Integrations.Disconnect(ctx, system, i.ID, 0)
		if err != nil {
			return nil, fmt.Errorf("disconnect integration %s: %w", i.ID, err)
		}
		if ended.Reason != integration.EndedHere {
			left = append(left, Left{Provider: ended.Provider, Reason: string(ended.Reason)})
		}
	}
	return left, nil
}

// User erases an account: its name, address, password, memberships and sessions. Events keep only its
// id. who is its e-mail address or id, and confirm the same again.
func (s *Service) User(ctx context.Context, who, confirm string) (*identity.User, error) {
	if confirm != who {
		return nil, fault.InvalidField("confirm", "must repeat the e-mail address or id of the user")
	}
	u, err := s.find(ctx, who)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, errors.Join(err, s.Erasures.Clean(ctx)) // an earlier erasure may have left values in the log
	}
	if err != nil {
		return nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		of, unassigned, err := s.Accounts.Erase(ctx, u.ID)
		if err != nil {
			return err
		}
		for _, i := range unassigned {
			e := event.By(identity.System(i.OrganizationID), event.InvoiceAssigned, i.EntityID,
				event.Subject{Type: event.SubjectInvoice, ID: i.InvoiceID, Version: i.Version})
			e.Changes = []event.Change{{Field: "assigned_to", From: u.ID.String()}}
			if err := s.Events.Append(ctx, e); err != nil {
				return err
			}
		}
		for _, left := range of {
			e := event.By(identity.System(left), event.MemberRemoved, uuid.Nil, event.Subject{Type: event.SubjectMember, ID: u.ID})
			if err := s.Events.Append(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return u, s.Erasures.Clean(ctx)
}

func (s *Service) find(ctx context.Context, who string) (*identity.User, error) {
	if id, err := uuid.Parse(who); err == nil {
		return s.Users.ByID(ctx, id)
	}
	return s.Users.ByEmail(ctx, identity.NormalizeEmail(who))
}
