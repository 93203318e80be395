package billingtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/money"
)

func euros(text string) *money.Decimal {
	d := money.MustParse(text)
	return &d
}

// monthly creates a price that is sufficient for most tests.
func (b bundle) monthly(product, amount string) string {
	return b.AddPrice(billing.Price{Product: product, Currency: "EUR", Amount: euros(amount), Recurring: true, Interval: "month"})
}

func testPriceFields(t *testing.T, b bundle) {
	ctx := context.Background()
	product := b.AddProduct("Team", map[string]string{"max_entities": "20", "max_invoices_per_month": "1000"})
	id := b.AddPrice(billing.Price{
		Product: product, Currency: "EUR", Amount: euros("49.90"), Recurring: true, Interval: "year", LookupKey: "team_yearly",
		TaxBehaviour: "inclusive", Metadata: map[string]string{"max_entities": "25"},
	})
	p := must[billing.Price](t)(b.Prices.ByID(ctx, id))
	if p.ID != id || p.Product != product || p.ProductName != "Team" || p.LookupKey != "team_yearly" || p.Plan() != "team_yearly" ||
		!p.Active || !p.Recurring || p.Interval != "year" || p.IntervalCount != 1 || p.Currency != "EUR" ||
		p.Amount == nil || p.Amount.String() != "49.90" || p.TaxBehaviour != "inclusive" {
		t.Errorf("price %+v", p)
	}
	limits := must[billing.Limits](t)(p.Limits())
	if limits.MaxEntities == nil || *limits.MaxEntities != 25 || limits.MaxInvoicesPerMonth == nil || *limits.MaxInvoicesPerMonth != 1000 {
		t.Errorf("limits %+v: those of the price have priority over those of the product", limits)
	}
	b.ArchivePrice(id)
	if p := must[billing.Price](t)(b.Prices.ByID(ctx, id)); p.Active {
		t.Error("an archived price is active")
	}
	other := b.monthly(product, "5")
	b.ArchiveProduct(product)
	if p := must[billing.Price](t)(b.Prices.ByID(ctx, other)); p.Active {
		t.Error("a price of an archived product is active")
	}
	_, err := b.Prices.ByID(ctx, "price_nothing")
	wantCode(t, err, fault.CodeNotFound)
}

func testPriceAmounts(t *testing.T, b bundle) {
	ctx := context.Background()
	product := b.AddProduct("Any", nil)
	for _, tt := range []struct{ currency, amount string }{
		{"EUR", "0.00"}, {"EUR", "0.01"}, {"USD", "1234.56"}, {"JPY", "500"}, {"KWD", "1.250"}, {"EUR", "0.00125"},
	} {
		id := b.AddPrice(billing.Price{Product: product, Currency: tt.currency, Amount: euros(tt.amount)})
		p := must[billing.Price](t)(b.Prices.ByID(ctx, id))
		if p.Amount == nil || !p.Amount.Equal(money.MustParse(tt.amount)) || p.Currency != tt.currency || p.Recurring {
			t.Errorf("%v: %+v", tt, p)
		}
	}
	tiered := b.AddPrice(billing.Price{Product: product, Currency: "EUR", Recurring: true, Interval: "month"})
	if p := must[billing.Price](t)(b.Prices.ByID(ctx, tiered)); p.Amount != nil {
		t.Errorf("a price with tiers costs %s", p.Amount)
	}
}

func testPricesForSale(t *testing.T, b bundle) {
	ctx := context.Background()
	large, small, archived := b.AddProduct("Large", nil), b.AddProduct("Small", nil), b.AddProduct("Old", nil)
	first := b.monthly(small, "10")
	second := b.AddPrice(billing.Price{Product: small, Currency: "EUR", Amount: euros("100"), Recurring: true, Interval: "year"})
	third := b.monthly(large, "90")
	old := b.monthly(large, "80")
	b.ArchivePrice(old)
	archivedPrice := b.monthly(archived, "1")
	b.ArchiveProduct(archived)
	for range 12 { // more than the default page size of the processor
		b.monthly(b.AddProduct("Not for sale", nil), "1")
	}
	var ids, inactive []string
	for _, p := range must[[]billing.Price](t)(b.Prices.OfProducts(ctx, []string{small, "prod_nothing", archived, large})) {
		ids = append(ids, p.ID)
		if !p.Active {
			inactive = append(inactive, p.ID)
		}
	}
	if got, want := strings.Join(ids, " "), strings.Join([]string{first, second, archivedPrice, third, old}, " "); got != want {
		t.Errorf("prices: %s, want %s", got, want)
	}
	if got, want := strings.Join(inactive, " "), strings.Join([]string{archivedPrice, old}, " "); got != want {
		t.Errorf("inactive prices: %s, want %s", got, want)
	}
}

