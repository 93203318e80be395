package job

import (
	"time"

	"github.com/google/uuid"
)

// PollVersion is the version of PollStore that this release writes.
const PollVersion = 1

// Poll is the kind of PollStore. A poll cannot be cancelled, because a connected integration is
// polled again.
var Poll = define(Kind{
	Name: "poll_store", Version: PollVersion, Queue: DefaultQueue, Attempts: 10, Timeout: 10 * time.Minute, Shared: true, Paused: true,
	Noun:           "Poll of integration",
	NotCancellable: "A watched location is polled while its integration is connected. Disconnect integration %s to stop the polls.",
}, func(a PollStore) string { return a.IntegrationID.String() })

// PollStore reads the changes in the location that an integration watches.
type PollStore struct {
	V              int
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
}

// Kind implements Args.
func (PollStore) Kind() string { return "poll_store" }

// Organization implements OfOrganization.
func (a PollStore) Organization() uuid.UUID { return a.OrganizationID }
