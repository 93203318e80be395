// Package organization defines the billable unit. Each sign-in is for one
// organization (interface 1.5).
package organization

import (
	"context"
	"time"
	"unicode/utf8"

	"docledger/domain/calendar"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Terms of the free trial of a new organization (interface 8).
const (
	TrialDays                = 3
	TrialMaxEntities         = 10
	TrialMaxInvoicesPerMonth = 300
)

// Trial contains the terms of an organization's free trial (interface 2.4). The
// identity provider has the authoritative terms; an owner extends a trial there. The
// zero value means no trial: the provider has no date for one.
type Trial struct {
	Expiry              calendar.Date // the last day, in UTC
	MaxEntities         int
	MaxInvoicesPerMonth int
}

// NewTrial returns the terms of an organization created at the given time.
func NewTrial(created time.Time) Trial {
	return Trial{
		Expiry:              calendar.Of(created.UTC()).AddDays(TrialDays),
		MaxEntities:         TrialMaxEntities,
		MaxInvoicesPerMonth: TrialMaxInvoicesPerMonth,
	}
}

// None reports whether there is no trial.
func (t Trial) None() bool { return t.Expiry.IsZero() }

// End returns the first instant after the trial.
func (t Trial) End() time.Time { return t.Expiry.AddDays(1).Time() }

// MaxPaymentCustomerID is the maximum length of a payment customer id (interface 8).
const MaxPaymentCustomerID = 255

// Organization is the billable unit and the boundary of tenancy.
type Organization struct {
	ID                uuid.UUID
	IdentityID        string // at the identity provider; "" for local ones
	Name              string
	PaymentCustomerID string // at the payment processor; "" until there is one
	Trial             *Trial // from the identity provider; nil: the terms of a new organization
	// InactiveSince is when the identity provider reported the deletion of the organization; zero
	// while it is active. Its data stays readable, and nothing new is accepted (domain D21).
	InactiveSince time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// TrialTerms returns the trial terms of the organization.
func (o *Organization) TrialTerms() Trial {
	if o.Trial != nil {
		return *o.Trial
	}
	return NewTrial(o.CreatedAt)
}

// SetPaymentCustomer sets the payment customer of the organization once. It keeps an
// existing customer. An id longer than MaxPaymentCustomerID is an Invalid fault.
func (o *Organization) SetPaymentCustomer(id string, now time.Time) error {
	return o.ReplacePaymentCustomer("", id, now)
}

// ReplacePaymentCustomer replaces the deleted customer with another one. It keeps a
// customer that differs from deleted.
func (o *Organization) ReplacePaymentCustomer(deleted, id string, now time.Time) error {
	if o.PaymentCustomerID != deleted {
		return nil
	}
	if id == "" || utf8.RuneCountInString(id) > MaxPaymentCustomerID {
		return fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The payment customer's id must have 1 to %d characters.", MaxPaymentCustomerID)
	}
	o.PaymentCustomerID, o.UpdatedAt = id, now
	return nil
}

// Repository stores organizations. It has no scope, because an organization is the
// scope. Its id always comes from a verified credential or the operator.
type Repository interface {
	Add(ctx context.Context, o *Organization) error
	// ByID returns the organization, or a NotFound fault.
	ByID(ctx context.Context, id uuid.UUID) (*Organization, error)
	// ByIDs returns the organizations that exist, in no particular order.
	ByIDs(ctx context.Context, ids []uuid.UUID) ([]Organization, error)
	// ByIdentity returns the organization with an id at the identity provider, or a
	// NotFound fault. Tokens and events contain only this id.
	ByIdentity(ctx context.Context, identityID string) (*Organization, error)
	// ByPaymentCustomer returns the organization of a payment customer, or a NotFound
	// fault. Events of the processor contain only this id.
	ByPaymentCustomer(ctx context.Context, customerID string) (*Organization, error)
	// ByPaymentCustomers returns the ids of the customers' organizations, in no particular
	// order. It ignores customers without an organization.
	ByPaymentCustomers(ctx context.Context, customerIDs []string) ([]uuid.UUID, error)
	// Update changes the organization under a row lock.
	Update(ctx context.Context, id uuid.UUID, change func(*Organization) error) (*Organization, error)
	// ForOperator lists all organizations, oldest first. Only the command line uses
	// it.
	ForOperator(ctx context.Context) ([]Organization, error)
}
