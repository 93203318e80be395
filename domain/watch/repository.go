package watch

import (
	"context"
	"time"

	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Due identifies a watch whose next poll is due.
type Due struct {
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
}

// Repository stores watches. All methods except Get serve the poller across organizations; they
// identify the integration by its id alone.
type Repository interface {
	// Get returns the watch of an integration within a scope. It returns a NotFound fault if there
	// is none yet.
	Get(ctx context.Context, s identity.Scope, integration uuid.UUID) (*Watch, error)
	// Wake creates the watch of an integration if there is none, and moves its next poll to at if
	// that is earlier. If a poll is running, another one follows it (Woken).
	Wake(ctx context.Context, i *integration.Integration, at time.Time) error
	// DueForPolling lists watches whose poll is due, longest due first. Their integrations are
	// ACTIVE or have lost access to their location.
	DueForPolling(ctx context.Context, now time.Time, limit int) ([]Due, error)
	// Claim takes over the watch: it increments Run and clears Woken. It returns nil if there is no
	// watch.
	Claim(ctx context.Context, d Due) (*Watch, error)
	// Update loads the watch under a row lock, applies change, and stores it. It returns
	// ErrSuperseded if another process has claimed the watch since run.
	Update(ctx context.Context, d Due, run int64, change func(*Watch) error) (*Watch, error)
}

// Nodes stores the known items of a location, by integration.
type Nodes interface {
	// Folders lists the folders that exist in the location.
	Folders(ctx context.Context, integration uuid.UUID) ([]Node, error)
	// Some returns the known nodes among the ids, by id.
	Some(ctx context.Context, integration uuid.UUID, ids []string) (map[string]Node, error)
	// Put stores nodes and replaces those with the same id.
	Put(ctx context.Context, integration uuid.UUID, nodes []Node) error
	// Wanted lists files that are due to be ingested, longest waiting first.
	Wanted(ctx context.Context, integration uuid.UUID, now time.Time, limit int) ([]Node, error)
	// Waiting counts the files to be ingested, now or later.
	Waiting(ctx context.Context, integration uuid.UUID) (int, error)
	// CountSkipped counts the existing files that are not ingested.
	CountSkipped(ctx context.Context, integration uuid.UUID) (int, error)
	// Skipped lists the existing files that are not ingested, newest first.
	Skipped(ctx context.Context, integration uuid.UUID, p page.Request) (page.Of[Node], error)
}

// NodeSets changes many nodes in one statement.
type NodeSets interface {
	// RequeueExcluded sets OUTSIDE files to WANTED after folders or directories changed.
	RequeueExcluded(ctx context.Context, integration uuid.UUID, now time.Time) error
	// DeleteMissing removes the nodes that the completed full scan did not report.
	DeleteMissing(ctx context.Context, integration uuid.UUID, epoch int64) error
	// ResetListing requests another listing of every folder.
	ResetListing(ctx context.Context, integration uuid.UUID) error
	// Forget deletes all nodes.
	Forget(ctx context.Context, integration uuid.UUID) error
}

// Version identifies one version of one item.
type Version struct {
	IntegrationID uuid.UUID
	Item, Version string
}

// Versions records which versions are documents.
type Versions interface {
	// DocumentOf returns the document of a version; Nil if there is none.
	DocumentOf(ctx context.Context, v Version) (uuid.UUID, error)
	// Add stores the document of a version that has none.
	Add(ctx context.Context, v Version, document uuid.UUID, at time.Time) error
}
