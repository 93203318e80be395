package invoice

import (
	"slices"

	"docledger/domain/calendar"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

// DefaultedConfidence is the confidence of a currency that the document does not state and that the
// settings of the entity supply.
const DefaultedConfidence = 0.5

// RequireMovable returns a fault if the invoice prevents a move of its document to another entity:
// the ledger has its bill or may have it at any moment (domain D12).
func (inv *Invoice) RequireMovable() error {
	if inv.Sync.inFlight() {
		return inv.errSyncInFlight()
	}
	if inv.Status != Synced {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict, "The document cannot be moved, because the ledger of its entity has the bill of its invoice. "+
		"Remove the bill in the ledger and sync the invoice again, so that it becomes APPROVED. Then move the document.").
		With("invoice_id", inv.ID.String()).With("status", string(inv.Status)).With("allowed", []string{"sync"})
}

// MoveTo assigns the invoice to another entity and removes what belongs to the former one: its
// supplier, its ledger's contact and posting date, the coding of the lines, and the currency that
// its settings supplied, which currency replaces. It withdraws an approval, because it was given in
// the former entity, and reports whether there was one.
func (inv *Invoice) MoveTo(entity uuid.UUID, currency string) (withdrawn bool) {
	inv.EntityID, inv.SupplierID, inv.ContactID, inv.PostingDate = entity, uuid.Nil, "", calendar.Date{}
	inv.Lines = slices.Clone(inv.Lines)
	for i := range inv.Lines {
		l := &inv.Lines[i]
		l.AccountID, l.AccountSource, l.TaxRateID, l.TaxSource = "", "", "", ""
	}
	if ev, ok := inv.Fields["currency"]; ok && ev.Source == Computed && ev.Confidence == DefaultedConfidence && ev.SourceText == "" {
		if inv.Currency = currency; currency == "" {
			delete(inv.Fields, "currency")
		}
	} else if inv.Currency == "" && currency != "" && !ev.Unreadable() && ev.Source != ByHuman {
		inv.Currency = currency
		if inv.Fields == nil {
			inv.Fields = map[string]Evidence{}
		}
		inv.Fields["currency"] = Evidence{Source: Computed, Confidence: DefaultedConfidence}
	}
	if withdrawn = inv.CanSync(); withdrawn {
		inv.Status, inv.Approval, inv.Reopened = NeedsReview, nil, true
	}
	return withdrawn
}
