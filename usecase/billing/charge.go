package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// chargeLease limits the time of one attempt to make a charge.
const chargeLease = time.Minute

// errBusy reports that another process is making the charge. The event is retried.
var errBusy = fault.New(fault.Unavailable, fault.CodeUnavailable, "Another process is making the charge.")

// Charger makes immediate charges (interface 4.6): at most one for each subscription
// and month, also after repeated, concurrent or interrupted events.
type Charger struct {
	Subscriptions billing.Subscriptions
	Prices        billing.Prices
	Charges       billing.Charges
	Records       billing.ChargeRecords
	Leases        usecase.Leases
	Events        event.Log
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
	Log           *slog.Logger
}

// Created charges a new subscription for the current month if its metadata requests
// it and today is not the 1st.
func (c *Charger) Created(ctx context.Context, o *organization.Organization, ev billing.PaymentEvent) error {
	price, due := billing.ImmediateCharge(ev.CreatedAt, ev.Metadata)
	if !due {
		return nil
	}
	charge := billing.Charge{
		Organization: o.ID, Customer: ev.Customer, Subscription: ev.Subscription, Month: billing.Month(ev.CreatedAt),
	}
	record, err := c.Records.Begin(ctx, &billing.ChargeRecord{
		Charge: charge, Price: price, Quantity: ev.Quantities[price], EventID: ev.ID, EventAt: ev.CreatedAt, State: billing.ChargePlanned,
	})
	if err != nil {
		return fmt.Errorf("record the charge: %w", err)
	}
	if record.State.Ended() {
		return nil
	}
	lease, ok, err := c.Leases.Acquire(ctx, "charge:"+charge.Subscription+":"+charge.Month, c.IDs.New().String(), c.Clock.Now(), chargeLease)
	if err != nil {
		return fmt.Errorf("acquire the lease: %w", err)
	}
	if !ok {
		return errBusy
	}
	calls, cancel := context.WithTimeout(ctx, chargeLease-chargeLease/4)
	defer cancel()
	err = c.execute(calls, charge)
	return errors.Join(err, c.Leases.Release(context.WithoutCancel(ctx), lease))
}

// execute continues a charge from its recorded step until its end. It records each
// step before the next. It reads the result of a lost response from the processor,
// because the processor keeps idempotency keys only for a day.
func (c *Charger) execute(ctx context.Context, charge billing.Charge) error {
	record, err := c.Records.Update(ctx, charge, func(*billing.ChargeRecord) error { return nil })
	if err != nil || record.State.Ended() {
		return err
	}
	sub, err := c.Subscriptions.ByID(ctx, charge.Subscription)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return c.skip(ctx, record, "the subscription does not exist")
	}
	if err != nil {
		return fmt.Errorf("read the subscription: %w", err)
	}
	inv, err := c.find(ctx, record)
	if err != nil {
		return err
	}
	var price billing.Price
	if inv.Items == 0 { // an invoice that has its item is charged, even if the price has changed
		var reason string
		if price, reason, err = c.price(ctx, record.Price); err != nil {
			return err
		}
		if reason != "" {
			return c.skip(ctx, record, reason)
		}
	}
	if inv.ID == "" {
		if inv, err = c.draft(ctx, charge, sub, price); err != nil {
			return err
		}
	}
	if inv.Status == billing.InvoiceVoid || inv.Status == billing.InvoiceUncollectible {
		return c.skip(ctx, record, "its invoice is void at the processor")
	}
	if record.State == billing.ChargePlanned || record.Invoice != inv.ID {
		if _, err := c.advance(ctx, charge, billing.ChargeDrafted, inv.ID); err != nil {
			return err
		}
	}
	return c.settle(ctx, record, sub, price, inv)
}

// settle continues a charge from its draft until its end.
func (c *Charger) settle(
	ctx context.Context, record *billing.ChargeRecord, sub billing.Subscription, price billing.Price, inv billing.ProcessorInvoice,
) error {
	charge, now := record.Charge, c.Clock.Now()
	if inv.Items == 0 {
		from, until := billing.MonthOf(record.EventAt)
		quantity := record.Quantity
		if quantity == 0 {
			quantity = sub.Quantity(price.ID)
		}
		_, err := billing.RetryWithFreshKey(charge.Key("item"), now, func(key string) (struct{}, error) {
			return struct{}{}, c.Charges.AddItem(ctx, key, inv.ID, billing.ChargeItem{
				Charge: charge, Price: price, Quantity: quantity,
				Description: price.ProductName + ", " + charge.Month, From: from, Until: until,
			})
		})
		if err != nil {
			return fmt.Errorf("add the item: %w", err)
		}
	}
	_, err := billing.RetryWithFreshKey(charge.Key("finalize"), now, func(key string) (billing.ProcessorInvoice, error) {
		return c.Charges.Finalize(ctx, key, inv.ID)
	})
	if err != nil {
		return fmt.Errorf("finalize the invoice: %w", err)
	}
	if _, err := c.advance(ctx, charge, billing.ChargeFinalized, inv.ID); err != nil {
		return err
	}
	paid, err := billing.RetryWithFreshKey(charge.Key("pay"), now, func(key string) (billing.Payment, error) { return c.Charges.Pay(ctx, key, inv.ID) })
	if err != nil {
		return fmt.Errorf("pay the invoice: %w", err)
	}
	return c.conclude(ctx, charge, sub, paid)
}

