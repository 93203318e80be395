package invoice

import (
	"time"

	"docledger/domain/fault"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// SyncState is how far booking in the ledger has got (domain D1).
type SyncState string

// The states. A QUEUED, RUNNING or CHECKING booking goes on by itself.
const (
	SyncQueued   SyncState = "QUEUED"
	SyncRunning  SyncState = "RUNNING"
	SyncChecking SyncState = "CHECKING" // the ledger's answer was lost and is being read back
	SyncDone     SyncState = "DONE"
	SyncEnded    SyncState = "FAILED"
)

// Final says that nothing more happens by itself.
func (s SyncState) Final() bool { return s == SyncDone || s == SyncEnded }

// AttachmentState is what became of the original in the ledger.
type AttachmentState string

// The attachment states; "" while it is not settled.
const (
	Attached AttachmentState = "ATTACHED"
	Rendered AttachmentState = "RENDERED" // a readable form of it hangs there instead
	Skipped  AttachmentState = "SKIPPED"
)

// SyncCandidate is one of several things of the ledger that fit.
type SyncCandidate struct {
	ID   string
	Name string
	URL  string // of its page in the ledger; "" for none
}

// SyncError says why booking failed, or why it is not through yet. Code is one
// of accounting.Codes.
type SyncError struct {
	Code       string
	Message    string
	Action     string
	Candidates []SyncCandidate
}

// SyncView tells of an invoice's booking in the ledger.
type SyncView struct {
	State         SyncState
	IntegrationID uuid.UUID
	Attempts      int
	NextAttemptAt time.Time  // zero where none is planned
	Error         *SyncError // of the last attempt
	RemoteID      string     // the ledger's id of the bill; "" before it is booked
	RemoteNumber  string
	RemoteURL     string
	// LedgerTotal is what the bill came to there; Difference is how much more
	// that is than the invoice's total.
	LedgerTotal      *money.Decimal
	Difference       *money.Decimal
	Attachment       AttachmentState
	AttachmentReason string // why it was skipped
	SyncedAt         time.Time
}

// inFlight says that a bill may come to be in the ledger at any moment.
func (s *SyncView) inFlight() bool {
	return s != nil && (s.State == SyncRunning || s.State == SyncChecking)
}

// errSyncInFlight refuses what must not happen while a bill is under way.
func (inv *Invoice) errSyncInFlight() error {
	f := fault.New(fault.Conflict, fault.CodeConflict,
		"The invoice is being booked in the ledger just now. Wait until its sync is done, then try again.").
		With("status", string(inv.Status)).With("sync_state", string(inv.Sync.State)).With("allowed", []string{"sync"})
	f.RetryAfter = 2 * time.Second
	return f
}

// RequireSyncable refuses to sync an invoice that is not approved (domain D2).
func (inv *Invoice) RequireSyncable() error {
	if inv.CanSync() {
		return nil
	}
	return inv.allow("book")
}

// CanSync says whether a booking of it may go on.
func (inv *Invoice) CanSync() bool { return inv.Status == Approved || inv.Status == SyncFailed }

// RecordSynced records that the invoice is a bill in the ledger.
func (inv *Invoice) RecordSynced(contact string) {
	inv.Status, inv.ContactID = Synced, contact
}

// RecordSyncFailed records that booking failed for good.
func (inv *Invoice) RecordSyncFailed() {
	if inv.CanSync() {
		inv.Status = SyncFailed
	}
}

// RemovedInLedger records that somebody took the bill out of the ledger.
func (inv *Invoice) RemovedInLedger() {
	if inv.Status == Synced {
		inv.Status = Approved
	}
}