func testSnapshot(t *testing.T, b bundle) {
	ctx := context.Background()
	product := b.AddProduct("Team", map[string]string{"max_entities": "7"})
	price, rate := b.monthly(product, "30"), b.AddTaxRate("19")
	c := b.cardHolder(t, GoodCard)
	card := b.AddCard(c.ID, GoodCard)
	id := b.Subscribe(Subscription{
		Customer: c.ID, Price: price, Quantity: 3, Card: card, TaxRates: []string{rate},
		Metadata: map[string]string{billing.MetadataChargeCurrentMonth: "true", billing.MetadataPrice: price},
	})
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	one := must[billing.Subscription](t)(b.Subscriptions.ByID(ctx, id))
	if len(got.Subscriptions) != 1 || got.OpenInvoice != nil {
		t.Fatalf("snapshot %+v", got)
	}
	for name, s := range map[string]billing.Subscription{"of customer": got.Subscriptions[0], "by id": one} {
		if s.ID != id || s.Customer != c.ID || s.Status != billing.Active || s.PaymentMethod != card || s.AutomaticTax ||
			len(s.TaxRates) != 1 || s.TaxRates[0] != rate || s.Metadata[billing.MetadataPrice] != price || !s.CreatedAt.Equal(b.Now()) {
			t.Errorf("%s: %+v", name, s)
		}
		if want := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC); !s.PeriodEnd.Equal(want) {
			t.Errorf("%s: the period ends at %s, want %s", name, s.PeriodEnd, want)
		}
		if s.LatestInvoice != nil {
			t.Errorf("%s: a free first period was invoiced: %+v", name, s.LatestInvoice)
		}
		if len(s.Items) != 1 || s.Items[0].Price.ID != price || s.Items[0].Price.Plan() != "Team" ||
			s.Items[0].Price.ProductMetadata["max_entities"] != "7" || s.Quantity(price) != 3 || s.Quantity("other") != 1 {
			t.Errorf("%s: items %+v", name, s.Items)
		}
	}
	_, err := b.Subscriptions.ByID(ctx, "sub_nothing")
	wantCode(t, err, fault.CodeNotFound)
}

func testPaymentMethod(t *testing.T, b bundle) {
	ctx := context.Background()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	none := b.newCustomer(t)
	id := b.Subscribe(Subscription{Customer: none.ID, Price: price})
	if s := must[billing.Subscription](t)(b.Subscriptions.ByID(ctx, id)); s.PaymentMethod != "" {
		t.Errorf("without any: %q", s.PaymentMethod)
	}
	card := b.AddCard(none.ID, GoodCard)
	b.SetDefaultCard(none.ID, card)
	if s := must[billing.Subscription](t)(b.Subscriptions.ByID(ctx, id)); s.PaymentMethod != card {
		t.Errorf("the customer's: %q, want %q", s.PaymentMethod, card)
	}
}

func testEmptySnapshot(t *testing.T, b bundle) {
	ctx := context.Background()
	c := b.newCustomer(t)
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	if _, ok := got.Effective(); ok || got.OpenInvoice != nil {
		t.Errorf("a new customer has %+v", got)
	}
	_, err := b.Subscriptions.OfCustomer(ctx, "cus_nobody")
	wantCode(t, err, fault.CodeNotFound)
}

func testSnapshotEnded(t *testing.T, b bundle) {
	ctx := context.Background()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.cardHolder(t, GoodCard)
	first := b.Subscribe(Subscription{Customer: c.ID, Price: price})
	b.Advance(time.Hour)
	second := b.Subscribe(Subscription{Customer: c.ID, Price: price})
	b.Cancel(second)
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	if len(got.Subscriptions) != 2 || got.Subscriptions[0].ID != second || got.Subscriptions[0].Status != billing.Canceled {
		t.Errorf("newest first, ended ones too: %+v", got.Subscriptions)
	}
	if s, _ := got.Effective(); s.ID != first {
		t.Errorf("%s is effective, want the one that allows writing", s.ID)
	}
	b.Cancel(first)
	got = must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	if s, _ := got.Effective(); s.ID != second {
		t.Errorf("%s is effective, want the newest", s.ID)
	}
}

