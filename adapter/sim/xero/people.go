package xero

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// The methods of this file change the ledger as its users do.

// within applies a change to the records of an organization.
func (s *Server) within(organization string, change func(b *book, now time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookOf(organization)
	if err != nil {
		return err
	}
	return change(b, s.Kit.Clock.Now())
}

// AddAccount adds an account to a chart and returns its id. Without a class it is
// an EXPENSE.
func (s *Server) AddAccount(organization string, a Account) (id string, err error) {
	err = s.within(organization, func(b *book, _ time.Time) error {
		a.ID = uuid.NewString()
		if a.Status == "" {
			a.Status = active
		}
		if a.Class == "" {
			a.Class = "EXPENSE"
		}
		b.accounts = append(b.accounts, &a)
		id = a.ID
		return nil
	})
	return id, err
}

// AddContact adds a contact and returns its id.
func (s *Server) AddContact(organization string, c Contact) (id string, err error) {
	err = s.within(organization, func(b *book, now time.Time) error {
		c.ID = ""
		id = b.addContact(c, now).ID
		return nil
	})
	return id, err
}

// AddContacts adds n contacts. Every tenth is archived.
func (s *Server) AddContacts(organization string, count int) error {
	return s.within(organization, func(b *book, now time.Time) error {
		for n := range count {
			b.addContact(numbered(n+1), now)
		}
		return nil
	})
}

// numbered is the n-th of many contacts.
func numbered(n int) Contact {
	c := Contact{Name: fmt.Sprintf("Supplier %06d", n), Email: fmt.Sprintf("supplier%06d@example.com", n), IsSupplier: n%2 == 0}
	if n%10 == 0 {
		c.Status = archived
	}
	return c
}

// AddTaxRate adds a tax rate and returns its key.
func (s *Server) AddTaxRate(organization string, t TaxRate) (taxType string, err error) {
	if _, err := decimal.NewFromString(t.Rate); err != nil {
		return "", fmt.Errorf("rate %q: %w", t.Rate, err)
	}
	err = s.within(organization, func(b *book, _ time.Time) error {
		if t.TaxType == "" {
			t.TaxType = fmt.Sprintf("TAX%03d", 100+len(b.organization.TaxRates))
		}
		if t.ReportTaxType == "" {
			t.ReportTaxType = "INPUT"
		}
		b.organization.TaxRates = append(slices.Clip(b.organization.TaxRates), t)
		return nil
	})
	return t.TaxType, err
}

// LockUntil locks the ledger up to and including a day.
func (s *Server) LockUntil(organization string, day time.Time) error {
	return s.within(organization, func(b *book, _ time.Time) error {
		b.organization.LockedUntil = day.UTC().Truncate(24 * time.Hour)
		return nil
	})
}

// TypeDocument enters a draft of one line in the base currency, without tax and
// dated today. kind is ACCPAY, ACCREC or ACCPAYCREDIT.
func (s *Server) TypeDocument(organization, kind, contact, number, total string) (id string, err error) {
	amount, err := decimal.NewFromString(total)
	if err != nil {
		return "", fmt.Errorf("total %q: %w", total, err)
	}
	err = s.within(organization, func(b *book, now time.Time) error {
		d := &document{
			kind: bills, id: uuid.NewString(), contact: b.contact(contact), number: number, date: now.Truncate(24 * time.Hour),
			currency: b.organization.BaseCurrency, rate: decimal.NewFromInt(1), amounts: "NoTax", status: draft,
			created: now, updated: now,
			lines: []*line{{
				id: uuid.NewString(), description: "By hand", quantity: decimal.NewFromInt(1), unit: amount, amount: amount, taxType: "NONE",
			}},
		}
		switch kind {
		case creditNotes.document:
			d.kind = creditNotes
		case sales.document:
			d.kind = sales
		}
		if d.contact == nil {
			return fmt.Errorf("contact %q does not exist", contact)
		}
		sum(d)
		b.documents = append(b.documents, d)
		b.byID[d.id] = d
		id = d.id
		return nil
	})
	return id, err
}

// SetStatus sets a document's status without validation.
func (s *Server) SetStatus(organization, id, status string) error {
	return s.within(organization, func(b *book, now time.Time) error { return b.setStatus(id, status, now) })
}

func (b *book) setStatus(id, status string, now time.Time) error {
	d := b.byID[strings.ToLower(id)]
	if d == nil {
		return fmt.Errorf("document %q does not exist", id)
	}
	if !slices.Contains([]string{draft, submitted, authorised, deleted, voided, paid}, status) {
		return fmt.Errorf("unknown status %q", status)
	}
	d.status, d.updated, d.brief = status, now, nil
	return nil
}

// Renumber changes a document's number.
func (s *Server) Renumber(organization, id, number string) error {
	return s.within(organization, func(b *book, now time.Time) error {
		d := b.byID[strings.ToLower(id)]
		if d == nil {
			return errors.New("the document does not exist")
		}
		d.number, d.updated, d.brief = number, now, nil
		return nil
	})
}

// TakeOff disconnects an organization from every application.
func (s *Server) TakeOff(organization string) error {
	return s.within(organization, func(b *book, _ time.Time) error {
		s.takeOff(b.organization.ID)
		return nil
	})
}

func (s *Server) takeOff(tenant string) (gone int) {
	before := len(s.identity.connections)
	s.identity.connections = slices.DeleteFunc(s.identity.connections, func(c *connection) bool { return c.tenant == tenant })
	return before - len(s.identity.connections)
}

// Withdraw revokes every consent.
func (s *Server) Withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identity.refresh = map[string]*refresh{}
	s.identity.connections = nil
}

// ForgetKeys removes the idempotency keys, as their expiry does.
func (s *Server) ForgetKeys() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replays = map[string]*replay{}
}
