// Package supplier contains the suppliers of an entity: who they are, where they are paid, and how
// their invoices are coded (domain D8).
package supplier

import (
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// MaxAliases is the maximum number of aliases and of tax ids of a supplier, and MaxAccounts that of
// its bank accounts.
const (
	MaxAliases  = 100
	MaxAccounts = 200
)

// AccountSource is where a bank account was seen first.
type AccountSource string

// The sources of bank accounts.
const (
	SeenInInvoice AccountSource = "INVOICE"
	SeenInLedger  AccountSource = "LEDGER" // the contact of the connected ledger has it
)

// Method is how a person checked a bank account with the supplier.
type Method string

// The methods.
const (
	ByPhone  Method = "phone"
	ByLetter Method = "letter"
	ByOther  Method = "other"
)

// Confirmation records who confirmed a bank account and how it was checked.
type Confirmation struct {
	By     uuid.UUID
	At     time.Time
	Method Method
}

// BankAccount is an account that invoices or the ledger state for a supplier.
type BankAccount struct {
	IBAN        string // in the form of invoice.FoldIBAN
	Source      AccountSource
	FirstSeenAt time.Time
	LastSeenAt  time.Time
	// Trusted reports that the account counts as known without a confirmation: it was the first
	// account of a new supplier, it was used before suppliers were recorded, or the ledger has it.
	Trusted   bool
	Confirmed *Confirmation
}

// Known reports whether invoices may name the account without a further check.
func (b BankAccount) Known() bool { return b.Trusted || b.Confirmed != nil }

// CodingSource is the origin of a supplier's default account or tax rate.
type CodingSource string

// The sources of defaults; "" means that there is no default.
const (
	DefaultByHuman  CodingSource = "HUMAN"
	DefaultByLedger CodingSource = "LEDGER" // the usual choice in the bills of the last 12 months
)

// Default is a default account or tax rate. The id is the ledger's.
type Default struct {
	ID     string
	Source CodingSource
	// Percent is the percentage of a tax rate; "" if it is unknown.
	Percent string
}

// Supplier is who sends invoices to an entity.
type Supplier struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID
	Name           string
	Aliases        []string // further names under which it sends invoices
	TaxIDs         []string
	Accounts       []BankAccount
	// ContactID is the supplier's contact in the ledger, and ContactName the name that the ledger
	// had at the last import.
	ContactID   string
	ContactName string
	Account     Default
	TaxRate     Default
	// LastInvoiceID is the invoice that was approved last.
	LastInvoiceID uuid.UUID
	// LedgerSince is when the entity changed to another ledger; zero if it did not. The coding of
	// older invoices names records of the former ledger.
	LedgerSince   time.Time
	InvoicesCount int // without rejected invoices; computed when it is read
	Version       int
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Names returns the name and the aliases.
func (s *Supplier) Names() []string { return append([]string{s.Name}, s.Aliases...) }

// HasName reports whether the supplier is known by a name.
func (s *Supplier) HasName(name string) bool {
	folded := invoice.FoldName(name)
	return folded != "" && slices.ContainsFunc(s.Names(), func(own string) bool { return invoice.FoldName(own) == folded })
}

// HasTaxID reports whether the supplier has a tax id.
func (s *Supplier) HasTaxID(id string) bool {
	return slices.ContainsFunc(s.TaxIDs, func(own string) bool { return invoice.SameTaxID(own, id) })
}

// BankAccount returns the account with an IBAN, or nil.
func (s *Supplier) BankAccount(iban string) *BankAccount {
	folded := invoice.FoldIBAN(iban)
	for i := range s.Accounts {
		if s.Accounts[i].IBAN == folded {
			return &s.Accounts[i]
		}
	}
	return nil
}

// HasKnownAccount reports whether at least one account is known.
func (s *Supplier) HasKnownAccount() bool {
	return slices.ContainsFunc(s.Accounts, BankAccount.Known)
}

// IsNew reports whether there is nothing yet to compare a bank account with: the supplier has no
// known account, and no invoice of it was approved.
func (s *Supplier) IsNew() bool { return s.LastInvoiceID == uuid.Nil && !s.HasKnownAccount() }

// See records that an invoice or the ledger states an account. It returns true if the supplier did
// not have it.
func (s *Supplier) See(iban string, source AccountSource, trusted bool, at time.Time) bool {
	folded := invoice.FoldIBAN(iban)
	if own := s.BankAccount(folded); own != nil {
		if at.After(own.LastSeenAt) {
			own.LastSeenAt = at
		}
		own.Trusted = own.Trusted || trusted
		return false
	}
	if folded == "" || len(s.Accounts) >= MaxAccounts {
		return false
	}
	s.Accounts = append(s.Accounts, BankAccount{IBAN: folded, Source: source, FirstSeenAt: at, LastSeenAt: at, Trusted: trusted})
	return true
}

// Confirm confirms an account. Repeating it changes nothing and returns invoice.ErrUnchanged.
func (s *Supplier) Confirm(iban string, c Confirmation) error {
	account := s.BankAccount(iban)
	if account == nil {
		return fault.InvalidField("iban", "must be a bank account of the supplier")
	}
	if account.Confirmed != nil {
		return invoice.ErrUnchanged
	}
	account.Confirmed = &c
	return nil
}

// AddName adds an alias unless the supplier is already known by it.
func (s *Supplier) AddName(name string) {
	if name = strings.TrimSpace(name); name != "" && !s.HasName(name) && len(s.Aliases) < MaxAliases {
		s.Aliases = append(s.Aliases, name)
	}
}

// AddTaxID adds a tax id unless the supplier has it.
func (s *Supplier) AddTaxID(id string) {
	if id = strings.TrimSpace(id); invoice.FoldTaxID(id) != "" && !s.HasTaxID(id) && len(s.TaxIDs) < MaxAliases {
		s.TaxIDs = append(s.TaxIDs, id)
	}
}

// Absorb takes over what another supplier has. An account that the other supplier trusted only
// because it came with its first invoice is a new account of this supplier, unless this supplier
// has none: merging must not replace the confirmation of a bank account.
func (s *Supplier) Absorb(other *Supplier) {
	for _, name := range other.Names() {
		s.AddName(name)
	}
	for _, id := range other.TaxIDs {
		s.AddTaxID(id)
	}
	fresh := s.IsNew()
	for _, a := range other.Accounts {
		own := s.BankAccount(a.IBAN)
		switch {
		case own != nil:
			if a.FirstSeenAt.Before(own.FirstSeenAt) {
				own.FirstSeenAt = a.FirstSeenAt
			}
			if a.LastSeenAt.After(own.LastSeenAt) {
				own.LastSeenAt = a.LastSeenAt
			}
			if own.Confirmed == nil {
				own.Confirmed = a.Confirmed
			}
			own.Trusted = own.Trusted || a.Trusted && a.Source == SeenInLedger
		case len(s.Accounts) < MaxAccounts:
			a.Trusted = a.Trusted && (fresh || a.Source == SeenInLedger)
			s.Accounts = append(s.Accounts, a)
		}
	}
	if s.ContactID == "" {
		s.ContactID, s.ContactName = other.ContactID, other.ContactName
	}
	if s.Account.ID == "" {
		s.Account = other.Account
	}
	if s.TaxRate.ID == "" {
		s.TaxRate = other.TaxRate
	}
	if s.LastInvoiceID == uuid.Nil {
		s.LastInvoiceID = other.LastInvoiceID
	}
}

// ForgetLedger removes the ids of a ledger, because the entity uses another one from at. It reports
// whether there were any.
func (s *Supplier) ForgetLedger(at time.Time) bool {
	had := s.ContactID != "" || s.Account.ID != "" || s.TaxRate.ID != ""
	s.LedgerSince = at
	s.ContactID, s.ContactName, s.Account, s.TaxRate = "", "", Default{}, Default{}
	return had
}
