package ledgersync

import (
	"fmt"

	"docledger/domain/invoice"
	"docledger/domain/money"
)

// item becomes one line of the bill. It is a line of the invoice, or an allowance or charge on the
// whole invoice.
type item struct {
	description string
	quantity    *money.Decimal
	unitPrice   *money.Decimal // of one unit
	net         money.Decimal
	rate        *money.Decimal // percent, as stated
	category    string
	line        int // the index in the invoice; -1 if it is not an invoice line

	account       string
	accountSource invoice.CodingSource
	taxRate       string
	taxSource     invoice.CodingSource
	tax           money.Decimal
}

// items returns the parts of an invoice's net total. Without lines, the parts are the rows of the
// tax breakdown, or one item.
func items(inv *invoice.Invoice, decimals int) []item {
	list := lineItems(inv, decimals)
	if len(list) == 0 {
		return totalItems(inv, decimals)
	}
	for _, a := range inv.AllowancesCharges {
		if a.Amount == nil {
			continue
		}
		it := item{description: a.Reason, net: a.Amount.Round(decimals), rate: a.TaxRate, category: a.TaxCategory, line: -1}
		if it.description == "" {
			it.description = "Charge"
		}
		if !a.IsCharge {
			it.net = it.net.Neg()
			if a.Reason == "" {
				it.description = "Allowance"
			}
		}
		list = append(list, it)
	}
	if len(inv.Taxes) == 1 {
		// If there is one tax row, the lines need not repeat it.
		for i := range list {
			if list[i].rate == nil {
				list[i].rate, list[i].category = inv.Taxes[0].Rate, inv.Taxes[0].Category
			}
		}
	}
	return list
}

func lineItems(inv *invoice.Invoice, decimals int) (list []item) {
	for i, l := range inv.Lines {
		net := l.NetAmount
		if net == nil {
			if net = priced(l); net == nil {
				continue // a line with text only
			}
		}
		it := item{
			description: l.Description, net: net.Round(decimals), rate: l.TaxRate, category: l.TaxCategory, line: i,
			account: l.AccountID, accountSource: l.AccountSource, taxRate: l.TaxRateID, taxSource: l.TaxSource,
		}
		if it.description == "" {
			it.description = fmt.Sprintf("Line %d", l.Position)
		}
		if price := unitPrice(l); price != nil && l.Quantity.Mul(*price).Round(decimals).Equal(it.net) {
			it.quantity, it.unitPrice = l.Quantity, price
		}
		list = append(list, it)
	}
	return list
}

// unitPrice returns the price of one unit if price and quantity are stated.
func unitPrice(l invoice.Line) *money.Decimal {
	if l.Quantity == nil || l.UnitPrice == nil || l.Quantity.IsZero() {
		return nil
	}
	price := *l.UnitPrice
	if l.PriceBase != nil && !l.PriceBase.IsZero() {
		price = price.Div(*l.PriceBase)
	}
	return &price
}

func priced(l invoice.Line) *money.Decimal {
	price := unitPrice(l)
	if price == nil {
		return nil
	}
	net := l.Quantity.Mul(*price)
	return &net
}

func totalItems(inv *invoice.Invoice, decimals int) (list []item) {
	for _, t := range inv.Taxes {
		if t.Base != nil {
			list = append(list, item{description: "Invoice " + inv.Number, net: t.Base.Round(decimals), rate: t.Rate, category: t.Category, line: -1})
		}
	}
	if len(list) > 0 {
		return list
	}
	net := inv.NetTotal
	if net == nil {
		net = inv.GrossTotal
	}
	if net == nil {
		return nil
	}
	return []item{{description: "Invoice " + inv.Number, net: net.Round(decimals), line: -1}}
}

// largest returns the index of the item with the largest amount.
func largest(list []item, among func(item) bool) int {
	at := -1
	for i, it := range list {
		if among(it) && (at < 0 || it.net.Abs().Cmp(list[at].net.Abs()) > 0) {
			at = i
		}
	}
	return at
}
