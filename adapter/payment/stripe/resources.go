package stripe

import (
	sdk "github.com/stripe/stripe-go/v79"
	portalconfiguration "github.com/stripe/stripe-go/v79/billingportal/configuration"
	portalsession "github.com/stripe/stripe-go/v79/billingportal/session"
	checkoutsession "github.com/stripe/stripe-go/v79/checkout/session"
	customers "github.com/stripe/stripe-go/v79/customer"
	events "github.com/stripe/stripe-go/v79/event"
	invoices "github.com/stripe/stripe-go/v79/invoice"
	invoiceitems "github.com/stripe/stripe-go/v79/invoiceitem"
	prices "github.com/stripe/stripe-go/v79/price"
	products "github.com/stripe/stripe-go/v79/product"
	subscriptions "github.com/stripe/stripe-go/v79/subscription"
)

// resources has the clients of the library that the adapter uses. The library's own list
// links the clients of all resources, which adds half a megabyte to the program.
type resources struct {
	backend sdk.Backend
	key     string

	BillingPortalConfigurations portalconfiguration.Client
	BillingPortalSessions       portalsession.Client
	CheckoutSessions            checkoutsession.Client
	Customers                   customers.Client
	Events                      events.Client
	InvoiceItems                invoiceitems.Client
	Invoices                    invoices.Client
	Prices                      prices.Client
	Products                    products.Client
	Subscriptions               subscriptions.Client
}

func newResources(b sdk.Backend, key string) *resources {
	return &resources{
		backend: b, key: key,

		BillingPortalConfigurations: portalconfiguration.Client{B: b, Key: key},
		BillingPortalSessions:       portalsession.Client{B: b, Key: key},
		CheckoutSessions:            checkoutsession.Client{B: b, Key: key},
		Customers:                   customers.Client{B: b, Key: key},
		Events:                      events.Client{B: b, Key: key},
		InvoiceItems:                invoiceitems.Client{B: b, Key: key},
		Invoices:                    invoices.Client{B: b, Key: key},
		Prices:                      prices.Client{B: b, Key: key},
		Products:                    products.Client{B: b, Key: key},
		Subscriptions:               subscriptions.Client{B: b, Key: key},
	}
}
