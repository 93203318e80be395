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

// OfOrganization is implemented by arguments of work for one organization.
type OfOrganization interface {
	Args
	// Organization returns the organization that the work is for.
	Organization() uuid.UUID
}

// ExtractVersion is the version of ExtractDocument that this release writes.
const ExtractVersion = 1

// ExtractDocument extracts one document and creates its invoice.
type ExtractDocument struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
	// Restart distinguishes a restarted document's job from the previous one, which the queue still
	// contains for a moment.
	Restart int
}

// Kind implements Args.
func (ExtractDocument) Kind() string { return "extract_document" }

// Organization implements OfOrganization.
func (a ExtractDocument) Organization() uuid.UUID { return a.OrganizationID }

// ScanVersion is the version of ReadScan that this release writes.
const ScanVersion = 1

// ReadScan extracts one document that needs OCR and creates its invoice. It has a separate queue,
// because OCR takes seconds per page: documents with text do not wait for scans.
type ReadScan struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
	Restart        int // as that of ExtractDocument
}

// Kind implements Args.
func (ReadScan) Kind() string { return "read_scan" }

// Organization implements OfOrganization.
func (a ReadScan) Organization() uuid.UUID { return a.OrganizationID }

// The queues. Each has its own workers.
const (
	DefaultQueue = "default"
	ScanQueue    = "scans"
)

// QueueOf returns the queue of a job.
func QueueOf(args Args) string {
	if _, scan := args.(ReadScan); scan {
		return ScanQueue
	}
	return DefaultQueue
}

// SyncVersion is the version of SyncInvoice that this release writes.
const SyncVersion = 1

// SyncInvoice syncs one invoice to the ledger.
type SyncInvoice struct {
	V              int
	OrganizationID uuid.UUID
	InvoiceID      uuid.UUID
	// Round distinguishes a newly requested sync's job from the previous one, which the queue still
	// contains for a moment.
	Round int
}

// Kind implements Args.
func (SyncInvoice) Kind() string { return "sync_invoice" }

// Organization implements OfOrganization.
func (a SyncInvoice) Organization() uuid.UUID { return a.OrganizationID }

// EventVersion is the version of ProcessEvent that this release writes.
const EventVersion = 1

// ProcessEvent processes an inbox message.
type ProcessEvent struct {
	V         int
	MessageID uuid.UUID
}

// Kind implements Args.
func (ProcessEvent) Kind() string { return "process_event" }

// PollVersion is the version of PollStore that this release writes.
const PollVersion = 1

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
