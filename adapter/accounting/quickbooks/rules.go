package quickbooks

import (
	"context"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/integration"
)

const (
	amountDecimals = 2    // decimals that the provider stores, for every currency
	salesTaxOnly   = "US" // the country whose bills carry no tax
)

// Rules implements accounting.BillCreator with two requests, or three for a company with several
// currencies.
func (c *Connector) Rules(ctx context.Context, a integration.Access) (accounting.Rules, error) {
	at, err := company(a)
	if err != nil {
		return accounting.Rules{}, err
	}
	x, err := c.client.Company(ctx, at)
	if err != nil {
		return accounting.Rules{}, translate(err)
	}
	p, err := c.client.Preferences(ctx, at)
	if err != nil {
		return accounting.Rules{}, translate(err)
	}
	list, err := c.currencies(ctx, at, p)
	if err != nil {
		return accounting.Rules{}, translate(err)
	}
	r := accounting.Rules{
		BaseCurrency: p.CurrencyPrefs.HomeCurrency.Value, HasTax: p.TaxPrefs.UsingSalesTax && country(x) != salesTaxOnly, Decimals: amountDecimals,
	}
	for _, currency := range list {
		r.Currencies = append(r.Currencies, currency.Code)
	}
	if closed := p.AccountingInfoPrefs.BookCloseDate; closed != "" {
		if r.ClosedUntil, err = calendar.Parse(closed); err != nil {
			return accounting.Rules{}, integration.Unavailable(Provider, 0, err)
		}
	}
	return r, nil
}
