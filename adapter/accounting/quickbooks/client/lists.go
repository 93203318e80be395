package client

import (
	"context"
	"encoding/json"
	"net/http"

	"docledger/infrastructure/httpclient"
)

// Ref refers to another object by its id.
type Ref struct {
	Value string `json:"value"`
	Name  string `json:"name,omitempty"`
}

// Company is the company's own record.
type Company struct {
	ID          string `json:"Id"`
	CompanyName string
	Country     string
}

// Preferences holds the company settings that the connector uses.
type Preferences struct {
	AccountingInfoPrefs struct {
		BookCloseDate string
	}
	CurrencyPrefs struct {
		MultiCurrencyEnabled bool
		HomeCurrency         Ref
	}
	TaxPrefs struct {
		UsingSalesTax bool
	}
}

// Account is one account of the chart of accounts.
type Account struct {
	ID          string `json:"Id"`
	Name        string `json:"FullyQualifiedName"`
	AcctNum     string
	AccountType string
	CurrencyRef Ref
	TaxCodeRef  Ref
	Active      bool
}

// Vendor is a supplier.
type Vendor struct {
	ID               string `json:"Id"`
	DisplayName      string
	TaxIdentifier    string
	PrimaryEmailAddr struct{ Address string }
	CurrencyRef      Ref
	Active           bool
}

// TaxCode is the value that a line states as its tax.
type TaxCode struct {
	ID                  string `json:"Id"`
	Name                string
	Active              bool
	Taxable             bool
	PurchaseTaxRateList RateList
	SalesTaxRateList    RateList
}

// RateList holds the rates of a tax code.
type RateList struct {
	TaxRateDetail []struct{ TaxRateRef Ref }
}

// TaxRate is a rate in per cent.
type TaxRate struct {
	ID        string `json:"Id"`
	Name      string
	RateValue json.Number
}

// Currency is a currency that a company uses.
type Currency struct {
	ID   string `json:"Id"`
	Code string
	Name string
}

// Company reads the company.
func (c *Client) Company(ctx context.Context, a Access) (Company, error) {
	const doing = "read company"
	var out struct{ CompanyInfo *Company }
	if err := c.do(ctx, c.request(doing, http.MethodGet, a, "companyinfo", a.Realm), &out); err != nil {
		return Company{}, err
	}
	if out.CompanyInfo == nil || out.CompanyInfo.CompanyName == "" {
		return Company{}, httpclient.Broken(doing, "the response has no company")
	}
	return *out.CompanyInfo, nil
}

// Preferences reads the company's settings.
func (c *Client) Preferences(ctx context.Context, a Access) (Preferences, error) {
	const doing = "read preferences"
	var out struct{ Preferences *Preferences }
	if err := c.do(ctx, c.request(doing, http.MethodGet, a, "preferences"), &out); err != nil {
		return Preferences{}, err
	}
	if out.Preferences == nil || out.Preferences.CurrencyPrefs.HomeCurrency.Value == "" {
		return Preferences{}, httpclient.Broken(doing, "the response has no home currency")
	}
	return *out.Preferences, nil
}

// Accounts lists accounts.
func (c *Client) Accounts(ctx context.Context, a Access, conditions ...Condition) ([]Account, error) {
	return query[Account](ctx, c, a, "Account", listPage, conditions...)
}

// Vendors lists vendors.
func (c *Client) Vendors(ctx context.Context, a Access, conditions ...Condition) ([]Vendor, error) {
	return query[Vendor](ctx, c, a, "Vendor", listPage, conditions...)
}

// TaxCodes lists tax codes.
func (c *Client) TaxCodes(ctx context.Context, a Access, conditions ...Condition) ([]TaxCode, error) {
	return query[TaxCode](ctx, c, a, "TaxCode", listPage, conditions...)
}

// TaxRates lists the rates that tax codes name.
func (c *Client) TaxRates(ctx context.Context, a Access) ([]TaxRate, error) {
	return query[TaxRate](ctx, c, a, "TaxRate", listPage, WithInactive)
}

// Currencies lists the active currencies of a company that has several. The provider refuses the
// call for a company with one currency.
func (c *Client) Currencies(ctx context.Context, a Access) ([]Currency, error) {
	return query[Currency](ctx, c, a, "CompanyCurrency", listPage)
}
