package xero

import (
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// Organization is a tenant with its ledger. Empty ids get default values.
type Organization struct {
	ID           string
	Name         string
	LegalName    string
	Type         string // tenantType; "" for ORGANISATION
	CountryCode  string
	BaseCurrency string
	TaxNumber    string
	PaysTax      bool
	LockedUntil  time.Time // nothing up to this day can be approved; zero for none
	Accounts     []Account
	Contacts     []Contact
	TaxRates     []TaxRate
	Currencies   []Currency
}

func (o *Organization) tenantType() string { return cmp.Or(o.Type, "ORGANISATION") }

// Account is an account of the chart.
type Account struct {
	ID              string
	Code            string // optional for bank accounts
	Name            string
	Type            string
	Class           string
	Status          string // "" for ACTIVE
	TaxType         string
	Description     string
	BankAccountType string // BANK, CREDITCARD, PAYPAL, or "" for none
	BankNumber      string
	CurrencyCode    string
	SystemAccount   string
}

// Contact is a supplier, a customer, or both.
type Contact struct {
	ID              string
	Name            string
	Number          string
	AccountNumber   string
	Email           string
	TaxNumber       string
	BankDetails     string
	CompanyNumber   string
	Status          string // "" for ACTIVE
	DefaultCurrency string
	IsSupplier      bool
	Updated         time.Time
}

// TaxRate is a rate; its TaxType is the key.
type TaxRate struct {
	Name           string
	TaxType        string
	ReportTaxType  string
	Status         string // "" for ACTIVE
	Rate           string // per cent
	NotForExpenses bool   // only for sales
}

// Currency is a currency of an organization.
type Currency struct{ Code, Description string }

// book is an organization with its records.
type book struct {
	organization Organization
	opened       time.Time
	accounts     []*Account
	contacts     []*Contact
	documents    []*document // of both kinds
	byID         map[string]*document
}

func newBook(o Organization, now time.Time) *book {
	o.ID = strings.ToLower(cmp.Or(o.ID, uuid.NewString()))
	b := &book{organization: o, opened: now, byID: map[string]*document{}}
	for _, a := range o.Accounts {
		a.ID, a.Status = cmp.Or(a.ID, uuid.NewString()), cmp.Or(a.Status, active)
		b.accounts = append(b.accounts, &a)
	}
	for _, c := range o.Contacts {
		b.addContact(c, now)
	}
	return b
}

func (b *book) addContact(c Contact, now time.Time) *Contact {
	c.ID, c.Status = cmp.Or(c.ID, uuid.NewString()), cmp.Or(c.Status, active)
	if c.Updated.IsZero() {
		c.Updated = now
	}
	b.contacts = append(b.contacts, &c)
	return &c
}

// put creates a contact, or changes the given fields of an existing one.
func (b *book) put(old *Contact, given wireContact, now time.Time) *Contact {
	if old == nil {
		old = b.addContact(Contact{}, now)
	}
	for _, field := range []struct {
		into  *string
		value string
	}{
		{&old.Name, strings.TrimSpace(given.Name)}, {&old.Number, given.ContactNumber}, {&old.AccountNumber, given.AccountNumber},
		{&old.Email, given.EmailAddress}, {&old.TaxNumber, given.TaxNumber}, {&old.CompanyNumber, given.CompanyNumber},
		{&old.BankDetails, given.BankAccountDetails}, {&old.DefaultCurrency, given.DefaultCurrency}, {&old.Status, given.ContactStatus},
	} {
		*field.into = cmp.Or(field.value, *field.into)
	}
	old.Updated = now
	return old
}

func (b *book) contact(id string) *Contact {
	return find(b.contacts, func(c *Contact) bool { return strings.EqualFold(c.ID, id) })
}

// account finds an account by code or id.
func (b *book) account(code, id string) *Account {
	return find(b.accounts, func(a *Account) bool {
		return code != "" && a.Code == code || code == "" && id != "" && strings.EqualFold(a.ID, id)
	})
}

func (b *book) taxRate(taxType string) *TaxRate {
	for i := range b.organization.TaxRates {
		if b.organization.TaxRates[i].TaxType == taxType {
			return &b.organization.TaxRates[i]
		}
	}
	return nil
}

func (b *book) uses(currency string) bool {
	for _, c := range b.organization.Currencies {
		if c.Code == currency {
			return true
		}
	}
	return false
}

// Statuses of accounts, contacts and tax rates.
const (
	active   = "ACTIVE"
	archived = "ARCHIVED"
)

// kind is one of the two kinds of supplier documents.
type kind struct {
	plural, id, number, document string // names of the API
}

var (
	bills       = &kind{"Invoices", "InvoiceID", "InvoiceNumber", "ACCPAY"}
	sales       = &kind{"Invoices", "InvoiceID", "InvoiceNumber", "ACCREC"} // invoices to customers, which have the same address as bills
	creditNotes = &kind{"CreditNotes", "CreditNoteID", "CreditNoteNumber", "ACCPAYCREDIT"}
)

// document is a bill or a credit note.
type document struct {
	kind        *kind
	id          string
	contact     *Contact
	number      string
	reference   string
	link        string
	date, due   time.Time // due is zero if unknown
	currency    string
	rate        decimal.Decimal
	amounts     string // LineAmountTypes
	status      string
	lines       []*line
	attachments []*attachment
	client      string // the application that created it
	created     time.Time
	updated     time.Time

	net, tax, total decimal.Decimal
	settled         decimal.Decimal // of a bill: paid by credit notes; of a credit note: used by bills
	allocations     []allocation    // of a credit note

	brief object // without its lines, as last listed; nil after a change
}

// allocation is the part of a credit note that is set against a bill.
type allocation struct {
	id     string
	bill   *document
	amount decimal.Decimal
	date   time.Time
}

// left is the remaining amount.
func (d *document) left() decimal.Decimal { return d.total.Sub(d.settled) }

// line is a line of a document. Accounts and tax rates are as in the request.
type line struct {
	id          string
	description string
	quantity    decimal.Decimal
	unit        decimal.Decimal
	account     *Account
	taxType     string
	tax         decimal.Decimal
	amount      decimal.Decimal
	onlyText    bool // it has only a description
}

// attachment is a file of a document.
type attachment struct {
	id, name, media string
	size            int
	sum             string // SHA-256 of the file
}
