package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"docledger/infrastructure/httpclient"
)

// Organization is a company.
type Organization struct {
	ID            string `json:"OrganisationID"`
	Name          string `json:"Name"`
	PaysTax       bool   `json:"PaysTax"`
	BaseCurrency  string `json:"BaseCurrency"`
	CountryCode   string `json:"CountryCode"`
	PeriodLock    Date   `json:"PeriodLockDate"`
	EndOfYearLock Date   `json:"EndOfYearLockDate"`
}

// Account is one account of the chart of accounts.
type Account struct {
	System   string `json:"SystemAccount"`
	ID       string `json:"AccountID"`
	Code     string `json:"Code"`
	Name     string `json:"Name"`
	Type     string `json:"Type"`
	Status   string `json:"Status"`
	TaxType  string `json:"TaxType"`
	Currency string `json:"CurrencyCode"`
}

// Contact is a supplier, a customer, or both.
type Contact struct {
	ID         string    `json:"ContactID,omitempty"`
	Name       string    `json:"Name,omitempty"`
	Status     string    `json:"ContactStatus,omitempty"`
	Email      string    `json:"EmailAddress,omitempty"`
	TaxNumber  string    `json:"TaxNumber,omitempty"`
	Account    string    `json:"BankAccountDetails,omitempty"` // number of the bank account, as people typed it
	IsSupplier bool      `json:"IsSupplier,omitempty"`         // set by the provider only
	Addresses  []Address `json:"Addresses,omitempty"`
}

// Address is an address of a contact.
type Address struct {
	Type       string `json:"AddressType"`
	Line1      string `json:"AddressLine1,omitempty"`
	Line2      string `json:"AddressLine2,omitempty"`
	City       string `json:"City,omitempty"`
	Region     string `json:"Region,omitempty"`
	PostalCode string `json:"PostalCode,omitempty"`
	Country    string `json:"Country,omitempty"`
}

// TaxRate is a tax rate; its type is its key.
type TaxRate struct {
	Name       string      `json:"Name"`
	TaxType    string      `json:"TaxType"`
	ReportType string      `json:"ReportTaxType"`
	Status     string      `json:"Status"`
	Effective  json.Number `json:"EffectiveRate"`
	Display    json.Number `json:"DisplayTaxRate"`
	ToAssets   bool        `json:"CanApplyToAssets"`
	ToExpenses bool        `json:"CanApplyToExpenses"`
}

// Currency is a currency that an organization uses.
type Currency struct {
	Code        string `json:"Code"`
	Description string `json:"Description"`
}

// StatusActive is the status of usable objects.
const StatusActive = "ACTIVE"

// Organization returns the company of a tenant.
func (c *Client) Organization(ctx context.Context, a Access) (Organization, error) {
	const doing = "read organization"
	var out struct{ Organisations []Organization }
	if err := c.do(ctx, c.accounting(doing, http.MethodGet, a, "Organisation"), &out); err != nil {
		return Organization{}, err
	}
	if len(out.Organisations) != 1 || out.Organisations[0].ID == "" {
		return Organization{}, httpclient.Broken(doing, "the response has no organization")
	}
	return out.Organisations[0], nil
}

// whole returns a list that has no pages.
func whole[T any](ctx context.Context, c *Client, a Access, plural string) ([]T, error) {
	out := map[string]json.RawMessage{}
	doing := "list " + plural
	if err := c.do(ctx, c.accounting(doing, http.MethodGet, a, plural), &out); err != nil {
		return nil, err
	}
	var list []T
	if err := json.Unmarshal(out[plural], &list); err != nil {
		return nil, httpclient.Broken(doing, "the response has no list")
	}
	return list, nil
}

// Accounts lists the chart.
func (c *Client) Accounts(ctx context.Context, a Access) ([]Account, error) {
	return whole[Account](ctx, c, a, "Accounts")
}

// TaxRates lists the rates.
func (c *Client) TaxRates(ctx context.Context, a Access) ([]TaxRate, error) {
	return whole[TaxRate](ctx, c, a, "TaxRates")
}

// Currencies lists the currencies.
func (c *Client) Currencies(ctx context.Context, a Access) ([]Currency, error) {
	return whole[Currency](ctx, c, a, "Currencies")
}

// Contacts lists all contacts, including archived ones.
func (c *Client) Contacts(ctx context.Context, a Access) ([]Contact, error) {
	q := url.Values{"includeArchived": {"true"}}
	return pages(ctx, c, a, "Contacts", q, contactsPage, func(x Contact) string { return x.ID })
}

// pages returns a list page by page. An element that occurs on two pages, because of a concurrent
// insertion, is returned once.
func pages[T any](ctx context.Context, c *Client, a Access, plural string, q url.Values, size int, id func(T) string) ([]T, error) {
	doing := "list " + plural
	var out []T
	seen := map[string]bool{}
	for page := 1; page <= maxPages; page++ {
		request := c.accounting(doing, http.MethodGet, a, plural)
		for name, values := range q {
			request.Query[name] = values
		}
		request.Query.Set("page", strconv.Itoa(page))
		request.Query.Set("pageSize", strconv.Itoa(size))
		body := map[string]json.RawMessage{}
		if err := c.do(ctx, request, &body); err != nil {
			return nil, err
		}
		var part []T
		var p struct {
			PageCount int `json:"pageCount"`
		}
		if json.Unmarshal(body[plural], &part) != nil || body["pagination"] != nil && json.Unmarshal(body["pagination"], &p) != nil {
			return nil, httpclient.Broken(doing, "the response has no list")
		}
		for _, x := range part {
			if !seen[id(x)] {
				seen[id(x)] = true
				out = append(out, x)
			}
		}
		// If the provider does not state the page count, a page that is not full is the last.
		if len(part) == 0 || page >= p.PageCount && (p.PageCount > 0 || len(part) < size) {
			return out, nil
		}
	}
	return nil, httpclient.Broken(doing, "the list does not end")
}
