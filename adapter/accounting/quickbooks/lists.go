package quickbooks

import (
	"context"
	"strings"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/money"
)

// Organizations implements accounting.OrganizationReader. A consent covers one company, which is
// also the account.
func (c *Connector) Organizations(ctx context.Context, a integration.Access) ([]accounting.Organization, error) {
	a.Tenant = a.Account
	company, err := c.Organization(ctx, a)
	if err != nil {
		return nil, err
	}
	company.ConnectedNow = true
	return []accounting.Organization{company}, nil
}

// Organization implements accounting.OrganizationReader.
func (c *Connector) Organization(ctx context.Context, a integration.Access) (accounting.Organization, error) {
	at, err := company(a)
	if err != nil {
		return accounting.Organization{}, err
	}
	x, err := c.client.Company(ctx, at)
	if err != nil {
		return accounting.Organization{}, translate(err)
	}
	p, err := c.client.Preferences(ctx, at)
	if err != nil {
		return accounting.Organization{}, translate(err)
	}
	return accounting.Organization{
		ID: at.Realm, Name: x.CompanyName, Country: country(x), BaseCurrency: p.CurrencyPrefs.HomeCurrency.Value,
	}, nil
}

// country returns a company's country if the provider states it as a code.
func country(c client.Company) string {
	if len(c.Country) != 2 {
		return ""
	}
	return strings.ToUpper(c.Country)
}

// Accounts implements accounting.AccountReader. The query language has no OR, so each type needs a
// separate query (interface 4.2, rule 4). No filter means one query without a type.
func (c *Connector) Accounts(ctx context.Context, a integration.Access, f accounting.ClassFilter) ([]accounting.Account, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	queries := [][]client.Condition{{client.WithInactive}}
	if len(f) > 0 {
		queries = nil
		for _, name := range accounting.TypesB(f) {
			queries = append(queries, []client.Condition{client.Equal("AccountType", wireTypes[name]), client.WithInactive})
		}
	}
	out := []accounting.Account{}
	for _, conditions := range queries {
		list, err := c.client.Accounts(ctx, at, conditions...)
		if err != nil {
			return nil, translate(err)
		}
		for _, x := range list {
			class, known := contractType(x.AccountType)
			unified, _ := accounting.ClassOfB(class)
			out = append(out, accounting.Account{
				ID: x.ID, Code: x.AcctNum, Name: x.Name, Type: x.AccountType, Class: class, Unified: unified, Unmapped: !known,
				Currency: x.CurrencyRef.Value, TaxType: x.TaxCodeRef.Value, State: state(x.Active),
			})
		}
	}
	return connector.Distinct(out, func(x accounting.Account) string { return x.ID }), nil
}

// Contacts implements accounting.ContactReader with the vendors.
func (c *Connector) Contacts(ctx context.Context, a integration.Access) ([]accounting.Contact, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	list, err := c.client.Vendors(ctx, at, client.WithInactive)
	if err != nil {
		return nil, translate(err)
	}
	out := []accounting.Contact{}
	for _, x := range list {
		out = append(out, contact(x))
	}
	return connector.Distinct(out, func(x accounting.Contact) string { return x.ID }), nil
}

func contact(x client.Vendor) accounting.Contact {
	return accounting.Contact{
		ID: x.ID, Name: x.DisplayName, Email: x.PrimaryEmailAddr.Address, TaxID: unmasked(x.TaxIdentifier), IsSupplier: true, State: state(x.Active),
	}
}

// unmasked returns a tax identifier, or "" if the provider shows only its last characters after
// capital X's. A masked value does not identify anyone.
func unmasked(id string) string {
	if strings.HasPrefix(id, "XXX") {
		return ""
	}
	return id
}

// TaxRates implements accounting.TaxRateReader with the tax codes, which are what lines refer to. A
// code's rate is the sum of its component rates.
func (c *Connector) TaxRates(ctx context.Context, a integration.Access) ([]accounting.TaxRate, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	list, err := c.taxRates(ctx, at)
	if err != nil {
		return nil, translate(err)
	}
	return list, nil
}

func (c *Connector) taxRates(ctx context.Context, at client.Access) ([]accounting.TaxRate, error) {
	codes, err := c.client.TaxCodes(ctx, at, client.WithInactive)
	if err != nil {
		return nil, err
	}
	rates, err := c.client.TaxRates(ctx, at)
	if err != nil {
		return nil, err
	}
	percents := map[string]money.Decimal{}
	for _, x := range rates {
		percent, err := connector.Decimal(x.RateValue)
		if err != nil {
			return nil, integration.Unavailable(Provider, 0, err)
		}
		percents[x.ID] = percent
	}
	out := []accounting.TaxRate{}
	for _, x := range codes {
		out = append(out, taxRate(x, percents))
	}
	return connector.Distinct(out, func(x accounting.TaxRate) string { return x.ID }), nil
}

// taxRate converts a tax code. A code without purchase rates is for sales, unless it is marked as
// not taxable. A code with unknown rates cannot be used.
func taxRate(x client.TaxCode, percents map[string]money.Decimal) accounting.TaxRate {
	out := accounting.TaxRate{ID: x.ID, Name: x.Name, State: state(x.Active)}
	parts := x.PurchaseTaxRateList.TaxRateDetail
	out.Purchases = client.IsID(x.ID) && (len(parts) > 0 || !x.Taxable)
	if len(parts) == 0 {
		parts = x.SalesTaxRateList.TaxRateDetail
	}
	for _, part := range parts {
		percent, known := percents[part.TaxRateRef.Value]
		if !known {
			out.State = accounting.Archived
		}
		out.Rate = out.Rate.Add(percent)
	}
	return out
}

// Currencies implements accounting.CurrencyReader.
func (c *Connector) Currencies(ctx context.Context, a integration.Access) ([]accounting.Currency, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	p, err := c.client.Preferences(ctx, at)
	if err != nil {
		return nil, translate(err)
	}
	list, err := c.currencies(ctx, at, p)
	if err != nil {
		return nil, translate(err)
	}
	return list, nil
}

// currencies lists the home currency and, for a company with several currencies, the others. The
// provider refuses the query for a company with one.
func (c *Connector) currencies(ctx context.Context, at client.Access, p client.Preferences) ([]accounting.Currency, error) {
	home := p.CurrencyPrefs.HomeCurrency
	out := []accounting.Currency{{Code: home.Value, Name: home.Name}}
	if p.CurrencyPrefs.MultiCurrencyEnabled {
		list, err := c.client.Currencies(ctx, at)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if x.Code == home.Value {
				out[0].Name = x.Name
				continue
			}
			out = append(out, accounting.Currency{Code: x.Code, Name: x.Name})
		}
	}
	for i, x := range out {
		if x.Name == "" {
			out[i].Name = x.Code
		}
	}
	return connector.Distinct(out, func(x accounting.Currency) string { return x.Code }), nil
}

func state(active bool) accounting.State {
	if active {
		return accounting.InUse
	}
	return accounting.Archived
}
