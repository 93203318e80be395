package pdftext

import (
	"slices"
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// maxExtras is the maximum number of evaluated charges and allowances. maxTogether is
// the maximum number of them between the sum of lines and the net total.
const (
	maxExtras   = 8
	maxTogether = 3
)

// grossLines converts lines with amounts that include tax into net lines, if the
// amounts add up to the gross total. If the rate of a line is unknown, its net amount
// stays empty, so that no check uses the gross amount instead.
func (v *solver) grossLines() {
	c := &v.d.content
	if v.lines == nil || c.GrossTotal == nil || !v.lines.Within(*c.GrossTotal, v.tolerance()) {
		return
	}
	if c.TaxTotal == nil || c.TaxTotal.IsZero() || c.NetTotal != nil && c.NetTotal.Within(*c.GrossTotal, v.tolerance()) {
		return
	}
	net := c.GrossTotal.Sub(*c.TaxTotal)
	var single *money.Decimal
	for _, r := range v.s.printedRates() {
		rate := money.MustParse(formatRate(r))
		if textrules.IsTaxOf(net, rate, *c.TaxTotal, v.tolerance()) {
			single = &rate
			break
		}
	}
	hundred := money.FromInt(100)
	sum := money.Decimal{}
	nets := make([]money.Decimal, len(c.Lines))
	for i := range c.Lines {
		l := &c.Lines[i]
		rate := single
		if rate == nil {
			rate = l.TaxRate
		}
		if rate == nil || l.NetAmount == nil {
			nets = nil
			break
		}
		nets[i] = l.NetAmount.Mul(hundred).Div(hundred.Add(*rate)).Round(2)
		sum = sum.Add(nets[i])
	}
	allowed := cent.Add(money.MustParse("0.005").Mul(money.FromInt(int64(len(c.Lines)))))
	if nets != nil && !sum.Within(net, allowed) {
		nets = nil
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		l.NetAmount, l.UnitPrice = nil, nil
		if nets != nil {
			amount := nets[i]
			l.NetAmount = &amount
		}
	}
	v.lines = sumOfLines(c.Lines)
}

// lineTotal records the sum of the lines if the document states one, and the
// allowances and charges between it and the net total.
func (v *solver) lineTotal() {
	c := &v.d.content
	if v.lines == nil {
		return
	}
	var subtotal *stated
	for i := range v.rows {
		r := &v.rows[i]
		if r.role != textrules.RoleSubtotal || !r.amount.showsMoney() {
			continue
		}
		if r.amount.value.Within(*v.lines, v.tolerance()) {
			subtotal = r
			break
		}
		if subtotal != nil && !subtotal.amount.value.Equal(r.amount.value) {
			subtotal = nil
			break
		}
		subtotal = r
	}
	agrees := func(total *money.Decimal) bool { return total != nil && v.lines.Within(*total, v.tolerance()) }
	from := v.lines
	if subtotal != nil && !subtotal.amount.value.Within(*v.lines, v.tolerance()) &&
		(agrees(c.NetTotal) || agrees(c.GrossTotal) || c.NetTotal != nil && v.reach(*v.lines, *c.NetTotal) != nil || v.isTotal(subtotal.amount.value)) {
		subtotal = nil // another sum has this label
	}
	if subtotal != nil {
		v.d.recordAmount("line_total", &c.LineTotal, likely, *subtotal)
		from = c.LineTotal
	}
	if c.NetTotal == nil || from.Within(*c.NetTotal, v.tolerance()) {
		return
	}
	for _, x := range v.reach(*from, *c.NetTotal) {
		amount := x.value.Abs()
		c.AllowancesCharges = append(c.AllowancesCharges, invoice.AllowanceCharge{
			IsCharge: x.charges(), Amount: &amount, Reason: shorten(x.reason()),
		})
	}
}

// isTotal reports whether a value is one of the totals.
func (v *solver) isTotal(value money.Decimal) bool {
	c := &v.d.content
	for _, total := range []*money.Decimal{c.TaxTotal, c.GrossTotal} {
		if total != nil && value.Equal(*total) {
			return true
		}
	}
	return false
}

// reason returns the label of a charge or an allowance.
func (x *sum) reason() string {
	at := x.extraAt
	if !x.unknown {
		return strings.TrimSpace(at.text[at.tokens[x.extra.From].Start:at.tokens[x.extra.To-1].End])
	}
	text := at.text
	if at == x.seg {
		text = text[:at.starts[x.amount.from]]
	}
	return strings.Trim(text, " .:_…")
}

// charges reports whether an amount is labelled as a charge. Without a known label its sign
// decides.
func (x *sum) charges() bool {
	if x.unknown {
		return x.value.Sign() > 0
	}
	return x.extra.Role == textrules.RoleCharge || x.extra.Role == textrules.RoleRounding && x.value.Sign() > 0
}

// reach returns the smallest set of charges and allowances that explains the
// difference between two amounts, or nil.
func (v *solver) reach(from, to money.Decimal) []*sum {
	want, ok := toUnits(to.Sub(from))
	if !ok || want == 0 {
		return nil
	}
	var extras []*sum
	for _, x := range v.sums {
		if x.extraAt != nil && x.units != 0 && x.label(moneyExtra) > 0 && len(extras) < maxExtras {
			extras = append(extras, x)
		}
	}
	if v.lines != nil {
		for _, x := range v.between(from, to) {
			if !slices.ContainsFunc(extras, func(o *sum) bool { return o.amount == x.amount }) {
				extras = append(extras, x) // one with a label above it is not counted twice
			}
		}
	}
	signed := func(x *sum) int64 {
		units := x.units
		if units < 0 {
			units = -units
		}
		if x.charges() {
			return units
		}
		return -units
	}
	var found []*sum
	var try func(start int, rest int64, taken []*sum)
	try = func(start int, rest int64, taken []*sum) {
		if near(rest, 0) && len(taken) > 0 && (found == nil || len(taken) < len(found)) {
			found = append([]*sum(nil), taken...)
			return
		}
		if len(taken) == maxTogether {
			return
		}
		for i := start; i < len(extras); i++ {
			try(i+1, rest-signed(extras[i]), append(taken, extras[i]))
		}
	}
	try(0, want, nil)
	return found
}
