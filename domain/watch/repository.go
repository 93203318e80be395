package watch

import (
	"context"
	"time"

	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Due names a watch whose time has come.
type Due struct {
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
}

// Repository stores watches. All but Get are the poller's own, which works for
// every organization; they name the integration by its id alone.
type Repository interface {
	// Get returns the watch of an integration within a scope, or a NotFound
	// fault where there is none yet.
	Get(ctx context.Context, s identity.Scope, integration uuid.UUID) (*Watch, error)
	// Wake makes the watch of an integration where there is none, and has it
	// polled at the given time where that is sooner than it would be, and once
	// more after a poll that is on its way (Woken).
	Wake(ctx context.Context, i *integration.Integration, at time.Time) error
	// DueForPolling lists watches whose time has come, of integrations that are
	// ACTIVE or have lost access to their place, the longest due first.
	DueForPolling(ctx context.Context, now time.Time, limit int) ([]Due, error)
	// Claim takes the watch over: Run rises by one, and Woken is cleared. It
	// returns nil where there is none.
	Claim(ctx context.Context, d Due) (*Watch, error)
	// Update loads the watch under a row lock, applies change, and stores it.
	// A watch that another has claimed since run is ErrSuperseded.
	Update(ctx context.Context, d Due, run int64, change func(*Watch) error) (*Watch, error)
}

// Nodes stores what is known of the items of a place, by integration.
type Nodes interface {
	// Folders lists the folders that are there.
	Folders(ctx context.Context, integration uuid.UUID) ([]Node, error)
	// Some returns those of the ids that are known, by id.
	Some(ctx context.Context, integration uuid.UUID, ids []string) (map[string]Node, error)
	// Put stores nodes, each in place of the one with its id.
	Put(ctx context.Context, integration uuid.UUID, nodes []Node) error
	// Wanted lists files that are to be taken in now, the longest waiting
	// first.
	Wanted(ctx context.Context, integration uuid.UUID, now time.Time, limit int) ([]Node, error)
	// Waiting counts the files that are to be taken in, now or later.
	Waiting(ctx context.Context, integration uuid.UUID) (int, error)
}

// NodeSets changes many nodes at once.
type NodeSets interface {
	// RequeueExcluded wants what is OUTSIDE, after folders or directories changed.
	RequeueExcluded(ctx context.Context, integration uuid.UUID, now time.Time) error
	// DeleteMissing removes what an enumeration, now at its end, has not told of.
	DeleteMissing(ctx context.Context, integration uuid.UUID, epoch int64) error
	// ResetListing has every folder listed anew.
	ResetListing(ctx context.Context, integration uuid.UUID) error
	// Forget drops all nodes.
	Forget(ctx context.Context, integration uuid.UUID) error
}

// Version names one version of one item.
type Version struct {
	IntegrationID uuid.UUID
	Item, Version string
}

// Versions remembers which versions are documents.
type Versions interface {
	// DocumentOf returns the document of a version; Nil where it has none.
	DocumentOf(ctx context.Context, v Version) (uuid.UUID, error)
	// Add stores the document of a version that has none.
	Add(ctx context.Context, v Version, document uuid.UUID, at time.Time) error
}