// price reads the price; reason explains why it cannot be charged.
func (c *Charger) price(ctx context.Context, id string) (p billing.Price, reason string, err error) {
	if id == "" {
		return p, "the subscription's metadata name no price_id", nil
	}
	p, err = c.Prices.ByID(ctx, id)
	switch {
	case fault.CodeOf(err) == fault.CodeNotFound:
		return p, "the price " + id + " does not exist", nil
	case err != nil:
		return p, "", fmt.Errorf("read the price: %w", err)
	case !p.Active:
		return p, "the price " + id + " is archived", nil
	case p.Amount == nil:
		return p, "the price " + id + " has no single amount", nil
	}
	return p, "", nil
}

// find returns the invoice of the charge, or the zero value if it has none yet.
func (c *Charger) find(ctx context.Context, record *billing.ChargeRecord) (inv billing.ProcessorInvoice, err error) {
	found, err := c.Charges.Find(ctx, record.Charge, record.EventAt.Add(-24*time.Hour))
	if err != nil {
		return inv, fmt.Errorf("look for the invoice: %w", err)
	}
	for _, f := range found {
		if record.Invoice == "" || f.ID == record.Invoice {
			return f, nil
		}
	}
	return inv, nil
}

func (c *Charger) draft(ctx context.Context, charge billing.Charge, sub billing.Subscription, price billing.Price) (billing.ProcessorInvoice, error) {
	inv, err := billing.RetryWithFreshKey(charge.Key("draft"), c.Clock.Now(), func(key string) (billing.ProcessorInvoice, error) {
		return c.Charges.Draft(ctx, key, billing.ChargeInvoice{
			Charge: charge, Currency: price.Currency, PaymentMethod: sub.PaymentMethod,
			AutomaticTax: sub.AutomaticTax, TaxRates: sub.TaxRates,
		})
	})
	if err != nil {
		return inv, fmt.Errorf("draft the invoice: %w", err)
	}
	return inv, nil
}

func (c *Charger) advance(ctx context.Context, charge billing.Charge, to billing.ChargeState, invoice string) (*billing.ChargeRecord, error) {
	record, err := c.Records.Update(ctx, charge, func(r *billing.ChargeRecord) error {
		if !r.State.Ended() {
			r.State, r.Invoice, r.UpdatedAt = to, invoice, c.Clock.Now()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("record the charge: %w", err)
	}
	return record, nil
}

// skip ends a charge that cannot be made. It charges nothing and logs an error for
// the operator.
func (c *Charger) skip(ctx context.Context, record *billing.ChargeRecord, reason string) error {
	c.Log.ErrorContext(ctx, "immediate charge not made", "organization", record.Charge.Organization,
		"subscription", record.Charge.Subscription, "month", record.Charge.Month, "reason", reason)
	return c.end(ctx, record.Charge, billing.ChargeSkipped, event.BillingChargeFailed, func(r *billing.ChargeRecord) { r.Reason = reason })
}

// conclude ends a charge after a payment attempt. A decline is not an error: the
// invoice stays open for retries of the processor, and the subscription stays active
// (interface 7, rule 6).
func (c *Charger) conclude(ctx context.Context, charge billing.Charge, sub billing.Subscription, p billing.Payment) error {
	kind := event.BillingChargePaid
	if p.Outcome != billing.Paid && p.Outcome != billing.Processing {
		kind = event.BillingChargeFailed
	}
	return c.end(ctx, charge, billing.ChargeDone, kind, func(r *billing.ChargeRecord) { r.Outcome, r.Reason = p.Outcome, p.Reason },
		c.doubled(charge, sub, p)...)
}

// doubled logs an error if the subscription itself has charged for the month. This
// happens if it was bought with proration (domain D26).
func (c *Charger) doubled(charge billing.Charge, sub billing.Subscription, p billing.Payment) []event.Event {
	own := sub.LatestInvoice
	if own == nil || own.ID == p.Invoice.ID || own.Total.Sign() <= 0 || billing.Month(own.CreatedAt) != charge.Month {
		return nil
	}
	e := c.event(charge, event.BillingDoubleChargeSuspected)
	e.Data = map[string]string{"subscription": charge.Subscription, "invoice": p.Invoice.ID, "subscription_invoice": own.ID}
	return []event.Event{e}
}

func (c *Charger) event(charge billing.Charge, kind event.Type) event.Event {
	return event.By(identity.System(charge.Organization), kind, uuid.Nil,
		event.Subject{Type: event.SubjectOrganization, ID: charge.Organization})
}

func (c *Charger) end(
	ctx context.Context, charge billing.Charge, state billing.ChargeState, kind event.Type, change func(*billing.ChargeRecord), more ...event.Event,
) error {
	return c.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		ended := false
		record, err := c.Records.Update(ctx, charge, func(r *billing.ChargeRecord) error {
			if ended = r.State.Ended(); !ended {
				change(r)
				r.State, r.UpdatedAt = state, c.Clock.Now()
			}
			return nil
		})
		if err != nil || ended {
			return err
		}
		e := c.event(charge, kind)
		e.Data = map[string]string{
			"subscription": charge.Subscription, "month": charge.Month, "invoice": record.Invoice,
			"outcome": string(record.Outcome), "reason": record.Reason,
		}
		return c.Events.Append(ctx, append([]event.Event{e}, more...)...)
	})
}
