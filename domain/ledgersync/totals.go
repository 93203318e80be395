package ledgersync

import (
	"slices"
	"strings"

	"docledger/domain/accounting"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// totals is an invoice whose items add up to its total.
type totals struct {
	items []item
	total money.Decimal // including tax and rounding
}

// computeTotals adjusts the items and their tax to the stated totals. Documents round in different
// ways. A difference of at most a cent per item becomes a separate line, so that the bill can be
// paid exactly. A larger difference is totals_differ, because something is missing.
func computeTotals(inv *invoice.Invoice, list []item, decimals int, taxed bool) (totals, error) {
	slack := tolerance(len(list), decimals)
	net := sum(list, func(it item) money.Decimal { return it.net })
	if inv.NetTotal != nil {
		left := inv.NetTotal.Round(decimals).Sub(net)
		if left.Abs().Cmp(slack) > 0 {
			return totals{}, accounting.Refuse(accounting.CodeTotalsDiffer, "The lines total %s, the invoice states %s net.", net, inv.NetTotal)
		}
		list, net = withRounding(list, left), net.Add(left)
	}
	if err := spreadTax(inv, list, decimals, slack, taxed); err != nil {
		return totals{}, err
	}
	total := net.Add(sum(list, func(it item) money.Decimal { return it.tax }))
	if inv.GrossTotal != nil {
		left := inv.GrossTotal.Round(decimals).Sub(total)
		if left.Abs().Cmp(slack) > 0 {
			return totals{}, accounting.Refuse(accounting.CodeTotalsDiffer, "Lines and tax total %s, the invoice states %s.", total, inv.GrossTotal)
		}
		list, total = withRounding(list, left), total.Add(left)
	}
	if inv.PayableRounding != nil {
		extra := inv.PayableRounding.Round(decimals)
		list, total = withRounding(list, extra), total.Add(extra)
	}
	return totals{list, total}, nil
}

// Total returns the expected total of an invoice's bill: the gross total plus the payable rounding
// (BT-112, BT-114). It returns nil if the invoice does not state it.
func Total(inv *invoice.Invoice) *money.Decimal {
	if inv.GrossTotal == nil {
		return nil
	}
	total := *inv.GrossTotal
	if inv.PayableRounding != nil {
		total = total.Add(*inv.PayableRounding)
	}
	return &total
}

// tolerance returns one unit of the last decimal place for each item and one for the total.
func tolerance(count, decimals int) money.Decimal {
	unit := money.FromInt(1)
	for range decimals {
		unit = unit.Mul(money.MustParse("0.1"))
	}
	return unit.Mul(money.FromInt(int64(count + 1)))
}

func sum(list []item, of func(item) money.Decimal) (total money.Decimal) {
	for _, it := range list {
		total = total.Add(of(it))
	}
	return total
}

// withRounding adds an untaxed line with the account of the largest item.
func withRounding(list []item, amount money.Decimal) []item {
	if amount.IsZero() {
		return list
	}
	at := largest(list, func(item) bool { return true })
	return append(list, item{
		description: rounding, net: amount, line: -1, account: list[at].account, accountSource: list[at].accountSource,
	})
}

// untaxed are the categories that carry no tax, regardless of the stated rate (UNTDID 5305).
const untaxed = "Z E AE K G O"

// ownTax returns the tax of an item computed from its own rate.
func (it item) ownTax(decimals int) money.Decimal {
	if it.rate == nil || it.category != "" && slices.Contains(strings.Fields(untaxed), it.category) {
		return money.Decimal{}
	}
	return it.net.Mul(*it.rate).Div(money.FromInt(100)).Round(decimals)
}

// spreadTax assigns tax to every item. The tax of each rate equals the stated amount, and the sum
// equals the stated total.
func spreadTax(inv *invoice.Invoice, list []item, decimals int, slack money.Decimal, taxed bool) error {
	byRate := map[int64][]int{}
	var order []int64
	all := make([]int, len(list))
	for i := range list {
		it := &list[i]
		all[i], it.tax = i, it.ownTax(decimals)
		if key, ok := rateKey(it.rate); ok {
			if byRate[key] == nil {
				order = append(order, key)
			}
			byRate[key] = append(byRate[key], i)
		}
	}
	for _, key := range order {
		if stated, ok := statedTax(inv, key, decimals); ok {
			settle(list, byRate[key], stated, slack)
		}
	}
	if inv.TaxTotal == nil || settle(list, all, inv.TaxTotal.Round(decimals), slack) {
		return nil
	}
	if !taxed && spread(list, inv.TaxTotal.Round(decimals), decimals) {
		return nil
	}
	return accounting.Refuse(accounting.CodeTotalsDiffer, "The tax of the lines totals %s, the invoice states %s.",
		sum(list, func(it item) money.Decimal { return it.tax }), inv.TaxTotal)
}

// rateKey omits the category, because lines and breakdown often use different categories.
func rateKey(rate *money.Decimal) (key int64, ok bool) {
	if rate == nil {
		return 0, false
	}
	return rate.Fixed()
}

// statedTax sums the rows of the breakdown with a rate.
func statedTax(inv *invoice.Invoice, key int64, decimals int) (stated money.Decimal, ok bool) {
	for _, t := range inv.Taxes {
		if of, known := rateKey(t.Rate); known && of == key && t.Amount != nil {
			stated, ok = stated.Add(t.Amount.Round(decimals)), true
		}
	}
	return stated, ok
}

// spread distributes a tax total, without regard to rates, in proportion to the amounts.
func spread(list []item, total money.Decimal, decimals int) bool {
	net := sum(list, func(it item) money.Decimal { return it.net })
	at := largest(list, func(item) bool { return true })
	if net.IsZero() || at < 0 {
		return false
	}
	given := money.Decimal{}
	for i := range list {
		list[i].tax = total.Mul(list[i].net).Div(net).Round(decimals)
		given = given.Add(list[i].tax)
	}
	list[at].tax = list[at].tax.Add(total.Sub(given))
	return true
}

// settle adjusts the largest taxed item so that the tax equals a total. It changes nothing and
// returns false if the difference exceeds rounding.
func settle(list []item, which []int, total, slack money.Decimal) bool {
	have, at := money.Decimal{}, -1
	for _, i := range which {
		have = have.Add(list[i].tax)
		if list[i].rate != nil && (at < 0 || list[i].tax.Abs().Cmp(list[at].tax.Abs()) > 0) {
			at = i
		}
	}
	left := total.Sub(have)
	if left.IsZero() {
		return true
	}
	if at < 0 || left.Abs().Cmp(slack) > 0 {
		return false
	}
	list[at].tax = list[at].tax.Add(left)
	return true
}
