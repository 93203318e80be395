package stripe

import (
	"context"

	"docledger/domain/billing"

	sdk "github.com/stripe/stripe-go/v79"
	"golang.org/x/sync/errgroup"
)

// Subscriptions implements billing.Subscriptions.
type Subscriptions struct{ api *resources }

var _ billing.Subscriptions = Subscriptions{}

// OfCustomer implements billing.Subscriptions with three calls, two of them in parallel: a list can
// be expanded four levels deep, and products are on the fifth.
func (s Subscriptions) OfCustomer(ctx context.Context, customer string) (billing.Snapshot, error) {
	var snapshot billing.Snapshot
	both, within := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		snapshot.OpenInvoice, err = s.openInvoice(within, customer)
		return err
	})
	both.Go(func() (err error) {
		if snapshot.Subscriptions, err = s.list(within, customer); err == nil {
			err = s.describe(within, snapshot.Subscriptions)
		}
		return err
	})
	err := both.Wait()
	if ctx.Err() != nil {
		return billing.Snapshot{}, translate(ctx, "read subscriptions", "customer", ctx.Err())
	}
	if err != nil {
		return billing.Snapshot{}, err
	}
	return snapshot, nil
}

func (s Subscriptions) list(ctx context.Context, customer string) ([]billing.Subscription, error) {
	params := &sdk.SubscriptionListParams{Customer: sdk.String(customer), Status: sdk.String("all")}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	params.AddExpand("data.customer")
	params.AddExpand("data.latest_invoice")
	var found []billing.Subscription
	pages := s.api.Subscriptions.List(params)
	for pages.Next() {
		found = append(found, subscription(pages.Subscription()))
	}
	return found, translate(ctx, "list subscriptions", "customer", pages.Err())
}

// describe adds the products to the prices of subscriptions.
func (s Subscriptions) describe(ctx context.Context, subs []billing.Subscription) error {
	wanted := map[string]bool{}
	params := &sdk.ProductListParams{}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	for _, sub := range subs {
		for _, item := range sub.Items {
			if id := item.Price.Product; id != "" && !wanted[id] && len(wanted) < pageSize {
				wanted[id] = true
				params.IDs = append(params.IDs, sdk.String(id))
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	products := map[string]*sdk.Product{}
	pages := s.api.Products.List(params)
	for pages.Next() {
		products[pages.Product().ID] = pages.Product()
	}
	for _, sub := range subs {
		for i := range sub.Items {
			describe(&sub.Items[i].Price, products[sub.Items[i].Price.Product])
		}
	}
	return translate(ctx, "list products", "product", pages.Err())
}

func (s Subscriptions) openInvoice(ctx context.Context, customer string) (*billing.ProcessorInvoice, error) {
	params := &sdk.InvoiceListParams{Customer: sdk.String(customer), Status: sdk.String(string(sdk.InvoiceStatusOpen))}
	params.Context = ctx
	params.Limit = sdk.Int64(1)
	params.Single = true
	pages := s.api.Invoices.List(params)
	if pages.Next() {
		open := invoice(pages.Invoice())
		return &open, nil
	}
	return nil, translate(ctx, "list open invoices", "customer", pages.Err())
}

// ByID implements billing.Subscriptions.
func (s Subscriptions) ByID(ctx context.Context, id string) (billing.Subscription, error) {
	const doing = "read subscription"
	params := &sdk.SubscriptionParams{}
	params.Context = ctx
	for _, field := range []string{"customer", "latest_invoice", "items.data.price.product"} {
		params.AddExpand(field)
	}
	got, err := s.api.Subscriptions.Get(id, params)
	if err != nil {
		return billing.Subscription{}, translate(ctx, doing, "subscription", err)
	}
	if got.ID == "" || got.Customer == nil {
		return billing.Subscription{}, malformed(doing)
	}
	return subscription(got), nil
}

func subscription(s *sdk.Subscription) billing.Subscription {
	out := billing.Subscription{
		ID: s.ID, Status: billing.SubscriptionStatus(s.Status), PeriodEnd: moment(s.CurrentPeriodEnd),
		Metadata: s.Metadata, PaymentMethod: paymentMethod(s), CreatedAt: moment(s.Created),
	}
	if s.Customer != nil {
		out.Customer = s.Customer.ID
	}
	if s.AutomaticTax != nil {
		out.AutomaticTax = s.AutomaticTax.Enabled
	}
	for _, rate := range s.DefaultTaxRates {
		out.TaxRates = append(out.TaxRates, rate.ID)
	}
	if s.LatestInvoice != nil && s.LatestInvoice.Object != "" {
		latest := invoice(s.LatestInvoice)
		out.LatestInvoice = &latest
	}
	if s.Items != nil {
		for _, item := range s.Items.Data {
			if item.Price != nil {
				out.Items = append(out.Items, billing.SubscriptionItem{Price: price(item.Price), Quantity: item.Quantity})
			}
		}
	}
	return out
}

// paymentMethod returns the payment method of a subscription. A card entered on the checkout page
// belongs to the subscription and often not to the customer. Sources are the processor's older kind
// of cards.
func paymentMethod(s *sdk.Subscription) string {
	switch {
	case s.DefaultPaymentMethod != nil:
		return s.DefaultPaymentMethod.ID
	case s.DefaultSource != nil:
		return s.DefaultSource.ID
	case s.Customer == nil:
		return ""
	}
	return customerPaymentMethod(s.Customer)
}

func customerPaymentMethod(c *sdk.Customer) string {
	switch {
	case c.InvoiceSettings != nil && c.InvoiceSettings.DefaultPaymentMethod != nil:
		return c.InvoiceSettings.DefaultPaymentMethod.ID
	case c.DefaultSource != nil:
		return c.DefaultSource.ID
	}
	return ""
}
