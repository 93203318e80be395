package billingtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
)

var (
	november = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	december = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
)

// plan is a charge to be made.
type plan struct {
	charge billing.Charge
	draft  billing.ChargeInvoice
	item   billing.ChargeItem
}

// planned subscribes a customer to a price and plans the charge for it.
func (b bundle) planned(t testing.TB, c billing.Customer, price string, s Subscription) plan {
	t.Helper()
	s.Customer, s.Price = c.ID, price
	ctx, id := context.Background(), b.Subscribe(s)
	sub := must[billing.Subscription](t)(b.Subscriptions.ByID(ctx, id))
	read := must[billing.Price](t)(b.Prices.ByID(ctx, price))
	charge := billing.Charge{Organization: c.OrganizationID, Customer: c.ID, Subscription: id, Month: billing.Month(b.Now())}
	return plan{
		charge: charge,
		draft: billing.ChargeInvoice{
			Charge: charge, Currency: read.Currency, PaymentMethod: sub.PaymentMethod, AutomaticTax: sub.AutomaticTax, TaxRates: sub.TaxRates,
		},
		item: billing.ChargeItem{
			Charge: charge, Price: read, Quantity: sub.Quantity(price), Description: "Team, November 2026", From: november, Until: december,
		},
	}
}

// monthlyPlan is planned with a price of 30 EUR a month.
func (b bundle) monthlyPlan(t testing.TB, c Card) plan {
	t.Helper()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	if c == "" {
		return b.planned(t, b.newCustomer(t), price, Subscription{})
	}
	return b.planned(t, b.cardHolder(t, c), price, Subscription{})
}

// untilOpen executes a charge up to its payment.
func (b bundle) untilOpen(t testing.TB, p plan) billing.ProcessorInvoice {
	t.Helper()
	ctx := context.Background()
	draft := must[billing.ProcessorInvoice](t)(b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft))
	if err := b.Charges.AddItem(ctx, p.charge.Key("item"), draft.ID, p.item); err != nil {
		t.Fatal(err)
	}
	return must[billing.ProcessorInvoice](t)(b.Charges.Finalize(ctx, p.charge.Key("finalize"), draft.ID))
}

func testCharge(t *testing.T, b bundle) {
	ctx := context.Background()
	p := b.monthlyPlan(t, GoodCard)
	b.AddPendingItem(p.charge.Customer, 77, "eur")
	if found := must[[]billing.ProcessorInvoice](t)(b.Charges.Find(ctx, p.charge, november)); len(found) != 0 {
		t.Errorf("found %+v before the charge", found)
	}
	draft := must[billing.ProcessorInvoice](t)(b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft))
	if draft.Status != billing.InvoiceDraft || draft.Items != 0 || draft.Currency != "EUR" {
		t.Errorf("draft %+v", draft)
	}
	b.Advance(3 * time.Hour)
	if got := b.Invoices(p.charge.Customer); len(got) != 1 || got[0].Status != billing.InvoiceDraft {
		t.Fatalf("the draft changed automatically: %+v", got)
	}
	if err := b.Charges.AddItem(ctx, p.charge.Key("item"), draft.ID, p.item); err != nil {
		t.Fatal(err)
	}
	open := must[billing.ProcessorInvoice](t)(b.Charges.Finalize(ctx, p.charge.Key("finalize"), draft.ID))
	if open.Status != billing.InvoiceOpen || open.Total.String() != "30.00" || open.Items != 1 || open.PaymentURL == "" {
		t.Errorf("open %+v", open)
	}
	paid := must[billing.Payment](t)(b.Charges.Pay(ctx, p.charge.Key("pay"), draft.ID))
	if paid.Outcome != billing.Paid || paid.Invoice.Status != billing.InvoicePaid || paid.Invoice.AmountPaid.String() != "30.00" {
		t.Errorf("paid %+v", paid)
	}
	got := b.Invoices(p.charge.Customer)
	if len(got) != 1 || len(got[0].Lines) != 1 {
		t.Fatalf("the processor has %+v, want one invoice with one line", got)
	}
	if line := got[0].Lines[0]; line.Units != 3000 || line.Quantity != 1 || line.Product != p.item.Price.Product ||
		!line.From.Equal(november) || !line.Until.Equal(december) {
		t.Errorf("line %+v", line)
	}
	found := must[[]billing.ProcessorInvoice](t)(b.Charges.Find(ctx, p.charge, november))
	if len(found) != 1 || found[0].ID != draft.ID || found[0].Status != billing.InvoicePaid {
		t.Errorf("found %+v", found)
	}
	other := p.charge
	other.Month = "2026-12"
	if found := must[[]billing.ProcessorInvoice](t)(b.Charges.Find(ctx, other, november)); len(found) != 0 {
		t.Errorf("the charge of another month has %+v", found)
	}
}

