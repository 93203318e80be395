package suppliers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

const (
	// importEvery is the time between two imports of a ledger.
	importEvery = time.Hour
	importBatch = 100
	// historyMonths is how far back bills propose accounts and tax rates.
	historyMonths = 12
)

// importSource contains the capabilities that an import needs of a connector.
type importSource struct {
	contacts accounting.ContactReader
	rates    accounting.TaxRateReader
	history  accounting.HistoryReader
}

// ImportDue imports the contacts of every connected ledger whose last import is an hour old. It
// returns the number of imported ledgers. A ledger that is unavailable is tried again with the next
// call.
func (s *Service) ImportDue(ctx context.Context) (int, error) {
	due, err := s.Ledgered.LedgersForImport(ctx, s.Clock.Now().Add(-importEvery), importBatch)
	if err != nil {
		return 0, err
	}
	done := 0
	for i := range due {
		err := s.Import(ctx, &due[i])
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(ctx, "contacts of ledger not imported", "integration", due[i].ID, "error", err)
			continue
		}
		done++
	}
	return done, nil
}

// Import makes suppliers from the contacts of a ledger and keeps existing ones in step. The bills of
// the last 12 months propose each contact's usual account and tax rate.
func (s *Service) Import(ctx context.Context, i *integration.Integration) error {
	now := s.Clock.Now()
	connector := s.Connectors[i.Provider]
	source := importSource{}
	var ok [3]bool
	source.contacts, ok[0] = connector.(accounting.ContactReader)
	source.rates, ok[1] = connector.(accounting.TaxRateReader)
	source.history, ok[2] = connector.(accounting.HistoryReader)
	if ok != [3]bool{true, true, true} {
		return s.Ledgered.MarkImported(ctx, i.ID, now)
	}
	var contacts []accounting.Contact
	var rates []accounting.TaxRate
	var codings []accounting.BillCoding
	err := s.Accesses.With(ctx, i, true, func(ctx context.Context, a integration.Access) (err error) {
		if contacts, err = source.contacts.Contacts(ctx, a); err != nil {
			return err
		}
		if rates, err = source.rates.TaxRates(ctx, a); err != nil {
			return err
		}
		codings, err = source.history.BillCodings(ctx, a, calendar.Of(now.AddDate(0, -historyMonths, 0)))
		return err
	})
	if err != nil {
		return err
	}
	percents := map[string]string{}
	for _, r := range rates {
		if r.State == accounting.InUse && r.Purchases {
			percents[r.ID] = r.Rate.String()
		}
	}
	if err := s.keepInStep(ctx, i, contacts, accounting.UsualCodings(codings), percents); err != nil {
		return err
	}
	return s.Ledgered.MarkImported(ctx, i.ID, now)
}

func (s *Service) keepInStep(
	ctx context.Context, i *integration.Integration, contacts []accounting.Contact, usual map[string]accounting.Usual, percents map[string]string,
) error {
	linked, err := s.Contacts.ByContact(ctx, i.OrganizationID, i.EntityID)
	if err != nil {
		return err
	}
	active := map[string]bool{}
	for _, c := range contacts {
		active[c.ID] = c.State == accounting.InUse
	}
	for _, c := range contacts {
		if c.State != accounting.InUse || invoice.FoldName(c.Name) == "" {
			continue
		}
		in := contactInput{Contact: c, usual: usual[c.ID], linked: linked[c.ID], active: active}
		in.percent = percents[in.usual.TaxRate]
		if in.percent == "" {
			in.usual.TaxRate = ""
		}
		if err := s.importContact(ctx, i, in); err != nil {
			return fmt.Errorf("import contact: %w", err)
		}
	}
	for contact, id := range linked {
		if active[contact] {
			continue
		}
		if err := s.forget(ctx, i.OrganizationID, id, func(now *supplier.Supplier) bool {
			if now.ContactID != contact {
				return false
			}
			now.ContactID, now.ContactName = "", ""
			return true
		}); err != nil {
			return fmt.Errorf("unlink contact: %w", err)
		}
	}
	return nil
}

// contactInput is a contact with what an import knows about it.
type contactInput struct {
	accounting.Contact
	usual   accounting.Usual
	percent string          // of the usual tax rate
	linked  uuid.UUID       // the supplier with this contact; zero for none
	active  map[string]bool // the ids of usable contacts
}

// stated returns the contact in the form in which invoices are matched.
func (c contactInput) stated(i *integration.Integration) *invoice.Invoice {
	return &invoice.Invoice{OrganizationID: i.OrganizationID, EntityID: i.EntityID, Content: invoice.Content{
		Seller: invoice.Party{Name: c.Name, TaxID: c.TaxID}, Payment: invoice.Payment{IBAN: c.BankAccount},
	}}
}

