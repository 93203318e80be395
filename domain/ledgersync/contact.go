// Package booking decides how an invoice becomes a bill in the ledger: whom it
// is from, under which accounts and tax rates, at which amounts, and what is
// to be done when an attempt fails. It calls nobody.
package ledgersync

import (
	"strings"

	"docledger/domain/accounting"
	"docledger/domain/invoice"
)

// Supplier is the key by which what was chosen for a supplier is kept: the tax
// identifier, else the account that it is paid to, else its name. "" where the
// invoice states none of them.
func Supplier(seller invoice.Party, payment invoice.Payment) string {
	if id := invoice.FoldTaxID(seller.TaxID); id != "" {
		return "tax:" + id
	}
	for _, iban := range ibans(seller, payment) {
		return "iban:" + iban
	}
	for _, name := range []string{seller.Name, seller.TradingName} {
		if folded := invoice.FoldName(name); folded != "" {
			return "name:" + folded
		}
	}
	if name := strings.TrimSpace(seller.Name + " " + seller.TradingName); name != "" {
		return "name:" + name // of signs alone: it is somebody all the same
	}
	return ""
}

func ibans(seller invoice.Party, payment invoice.Payment) (list []string) {
	for _, account := range []string{payment.IBAN, seller.IBAN} {
		if valid, known := invoice.ValidIBAN(account); valid && known {
			list = append(list, invoice.FoldIBAN(account))
		}
	}
	return list
}

// FindContact finds the supplier among the ledger's contacts: the one that a
// person chose, else the one of the last time, else the one with the tax
// identifier, with the bank account, or with the name. Where several fit it is
// contact_ambiguous, never a guess; where none does, ok is false and the
// contact is to be created.
func FindContact(inv *invoice.Invoice, remembered string, contacts []accounting.Contact) (c accounting.Contact, ok bool, err error) {
	if inv.ContactID != "" {
		return chosen(inv.ContactID, contacts)
	}
	if c, ok, err := chosen(remembered, contacts); remembered != "" && err == nil {
		return c, ok, nil
	}
	archived := 0
	for _, fits := range evidence(inv) {
		var found []accounting.Contact
		for _, c := range contacts {
			if !fits(c) {
				continue
			}
			if c.State != accounting.InUse {
				archived++
				continue
			}
			found = append(found, c)
		}
		switch {
		case len(found) == 1:
			return found[0], true, nil
		case len(found) > 1:
			return c, false, ambiguous(found)
		case archived > 0:
			return c, false, accounting.Refuse(accounting.CodeContactUnusable, "The contact that fits is archived.")
		}
	}
	return c, false, nil
}

func chosen(id string, contacts []accounting.Contact) (accounting.Contact, bool, error) {
	for _, c := range contacts {
		if c.ID != id {
			continue
		}
		if c.State != accounting.InUse {
			return c, false, accounting.Refuse(accounting.CodeContactUnusable, "%s is archived.", c.Name)
		}
		return c, true, nil
	}
	return accounting.Contact{}, false, accounting.Refuse(accounting.CodeContactUnusable, "There is no contact %s.", id)
}

// evidence are the tests of a contact, the strongest first.
func evidence(inv *invoice.Invoice) []func(accounting.Contact) bool {
	accounts := ibans(inv.Seller, inv.Payment)
	return []func(accounting.Contact) bool{
		func(c accounting.Contact) bool { return invoice.SameTaxID(inv.Seller.TaxID, c.TaxID) },
		func(c accounting.Contact) bool {
			own := invoice.FoldIBAN(c.BankAccount)
			for _, iban := range accounts {
				if own == iban && own != "" && !contradicts(inv, c) {
					return true
				}
			}
			return false
		},
		func(c accounting.Contact) bool { return sameName(inv.Seller, c) && !contradicts(inv, c) },
	}
}

// contradicts says that both state a tax identifier, and not the same: a
// namesake.
func contradicts(inv *invoice.Invoice, c accounting.Contact) bool {
	return inv.Seller.TaxID != "" && c.TaxID != "" && !invoice.SameTaxID(inv.Seller.TaxID, c.TaxID)
}

func sameName(seller invoice.Party, c accounting.Contact) bool {
	own := invoice.FoldName(c.Name)
	if own == "" {
		return false
	}
	return own == invoice.FoldName(seller.Name) || own == invoice.FoldName(seller.TradingName)
}

func ambiguous(found []accounting.Contact) error {
	r := accounting.Refuse(accounting.CodeContactAmbiguous, "%s.", named(len(found), func(i int) string { return found[i].Name }))
	for _, c := range found {
		r = r.Or(c.ID, c.Name, "")
	}
	return r
}

// named lists names for a message, the first few of many.
func named(n int, name func(int) string) string {
	const most = 5
	var names []string
	for i := range min(n, most) {
		names = append(names, name(i))
	}
	if n > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// NewContact is the supplier as it is added to the ledger.
func NewContact(inv *invoice.Invoice) (accounting.NewContact, error) {
	s := inv.Seller
	name := s.Name
	if name == "" {
		name = s.TradingName
	}
	if name == "" {
		return accounting.NewContact{}, accounting.Refuse(accounting.CodeIncomplete, "It names no supplier (seller.name), and no contact of the ledger fits.")
	}
	return accounting.NewContact{
		Name: name, TaxID: s.TaxID, Email: s.Email, Currency: inv.Currency,
		Address: accounting.ContactAddress{
			Line1: s.Address.Line1, Line2: s.Address.Line2, City: s.Address.City, Region: s.Address.Region,
			PostalCode: s.Address.PostalCode, Country: s.Address.Country,
		},
	}, nil
}
