package review

import (
	"strings"
	"time"

	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/invoice"
)

// ApproveUnattended approves an invoice as SYSTEM if the entity allows it (domain
// D31), and reports whether it did. Extraction, correction, sync and auto_sync all
// use this function. The conditions:
//   - the entity requires no approval and no second person;
//   - no user requested a review that only a person ends;
//   - every check passed, including WARNINGs, except the WARNINGs of the rules in
//     auto_approve_ignore.
//
// version is the version that is being written.
func ApproveUnattended(inv *invoice.Invoice, settings *entity.Settings, at time.Time, version int) bool {
	if reason, _ := whyAttended(inv, settings); reason != "" {
		return false
	}
	inv.Status = invoice.Approved
	inv.Approval = &invoice.Approval{At: at, Version: version}
	return true
}

// whyAttended returns the reason why a person must approve the invoice, with the
// failed checks if they are the reason; "" if SYSTEM may approve it.
func whyAttended(inv *invoice.Invoice, settings *entity.Settings) (reason string, failed []invoice.Check) {
	switch {
	case inv.Status != invoice.Extracted:
		return "Its status is " + string(inv.Status) + ".", nil
	case settings.ApprovalRequired:
		return "The entity requires an approval.", nil
	case settings.FourEyes:
		return "The entity requires the approval of a second person.", nil
	case inv.Reopened:
		return "It was sent to review, came from a sender who is not accepted, or an assistant uploaded, moved, extracted or changed it. Only a person can approve it.", nil
	}
	failed = inv.FailedChecks(settings.AutoApproveIgnore)
	if len(failed) == 0 {
		return "", nil
	}
	rules := make([]string, len(failed))
	for i, c := range failed {
		rules[i] = c.Rule
	}
	return "Not every check passed: " + strings.Join(rules, ", ") + ".", failed
}

// PrepareSync refuses an invoice that is not approved. If SYSTEM may approve an
// EXTRACTED invoice, PrepareSync approves it first and returns approved = true
// (domain D2).
func PrepareSync(inv *invoice.Invoice, settings *entity.Settings, at time.Time, version int) (approved bool, err error) {
	if ApproveUnattended(inv, settings, at, version) {
		return true, nil
	}
	err = inv.RequireSyncable()
	if f, ok := fault.As(err); ok && inv.Status == invoice.Extracted {
		reason, failed := whyAttended(inv, settings)
		f = f.With("checks", invoice.CheckDetails(failed))
		f.Message = "The invoice cannot be synced before a person approves it. " + reason
		return false, f
	}
	return false, err
}