func testChargeAmounts(t *testing.T, b bundle) {
	product := b.AddProduct("Team", nil)
	for _, tt := range []struct {
		currency, amount string
		quantity, want   int64
	}{{"EUR", "30", 4, 12000}, {"JPY", "500", 1, 500}, {"EUR", "0.125", 8, 100}} {
		price := b.AddPrice(billing.Price{Product: product, Currency: tt.currency, Amount: euros(tt.amount), Recurring: true, Interval: "month"})
		p := b.planned(t, b.cardHolder(t, GoodCard), price, Subscription{Quantity: tt.quantity})
		b.untilOpen(t, p)
		if got := b.Invoices(p.charge.Customer); len(got) != 1 || got[0].Total != tt.want || got[0].Lines[0].Quantity != tt.quantity {
			t.Errorf("%v: %+v", tt, got)
		}
	}
	// The price of the charge may differ from the subscription's price, and may be
	// one-time.
	p := b.monthlyPlan(t, GoodCard)
	once := b.AddPrice(billing.Price{Product: product, Currency: "EUR", Amount: euros("12.34")})
	p.item.Price = must[billing.Price](t)(b.Prices.ByID(context.Background(), once))
	if open := b.untilOpen(t, p); open.Total.String() != "12.34" {
		t.Errorf("one-time price: %+v", open)
	}
	tiered := p.item
	tiered.Price.Amount = nil
	if err := b.Charges.AddItem(context.Background(), "tiers", "in_any", tiered); err == nil {
		t.Error("an item without an amount was accepted")
	}
}

func testChargeTax(t *testing.T, b bundle) {
	product, rate := b.AddProduct("Team", nil), b.AddTaxRate("19")
	price := b.AddPrice(billing.Price{
		Product: product, Currency: "EUR", Amount: euros("100"), Recurring: true, Interval: "month", TaxBehaviour: "exclusive",
	})
	p := b.planned(t, b.cardHolder(t, GoodCard), price, Subscription{TaxRates: []string{rate}})
	if open := b.untilOpen(t, p); open.Total.String() != "119.00" {
		t.Errorf("with a rate: %+v", open)
	}
	p = b.planned(t, b.cardHolder(t, GoodCard), price, Subscription{AutomaticTax: true})
	b.untilOpen(t, p)
	if got := b.Invoices(p.charge.Customer); !p.draft.AutomaticTax || len(got) != 1 || got[0].Tax == 0 || got[0].Total != 10000+got[0].Tax {
		t.Errorf("with automatic tax: %+v", got)
	}
}

func testChargeAgain(t *testing.T, b bundle) {
	ctx := context.Background()
	p := b.monthlyPlan(t, GoodCard)
	var id string
	for range 3 {
		id = b.untilOpen(t, p).ID
		paid := must[billing.Payment](t)(b.Charges.Pay(ctx, p.charge.Key("pay"), id))
		if paid.Outcome != billing.Paid {
			t.Errorf("paid %+v", paid)
		}
	}
	// A repeated step with another key must have no effect.
	if again := must[billing.ProcessorInvoice](t)(b.Charges.Finalize(ctx, "another", id)); again.Status != billing.InvoicePaid {
		t.Errorf("finalized again: %+v", again)
	}
	if again := must[billing.Payment](t)(b.Charges.Pay(ctx, "another too", id)); again.Outcome != billing.Paid {
		t.Errorf("paid again: %+v", again)
	}
	if got := b.Invoices(p.charge.Customer); len(got) != 1 || len(got[0].Lines) != 1 || got[0].Attempts != 1 {
		t.Errorf("the processor has %+v", got)
	}
	changed := p.draft
	changed.Currency = "USD"
	if _, err := b.Charges.Draft(ctx, p.charge.Key("invoice"), changed); !errors.Is(err, billing.ErrKeyReused) {
		t.Errorf("the key with other values: %v", err)
	}
}

// testChargeLostAnswers loses the response of each step, and then each request.
func testChargeLostAnswers(t *testing.T, b bundle) {
	ctx := context.Background()
	for _, f := range []Failure{AnswerLost, NonsenseLost, Dropped, Status503} {
		p := b.monthlyPlan(t, GoodCard)
		var id string
		steps := []struct {
			call Call
			do   func() error
		}{
			{CallCreateInvoice, func() error {
				draft, err := b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft)
				id = draft.ID
				return err
			}},
			{CallAddItem, func() error { return b.Charges.AddItem(ctx, p.charge.Key("item"), id, p.item) }},
			{CallFinalize, func() error {
				_, err := b.Charges.Finalize(ctx, p.charge.Key("finalize"), id)
				return err
			}},
			{CallPay, func() error {
				_, err := b.Charges.Pay(ctx, p.charge.Key("pay"), id)
				return err
			}},
		}
		for _, step := range steps {
			b.Break(step.call, f, 1)
			wantCode(t, step.do(), fault.CodeProviderUnavailable)
			if err := step.do(); err != nil {
				t.Fatalf("%s after %s: %v", step.call, f, err)
			}
		}
		got := b.Invoices(p.charge.Customer)
		if len(got) != 1 || len(got[0].Lines) != 1 || got[0].Status != billing.InvoicePaid || got[0].Total != 3000 || got[0].Attempts != 1 {
			t.Errorf("after %s the processor has %+v", f, got)
		}
	}
}

