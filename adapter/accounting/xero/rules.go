package xero

import (
	"context"

	"docledger/domain/accounting"
	"docledger/domain/integration"
)

// amountDecimals is the number of decimals that the provider stores, for every currency.
const amountDecimals = 2

// Rules implements accounting.BillCreator with two requests. The later of the two lock dates
// applies: one is for all users, the other for all users except advisers.
func (c *Connector) Rules(ctx context.Context, a integration.Access) (accounting.Rules, error) {
	at, err := tenant(a)
	if err != nil {
		return accounting.Rules{}, err
	}
	o, err := c.client.Organization(ctx, at)
	if err != nil {
		return accounting.Rules{}, translate(err)
	}
	list, err := c.client.Currencies(ctx, at)
	if err != nil {
		return accounting.Rules{}, translate(err)
	}
	r := accounting.Rules{
		BaseCurrency: o.BaseCurrency, Currencies: []string{o.BaseCurrency}, HasTax: o.PaysTax, Decimals: amountDecimals,
		ClosedUntil: o.PeriodLock.Date,
	}
	if r.ClosedUntil.Before(o.EndOfYearLock.Date) {
		r.ClosedUntil = o.EndOfYearLock.Date
	}
	for _, x := range list {
		if x.Code != o.BaseCurrency {
			r.Currencies = append(r.Currencies, x.Code)
		}
	}
	return r, nil
}
