package stripe

import (
	"strconv"
	"strings"

	"docledger/domain/money"

	sdk "github.com/stripe/stripe-go/v79"
)

// decimals lists the currencies whose smallest unit does not have two decimals, from the
// processor's documentation of currencies. The processor counts money in the smallest unit.
var decimals = map[sdk.Currency]int{
	"bif": 0, "clp": 0, "djf": 0, "gnf": 0, "jpy": 0, "kmf": 0, "krw": 0, "mga": 0,
	"pyg": 0, "rwf": 0, "vnd": 0, "vuv": 0, "xaf": 0, "xof": 0, "xpf": 0,
	"bhd": 3, "jod": 3, "kwd": 3, "omr": 3, "tnd": 3,
}

func decimalsOf(c sdk.Currency) int {
	if n, ok := decimals[sdk.Currency(strings.ToLower(string(c)))]; ok {
		return n
	}
	return 2
}

// smallest returns one smallest unit of a currency: 0.01 for most.
func smallest(c sdk.Currency) money.Decimal {
	n := decimalsOf(c)
	if n == 0 {
		return money.FromInt(1)
	}
	return money.MustParse("0." + strings.Repeat("0", n-1) + "1")
}

// amount converts an integer number of smallest units.
func amount(units int64, c sdk.Currency) money.Decimal {
	return money.FromInt(units).Mul(smallest(c))
}

// unitAmount returns a price's amount, which may have fractions of the smallest unit. It returns
// nil if the price has no single unit amount.
func unitAmount(p *sdk.Price) *money.Decimal {
	if p.BillingScheme == sdk.PriceBillingSchemeTiered || p.CustomUnitAmount != nil || p.TransformQuantity != nil {
		return nil
	}
	a := amount(p.UnitAmount, p.Currency)
	if p.UnitAmountDecimal != float64(p.UnitAmount) {
		units, err := money.Parse(strconv.FormatFloat(p.UnitAmountDecimal, 'f', -1, 64))
		if err != nil {
			return nil
		}
		a = units.Mul(smallest(p.Currency))
	}
	return &a
}

// units is the inverse of unitAmount. exact reports that n has no fraction.
func units(a money.Decimal, c sdk.Currency) (n int64, exact float64, whole bool) {
	text := a.Mul(money.FromInt(pow10(decimalsOf(c)))).String()
	exact, _ = strconv.ParseFloat(text, 64)
	integer, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(integer, 10, 64)
	return n, exact, err == nil && strings.Trim(fraction, "0") == ""
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func currency(c sdk.Currency) string { return strings.ToUpper(string(c)) }
