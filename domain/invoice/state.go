package invoice

import (
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// Open reports whether the invoice is still before approval or rejection. An open invoice's
// document may be extracted again, and checks decide its status.
func (s Status) Open() bool { return s == Extracted || s == NeedsReview }

// transitions lists the statuses in which each action is allowed (domain D2).
var transitions = map[string][]Status{
	"approve": {Extracted, NeedsReview},
	"reject":  {Extracted, NeedsReview, Approved, SyncFailed},
	"reopen":  {Rejected, Approved, SyncFailed},
	"correct": {Extracted, NeedsReview, Approved, SyncFailed},
	"sync":    {Approved, SyncFailed, Synced}, // for a SYNCED invoice it re-reads the bill
}

// actions are the keys of transitions, in the order used in messages.
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
		"An invoice in status %s does not allow this action (%s). See details.allowed for the actions that it allows.", inv.Status, action).
		With("status", string(inv.Status)).With("allowed", allowed)
}

// Approve approves the version that the approver saw. acknowledged must name the rules of failed
// BLOCKING checks (domain D31). Approving an approved invoice again returns ErrUnchanged.
func (inv *Invoice) Approve(by uuid.UUID, at time.Time, version int, acknowledged []string) error {
	if inv.Status == Approved && (inv.Version == version || inv.Approval != nil && inv.Approval.Version == version) {
		return ErrUnchanged
	}
	if inv.Status != Approved {
		// An approved invoice reports the version mismatch below instead.
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

// Reject excludes the invoice from sums and duplicate search. It stays searchable.
func (inv *Invoice) Reject(by uuid.UUID, at time.Time, reason string) error {
	if inv.Status == Rejected {
		return ErrUnchanged
	}
	if err := inv.allow("reject"); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return fault.InvalidField("reason", "is required")
	}
	inv.Status = Rejected
	inv.Approval = nil
	inv.Rejection = &Rejection{By: by, At: at, Reason: reason}
	return nil
}

// Reopen returns the invoice to review.
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

// RequireNotInFlight returns a fault if the ledger may get the invoice's bill at any moment.
func (inv *Invoice) RequireNotInFlight() error {
	if inv.Sync.inFlight() {
		return inv.errSyncInFlight()
	}
	return nil
}

// RequireDeletable returns a fault if the invoice prevents the deletion of its document: it is
// approved, or the ledger has its bill or may have it at any moment (domain D21).
func (inv *Invoice) RequireDeletable() error {
	next := ""
	switch {
	case inv.Sync.inFlight():
		return inv.errSyncInFlight()
	case inv.Status == Approved:
		next = "Reopen or reject it, then delete the document."
	case inv.Status == Synced:
		next = "The ledger has its bill. Remove the bill in the ledger and sync the invoice again, so that it becomes APPROVED. " +
			"Then reopen or reject it, and delete the document."
	default:
		return nil
	}
	allowed := []string{}
	for _, name := range []string{"reject", "reopen", "sync"} {
		if slices.Contains(transitions[name], inv.Status) {
			allowed = append(allowed, name)
		}
	}
	return fault.New(fault.Conflict, fault.CodeConflict, "The document cannot be deleted, because its invoice is %s. %s", inv.Status, next).
		With("invoice_id", inv.ID.String()).With("status", string(inv.Status)).With("allowed", allowed)
}

// ReplaceChecks replaces the results of one rule and reports whether they differ from the previous
// ones. The status is unchanged.
func (inv *Invoice) ReplaceChecks(rule string, checks []Check) bool {
	var before, rest []Check
	for _, c := range inv.Checks {
		if c.Rule == rule {
			before = append(before, c)
		} else {
			rest = append(rest, c)
		}
	}
	inv.Checks = append(rest, checks...)
	return !slices.Equal(before, checks)
}

// ApplyChecks sets the checks and the status that follows from them, if the invoice is open.
func (inv *Invoice) ApplyChecks(checks []Check) {
	inv.Checks = checks
	if inv.Status.Open() {
		inv.Status = StatusAfter(checks)
	}
}
