package billing

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// CacheTTL is the maximum age of a cached plan (interface 8).
const CacheTTL = 5 * time.Minute

// CacheKey returns the cache key of an organization's plan (interface 2.5).
func CacheKey(organization uuid.UUID) string { return "billing:plan:" + organization.String() }

// Record is the cached plan of an organization (interface 2.5) with exactly its five fields. A nil
// limit means unlimited.
type Record struct {
	SubscriptionStatus  string
	CurrentPlan         string
	BillingCycleEnd     time.Time // zero if there is none
	MaxInvoicesPerMonth *int
	MaxEntities         *int
}

// PlanCache caches plans for at most CacheTTL. It is never the source of truth: if it fails, reads
// go to the source and stay correct.
type PlanCache interface {
	// Load returns the cached record, or calls fill and caches its result. Concurrent misses of one
	// process make one call. The result of a fill that began before an Invalidate is neither cached
	// nor returned to a Load that began after it. An error of fill is returned unchanged and not
	// cached.
	Load(ctx context.Context, organization uuid.UUID, fill func(context.Context) (Record, error)) (Record, error)
	// Invalidate removes the organization's record for every process. After an error another
	// process may see the old record for up to CacheTTL.
	Invalidate(ctx context.Context, organization uuid.UUID) error
}
