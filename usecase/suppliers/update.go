package suppliers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

// Patch contains the values to change; nil keeps a value.
type Patch struct {
	Name      *string
	Aliases   *[]string
	TaxIDs    *[]string
	ContactID *string
	AccountID *string
	TaxRateID *string
}

// Update changes a supplier. An id of the ledger is checked there first. The former name becomes an
// alias, so that invoices with it are still recognized.
func (s *Service) Update(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, p Patch) (*supplier.Supplier, error) {
	now, err := s.require(ctx, a, id, identity.ChangeSupplier)
	if err != nil {
		return nil, err
	}
	if p.Name != nil && strings.TrimSpace(*p.Name) == "" {
		return nil, fault.InvalidField("name", "must not be empty")
	}
	percent, err := s.checkLedger(ctx, a, now, p)
	if err != nil {
		return nil, err
	}
	var updated *supplier.Supplier
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changes []event.Change
		var err error
		updated, err = s.Suppliers.Update(ctx, a.Scope(), id, ifVersion, func(now *supplier.Supplier) error {
			before := *now
			before.Aliases, before.TaxIDs = slices.Clone(now.Aliases), slices.Clone(now.TaxIDs)
			p.apply(now, percent)
			if changes = differences(&before, now); len(changes) == 0 {
				return invoice.ErrUnchanged
			}
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil || len(changes) == 0 {
			return err
		}
		e := event.By(a, event.SupplierChanged, updated.EntityID, subjectOf(updated))
		e.Changes = changes
		return s.Events.Append(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return updated, nil
}

func (p Patch) apply(s *supplier.Supplier, percent string) {
	former := s.Name
	if p.Name != nil {
		s.Name = strings.TrimSpace(*p.Name)
	}
	if p.Aliases != nil {
		s.Aliases = nil
		for _, alias := range *p.Aliases {
			s.AddName(alias)
		}
	} else {
		s.AddName(former)
		s.Aliases = slices.DeleteFunc(s.Aliases, func(alias string) bool { return invoice.FoldName(alias) == invoice.FoldName(s.Name) })
	}
	if p.TaxIDs != nil {
		s.TaxIDs = nil
		for _, id := range *p.TaxIDs {
			s.AddTaxID(id)
		}
	}
	if p.ContactID != nil && *p.ContactID != s.ContactID {
		s.ContactID, s.ContactName = *p.ContactID, ""
	}
	if p.AccountID != nil {
		s.Account = byHuman(*p.AccountID, "")
	}
	if p.TaxRateID != nil {
		s.TaxRate = byHuman(*p.TaxRateID, percent)
	}
}

func byHuman(id, percent string) supplier.Default {
	if id == "" {
		return supplier.Default{}
	}
	return supplier.Default{ID: id, Source: supplier.DefaultByHuman, Percent: percent}
}

// checkLedger checks the ids of a patch and returns the percentage of its tax rate.
func (s *Service) checkLedger(ctx context.Context, a identity.Actor, now *supplier.Supplier, p Patch) (percent string, err error) {
	settings, err := s.Settings.Get(ctx, a.Scope(), now.EntityID)
	if err != nil {
		return "", fmt.Errorf("read settings: %w", err)
	}
	ledger := settings.AccountingIntegrationID
	changed := func(to *string, from string) bool { return to != nil && *to != "" && *to != from }
	if ledger == uuid.Nil {
		// An id that no ledger has confirmed would be used for bills as soon as the entity has a ledger.
		var wrong fault.Fields
		for _, c := range []struct {
			field string
			to    *string
			from  string
		}{{"contact_id", p.ContactID, now.ContactID}, {"default_account_id", p.AccountID, now.Account.ID}, {"default_tax_rate_id", p.TaxRateID, now.TaxRate.ID}} {
			if changed(c.to, c.from) {
				wrong.Add(c.field, "is an id of the ledger, and the entity has no ledger; set accounting_integration_id in its settings first")
			}
		}
		return "", wrong.Err()
	}
	// Changing a supplier works while the ledger is unavailable (domain D24).
	if changed(p.AccountID, now.Account.ID) {
		if err := ifAvailable(s.Ledgers.CheckAccount(ctx, a, ledger, *p.AccountID, "default_account_id")); err != nil {
			return "", err
		}
	}
	if changed(p.ContactID, now.ContactID) {
		if err := ifAvailable(s.Ledgers.CheckContact(ctx, a, ledger, *p.ContactID, "contact_id")); err != nil {
			return "", err
		}
	}
	if p.TaxRateID != nil && *p.TaxRateID != "" {
		percent, err = s.Ledgers.TaxPercent(ctx, a, ledger, *p.TaxRateID, "default_tax_rate_id")
	}
	return percent, ifAvailable(err)
}

func ifAvailable(err error) error {
	if f, ok := fault.As(err); ok && (f.Kind == fault.Upstream || f.Kind == fault.Unavailable || f.Kind == fault.TooMany) {
		return nil
	}
	return err
}

func differences(a, b *supplier.Supplier) (changes []event.Change) {
	for _, c := range []struct {
		field    string
		from, to any
	}{
		{"name", a.Name, b.Name},
		{"aliases", a.Aliases, b.Aliases},
		{"tax_ids", a.TaxIDs, b.TaxIDs},
		{"contact_id", a.ContactID, b.ContactID},
		{"default_account_id", a.Account.ID, b.Account.ID},
		{"default_account_source", string(a.Account.Source), string(b.Account.Source)},
		{"default_tax_rate_id", a.TaxRate.ID, b.TaxRate.ID},
		{"default_tax_rate_source", string(a.TaxRate.Source), string(b.TaxRate.Source)},
	} {
		if from, to := fmt.Sprint(c.from), fmt.Sprint(c.to); from != to {
			changes = append(changes, event.Change{Field: c.field, From: from, To: to})
		}
	}
	return changes
}
