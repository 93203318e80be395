package billing

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// CacheTTL is the longest that a cached plan is believed (interface 8).
const CacheTTL = 5 * time.Minute

// CacheKey is where an organization's plan is cached (interface 2.5).
func CacheKey(organization uuid.UUID) string { return "billing:plan:" + organization.String() }

// Record is the cached plan of an organization (interface 2.5): exactly its
// five fields. A nil limit is unlimited.
type Record struct {
	SubscriptionStatus  string
	CurrentPlan         string
	BillingCycleEnd     time.Time // zero where there is none
	MaxInvoicesPerMonth *int
	MaxEntities         *int
}

// PlanCache keeps plans for at most CacheTTL. It is never the truth: where it
// fails, reads go to the source and come back right.
type PlanCache interface {
	// Load returns the organization's record, or what fill returns, which it
	// then keeps. Concurrent misses of one process make one call. A fill that
	// began before an Invalidate is neither kept nor handed to a Load that
	// began after it. An error of fill is returned as it is and not kept.
	Load(ctx context.Context, organization uuid.UUID, fill func(context.Context) (Record, error)) (Record, error)
	// Invalidate removes the organization's record for every process. An error
	// says that another process may still see the old one, for CacheTTL at
	// most.
	Invalidate(ctx context.Context, organization uuid.UUID) error
}
