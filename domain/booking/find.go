package booking

import (
	"docledger/domain/accounting"
	"docledger/domain/money"
)

// Recognize looks through what the ledger has already before a bill is booked
// (records D7): one that carries our reference is ours, whatever its number
// says by now; one of the contact with the same number and total that is not
// ours stops the booking, unless it is forced. Removed bills count for
// nothing.
func Recognize(found []accounting.Booked, reference string, total money.Decimal, force bool) (own *accounting.Booked, err error) {
	var like *accounting.Booked
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

// WantedOf is what to look for in the ledger before a bill is booked.
func WantedOf(b accounting.Bill) accounting.Wanted {
	return accounting.Wanted{Kind: b.Kind, Contact: b.Contact, Number: b.Number, Date: b.Date, Reference: b.Reference}
}
