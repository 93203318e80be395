// Package organization holds the billable unit: whoever signs in does so for
// one organization (contract 1.5).
package organization

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// MaxPaymentCustomerID is the longest payment customer id (contract section 8).
const MaxPaymentCustomerID = 255

// Organization is the billable unit and the boundary of tenancy.
type Organization struct {
	ID                uuid.UUID
	IdentityID        string // at the identity provider; "" for local ones
	Name              string
	PaymentCustomerID string // at the payment processor; "" until there is one
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Repository stores organizations. It takes no scope: an organization is the
// scope, and its id always comes from a verified credential or the operator.
type Repository interface {
	Add(ctx context.Context, o *Organization) error
	// ByID returns the organization, or a NotFound fault.
	ByID(ctx context.Context, id uuid.UUID) (*Organization, error)
	// ByIDs returns those that exist, in no particular order.
	ByIDs(ctx context.Context, ids []uuid.UUID) ([]Organization, error)
	// ForOperator lists all organizations, oldest first: the command line only.
	ForOperator(ctx context.Context) ([]Organization, error)
}