func testManySubscriptions(t *testing.T, b bundle) {
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.cardHolder(t, GoodCard)
	active := b.Subscribe(Subscription{Customer: c.ID, Price: price})
	for range 101 { // more than one page
		b.Cancel(b.Subscribe(Subscription{Customer: c.ID, Price: price}))
	}
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(context.Background(), c.ID))
	if s, _ := got.Effective(); len(got.Subscriptions) != 102 || s.ID != active || s.Items[0].Price.ProductName != "Team" {
		t.Errorf("%d subscriptions, %+v is effective", len(got.Subscriptions), s)
	}
}

func testOpenInvoice(t *testing.T, b bundle) {
	ctx := context.Background()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.cardHolder(t, DecliningCard)
	id := b.Subscribe(Subscription{Customer: c.ID, Price: price})
	b.Advance(20 * 24 * time.Hour) // past the 1st: the renewal is declined
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	s, _ := got.Effective()
	if s.ID != id || s.Status != billing.PastDue || !s.Status.Writable() {
		t.Errorf("subscription %+v", s)
	}
	if want := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC); !s.PeriodEnd.Equal(want) {
		t.Errorf("the period ends at %s, want %s", s.PeriodEnd, want)
	}
	open := got.OpenInvoice
	if open == nil || open.Status != billing.InvoiceOpen || open.Total.String() != "30.00" || open.Currency != "EUR" || open.PaymentURL == "" ||
		!open.AmountPaid.IsZero() || open.Items != 1 {
		t.Fatalf("open invoice %+v", open)
	}
	if s.LatestInvoice == nil || s.LatestInvoice.ID != open.ID {
		t.Errorf("latest invoice %+v, want %s", s.LatestInvoice, open.ID)
	}
}

func testCheckout(t *testing.T, b bundle) {
	ctx := context.Background()
	price := b.monthly(b.AddProduct("Team", nil), "30")
	c := b.newCustomer(t)
	anchor := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	in := billing.Checkout{
		Customer: c.ID, Price: price, SuccessURL: "https://app.example/ok?s={CHECKOUT_SESSION_ID}", CancelURL: "https://app.example/no",
		Anchor: anchor, Metadata: map[string]string{billing.MetadataPrice: price, billing.MetadataChargeCurrentMonth: billing.ChargeCurrentMonthOn},
	}
	page := must[string](t)(b.Sessions.Checkout(ctx, in))
	if to := b.Buy(page); !strings.HasPrefix(to, "https://app.example/ok?s=") {
		t.Errorf("the browser is redirected to %q", to)
	}
	got := must[billing.Snapshot](t)(b.Subscriptions.OfCustomer(ctx, c.ID))
	s, ok := got.Effective()
	if !ok || s.Status != billing.Active || !s.PeriodEnd.Equal(anchor) || s.Metadata[billing.MetadataPrice] != price || s.PaymentMethod == "" {
		t.Errorf("bought %+v", s)
	}
	if n := len(b.Invoices(c.ID)); n != 0 {
		t.Errorf("%d invoices for the free first period", n)
	}
	in.Anchor = time.Time{}
	b.Buy(must[string](t)(b.Sessions.Checkout(ctx, in)))
	if paid := b.Invoices(c.ID); len(paid) != 1 || paid[0].Status != billing.InvoicePaid || paid[0].Total != 3000 {
		t.Errorf("without an anchor the first period is paid immediately: %+v", paid)
	}
	left, other := must[string](t)(b.Sessions.Checkout(ctx, in)), b.newCustomer(t)
	in.Customer = other.ID
	kept := must[string](t)(b.Sessions.Checkout(ctx, in))
	if err := b.Sessions.CloseCheckouts(ctx, c.ID); err != nil {
		t.Fatal(err)
	}
	if to := b.Buy(left); to != "" {
		t.Errorf("a closed page leads to %q", to)
	}
	if to := b.Buy(kept); to == "" {
		t.Error("another customer's page was closed")
	}
	in.Customer = "cus_nobody"
	_, err := b.Sessions.Checkout(ctx, in)
	wantCode(t, err, fault.CodeNotFound)
}

func testPortal(t *testing.T, b bundle) {
	ctx := context.Background()
	page := must[string](t)(b.Sessions.Portal(ctx, b.newCustomer(t).ID, "https://app.example/billing"))
	if !strings.HasPrefix(page, "http") {
		t.Errorf("the portal is at %q", page)
	}
	_, err := b.Sessions.Portal(ctx, "cus_nobody", "https://app.example/billing")
	wantCode(t, err, fault.CodeNotFound)
}
