package accounting

import (
	"context"

	"docledger/domain/integration"
)

// The ports of this file are the capabilities of a connector. One type implements those that its
// provider has; callers find them by type assertion. Their faults are described at
// integration.ErrReconnect. Each method returns the complete list in the provider's order and
// without repeats, independently of the provider's pages. Archived entries are included with
// their state. An empty list is not nil. Access.Tenant is the organization of the ledger.

// OrganizationReader reads the organizations of a consent.
type OrganizationReader interface {
	// Organizations lists the organizations of a consent, including those of the account's former
	// consents. It does not use Access.Tenant. It may omit country and base currency if they cost
	// one call each.
	Organizations(ctx context.Context, a integration.Access) ([]Organization, error)
	// Organization reads the organization of Access.Tenant from its own ledger, which proves that
	// the ledger can be read.
	Organization(ctx context.Context, a integration.Access) (Organization, error)
}

// AccountReader reads the chart of accounts.
type AccountReader interface {
	// Accounts lists the accounts that a filter selects.
	Accounts(ctx context.Context, a integration.Access, f ClassFilter) ([]Account, error)
}

// ContactReader reads contacts.
type ContactReader interface {
	// Contacts lists suppliers and contacts that can become suppliers.
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
