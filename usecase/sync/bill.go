package sync

import (
	"context"
	"errors"

	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"

	"github.com/google/uuid"
)

// errContactLeaseTaken reports that another attempt is creating the same supplier.
var errContactLeaseTaken = errors.New("another attempt is creating the supplier")

// bill creates the bill in the ledger, or finds the existing one.
func (s *Service) bill(ctx context.Context, r *run) (accounting.LedgerBill, error) {
	if r.booking.Intent != nil {
		// An intent exists: the outcome of an earlier attempt is unknown.
		r.supplier, r.lines = r.booking.Intent.Supplier, r.booking.Intent.Lines
		own, err := s.own(ctx, r)
		if err != nil || own != nil {
			return deref(own), err
		}
		if !r.booking.GivenUp() {
			return s.send(ctx, r)
		}
		if err := s.renew(ctx, r); err != nil {
			return accounting.LedgerBill{}, err
		}
	}
	if r.booking.Link != "" {
		return s.linked(ctx, r)
	}
	bill, err := s.prepare(ctx, r)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	there, err := s.there(ctx, r, bill)
	if err != nil || there != nil {
		return deref(there), err
	}
	if err := s.intend(ctx, r, bill); err != nil {
		return accounting.LedgerBill{}, err
	}
	return s.send(ctx, r)
}

func deref(b *accounting.LedgerBill) accounting.LedgerBill {
	if b == nil {
		return accounting.LedgerBill{}
	}
	return *b
}

// prepare builds the bill.
func (s *Service) prepare(ctx context.Context, r *run) (bill accounting.Bill, err error) {
	inv := r.invoice
	r.supplier = ledgersync.Supplier(inv.Seller, inv.Payment)
	coding, err := s.Suppliers.Coding(ctx, inv, r.integration.ID)
	if err != nil {
		return bill, err
	}
	o := ledgersync.Order{
		Invoice: inv, Settings: r.settings, PaysTax: r.integration.Accounting.PaysTax, Coding: coding, Again: r.booking.Force,
	}
	if s.Page != nil {
		o.Link = s.Page(inv.ID)
	}
	if o.Ledger, err = s.readLedger(ctx, r); err != nil {
		return bill, err
	}
	if o.Corrects, err = s.corrects(ctx, r); err != nil {
		return bill, err
	}
	if bill, err = o.Bill(); err != nil {
		return bill, err
	}
	// The contact comes last, so that no supplier is created for a bill that cannot be created.
	bill.Contact, err = s.contact(ctx, r, coding.ContactID)
	for _, l := range inv.Lines {
		r.lines = append(r.lines, ledgersync.LineCoding{
			Line: l.ID, AccountID: l.AccountID, AccountSource: l.AccountSource, TaxRateID: l.TaxRateID, TaxSource: l.TaxSource,
		})
	}
	return bill, err
}

// corrects returns the bills that a credit note refers to.
func (s *Service) corrects(ctx context.Context, r *run) (list []accounting.Corrected, err error) {
	inv := r.invoice
	for _, p := range inv.PrecedingInvoices {
		ids, err := s.Bookings.Corrected(ctx, r.actor.Scope(), inv.EntityID, r.integration.ID, inv.Seller, p.Number)
		if err != nil {
			return nil, err
		}
		c := accounting.Corrected{Number: p.Number}
		if len(ids) == 1 {
			c.ID = ids[0]
		}
		list = append(list, c)
	}
	return list, nil
}

// contact finds the supplier in the ledger, or creates it. Only one process at a time creates it,
// because ledgers accept duplicates.
func (s *Service) contact(ctx context.Context, r *run, remembered string) (string, error) {
	contacts, err := s.contacts(ctx, r, false)
	if err != nil {
		return "", err
	}
	c, ok, err := ledgersync.FindContact(r.invoice, remembered, contacts)
	if err != nil || ok {
		return c.ID, err
	}
	fresh, err := ledgersync.NewContact(r.invoice)
	if err != nil {
		return "", err
	}
	ctx, release, err := s.withContactLease(ctx, ledgersync.ContactLease(r.integration.ID, r.supplier))
	if err != nil {
		return "", err
	}
	defer release()
	if contacts, err = s.contacts(ctx, r, true); err != nil {
		return "", err
	}
	if c, ok, err = ledgersync.FindContact(r.invoice, remembered, contacts); err != nil || ok {
		return c.ID, err
	}
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		c, err = r.ledger.Creator.CreateContact(ctx, a, fresh, ledgersync.ContactKey(r.integration.ID, r.supplier))
		return err
	})
	s.readings.forget(r.integration.ID)
	return c.ID, err
}