func testChargeKeysExpired(t *testing.T, b bundle) {
	ctx := context.Background()
	p := b.monthlyPlan(t, GoodCard)
	must[billing.ProcessorInvoice](t)(b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft))
	b.Advance(3 * 24 * time.Hour)
	found := must[[]billing.ProcessorInvoice](t)(b.Charges.Find(ctx, p.charge, november))
	if len(found) != 1 || found[0].Status != billing.InvoiceDraft || found[0].Items != 0 {
		t.Fatalf("found %+v, want the draft without an item", found)
	}
	if err := b.Charges.AddItem(ctx, p.charge.Key("item"), found[0].ID, p.item); err != nil {
		t.Fatal(err)
	}
	b.Advance(3 * 24 * time.Hour)
	if found = must[[]billing.ProcessorInvoice](t)(b.Charges.Find(ctx, p.charge, november)); len(found) != 1 || found[0].Items != 1 {
		t.Fatalf("found %+v, want the draft with its item", found)
	}
}

func testChargeRefused(t *testing.T, b bundle) {
	ctx := context.Background()
	p := b.monthlyPlan(t, GoodCard)
	draft := must[billing.ProcessorInvoice](t)(b.Charges.Draft(ctx, p.charge.Key("invoice"), p.draft))
	_, err := b.Charges.Finalize(ctx, p.charge.Key("finalize"), draft.ID)
	wantCode(t, err, fault.CodeConflict)
	if got := b.Invoices(p.charge.Customer); got[0].Status != billing.InvoiceDraft {
		t.Errorf("the empty draft became %s", got[0].Status)
	}
	if err := b.Charges.AddItem(ctx, p.charge.Key("item"), draft.ID, p.item); err != nil {
		t.Fatal(err)
	}
	must[billing.ProcessorInvoice](t)(b.Charges.Finalize(ctx, p.charge.Key("finalize"), draft.ID))
	b.VoidInvoice(draft.ID)
	_, err = b.Charges.Pay(ctx, p.charge.Key("pay"), draft.ID)
	wantCode(t, err, fault.CodeConflict)

	_, err = b.Charges.Pay(ctx, "nothing", "in_nothing")
	wantCode(t, err, fault.CodeNotFound)
	_, err = b.Charges.Finalize(ctx, "unknown invoice", "in_nothing")
	wantCode(t, err, fault.CodeNotFound)
	b.DeleteCustomer(p.charge.Customer)
	_, err = b.Charges.Draft(ctx, "unknown customer", p.draft)
	wantCode(t, err, fault.CodeNotFound)
}

func testChargeDeclined(t *testing.T, b bundle) {
	ctx := context.Background()
	for card, want := range map[Card]billing.PaymentOutcome{
		DecliningCard: billing.Declined, ConfirmingCard: billing.ActionRequired, "": billing.NoPaymentMethod,
	} {
		p := b.monthlyPlan(t, card)
		open := b.untilOpen(t, p)
		for range 2 { // the same key means the same attempt
			got := must[billing.Payment](t)(b.Charges.Pay(ctx, p.charge.Key("pay"), open.ID))
			if got.Outcome != want || got.Invoice.Status != billing.InvoiceOpen || got.Invoice.PaymentURL == "" || (got.Reason == "") != (card == "") {
				t.Errorf("%q card: %+v", card, got)
			}
		}
		if sub := must[billing.Subscription](t)(b.Subscriptions.ByID(ctx, p.charge.Subscription)); sub.Status != billing.Active {
			t.Errorf("%q card: the subscription is %s", card, sub.Status)
		}
		if got := b.Invoices(p.charge.Customer); len(got) != 1 || got[0].Attempts > 1 {
			t.Errorf("%q card: %+v", card, got)
		}
		good := b.AddCard(p.charge.Customer, GoodCard)
		b.SetDefaultCard(p.charge.Customer, good)
		if card == "" {
			if got := must[billing.Payment](t)(b.Charges.Pay(ctx, p.charge.Key("pay again"), open.ID)); got.Outcome != billing.Paid {
				t.Errorf("with a valid card: %+v", got)
			}
		}
	}
}

// testChargeCollectedLater stops after Finalize, like a crash.
func testChargeCollectedLater(t *testing.T, b bundle) {
	p := b.monthlyPlan(t, GoodCard)
	b.untilOpen(t, p)
	b.Advance(24 * time.Hour)
	if got := b.Invoices(p.charge.Customer); len(got) != 1 || got[0].Status != billing.InvoicePaid {
		t.Errorf("the processor did not collect: %+v", got)
	}
	declined := b.monthlyPlan(t, DecliningCard)
	open := b.untilOpen(t, declined)
	must[billing.Payment](t)(b.Charges.Pay(context.Background(), declined.charge.Key("pay"), open.ID))
	b.Advance(10 * 24 * time.Hour)
	if got := b.Invoices(declined.charge.Customer); len(got) != 1 || got[0].Status != billing.InvoiceOpen || got[0].Attempts < 2 {
		t.Errorf("the processor did not retry: %+v", got)
	}
}