func (s *Service) importContact(ctx context.Context, i *integration.Integration, c contactInput) error {
	system := identity.System(i.OrganizationID)
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		id := c.linked
		if id == uuid.Nil {
			if err := s.Suppliers.Lock(ctx, i.OrganizationID, i.EntityID); err != nil {
				return err
			}
			found, err := s.unlinked(ctx, i, c)
			if err != nil {
				return err
			}
			if found == nil {
				return s.addContact(ctx, system, i, c)
			}
			id = found.ID
		}
		var changes []event.Change
		updated, err := s.Suppliers.Update(ctx, system.Scope(), id, 0, func(now *supplier.Supplier) error {
			before := *now
			before.Aliases, before.TaxIDs = slices.Clone(now.Aliases), slices.Clone(now.TaxIDs)
			before.Accounts = slices.Clone(now.Accounts)
			s.follow(now, c)
			if changes = differences(&before, now); len(changes) == 0 && before.ContactName == now.ContactName && sameAccounts(before.Accounts, now.Accounts) {
				return invoice.ErrUnchanged
			}
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil || len(changes) == 0 {
			return err
		}
		e := event.By(system, event.SupplierChanged, updated.EntityID, subjectOf(updated))
		e.Changes = changes
		return s.Events.Append(ctx, e)
	})
}

// unlinked returns the supplier that a contact matches, unless it has another usable contact.
func (s *Service) unlinked(ctx context.Context, i *integration.Integration, c contactInput) (*supplier.Supplier, error) {
	stated := c.stated(i)
	candidates, err := s.Suppliers.Candidates(ctx, i.OrganizationID, i.EntityID, supplier.KeysOf(stated))
	if err != nil {
		return nil, err
	}
	free := slices.DeleteFunc(candidates, func(s supplier.Supplier) bool { return s.ContactID != "" && c.active[s.ContactID] })
	found, _ := supplier.Find(stated, free)
	return found, nil
}

func (s *Service) addContact(ctx context.Context, system identity.Actor, i *integration.Integration, c contactInput) error {
	made := supplier.Supplier{ID: s.IDs.New(), OrganizationID: i.OrganizationID, EntityID: i.EntityID, Name: c.Name}
	s.follow(&made, c)
	made.CreatedAt, made.UpdatedAt = s.Clock.Now(), s.Clock.Now()
	if err := s.Suppliers.Add(ctx, &made); err != nil {
		return err
	}
	e := event.By(system, event.SupplierCreated, made.EntityID, subjectOf(&made))
	e.Data = map[string]string{"integration_id": i.ID.String()}
	return s.Events.Append(ctx, e)
}

// follow updates a supplier from its contact. A name and a default that a person set are kept.
func (s *Service) follow(now *supplier.Supplier, c contactInput) {
	if now.ContactName != "" && now.Name == now.ContactName && now.Name != c.Name {
		former := now.Name
		now.Name = c.Name
		now.AddName(former)
	} else {
		now.AddName(c.Name)
	}
	now.ContactID, now.ContactName = c.ID, c.Name
	now.AddTaxID(c.TaxID)
	if supplier.CanBeReal(invoice.FoldIBAN(c.BankAccount)) {
		if own := now.BankAccount(c.BankAccount); own == nil || !own.Known() {
			now.See(c.BankAccount, supplier.SeenInLedger, true, s.Clock.Now())
		}
	}
	if now.Account.Source != supplier.DefaultByHuman {
		now.Account = byLedger(c.usual.Account, "")
	}
	if now.TaxRate.Source != supplier.DefaultByHuman {
		now.TaxRate = byLedger(c.usual.TaxRate, c.percent)
	}
}

func byLedger(id, percent string) supplier.Default {
	if id == "" {
		return supplier.Default{}
	}
	return supplier.Default{ID: id, Source: supplier.DefaultByLedger, Percent: percent}
}

func sameAccounts(a, b []supplier.BankAccount) bool {
	return slices.EqualFunc(a, b, func(x, y supplier.BankAccount) bool { return x.IBAN == y.IBAN && x.Known() == y.Known() })
}

// forget applies a removal to a supplier and records it.
func (s *Service) forget(ctx context.Context, organization, id uuid.UUID, remove func(*supplier.Supplier) bool) error {
	system := identity.System(organization)
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changes []event.Change
		updated, err := s.Suppliers.Update(ctx, system.Scope(), id, 0, func(now *supplier.Supplier) error {
			before := *now
			if !remove(now) {
				return invoice.ErrUnchanged
			}
			changes, now.UpdatedAt = differences(&before, now), s.Clock.Now()
			return nil
		})
		if fault.CodeOf(err) == fault.CodeNotFound || err == nil && len(changes) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		e := event.By(system, event.SupplierChanged, updated.EntityID, subjectOf(updated))
		e.Changes = changes
		return s.Events.Append(ctx, e)
	})
}

// ForgetLedger removes the contacts, accounts and tax rates of a former ledger from the suppliers of
// an entity, within the caller's transaction (domain D4).
func (s *Service) ForgetLedger(ctx context.Context, organization, entity uuid.UUID) error {
	scope := identity.System(organization).Scope()
	for after := ""; ; {
		list, err := s.Suppliers.List(ctx, scope, supplier.Filter{EntityID: entity}, page.Request{Limit: page.MaxLimit, After: after})
		if err != nil {
			return err
		}
		for _, of := range list.Items {
			err := s.forget(ctx, organization, of.ID, func(now *supplier.Supplier) bool {
				now.ForgetLedger(s.Clock.Now())
				return true
			})
			if err != nil && !errors.Is(err, invoice.ErrUnchanged) {
				return err
			}
		}
		if after = list.Next; after == "" {
			return nil
		}
	}
}
