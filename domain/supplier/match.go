package supplier

import (
	"slices"
	"strings"

	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Keys are the values by which suppliers are found, strongest first: tax id, bank account, name.
type Keys struct{ TaxIDs, IBANs, Names []string }

// Candidates are the suppliers of an entity that have one of the keys of an invoice.
type Candidates struct {
	EntityID uuid.UUID
	Keys     Keys
	Found    []Supplier
}

// Of reports whether the candidates are those of an invoice. Those of nil are of none.
func (c *Candidates) Of(inv *invoice.Invoice) bool {
	keys := KeysOf(inv)
	return c != nil && c.EntityID == inv.EntityID && slices.Equal(c.Keys.TaxIDs, keys.TaxIDs) &&
		slices.Equal(c.Keys.IBANs, keys.IBANs) && slices.Equal(c.Keys.Names, keys.Names)
}

// KeysOf returns the keys that an invoice states. The names also contain the other readings of an
// uncertain name.
func KeysOf(inv *invoice.Invoice) Keys {
	var k Keys
	if id := invoice.FoldTaxID(inv.Seller.TaxID); id != "" {
		k.TaxIDs = append(k.TaxIDs, id)
	}
	for _, a := range StatedAccounts(inv) {
		k.IBANs = append(k.IBANs, a.IBAN)
	}
	names := []string{inv.Seller.Name, inv.Seller.TradingName}
	for _, path := range []string{"seller.name", "seller.trading_name"} {
		names = append(names, inv.Fields[path].Alternatives...)
	}
	for _, name := range names {
		if folded := invoice.FoldName(name); folded != "" && !slices.Contains(k.Names, folded) {
			k.Names = append(k.Names, folded)
		}
	}
	return k
}

// Keys returns the keys of a supplier.
func (s *Supplier) Keys() Keys {
	var k Keys
	for _, id := range s.TaxIDs {
		if id = invoice.FoldTaxID(id); id != "" {
			k.TaxIDs = append(k.TaxIDs, id)
		}
	}
	for _, a := range s.Accounts {
		if a.Known() {
			k.IBANs = append(k.IBANs, a.IBAN)
		}
	}
	for _, name := range s.Names() {
		if name = invoice.FoldName(name); name != "" {
			k.Names = append(k.Names, name)
		}
	}
	return k
}

// Empty reports whether nothing identifies a supplier.
func (k Keys) Empty() bool { return len(k.TaxIDs)+len(k.IBANs)+len(k.Names) == 0 }

// Texts returns the keys with their kind, for storage. A tax id with a country prefix of two letters
// has a second key without it, because invoices may state either.
func (k Keys) Texts() []string {
	var out []string
	add := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, id := range k.TaxIDs {
		add("tax:" + id)
		if bare := strings.TrimLeft(id[:min(2, len(id))], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + id[min(2, len(id)):]; len(bare) == len(id)-2 {
			add("tax:" + bare)
		}
	}
	for _, iban := range k.IBANs {
		add("iban:" + iban)
	}
	for _, name := range k.Names {
		add("name:" + name)
	}
	return out
}

// Match is the evidence by which a supplier was found.
type Match string

// The matches; NoMatch means that no supplier was found.
const (
	NoMatch Match = ""
	ByTaxID Match = "TAX_ID"
	ByIBAN  Match = "IBAN"
	ByName  Match = "NAME"
)

// Find returns the supplier of an invoice among candidates, which are ordered by age: by tax id, then
// by a known bank account, then by name. Of several equal matches the one with the stated name is
// returned, else the oldest. A supplier with another tax id than the stated one is not matched by
// account or name.
func Find(inv *invoice.Invoice, candidates []Supplier) (*Supplier, Match) {
	if s := pick(inv, candidates, func(s *Supplier) bool { return s.HasTaxID(inv.Seller.TaxID) }); s != nil {
		return s, ByTaxID
	}
	accounts := StatedAccounts(inv)
	s := pick(inv, candidates, func(s *Supplier) bool {
		return !contradicts(inv, s) && slices.ContainsFunc(accounts, func(a StatedAccount) bool {
			own := s.BankAccount(a.IBAN)
			return own != nil && own.Known()
		})
	})
	if s != nil {
		return s, ByIBAN
	}
	names := KeysOf(inv).Names
	s = pick(inv, candidates, func(s *Supplier) bool {
		return !contradicts(inv, s) && slices.ContainsFunc(names, s.HasName)
	})
	if s != nil {
		return s, ByName
	}
	return nil, NoMatch
}

// Namesake returns the first known supplier with the name of an invoice and another tax id, which Find does
// not return. The invoice can be of another company with the same name, or pretend to be of the supplier.
func Namesake(inv *invoice.Invoice, candidates []Supplier) *Supplier {
	names := KeysOf(inv).Names
	for i := range candidates {
		if s := &candidates[i]; !s.IsNew() && contradicts(inv, s) && slices.ContainsFunc(names, s.HasName) {
			return s
		}
	}
	return nil
}

func pick(inv *invoice.Invoice, candidates []Supplier, fits func(*Supplier) bool) *Supplier {
	var first *Supplier
	for i := range candidates {
		s := &candidates[i]
		if !fits(s) {
			continue
		}
		if s.HasName(inv.Seller.Name) {
			return s
		}
		if first == nil {
			first = s
		}
	}
	return first
}

func contradicts(inv *invoice.Invoice, s *Supplier) bool {
	return invoice.FoldTaxID(inv.Seller.TaxID) != "" && len(s.TaxIDs) > 0 && !s.HasTaxID(inv.Seller.TaxID)
}

// StatedAccount is a bank account of an invoice with the path of its value.
type StatedAccount struct{ Path, IBAN string }

// StatedAccounts returns the bank accounts that an invoice states, each once.
func StatedAccounts(inv *invoice.Invoice) (out []StatedAccount) {
	for _, a := range []StatedAccount{
		{"payment.iban", invoice.FoldIBAN(inv.Payment.IBAN)}, {"seller.iban", invoice.FoldIBAN(inv.Seller.IBAN)},
	} {
		if a.IBAN != "" && !slices.ContainsFunc(out, func(o StatedAccount) bool { return o.IBAN == a.IBAN }) {
			out = append(out, a)
		}
	}
	return out
}

// CanBeReal reports whether an account can be a real one. A text with wrong check digits is a reading
// error, which a person must correct.
func CanBeReal(iban string) bool {
	valid, known := invoice.ValidIBAN(iban)
	return valid || !known
}

// NewAccounts returns the stated accounts that the supplier does not have and that can be real.
func (s *Supplier) NewAccounts(inv *invoice.Invoice) (out []StatedAccount) {
	for _, a := range StatedAccounts(inv) {
		if s.BankAccount(a.IBAN) == nil && CanBeReal(a.IBAN) {
			out = append(out, a)
		}
	}
	return out
}

// Checks evaluates bank_account_known for each stated account. An account that a known supplier did
// not use before fails as BLOCKING; the first account of a new supplier, which may be nil, fails as
// WARNING, unless the account is not known for a namesake, which may be nil. Otherwise a wrong tax id would
// make every account of a known supplier look like the first one of a new supplier.
func Checks(inv *invoice.Invoice, s, namesake *Supplier) (out []invoice.Check) {
	for _, a := range StatedAccounts(inv) {
		c := invoice.Check{Rule: invoice.RuleBankAccountKnown, Severity: invoice.Warning, Path: a.Path, Found: a.IBAN}
		switch own := bankAccount(s, a.IBAN); {
		case own != nil && own.Known():
			c.Severity, c.Passed = invoice.Blocking, true
		case (s == nil || s.IsNew()) && namesake != nil && !knows(namesake, a.IBAN):
			c.Severity, c.Expected = invoice.Blocking, "a confirmed bank account of "+namesake.Name+", which has another tax id than this invoice"
		case s == nil || s.IsNew():
			c.Expected = "a bank account that was used before; this is the first one of a new supplier"
		default:
			c.Severity, c.Expected = invoice.Blocking, "a confirmed bank account of "+s.Name
		}
		out = append(out, c)
	}
	return out
}

func knows(s *Supplier, iban string) bool {
	own := s.BankAccount(iban)
	return own != nil && own.Known()
}

func bankAccount(s *Supplier, iban string) *BankAccount {
	if s == nil {
		return nil
	}
	return s.BankAccount(iban)
}

// The confidence of values that agree with the supplier's record: recognized for a value that the
// document states, completed for a value that was taken from the record.
const (
	recognized = 0.99
	completed  = 0.95
)

// Recognize raises the confidence of values that the document shares with the supplier's record. If
// the supplier was found by tax id or bank account, an uncertain name becomes the recorded one.
func (s *Supplier) Recognize(inv *invoice.Invoice, by Match) {
	if inv.Fields == nil {
		inv.Fields = map[string]invoice.Evidence{}
	}
	choose(inv, "seller.name", &inv.Seller.Name, s.HasName)
	choose(inv, "seller.trading_name", &inv.Seller.TradingName, s.HasName)
	choose(inv, "seller.tax_id", &inv.Seller.TaxID, s.HasTaxID)
	known := func(iban string) bool {
		own := s.BankAccount(iban)
		return own != nil && own.Known()
	}
	choose(inv, "payment.iban", &inv.Payment.IBAN, known)
	choose(inv, "seller.iban", &inv.Seller.IBAN, known)
	if by == ByTaxID || by == ByIBAN {
		s.completeName(inv)
	}
}

// choose raises the confidence of a value that the supplier has. If only another reading of the text
// is the supplier's, it becomes the value.
func choose(inv *invoice.Invoice, path string, value *string, has func(string) bool) {
	ev, ok := inv.Fields[path]
	if !ok || ev.Source == invoice.ByHuman {
		return
	}
	if !has(*value) {
		at := slices.IndexFunc(ev.Alternatives, has)
		if at < 0 {
			return
		}
		alternatives := slices.Clone(ev.Alternatives)
		*value, alternatives[at] = alternatives[at], *value
		ev.Alternatives = slices.DeleteFunc(alternatives, func(a string) bool { return a == "" })
	}
	ev.Confidence = max(ev.Confidence, recognized)
	inv.Fields[path] = ev
}

// certain is the confidence from which a stated name is kept although it is not recorded.
const certain = 0.9

func (s *Supplier) completeName(inv *invoice.Invoice) {
	ev, stated := inv.Fields["seller.name"]
	if s.HasName(inv.Seller.Name) || ev.Source == invoice.ByHuman || stated && ev.Confidence >= certain || inv.Seller.Name != "" && !stated {
		return
	}
	if inv.Seller.Name != "" {
		ev.Alternatives = append([]string{inv.Seller.Name}, ev.Alternatives...)
	}
	ev.Source, ev.Confidence = invoice.FromSupplier, completed
	inv.Seller.Name = s.Name
	inv.Fields["seller.name"] = ev
}

// Named returns the supplier of an invoice's own statements: its name, tax id, and nothing else.
func Named(inv *invoice.Invoice) Supplier {
	s := Supplier{OrganizationID: inv.OrganizationID, EntityID: inv.EntityID, Name: strings.TrimSpace(inv.Seller.Name)}
	if s.Name == "" {
		s.Name = strings.TrimSpace(inv.Seller.TradingName)
	}
	if s.Name == "" {
		s.Name = inv.Seller.TaxID
	}
	if accounts := StatedAccounts(inv); s.Name == "" && len(accounts) > 0 {
		s.Name = accounts[0].IBAN
	}
	s.AddName(inv.Seller.TradingName)
	s.AddTaxID(inv.Seller.TaxID)
	return s
}
