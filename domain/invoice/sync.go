package invoice

import (
	"time"

	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// SyncState is the progress of an invoice's sync (domain D1).
type SyncState string

// The states. A QUEUED, RUNNING or CHECKING sync continues automatically.
const (
	SyncQueued   SyncState = "QUEUED"
	SyncRunning  SyncState = "RUNNING"
	SyncChecking SyncState = "CHECKING" // the ledger's response was lost; docledger is looking for the bill
	SyncDone     SyncState = "DONE"
	SyncEnded    SyncState = "FAILED"
)

// Final reports whether the sync does not continue automatically.
func (s SyncState) Final() bool { return s == SyncDone || s == SyncEnded }

// AttachmentState is the state of the original as an attachment in the ledger.
type AttachmentState string

// The attachment states; "" means not decided yet.
const (
	Attached AttachmentState = "ATTACHED"
	Rendered AttachmentState = "RENDERED" // a readable rendering of the original is attached instead
	Skipped  AttachmentState = "SKIPPED"
)

// SyncCandidate is one of several matching records of the ledger.
type SyncCandidate struct {
	ID   string
	Name string
	URL  string // of its page in the ledger; "" for none
}

// SyncError describes why a sync failed or is not finished. Code is one of accounting.Codes.
type SyncError struct {
	Code       string
	Message    string
	Action     string
	Candidates []SyncCandidate
}

// SyncView is the public view of an invoice's sync.
type SyncView struct {
	State         SyncState
	IntegrationID uuid.UUID
	Attempts      int
	NextAttemptAt time.Time  // zero if none is planned
	Error         *SyncError // of the last attempt
	RemoteID      string     // the ledger's id of the bill; "" before it is booked
	RemoteNumber  string
	RemoteURL     string
	// LedgerTotal is the total of the bill in the ledger. Difference is LedgerTotal minus the
	// invoice's total.
	LedgerTotal      *money.Decimal
	Difference       *money.Decimal
	Attachment       AttachmentState
	AttachmentReason string // why the attachment was skipped
	SyncedAt         time.Time
}

// inFlight reports whether a bill may be created in the ledger at any moment.
func (s *SyncView) inFlight() bool {
	return s != nil && (s.State == SyncRunning || s.State == SyncChecking)
}

// errSyncInFlight returns the conflict fault for actions that are not allowed during a sync.
func (inv *Invoice) errSyncInFlight() error {
	f := fault.New(fault.Conflict, fault.CodeConflict,
		"The invoice is being synced to the ledger. Wait until the sync is done, then try again.").
		With("status", string(inv.Status)).With("sync_state", string(inv.Sync.State)).With("allowed", []string{"sync"})
	f.RetryAfter = 2 * time.Second
	return f
}

// RequireSyncable returns a fault unless the invoice is approved or its sync has failed (domain
// D2).
func (inv *Invoice) RequireSyncable() error {
	if inv.CanSync() {
		return nil
	}
	return inv.allow("sync")
}

// CanSync reports whether a sync of the invoice may continue.
func (inv *Invoice) CanSync() bool { return inv.Status == Approved || inv.Status == SyncFailed }

// RecordSynced records that the ledger has a bill for the invoice.
func (inv *Invoice) RecordSynced(contact string) {
	inv.Status, inv.ContactID = Synced, contact
}

// RecordSyncFailed records that the sync failed permanently.
func (inv *Invoice) RecordSyncFailed() {
	if inv.CanSync() {
		inv.Status = SyncFailed
	}
}

// RemovedInLedger records that the bill was removed from the ledger.
func (inv *Invoice) RemovedInLedger() {
	if inv.Status == Synced {
		inv.Status = Approved
	}
}
