// Package job defines the kinds of background work and the queue for them.
package job

import (
	"context"

	"github.com/google/uuid"
)

// Priority orders queued work: work that a person waits for runs first (domain D22).
type Priority int

// The priorities, most urgent first.
const (
	Interactive Priority = 1
	Automatic   Priority = 2
	Watched     Priority = 3
	Bulk        Priority = 4
)

// TraceKey is the metadata key under which a job stores the trace that enqueued it.
const TraceKey = "traceparent"

// Args are the arguments of one job. They are stored as JSON under their Go field names and have a
// version. A worker does not run a version that it does not know; the job keeps waiting.
type Args interface {
	// Kind returns the name of the job's kind. It never changes after a release.
	Kind() string
}

// NormalPriorityPerOrg is the number of jobs of one organization that may wait at normal priority
// (domain D22). Further jobs wait at priority Bulk and move up as these finish.
const NormalPriorityPerOrg = 4

// ScansPerOrg is NormalPriorityPerOrg for ScanQueue. A scan takes minutes and has few workers, so
// organizations with a backlog take turns.
const ScansPerOrg = 1

// PerOrg returns the number of jobs of one organization that may wait at normal priority in a queue.
func PerOrg(queue string) int {
	if queue == ScanQueue {
		return ScansPerOrg
	}
	return NormalPriorityPerOrg
}

// OfOrganization is implemented by arguments of work for one organization.
type OfOrganization interface {
	Args
	// Organization returns the organization that the work is for.
	Organization() uuid.UUID
}

// The queues. Each has its own workers.
const (
	DefaultQueue = "default"
	ScanQueue    = "scans"
	WebhookQueue = "webhooks"
	AnswerQueue  = "answers"
)

// Queue accepts work. At most one job of the same kind and arguments is queued or running at a
// time; duplicates are not added.
type Queue interface {
	// Enqueue adds the job within the caller's transaction, so that the job exists exactly if the
	// data does.
	Enqueue(ctx context.Context, args Args, p Priority) error
	// EnqueueAll adds several jobs as Enqueue does.
	EnqueueAll(ctx context.Context, args []Args, p Priority) error
	// Live reports whether a job with these arguments is queued or running.
	Live(ctx context.Context, args Args) (bool, error)
}
