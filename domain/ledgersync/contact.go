// Package ledgersync decides how an invoice becomes a bill in the ledger: contact, accounts, tax
// rates, amounts, and what happens after a failed attempt. It makes no external calls.
package ledgersync

import (
	"strings"

	"docledger/domain/accounting"
	"docledger/domain/invoice"
)

// Supplier returns the key under which a supplier's coding is stored: the tax identifier, else the
// bank account, else the name. It returns "" if the invoice states none of them.
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
		return "name:" + name // the name consists of symbols only
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

// FindContact finds the supplier among the ledger's contacts. The order is: the contact that a
// person chose, the remembered one, then a match by tax identifier, bank account or name. Several
// matches are contact_ambiguous; docledger never guesses. ok is false if none matches and the
// contact must be created.
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

// evidence returns the match functions, strongest first.
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

// contradicts reports whether both state a tax identifier and the identifiers differ.
func contradicts(inv *invoice.Invoice, c accounting.Contact) bool {
	return inv.Seller.TaxID != "" && c.TaxID != "" && !invoice.SameTaxID(inv.Seller.TaxID, c.TaxID)
}

func sameName(seller invoice.Party, c accounting.Contact) bool {
	own := invoice.FoldName(c.Name)
	if own == "" {
		return false
	}
	return own == invoice.FoldName(seller.Name) || own == invoice.FoldName(seller.TradingName) ||
		accounting.IsShortName(c.Name, seller.Name) || accounting.IsShortName(c.Name, seller.TradingName)
}

func ambiguous(found []accounting.Contact) error {
	r := accounting.Refuse(accounting.CodeContactAmbiguous, "%s.", named(len(found), func(i int) string { return found[i].Name }))
	for _, c := range found {
		r = r.Or(c.ID, c.Name, "")
	}
	return r
}

// named lists names for a message and truncates long lists.
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

// NewContact returns the supplier as a new contact for the ledger.
func NewContact(inv *invoice.Invoice) (accounting.NewContact, error) {
	s := inv.Seller
	name := s.Name
	if name == "" {
		name = s.TradingName
	}
	if name == "" {
		return accounting.NewContact{}, accounting.Refuse(accounting.CodeIncomplete, "The invoice names no supplier (seller.name), and no contact of the ledger matches.")
	}
	return accounting.NewContact{
		Name: name, TaxID: s.TaxID, Email: s.Email, Currency: inv.Currency,
		Address: accounting.ContactAddress{
			Line1: s.Address.Line1, Line2: s.Address.Line2, City: s.Address.City, Region: s.Address.Region,
			PostalCode: s.Address.PostalCode, Country: s.Address.Country,
		},
	}, nil
}
