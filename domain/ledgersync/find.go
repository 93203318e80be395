package ledgersync

import (
	"docledger/domain/accounting"
	"docledger/domain/money"
)

// MatchBill looks through what the ledger has already before a bill is booked
// (domain D7): one that carries our reference is ours, whatever its number
// says by now; one of the contact with the same number and total that is not
// ours stops the booking, unless it is forced. Removed bills count for
// nothing.
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

// QueryFor is what to look for in the ledger before a bill is booked.
func QueryFor(b accounting.Bill) accounting.BillQuery {
	return accounting.BillQuery{Kind: b.Kind, Contact: b.Contact, Number: b.Number, Date: b.Date, Reference: b.Reference}
}
