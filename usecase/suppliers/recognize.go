package suppliers

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/money"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

// match finds the supplier of an invoice and stores its id in the invoice. It raises the confidence
// of the values that the supplier is known by.
func (s *Service) match(ctx context.Context, inv *invoice.Invoice) (*supplier.Supplier, error) {
	candidates, err := s.candidates(ctx, inv)
	if err != nil {
		return nil, err
	}
	return matchAmong(inv, candidates), nil
}

// candidates returns the candidates of an invoice.
func (s *Service) candidates(ctx context.Context, inv *invoice.Invoice) (*supplier.Candidates, error) {
	keys := supplier.KeysOf(inv)
	found, err := s.Suppliers.Candidates(ctx, inv.OrganizationID, inv.EntityID, keys)
	return &supplier.Candidates{EntityID: inv.EntityID, Keys: keys, Found: found}, err
}

// matchAmong is match for the candidates of the invoice.
func matchAmong(inv *invoice.Invoice, candidates *supplier.Candidates) *supplier.Supplier {
	found, by := supplier.Find(inv, candidates.Found)
	inv.SupplierID = uuid.Nil
	if found != nil {
		inv.SupplierID = found.ID
		found.Recognize(inv, by)
	}
	return found
}

// Checks finds the supplier of an open invoice, records bank accounts that are new for it, and
// returns the checks of the bank accounts. It runs within the caller's transaction; the invoice has
// its id.
func (s *Service) Checks(ctx context.Context, a identity.Actor, inv *invoice.Invoice) ([]invoice.Check, error) {
	return s.ChecksAmong(ctx, a, inv, nil)
}

// ChecksAmong is Checks with the candidates that Recognize returned in the same transaction. It searches
// again if the invoice has other keys.
func (s *Service) ChecksAmong(ctx context.Context, a identity.Actor, inv *invoice.Invoice, candidates *supplier.Candidates) ([]invoice.Check, error) {
	if !candidates.Of(inv) {
		var err error
		if candidates, err = s.candidates(ctx, inv); err != nil {
			return nil, fmt.Errorf("find supplier: %w", err)
		}
	}
	found := matchAmong(inv, candidates)
	checks := supplier.Checks(inv, found, supplier.Namesake(inv, candidates.Found))
	if found == nil || found.IsNew() || len(found.NewAccounts(inv)) == 0 {
		return checks, nil
	}
	return checks, s.recordNew(ctx, a, inv, found.ID)
}

// recordNew adds unconfirmed bank accounts to a known supplier, so that a person can confirm them.
func (s *Service) recordNew(ctx context.Context, a identity.Actor, inv *invoice.Invoice, id uuid.UUID) error {
	var fresh []string
	updated, err := s.Suppliers.Update(ctx, identity.System(inv.OrganizationID).Scope(), id, 0, func(now *supplier.Supplier) error {
		fresh = nil
		for _, account := range now.NewAccounts(inv) {
			if now.See(account.IBAN, supplier.SeenInInvoice, false, s.Clock.Now()) {
				fresh = append(fresh, account.IBAN)
			}
		}
		if len(fresh) == 0 {
			return invoice.ErrUnchanged
		}
		now.UpdatedAt = s.Clock.Now()
		return nil
	})
	if err != nil {
		return fmt.Errorf("record bank account: %w", err)
	}
	return s.Events.Append(ctx, newAccountEvents(a, updated, inv, fresh)...)
}

func newAccountEvents(a identity.Actor, s *supplier.Supplier, inv *invoice.Invoice, ibans []string) []event.Event {
	events := make([]event.Event, len(ibans))
	for i, iban := range ibans {
		events[i] = event.By(a, event.SupplierBankAccountNew, s.EntityID, subjectOf(s))
		events[i].Data = map[string]string{"iban": iban, "invoice_id": inv.ID.String()}
	}
	return events
}

// Approved records an approved invoice with its supplier, which is created if it does not exist. It
// runs within the caller's transaction. It never confirms a bank account of a known supplier.
func (s *Service) Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error {
	if inv.Approval != nil && inv.Approval.By == uuid.Nil {
		a = identity.System(inv.OrganizationID)
	}
	return s.record(ctx, a, inv, false)
}

