package accounting

import (
	"context"

	"docledger/domain/calendar"
	"docledger/domain/integration"
)

// BillCoding is the coding of one line of a bill in the ledger.
type BillCoding struct {
	Bill    string // the id of the bill
	Contact string
	Account string // "" for none
	TaxRate string // "" for none
}

// HistoryReader reads how earlier bills were coded.
type HistoryReader interface {
	// BillCodings lists the coded lines of the bills since a day, whoever created them. It leaves out
	// deleted and voided bills, and credit notes.
	BillCodings(ctx context.Context, a integration.Access, since calendar.Date) ([]BillCoding, error)
}

// Usual is what the bills of a contact usually have.
type Usual struct{ Account, TaxRate string }

// UsualCodings returns for each contact the account and the tax rate that occur in most of its
// bills. Of several equally frequent ones it returns the one that comes first in the list.
func UsualCodings(list []BillCoding) map[string]Usual {
	accounts, rates := newTally(), newTally()
	for _, c := range list {
		accounts.add(c.Contact, c.Account, c.Bill)
		rates.add(c.Contact, c.TaxRate, c.Bill)
	}
	out := map[string]Usual{}
	for _, c := range list {
		if _, done := out[c.Contact]; !done && c.Contact != "" {
			out[c.Contact] = Usual{Account: accounts.most(c.Contact), TaxRate: rates.most(c.Contact)}
		}
	}
	return out
}

// tally counts in how many bills of a contact a value occurs.
type tally struct {
	order map[string][]string // the values of a contact, in the order of the list
	bills map[[2]string]int
	seen  map[[3]string]bool
}

func newTally() tally {
	return tally{map[string][]string{}, map[[2]string]int{}, map[[3]string]bool{}}
}

func (t tally) add(contact, value, bill string) {
	if value == "" || t.seen[[3]string{contact, value, bill}] {
		return
	}
	t.seen[[3]string{contact, value, bill}] = true
	key := [2]string{contact, value}
	if t.bills[key] == 0 {
		t.order[contact] = append(t.order[contact], value)
	}
	t.bills[key]++
}

func (t tally) most(contact string) (best string) {
	for _, value := range t.order[contact] {
		if t.bills[[2]string{contact, value}] > t.bills[[2]string{contact, best}] {
			best = value
		}
	}
	return best
}
