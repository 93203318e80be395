package accounting

import (
	"context"

	"docledger/domain/integration"
)

// The ports of this file are the capabilities of a connector: one type
// implements those that its provider has, and they are found by assertion.
// Their faults are described at integration.ErrReconnect. Each answers the
// complete list, however many pages the provider makes of it, archived entries
// with their state, in the provider's order and without repeats; an empty list
// is not nil. Access.Tenant is the organization whose books are meant.

// OrganizationReader reads which organizations a consent reaches.
type OrganizationReader interface {
	// Organizations lists those that a consent reaches, those of former
	// consents of the account too; Access.Tenant is not used. Country and base
	// currency may be left out where they cost a call each.
	Organizations(ctx context.Context, a integration.Access) ([]Organization, error)
	// Organization reads the one of Access.Tenant from its own books, which
	// proves that they can be read.
	Organization(ctx context.Context, a integration.Access) (Organization, error)
}

// AccountReader reads the chart of accounts.
type AccountReader interface {
	// Accounts lists the accounts that a filter selects.
	Accounts(ctx context.Context, a integration.Access, f ClassFilter) ([]Account, error)
}

// ContactReader reads contacts.
type ContactReader interface {
	// Contacts lists suppliers and whoever may become one.
	Contacts(ctx context.Context, a integration.Access) ([]Contact, error)
}

// TaxRateReader reads tax rates.
type TaxRateReader interface {
	// TaxRates lists what a line of a bill may name as its tax.
	TaxRates(ctx context.Context, a integration.Access) ([]TaxRate, error)
}

// CurrencyReader reads currencies.
type CurrencyReader interface {
	// Currencies lists what bills may be in, the base currency among them.
	Currencies(ctx context.Context, a integration.Access) ([]Currency, error)
}
