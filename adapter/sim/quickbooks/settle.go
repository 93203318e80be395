package quickbooks

import (
	"github.com/shopspring/decimal"
)

const cents = 2

// settle computes the amounts of a document with valid lines: one amount per tax rate, rounded
// once.
func (b *book) settle(kind string, fields object) {
	net, bases, order := decimal.Zero, map[string]decimal.Decimal{}, []string{}
	how := str(fields["GlobalTaxCalculation"])
	if how == "" && b.taxed() {
		how = excluded
		fields["GlobalTaxCalculation"] = how
	}
	for _, one := range fields["Line"].([]any) {
		line := one.(object)
		detail := line["AccountBasedExpenseLineDetail"].(object)
		value := number(str(line["Amount"]))
		given := decimal.RequireFromString(value.String()).Round(cents)
		code := ""
		if how == excluded || how == inclusive {
			code = str(detail["TaxCodeRef"])
		}
		if how == inclusive {
			detail["TaxInclusiveAmt"] = amount(given)
			given = given.Div(b.rateOf(code).Add(decimal.NewFromInt(1))).Round(cents)
		}
		line["Amount"] = amount(given)
		net = net.Add(given)
		if code != "" {
			if _, seen := bases[code]; !seen {
				order = append(order, code)
			}
			bases[code] = bases[code].Add(given)
		}
	}
	total := net
	if b.taxed() {
		tax, lines := b.taxOn(order, bases)
		total = net.Add(tax)
		fields["TxnTaxDetail"] = object{"TotalTax": amount(tax), "TaxLine": lines}
	}
	fields["TotalAmt"] = amount(total)
	if kind == "Bill" {
		fields["Balance"] = amount(total)
	}
}

// taxOn computes the tax of each rate of each code.
func (b *book) taxOn(codes []string, bases map[string]decimal.Decimal) (total decimal.Decimal, lines []any) {
	lines = []any{}
	for _, id := range codes {
		for _, one := range ratesOf(b.tables["TaxCode"].byID[id]) {
			rate := b.tables["TaxRate"].byID[str(one.(object)["TaxRateRef"])]
			percent := decimal.RequireFromString(str(rate.fields["RateValue"]))
			tax := bases[id].Mul(percent).Shift(-2).Round(cents)
			total = total.Add(tax)
			lines = append(lines, object{"Amount": amount(tax), "DetailType": "TaxLineDetail", "TaxLineDetail": object{
				"TaxRateRef": object{"value": rate.key()}, "PercentBased": true, "TaxPercent": amount(percent), "NetAmountTaxable": amount(bases[id]),
			}})
		}
	}
	return total, lines
}

// rateOf is the total purchase rate of a tax code as a fraction.
func (b *book) rateOf(id string) (sum decimal.Decimal) {
	code := b.tables["TaxCode"].byID[id]
	if code == nil {
		return sum
	}
	for _, one := range ratesOf(code) {
		rate := b.tables["TaxRate"].byID[str(one.(object)["TaxRateRef"])]
		sum = sum.Add(decimal.RequireFromString(str(rate.fields["RateValue"])).Shift(-2))
	}
	return sum
}
