// Package job holds the kinds of background work and the queue they go into.
package job

import (
	"context"

	"github.com/google/uuid"
)

// Priority orders waiting work: a person waiting goes first (domain D22).
type Priority int

// The priorities, most urgent first.
const (
	Interactive Priority = 1
	Automatic   Priority = 2
	Watched     Priority = 3
	Bulk        Priority = 4
)

// TraceKey is under what a job keeps the trace that enqueued it, beside its
// arguments.
const TraceKey = "traceparent"

// Args are the arguments of one job. They are stored as JSON under their Go
// field names and carry a version; a worker leaves one that it does not know
// waiting.
type Args interface {
	// Kind names the job's kind; it never changes once released.
	Kind() string
}

// NormalPriorityPerOrg is how many jobs of one organization may wait before those of others
// (domain D22); more go behind, with the priority Bulk, and move up as these
// are done.
const NormalPriorityPerOrg = 4

// OfOrganization are arguments of work that is done for one organization.
type OfOrganization interface {
	Args
	// Organization is whose work it is.
	Organization() uuid.UUID
}

// ExtractVersion is the version of ExtractDocument that this release writes.
const ExtractVersion = 1

// ExtractDocument reads one document and makes its invoice.
type ExtractDocument struct {
	V              int
	OrganizationID uuid.UUID
	DocumentID     uuid.UUID
	// Restart tells a document that was started over from the job that is just
	// ending, of which the queue knows a moment longer.
	Restart int
}

// Kind implements Args.
func (ExtractDocument) Kind() string { return "extract_document" }

// Organization implements OfOrganization.
func (a ExtractDocument) Organization() uuid.UUID { return a.OrganizationID }

// ScanVersion is the version of ReadScan that this release writes.
const ScanVersion = 1

// ReadScan reads one document whose words must be recognized in images, and
// makes its invoice. It is a job of its own, in a queue of its own, because it
// takes seconds for a page: documents with text do not wait for scans.
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

// The queues, each with workers of its own.
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

// SyncInvoice books one invoice in the ledger.
type SyncInvoice struct {
	V              int
	OrganizationID uuid.UUID
	InvoiceID      uuid.UUID
	// Round tells a booking that was asked for anew from the job that is just
	// ending, of which the queue knows a moment longer.
	Round int
}

// Kind implements Args.
func (SyncInvoice) Kind() string { return "sync_invoice" }

// Organization implements OfOrganization.
func (a SyncInvoice) Organization() uuid.UUID { return a.OrganizationID }

// EventVersion is the version of ProcessEvent that this release writes.
const EventVersion = 1

// ProcessEvent carries out the effect of an event in the inbox.
type ProcessEvent struct {
	V         int
	MessageID uuid.UUID
}

// Kind implements Args.
func (ProcessEvent) Kind() string { return "process_event" }

// PollVersion is the version of PollStore that this release writes.
const PollVersion = 1

// PollStore reads what has changed in the place that an integration watches.
type PollStore struct {
	V              int
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
}

// Kind implements Args.
func (PollStore) Kind() string { return "poll_store" }

// Organization implements OfOrganization.
func (a PollStore) Organization() uuid.UUID { return a.OrganizationID }

// Queue takes work. At most one job of the same kind and arguments waits or
// runs at a time: another one is not added.
type Queue interface {
	// Enqueue adds the job within the caller's transaction, so that it exists
	// exactly if the data does.
	Enqueue(ctx context.Context, args Args, p Priority) error
	// EnqueueAll is Enqueue for several jobs at once.
	EnqueueAll(ctx context.Context, args []Args, p Priority) error
	// Live says whether a job with these arguments is waiting or running.
	Live(ctx context.Context, args Args) (bool, error)
}