// there searches the ledger for an existing bill before the first attempt. A bill with docledger's
// reference is adopted.
func (s *Service) there(ctx context.Context, r *run, bill accounting.Bill) (*accounting.LedgerBill, error) {
	found, err := s.find(ctx, r, bill)
	if err != nil {
		return nil, err
	}
	return ledgersync.MatchBill(found, bill.Reference, bill.Total, r.booking.Force)
}

// linked reads the bill that a person named. No coding or contact is needed, because the bill
// exists.
func (s *Service) linked(ctx context.Context, r *run) (b accounting.LedgerBill, err error) {
	inv, link := r.invoice, r.booking.Link
	r.supplier = ledgersync.Supplier(inv.Seller, inv.Payment)
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		b, err = r.ledger.Booker.Read(ctx, a, ledgersync.KindOf(inv), link)
		return err
	})
	switch {
	case err != nil && !missing(err):
		return b, err
	case err != nil, b.Removed:
		return b, accounting.Refuse(accounting.CodeRefused, "The ledger has no bill %s to link to.", link)
	case b.Reference != "" && b.Reference != inv.ID.String():
		return b, accounting.Refuse(accounting.CodeRefused, "Bill %s belongs to another invoice.", link)
	}
	holder, err := s.Bookings.Holder(ctx, inv.OrganizationID, r.integration.ID, b.ID)
	if err != nil {
		return b, err
	}
	if holder != uuid.Nil && holder != inv.ID {
		return b, accounting.Refuse(accounting.CodeRefused, "Bill %s already belongs to invoice %s.", link, holder)
	}
	if b.Contact == "" {
		b.Contact = inv.ContactID
	}
	return b, nil
}

func (s *Service) find(ctx context.Context, r *run, bill accounting.Bill) (found []accounting.LedgerBill, err error) {
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		found, err = r.ledger.Booker.Find(ctx, a, ledgersync.QueryFor(bill))
		return err
	})
	return found, err
}

// own searches the ledger for the bill of the intent.
func (s *Service) own(ctx context.Context, r *run) (*accounting.LedgerBill, error) {
	bill := r.booking.Intent.Bill
	found, err := s.find(ctx, r, bill)
	if err != nil {
		return nil, err
	}
	return ledgersync.MatchBill(found, bill.Reference, bill.Total, true)
}

// intend stores the intent before the call. The invoice cannot change in the meantime, because its
// sync is RUNNING.
func (s *Service) intend(ctx context.Context, r *run, bill accounting.Bill) error {
	_, err := s.change(ctx, r, func(_ *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
		b.RecordIntent(r.integration.ID, bill, r.lines, r.supplier, s.Clock.Now())
		return false, nil
	})
	return err
}

// send creates the bill of the intent. If the response is lost, it searches the ledger immediately.
func (s *Service) send(ctx context.Context, r *run) (booked accounting.LedgerBill, err error) {
	in := r.booking.Intent
	uncertain := false
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		booked, err = r.ledger.Booker.CreateBill(ctx, a, in.Bill, in.Key)
		uncertain = uncertain || accounting.Uncertain(err)
		return err
	})
	if err == nil {
		return booked, nil
	}
	if !uncertain {
		if _, refused := accounting.RefusalOf(err); !refused && !r.resent {
			// Nothing was sent in this or an earlier attempt, so the next attempt starts from
			// scratch.
			return booked, errors.Join(err, s.forget(ctx, r))
		}
		return booked, err
	}
	own, lookErr := s.own(ctx, r)
	if own != nil {
		return *own, nil
	}
	if lookErr == nil && errors.Is(err, accounting.ErrKeyReused) {
		// The ledger has no bill and will not accept this key again.
		return booked, errors.Join(err, s.forget(ctx, r))
	}
	return booked, err
}

// renew drops an abandoned intent, so that the bill is built from the current invoice.
func (s *Service) renew(ctx context.Context, r *run) error {
	r.lines = nil
	_, err := s.change(ctx, r, func(_ *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
		b.DropIntentKeepKey()
		return false, nil
	})
	return err
}

// forget drops an intent for which the ledger certainly has no bill.
func (s *Service) forget(ctx context.Context, r *run) error {
	_, err := s.change(context.WithoutCancel(ctx), r, func(_ *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
		b.DropIntentNewKey()
		return false, nil
	})
	return err
}