// record makes or updates the supplier of an approved invoice. earlier reports that the invoice was
// approved before suppliers were recorded: its bank accounts count as known.
func (s *Service) record(ctx context.Context, a identity.Actor, inv *invoice.Invoice, earlier bool) error {
	keys := supplier.KeysOf(inv)
	if keys.Empty() {
		return nil
	}
	if err := s.Suppliers.Lock(ctx, inv.OrganizationID, inv.EntityID); err != nil {
		return err
	}
	candidates, err := s.Suppliers.Candidates(ctx, inv.OrganizationID, inv.EntityID, keys)
	if err != nil {
		return fmt.Errorf("find supplier: %w", err)
	}
	found, by := supplier.Find(inv, candidates)
	if found == nil {
		return s.create(ctx, a, inv, earlier)
	}
	if err := s.absorb(ctx, a, inv, found.ID, by, earlier); err != nil {
		return fmt.Errorf("update supplier: %w", err)
	}
	return s.assign(ctx, inv, found.ID)
}

func (s *Service) assign(ctx context.Context, inv *invoice.Invoice, id uuid.UUID) error {
	inv.SupplierID = id
	return s.Suppliers.Assign(ctx, inv.OrganizationID, inv.ID, id)
}

func (s *Service) create(ctx context.Context, a identity.Actor, inv *invoice.Invoice, earlier bool) error {
	made, seen := supplier.Named(inv), s.Clock.Now()
	if earlier && inv.Approval != nil {
		seen = inv.Approval.At
	}
	made.ID, made.LastInvoiceID = s.IDs.New(), inv.ID
	made.CreatedAt, made.UpdatedAt = s.Clock.Now(), s.Clock.Now()
	for _, account := range made.NewAccounts(inv) {
		made.See(account.IBAN, supplier.SeenInInvoice, true, seen)
	}
	if err := s.Suppliers.Add(ctx, &made); err != nil {
		return fmt.Errorf("add supplier: %w", err)
	}
	e := event.By(a, event.SupplierCreated, made.EntityID, subjectOf(&made))
	e.Data = map[string]string{"invoice_id": inv.ID.String()}
	if err := s.Events.Append(ctx, e); err != nil {
		return err
	}
	return s.assign(ctx, inv, made.ID)
}

// absorb adds what an approved invoice states to its supplier. A name is added only if a tax id or a
// bank account identified the supplier.
func (s *Service) absorb(ctx context.Context, a identity.Actor, inv *invoice.Invoice, id uuid.UUID, by supplier.Match, earlier bool) error {
	var fresh []string
	var changes []event.Change
	seen := s.Clock.Now()
	if earlier && inv.Approval != nil {
		seen = inv.Approval.At
	}
	updated, err := s.Suppliers.Update(ctx, identity.System(inv.OrganizationID).Scope(), id, 0, func(now *supplier.Supplier) error {
		before := *now
		trusted := earlier || now.IsNew()
		fresh = nil
		for _, account := range supplier.StatedAccounts(inv) {
			known := now.BankAccount(account.IBAN) != nil
			if !known && !supplier.CanBeReal(account.IBAN) {
				continue
			}
			if now.See(account.IBAN, supplier.SeenInInvoice, trusted, seen) && !trusted {
				fresh = append(fresh, account.IBAN)
			}
		}
		if by != supplier.ByName {
			now.AddName(inv.Seller.Name)
		}
		now.AddTaxID(inv.Seller.TaxID)
		if now.UpdatedAt = s.Clock.Now(); !earlier || now.LastInvoiceID == uuid.Nil || bytes.Compare(inv.ID[:], now.LastInvoiceID[:]) > 0 {
			now.LastInvoiceID = inv.ID
		}
		changes = differences(&before, now)
		return nil
	})
	if err != nil {
		return err
	}
	events := newAccountEvents(a, updated, inv, fresh)
	if len(changes) > 0 {
		e := event.By(a, event.SupplierChanged, updated.EntityID, subjectOf(updated))
		e.Changes = changes
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil
	}
	return s.Events.Append(ctx, events...)
}

// maxLearned is the maximum number of lines of the last approved invoice that are learned from.
const maxLearned = 1000

