// Package organization holds the billable unit: whoever signs in does so for
// one organization (interface 1.5).
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

// Trial are the terms of an organization's free trial (interface 2.4). They are
// true where the identity provider keeps them; an owner extends a trial there.
// The zero value is no trial at all: the provider keeps no date for one.
type Trial struct {
	Expiry              calendar.Date // the last day, in UTC
	MaxEntities         int
	MaxInvoicesPerMonth int
}

// NewTrial are the terms of an organization created at a moment.
func NewTrial(created time.Time) Trial {
	return Trial{
		Expiry:              calendar.Of(created.UTC()).AddDays(TrialDays),
		MaxEntities:         TrialMaxEntities,
		MaxInvoicesPerMonth: TrialMaxInvoicesPerMonth,
	}
}

// None says that there is no trial.
func (t Trial) None() bool { return t.Expiry.IsZero() }

// End is the first moment after the trial.
func (t Trial) End() time.Time { return t.Expiry.AddDays(1).Time() }

// MaxPaymentCustomerID is the longest payment customer id (interface 8).
const MaxPaymentCustomerID = 255

// Organization is the billable unit and the boundary of tenancy.
type Organization struct {
	ID                uuid.UUID
	IdentityID        string // at the identity provider; "" for local ones
	Name              string
	PaymentCustomerID string // at the payment processor; "" until there is one
	Trial             *Trial // as the identity provider keeps it; nil: those of a new organization
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// TrialTerms are the terms that hold for the organization.
func (o *Organization) TrialTerms() Trial {
	if o.Trial != nil {
		return *o.Trial
	}
	return NewTrial(o.CreatedAt)
}

// SetPaymentCustomer gives the organization its customer, once and for all:
// one that it has already stays. An id longer than MaxPaymentCustomerID is an
// Invalid fault.
func (o *Organization) SetPaymentCustomer(id string, now time.Time) error {
	return o.ReplacePaymentCustomer("", id, now)
}

// ReplacePaymentCustomer gives the organization another customer for one that
// is gone, as SetPaymentCustomer does; where it has another one already, that
// stays.
func (o *Organization) ReplacePaymentCustomer(gone, id string, now time.Time) error {
	if o.PaymentCustomerID != gone {
		return nil
	}
	if id == "" || utf8.RuneCountInString(id) > MaxPaymentCustomerID {
		return fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The payment customer's id must have 1 to %d characters.", MaxPaymentCustomerID)
	}
	o.PaymentCustomerID, o.UpdatedAt = id, now
	return nil
}

// Repository stores organizations. It takes no scope: an organization is the
// scope, and its id always comes from a verified credential or the operator.
type Repository interface {
	Add(ctx context.Context, o *Organization) error
	// ByID returns the organization, or a NotFound fault.
	ByID(ctx context.Context, id uuid.UUID) (*Organization, error)
	// ByIDs returns those that exist, in no particular order.
	ByIDs(ctx context.Context, ids []uuid.UUID) ([]Organization, error)
	// ByIdentity returns the organization of an id at the identity provider,
	// whose tokens and events know no other, or a NotFound fault.
	ByIdentity(ctx context.Context, identityID string) (*Organization, error)
	// ByPaymentCustomer returns the organization of a payment customer, which
	// is all that the processor's events name, or a NotFound fault.
	ByPaymentCustomer(ctx context.Context, customerID string) (*Organization, error)
	// ByPaymentCustomers returns those of the customers that are somebody's, in
	// no particular order.
	ByPaymentCustomers(ctx context.Context, customerIDs []string) ([]Organization, error)
	// Update changes the organization under a row lock.
	Update(ctx context.Context, id uuid.UUID, change func(*Organization) error) (*Organization, error)
	// ForOperator lists all organizations, oldest first: the command line only.
	ForOperator(ctx context.Context) ([]Organization, error)
}
