package xero

import (
	"context"
	"encoding/json"
	"slices"

	"docledger/adapter/accounting/xero/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// Organizations implements accounting.OrganizationReader. It omits countries and currencies, which
// would cost one call per organization.
func (c *Connector) Organizations(ctx context.Context, a integration.Access) ([]accounting.Organization, error) {
	list, err := c.client.Connections(ctx, client.Access{Token: a.Token, Background: a.Background})
	if err != nil {
		return nil, translate(err)
	}
	out := []accounting.Organization{}
	for _, x := range list {
		if x.TenantType != client.TypeOrganization || !client.IsID(x.TenantID) {
			continue
		}
		out = append(out, accounting.Organization{
			ID: x.TenantID, Name: x.TenantName, ConnectedNow: a.Event != "" && x.Event == a.Event,
		})
	}
	return connector.Distinct(out, func(o accounting.Organization) string { return o.ID }), nil
}

// Organization implements accounting.OrganizationReader.
func (c *Connector) Organization(ctx context.Context, a integration.Access) (accounting.Organization, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Organization{}, err
	}
	o, err := c.client.Organization(ctx, at)
	if err != nil {
		return accounting.Organization{}, translate(err)
	}
	return accounting.Organization{ID: a.Tenant, Name: o.Name, Country: o.CountryCode, BaseCurrency: o.BaseCurrency}, nil
}

// Accounts implements accounting.AccountReader. It applies the filter itself, because the provider
// has different classes. The provider has no credit-card accounts (interface 4.2, rule 2), so a
// request for only those makes no call.
func (c *Connector) Accounts(ctx context.Context, a integration.Access, f accounting.ClassFilter) ([]accounting.Account, error) {
	out := []accounting.Account{}
	if len(f) > 0 && !slices.ContainsFunc(f, func(c accounting.AccountClass) bool { return c != accounting.CreditCard }) {
		return out, nil
	}
	list, err := read(ctx, a, c.client.Accounts)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		class, known := accounting.ClassOfA(x.Type)
		if x.ID == "" || !f.Selects(class) {
			continue
		}
		out = append(out, accounting.Account{
			ID: x.ID, Code: x.Code, Name: x.Name, Type: x.Type, Class: string(class), Unified: class, Unmapped: !known,
			Currency: x.Currency, TaxType: x.TaxType, State: state(x.Status), Reserved: reserved(x),
		})
	}
	return connector.Distinct(out, func(x accounting.Account) string { return x.ID }), nil
}

// reserved reports whether the provider refuses the account in a bill line: bank accounts and the
// two system accounts for receivables and payables.
func reserved(x client.Account) bool {
	return x.Type == "BANK" || x.System == "DEBTORS" || x.System == "CREDITORS"
}

// Contacts implements accounting.ContactReader. It also lists contacts that are not suppliers yet,
// because the provider marks a supplier only after the first bill.
func (c *Connector) Contacts(ctx context.Context, a integration.Access) ([]accounting.Contact, error) {
	list, err := read(ctx, a, c.client.Contacts)
	if err != nil {
		return nil, err
	}
	out := []accounting.Contact{}
	for _, x := range list {
		if x.ID != "" {
			out = append(out, contact(x))
		}
	}
	return out, nil
}

func contact(x client.Contact) accounting.Contact {
	return accounting.Contact{
		ID: x.ID, Name: x.Name, Email: x.Email, TaxID: x.TaxNumber, BankAccount: x.Account, IsSupplier: x.IsSupplier, State: state(x.Status),
	}
}

// TaxRates implements accounting.TaxRateReader. The provider's key of a rate is
// its type.
func (c *Connector) TaxRates(ctx context.Context, a integration.Access) ([]accounting.TaxRate, error) {
	list, err := read(ctx, a, c.client.TaxRates)
	if err != nil {
		return nil, err
	}
	out := []accounting.TaxRate{}
	for _, x := range list {
		rate, err := percent(x)
		if err != nil {
			return nil, integration.Unavailable(Provider, 0, err)
		}
		if x.TaxType == "" {
			continue
		}
		out = append(out, accounting.TaxRate{
			ID: x.TaxType, Name: x.Name, Rate: rate, Type: x.ReportType, Purchases: x.ToExpenses || x.ToAssets, State: state(x.Status),
		})
	}
	return connector.Distinct(out, func(x accounting.TaxRate) string { return x.ID }), nil
}

// percent returns the total of a rate's components.
func percent(x client.TaxRate) (money.Decimal, error) {
	for _, number := range []json.Number{x.Effective, x.Display} {
		if number != "" {
			return connector.Decimal(number)
		}
	}
	return money.Decimal{}, nil
}

// Currencies implements accounting.CurrencyReader.
func (c *Connector) Currencies(ctx context.Context, a integration.Access) ([]accounting.Currency, error) {
	list, err := read(ctx, a, c.client.Currencies)
	if err != nil {
		return nil, err
	}
	out := []accounting.Currency{}
	for _, x := range list {
		out = append(out, accounting.Currency{Code: x.Code, Name: x.Description})
	}
	return connector.Distinct(out, func(x accounting.Currency) string { return x.Code }), nil
}

// read lists objects of a tenant.
func read[T any](ctx context.Context, a integration.Access, list func(context.Context, client.Access) ([]T, error)) ([]T, error) {
	at, err := tenant(a)
	if err != nil {
		return nil, err
	}
	out, err := list(ctx, at)
	if err != nil {
		return nil, translate(err)
	}
	return out, nil
}

func state(status string) accounting.State {
	if status == client.StatusActive {
		return accounting.InUse
	}
	return accounting.Archived
}
