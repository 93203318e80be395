package invoice

import (
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Open says that the invoice is not past review: its document may be read
// again, and checks decide its status.
func (s Status) Open() bool { return s == Extracted || s == NeedsReview }

// transitions names, for each action, the statuses it may start from (domain
// D2).
var transitions = map[string][]Status{
	"approve": {Extracted, NeedsReview},
	"reject":  {Extracted, NeedsReview, Approved, SyncFailed},
	"reopen":  {Rejected, Approved, SyncFailed},
	"correct": {Extracted, NeedsReview, Approved, SyncFailed},
	"sync":    {Approved, SyncFailed, Synced}, // on a SYNCED one it reads the bill back
}

// actions are those of transitions, in the order in which answers name them.
var actions = []string{"approve", "reject", "reopen", "correct", "sync"}

func (inv *Invoice) allow(action string) error {
	if slices.Contains(transitions[action], inv.Status) {
		if inv.Sync.inFlight() {
			return inv.errSyncInFlight()
		}
		return nil
	}
	var allowed []string
	for _, name := range actions {
		if slices.Contains(transitions[name], inv.Status) {
			allowed = append(allowed, name)
		}
	}
	if allowed == nil {
		allowed = []string{}
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"An invoice in status %s can't be changed in this way (%s); see details.allowed for what can be done now.", inv.Status, action).
		With("status", string(inv.Status)).With("allowed", allowed)
}

// Approve approves the version that the approver saw. Failed BLOCKING checks
// must be acknowledged by their rules (domain D31). Approving an approved
// invoice again changes nothing and returns ErrUnchanged.
func (inv *Invoice) Approve(by uuid.UUID, at time.Time, version int, acknowledged []string) error {
	if inv.Status == Approved && (inv.Version == version || inv.Approval != nil && inv.Approval.Version == version) {
		return ErrUnchanged
	}
	if inv.Status != Approved {
		// Of an approved one another version was meant, which is said below.
		if err := inv.allow("approve"); err != nil {
			return err
		}
	}
	if version != inv.Version {
		return fault.StaleVersion(inv.Version)
	}
	if err := inv.requireAcknowledged(acknowledged); err != nil {
		return err
	}
	inv.Status = Approved
	inv.Approval = &Approval{By: by, At: at, Version: version}
	inv.Reopened = false
	return nil
}

// Reject takes the invoice out of sums and duplicate search; it stays findable.
func (inv *Invoice) Reject(by uuid.UUID, at time.Time, reason string) error {
	if inv.Status == Rejected {
		return ErrUnchanged
	}
	if err := inv.allow("reject"); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return fault.InvalidField("reason", "must say why")
	}
	inv.Status = Rejected
	inv.Approval = nil
	inv.Rejection = &Rejection{By: by, At: at, Reason: reason}
	return nil
}

// Reopen sends the invoice back to review.
func (inv *Invoice) Reopen() error {
	if inv.Status == NeedsReview {
		return ErrUnchanged
	}
	if err := inv.allow("reopen"); err != nil {
		return err
	}
	inv.Status = NeedsReview
	inv.Approval, inv.Rejection, inv.Reopened = nil, nil, true
	return nil
}

// ApplyChecks sets the status that the checks ask for, where the invoice is not
// past review.
func (inv *Invoice) ApplyChecks(checks []Check) {
	inv.Checks = checks
	if inv.Status.Open() {
		inv.Status = StatusAfter(checks)
	}
}
