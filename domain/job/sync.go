package job

import (
	"time"

	"github.com/google/uuid"
)

// SyncVersion is the version of SyncInvoice that this release writes.
const SyncVersion = 1

// Sync is the kind of SyncInvoice.
var Sync = define(Kind{
	Name: "sync_invoice", Version: SyncVersion, Queue: DefaultQueue, Attempts: 10, Timeout: 3 * time.Minute, Shared: true, Paused: true,
	Noun:      "Sync of invoice",
	Cancelled: "Invoice %s is SYNC_FAILED, and nothing was sent to the ledger. To sync it, sync again or retry this job.",
}, func(a SyncInvoice) string { return a.InvoiceID.String() })

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