// Coding returns how the lines of an invoice are coded, from its supplier's record and last approved
// invoice. It stores the supplier's id in an open invoice and raises the confidence of its values.
func (s *Service) Coding(ctx context.Context, inv *invoice.Invoice, integration uuid.UUID) (ledgersync.Coding, error) {
	coding, _, err := s.Recognize(ctx, inv, integration)
	return coding, err
}

// Recognize is Coding. It also returns the candidates of an open invoice.
func (s *Service) Recognize(ctx context.Context, inv *invoice.Invoice, integration uuid.UUID) (coding ledgersync.Coding, candidates *supplier.Candidates, err error) {
	coding, err = s.Codings.Of(ctx, inv.OrganizationID, inv.EntityID, integration, ledgersync.Supplier(inv.Seller, inv.Payment))
	if err != nil {
		return coding, nil, fmt.Errorf("read supplier's coding: %w", err)
	}
	var found *supplier.Supplier
	if inv.Status.Open() {
		if candidates, err = s.candidates(ctx, inv); err == nil {
			found = matchAmong(inv, candidates)
		}
	} else if inv.SupplierID != uuid.Nil {
		found, err = s.Suppliers.Get(ctx, identity.System(inv.OrganizationID).Scope(), inv.SupplierID)
	}
	if err != nil || found == nil || integration == uuid.Nil {
		return coding, candidates, err
	}
	if found.ContactID != "" {
		// Of several contacts that match, docledger chooses none.
		others, err := s.Suppliers.Candidates(ctx, inv.OrganizationID, inv.EntityID, supplier.KeysOf(inv))
		if err != nil {
			return coding, candidates, err
		}
		if !slices.ContainsFunc(others, func(o supplier.Supplier) bool { return o.ID != found.ID && o.ContactID != "" }) {
			coding.ContactID = found.ContactID
		}
	}
	lines, err := s.OfInvoices.LastCoding(ctx, found, inv.ID, maxLearned)
	if err != nil {
		return coding, candidates, err
	}
	coding.LearnLines(lines)
	switch found.Account.Source {
	case supplier.DefaultByHuman:
		coding.Own.AccountID = found.Account.ID
	case supplier.DefaultByLedger:
		coding.Usual.AccountID = found.Account.ID
	}
	rate := ledgersync.DefaultRate{ID: found.TaxRate.ID, Percent: percentOf(found.TaxRate.Percent)}
	switch found.TaxRate.Source {
	case supplier.DefaultByHuman:
		coding.Own.TaxRate = rate
	case supplier.DefaultByLedger:
		coding.Usual.TaxRate = rate
	}
	return coding, candidates, nil
}

// Study returns what Learn needs for an invoice that was extracted and is not stored yet: whether the
// printed texts of its document, and the approved invoices of its supplier of which the texts are
// needed. It changes nothing.
func (s *Service) Study(ctx context.Context, inv *invoice.Invoice) (own bool, examples []invoice.Invoice, err error) {
	now := *inv
	now.Fields = maps.Clone(inv.Fields)
	found, err := s.match(ctx, &now)
	if err != nil || found == nil {
		return false, nil, err
	}
	approved, err := s.OfInvoices.Confirmed(ctx, found, inv.ID, supplier.MaxLearned)
	if err != nil {
		return false, nil, err
	}
	own, examples = supplier.Study(&now, approved)
	return own, examples, nil
}

// Learn raises the confidence of the values of an extracted invoice that are printed where a person
// approved the values of earlier invoices of its supplier, and replaces values by those at the
// places of corrected ones. Coding has found the supplier.
func (s *Service) Learn(ctx context.Context, inv *invoice.Invoice, printed supplier.Printed) error {
	if inv.SupplierID == uuid.Nil || inv.Extraction.Method != invoice.Text {
		return nil
	}
	found, err := s.Suppliers.Get(ctx, identity.System(inv.OrganizationID).Scope(), inv.SupplierID)
	if err != nil {
		return fmt.Errorf("read supplier: %w", err)
	}
	approved, err := s.OfInvoices.Confirmed(ctx, found, inv.ID, supplier.MaxLearned)
	if err != nil {
		return err
	}
	supplier.Learn(inv, approved, printed)
	return nil
}

func percentOf(text string) *money.Decimal {
	d, err := money.Parse(text)
	if err != nil {
		return nil
	}
	return &d
}
