package ledgersync

import (
	"docledger/domain/accounting"
	"docledger/domain/money"
)

// MatchBill evaluates existing bills of the ledger before a bill is created (domain D7). A bill
// with docledger's reference belongs to the invoice, even if its number has changed. Another bill
// of the contact with the same number and total stops the sync, unless force is set. Removed bills
// are ignored.
func MatchBill(found []accounting.LedgerBill, reference string, total money.Decimal, force bool) (own *accounting.LedgerBill, err error) {
	var like *accounting.LedgerBill
	for i, f := range found {
		switch {
		case f.Removed:
		case f.Reference == reference:
			if own == nil {
				own = &found[i]
			}
		case f.Total.Equal(total) && like == nil:
			like = &found[i]
		}
	}
	if own != nil || like == nil || force {
		return own, nil
	}
	return nil, accounting.Refuse(accounting.CodeAlreadyInLedger, "It is %s (%s).", like.Number, like.ID).
		Or(like.ID, like.Number, like.URL).About(*like)
}

// QueryFor returns the query for existing bills that match b.
func QueryFor(b accounting.Bill) accounting.BillQuery {
	return accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number, Date: b.Date, Reference: b.Reference}
}
