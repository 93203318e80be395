package pdftext

import (
	"slices"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// solver selects totals from the labelled amounts by arithmetic.
type solver struct {
	s     *parsedDocument
	d     *draft
	rows  []stated
	taxes []stated
	sums  []*sum
	lines *money.Decimal // sum of the lines' amounts; nil if an amount is missing
}

// computedIndex marks candidates that are not printed as a single amount.
const computedIndex = -1

// readTotals reads the totals and the tax breakdown.
func (s *parsedDocument) readTotals(d *draft, sums *totals, t *table) {
	v := &solver{s: s, d: d, rows: withoutCarried(sums.rows, d.content.Lines)}
	v.lines = sumOfLines(d.content.Lines)
	v.taxes = v.taxRows()
	net, tax, gross := v.net(), v.tax(), v.gross()
	triple, contested, ok := textrules.Solve(net, tax, gross, v.tolerance())
	if ok {
		v.settle(triple, contested)
	} else {
		v.settleApart(net, tax, gross)
	}
	v.rank()
	v.grossLines()
	v.lineTotal()
	v.due()
	v.breakdown()
}

// withoutCarried drops an amount labelled as a charge that equals the sum of the
// preceding lines: "transport" means freight in some languages and a sum carried over
// to the next page in others.
func withoutCarried(rows []stated, lines []invoice.Line) []stated {
	const few = 2 // freight may cost as much as the first line
	var sum money.Decimal
	var carried []money.Decimal
	for i := range lines {
		if lines[i].NetAmount == nil {
			break
		}
		if sum = sum.Add(*lines[i].NetAmount); i+1 >= few && i+1 < len(lines) {
			carried = append(carried, sum)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r stated) bool {
		return r.role == textrules.RoleCharge && slices.ContainsFunc(carried, r.amount.value.Equal)
	})
}

func sumOfLines(lines []invoice.Line) *money.Decimal {
	if len(lines) == 0 {
		return nil
	}
	sum := money.Decimal{}
	for i := range lines {
		if lines[i].NetAmount == nil {
			return nil
		}
		sum = sum.Add(*lines[i].NetAmount)
	}
	return &sum
}

func (v *solver) tolerance() money.Decimal {
	if textrules.WholeUnits(v.s.currency) {
		return money.FromInt(1)
	}
	return cent
}

// taxRows returns the taxes by rate without duplicates.
func (v *solver) taxRows() []stated {
	var out []stated
	for _, r := range v.rows {
		if r.role != textrules.RoleTax {
			continue
		}
		if !slices.ContainsFunc(out, func(o stated) bool {
			same := o.amount.value.Equal(r.amount.value) && sameRate(o.rate, r.rate)
			return same && (o.label == r.label || o.label == "" || r.label == "" || o.amount == r.amount)
		}) {
			out = append(out, r)
		}
	}
	return out
}

func sameRate(a, b *money.Decimal) bool {
	if a == nil || b == nil {
		return true
	}
	return a.Equal(*b)
}

func (v *solver) candidates(weights map[textrules.Role]float64) []textrules.Candidate {
	var out []textrules.Candidate
	for i, r := range v.rows {
		w := weights[r.role]
		if w == 0 {
			continue
		}
		if r.weak {
			w *= 0.8
		}
		out = append(out, textrules.Candidate{Value: r.amount.value, Weight: w, Index: i})
		for _, other := range r.amount.alternatives {
			out = append(out, textrules.Candidate{Value: other, Weight: w * 0.9, Index: i})
		}
	}
	return out
}

func (v *solver) net() []textrules.Candidate {
	out := v.candidates(map[textrules.Role]float64{textrules.RoleNet: 1, textrules.RoleSubtotal: 0.7})
	add := func(value money.Decimal, weight float64) {
		out = append(out, textrules.Candidate{Value: value, Weight: weight, Index: computedIndex})
	}
	if base, ok := v.bases(); ok {
		add(base, 0.5)
	}
	if v.lines != nil {
		add(*v.lines, 0.5)
		add(v.adjusted(*v.lines), 0.4)
	}
	return out
}

// bases returns the sum of the taxable amounts of the tax rows.
func (v *solver) bases() (money.Decimal, bool) {
	sum := money.Decimal{}
	for _, r := range v.taxes {
		if r.base == nil {
			return sum, false
		}
		sum = sum.Add(r.base.value)
	}
	return sum, len(v.taxes) > 0
}

// adjusted returns the sum of the lines less allowances and plus charges.
func (v *solver) adjusted(sum money.Decimal) money.Decimal {
	for _, r := range v.rows {
		switch r.role {
		case textrules.RoleAllowance:
			sum = sum.Sub(r.amount.value.Abs())
		case textrules.RoleCharge:
			sum = sum.Add(r.amount.value.Abs())
		}
	}
	return sum
}

func (v *solver) tax() []textrules.Candidate {
	out := v.candidates(map[textrules.Role]float64{textrules.RoleTaxTotal: 1, textrules.RoleTax: 0.6})
	if len(v.taxes) == 1 {
		for i := range out {
			out[i].Weight = max(out[i].Weight, 0.9)
		}
	}
	if len(v.taxes) > 1 {
		sum := money.Decimal{}
		for _, r := range v.taxes {
			sum = sum.Add(r.amount.value)
		}
		out = append(out, textrules.Candidate{Value: sum, Weight: 0.8, Index: computedIndex})
	}
	return out
}

func (v *solver) gross() []textrules.Candidate {
	return v.candidates(map[textrules.Role]float64{textrules.RoleGross: 1, textrules.RoleTotal: 0.8, textrules.RoleDue: 0.75})
}

// settle uses totals that add up.
func (v *solver) settle(t textrules.Triple, contested bool) {
	c := &v.d.content
	confidence := sure
	if contested {
		confidence = doubtful
	}
	if t.Gross.Index >= 0 {
		v.take("gross_total", &c.GrossTotal, t.Gross, confidence)
	}
	if t.Tax.Index >= 0 {
		v.take("tax_total", &c.TaxTotal, t.Tax, confidence)
	} else {
		sum := t.Tax.Value
		c.TaxTotal = &sum
		v.d.computed("tax_total", confidence, "sum of the taxes by rate")
	}
	if other, ok := v.contradicts(t.Net); ok {
		// The printed value is kept. A check reports that it does not add up.
		v.d.recordAmount("net_total", &c.NetTotal, doubtful, other)
	} else if t.Net.Index >= 0 {
		v.take("net_total", &c.NetTotal, t.Net, confidence)
	} else if row, ok := v.printed(t.Net.Value, t.Gross.Index, t.Tax.Index); ok {
		v.d.recordAmount("net_total", &c.NetTotal, confidence, row)
	} else if base, ok := v.bases(); ok && base.Equal(t.Net.Value) {
		c.NetTotal = &base
		v.d.computed("net_total", confidence, "sum of the taxable amounts")
	}
}

// contradicts returns the amount labelled as the net total if it differs from the
// amount that arithmetic requires.
func (v *solver) contradicts(net textrules.Candidate) (stated, bool) {
	var other stated
	for i, r := range v.rows {
		if r.role != textrules.RoleNet || r.weak {
			continue
		}
		if i == net.Index || r.amount.value.Within(net.Value, v.tolerance()) {
			return stated{}, false
		}
		other = r
	}
	return other, other.amount != nil
}

// take records a total from the candidate that arithmetic selected. The candidate
// also selects one of several interpretations.
func (v *solver) take(path string, to **money.Decimal, c textrules.Candidate, confidence float64) {
	row := v.rows[c.Index]
	value := c.Value
	*to = &value
	v.d.recordEvidence(path, confidence, row.seg, row.amount.from, row.amount.to)
}

// printed finds an amount of the totals with a value.
func (v *solver) printed(value money.Decimal, except ...int) (stated, bool) {
	for i, r := range v.rows {
		if slices.Contains(except, i) {
			continue
		}
		switch r.role {
		case textrules.RoleNet, textrules.RoleSubtotal, textrules.RoleTotal, textrules.RoleGross:
			if r.amount.value.Equal(value) {
				return r, true
			}
		}
	}
	return stated{}, false
}

// settleApart records totals that do not add up, or that are incomplete, each by its
// label.
func (v *solver) settleApart(net, tax, gross []textrules.Candidate) {
	c := &v.d.content
	if g, alone, ok := heaviest(gross); ok {
		v.take("gross_total", &c.GrossTotal, g, v.alone(g, alone, len(net)+len(tax) > 0))
		v.mark("gross_total", gross, g)
	}
	stated := slices.DeleteFunc(slices.Clone(tax), func(t textrules.Candidate) bool { return t.Index == computedIndex })
	if t, alone, ok := heaviest(stated); ok && (alone || t.Weight >= 1) {
		v.take("tax_total", &c.TaxTotal, t, probable)
	}
	labelled := slices.DeleteFunc(slices.Clone(net), func(n textrules.Candidate) bool {
		return n.Index == computedIndex || v.rows[n.Index].role == textrules.RoleSubtotal && !v.fromLines(n.Value)
	})
	if n, _, ok := heaviest(labelled); ok {
		v.take("net_total", &c.NetTotal, n, probable)
	}
}

// fromLines reports whether a value is the sum of the lines, with or without the
// allowances and charges of the document.
func (v *solver) fromLines(value money.Decimal) bool {
	return v.lines != nil && (value.Equal(*v.lines) || value.Within(v.adjusted(*v.lines), v.tolerance()))
}

// alone returns the confidence of a gross total that net total and tax do not
// confirm.
func (v *solver) alone(g textrules.Candidate, alone, others bool) float64 {
	row := v.rows[g.Index]
	switch {
	case len(row.amount.alternatives) > 0 && !textrules.WholeUnits(v.s.currency):
		return open
	case !alone:
		return doubtful
	case v.lines != nil && v.lines.Within(g.Value, v.tolerance()):
		return sure
	case v.lines != nil && v.adjusted(*v.lines).Within(g.Value, v.tolerance()):
		return likely
	case others || v.lines != nil:
		return doubtful
	case row.role == textrules.RoleTotal:
		return doubtful
	}
	return probable
}

// mark adds the alternative values of a total.
func (v *solver) mark(path string, all []textrules.Candidate, chosen textrules.Candidate) {
	e := v.d.fields[path]
	for _, c := range all {
		if !c.Value.Equal(chosen.Value) {
			e.Alternatives = appendNew(e.Alternatives, c.Value.String())
		}
	}
	v.d.fields[path] = e
}

// heaviest returns the candidate with the greatest weight; alone reports that no
// other value has about the same weight.
func heaviest(all []textrules.Candidate) (best textrules.Candidate, alone, ok bool) {
	for _, c := range all {
		if !ok || c.Weight > best.Weight {
			best, ok = c, true
		}
	}
	alone = true
	for _, c := range all {
		if !c.Value.Equal(best.Value) && c.Weight > best.Weight-0.3 {
			alone = false
		}
	}
	return best, alone, ok
}

// due reads the amount due and the amounts paid before.
func (v *solver) due() {
	c := &v.d.content
	dues := v.candidates(map[textrules.Role]float64{textrules.RoleDue: 1})
	dues = slices.DeleteFunc(dues, func(c textrules.Candidate) bool {
		r := &v.rows[c.Index]
		return !v.s.maybeMoney(r.amount) || r.seg.isDiscountTerm() || v.isSettled(r)
	})
	d, alone, ok := heaviest(dues)
	v.rounding()
	if c.PayableRounding != nil {
		return
	}
	if rest, paid := v.remainder(); rest != nil && (!ok || !d.Value.Equal(rest.value)) {
		// The rows below the gross total reduce it. Their labels are unknown.
		confidence := min(v.d.fields["gross_total"].Confidence, probable)
		if ok && !d.Value.Equal(*c.GrossTotal) {
			confidence = min(confidence, contestedConfidence) // another amount has the label
		}
		if slices.ContainsFunc(v.s.lines[rest.seg.line].segments, func(o *segment) bool { return len(o.dates) > 0 }) {
			confidence = min(confidence, contestedConfidence) // can be the amount of an early payment
		}
		c.AmountDue, c.PrepaidTotal = &rest.value, &paid
		v.d.computed("prepaid_total", confidence, "payments below the gross total")
		v.d.recordEvidence("amount_due", confidence, rest.seg, rest.amount.from, rest.amount.to, c.GrossTotal.String())
		return
	}
	if !ok {
		return
	}
	confidence := doubtful
	g := c.GrossTotal
	if g != nil {
		for i, r := range v.rows {
			switch r.role {
			case textrules.RolePrepaid:
				if g.Sub(r.amount.value.Abs()).Within(d.Value, v.tolerance()) && !r.amount.value.IsZero() {
					v.take("prepaid_total", &c.PrepaidTotal, textrules.Candidate{Value: r.amount.value.Abs(), Index: i}, sure)
					confidence = sure
				}
			case textrules.RolePrevious:
				if g.Add(r.amount.value).Within(d.Value, v.tolerance()) {
					confidence = sure
				}
			}
		}
		if g.Equal(d.Value) {
			confidence = v.d.fields["gross_total"].Confidence
		} else if confidence == doubtful && (v.paidElsewhere(g.Sub(d.Value)) || v.paidTogether(g.Sub(d.Value))) {
			confidence = likely
		}
	}
	if !alone || v.unexplainedPayment() {
		confidence = min(confidence, doubtful)
	}
	v.take("amount_due", &c.AmountDue, d, confidence)
}

// paidElsewhere reports whether a payment of that amount is printed outside the table
// of lines.
func (v *solver) paidElsewhere(paid money.Decimal) bool {
	if paid.Sign() <= 0 {
		return false
	}
	for _, seg := range v.s.segments {
		for i := range seg.amounts {
			if !seg.used && seg.amounts[i].isMoney() && seg.amounts[i].value.Abs().Equal(paid) {
				v.d.content.PrepaidTotal = &paid
				v.d.recordEvidence("prepaid_total", likely, seg, seg.amounts[i].from, seg.amounts[i].to)
				return true
			}
		}
	}
	return false
}

// strange reports whether no line has the rate of a tax, although all lines state
// their rates.
func (v *solver) strange(rate money.Decimal) bool {
	lines := v.d.content.Lines
	for i := range lines {
		if lines[i].TaxRate == nil || lines[i].TaxRate.Equal(rate) {
			return false
		}
	}
	return len(lines) > 0 && !rate.IsZero()
}

// taxed reports whether a tax is the net total, or its own base, multiplied by its rate:
// then the rates of the lines were not recognized.
func (v *solver) taxed(r *stated) bool {
	base := v.d.content.NetTotal
	if r.base != nil {
		base = &r.base.value
	}
	return base != nil && textrules.IsTaxOf(*base, *r.rate, r.amount.value, v.tolerance())
}

// lower limits the confidence of a value.
func (v *solver) lower(path string, confidence float64) {
	if e, ok := v.d.fields[path]; ok {
		e.Confidence = min(e.Confidence, confidence)
		v.d.fields[path] = e
	}
}

// baseOfLines returns the sum of the lines with a rate. ok is false if the lines do
// not state their rates or do not add up to the net total.
func (v *solver) baseOfLines(rate money.Decimal) (money.Decimal, bool) {
	c := &v.d.content
	if v.lines == nil || c.NetTotal == nil || !v.lines.Within(*c.NetTotal, v.tolerance()) {
		return money.Decimal{}, false
	}
	sum := money.Decimal{}
	for i := range c.Lines {
		if c.Lines[i].TaxRate == nil {
			return sum, false
		}
		if c.Lines[i].TaxRate.Equal(rate) {
			sum = sum.Add(*c.Lines[i].NetAmount)
		}
	}
	return sum, true
}

// breakdown records the taxes by rate if they add up to the tax total.
func (v *solver) breakdown() {
	c := &v.d.content
	if c.TaxTotal == nil {
		return
	}
	sum := money.Decimal{}
	for _, r := range v.taxes {
		if r.rate == nil {
			return
		}
		sum = sum.Add(r.amount.value)
		if v.strange(*r.rate) && !v.taxed(&r) {
			v.lower("tax_total", doubtful)
		}
	}
	if len(v.taxes) == 0 || !sum.Within(*c.TaxTotal, cent) {
		return
	}
	for i, r := range v.taxes {
		amount := r.amount.value
		row := invoice.Tax{Rate: r.rate, Amount: &amount}
		if r.base != nil {
			base := r.base.value
			row.Base = &base
		} else if base, ok := v.baseOfLines(*r.rate); ok {
			row.Base = &base
		} else if len(v.taxes) == 1 && c.NetTotal != nil {
			if row.Base = c.NetTotal; v.taxesLines(&r) {
				row.Base = v.lines // the charges are not taxed
			}
		}
		c.Taxes = append(c.Taxes, row)
		v.d.recordEvidence(taxPath(i), likely, r.seg, r.amount.from, r.amount.to)
	}
}
