package pdftext

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// rank selects the best combination of net total, tax total and gross total that
// arithmetic allows. The result of the labels alone is one of the features.
func (v *solver) rank() {
	s, c := v.s, &v.d.content
	all := s.sums()
	v.sums = all
	tolerance := int64(unitsAmount / 50)
	if s.wholeUnits() {
		tolerance = unitsAmount
	}
	combos := s.combinations(all, v.taxes, tolerance)
	if len(combos) == 0 {
		return
	}
	choices := s.totalsCandidates(all, combos, v.lines, [3]*money.Decimal{c.NetTotal, c.TaxTotal, c.GrossTotal}, s.printedRates(), s.training != nil)
	s.traced(rankTotals, choices)
	m := models()[rankTotals]
	if m == nil {
		return
	}
	best, confidence, others := m.best(choices, asStated)
	chosen, confidence := v.agreed(combos, int(best.weight), confidence)
	if chosen != &combos[int(best.weight)] {
		others = append([]*candidate{best}, others...)
	}
	if confidence < 0.05 {
		// Only the labels decide; no other evidence confirms them.
		for _, path := range []string{"net_total", "tax_total", "gross_total"} {
			v.lower(path, doubtful)
		}
		return
	}
	ruled, evidence := c.NetTotal, v.d.fields["net_total"]
	closes := v.closes(chosen)
	if closes || confidence > 0.5 && v.linesAre(chosen) || confidence > least && v.proved(chosen) || confidence > doubtful && v.onlyTotal(all, chosen) {
		confidence = max(confidence, probable)
	}
	confidence = min(confidence, s.contradicted(all, chosen))
	if closes {
		chosen = v.withTaxes(chosen)
	}
	if t := chosen.tax; t != nil && !t.zero && t.seg != nil && t.label(moneyTax) == 0 && len(v.s.printedRates()) == 0 {
		confidence = min(confidence, doubtful) // it can be a charge
	}
	if chosen.net == nil && !closes && !v.linesExplain(chosen) {
		confidence = min(confidence, doubtful)
	}
	c.NetTotal, c.TaxTotal, c.GrossTotal = nil, nil, nil
	for _, path := range []string{"net_total", "tax_total", "gross_total"} {
		delete(v.d.fields, path)
	}
	paths := []string{"net_total", "tax_total", "gross_total"}
	for i, part := range []struct {
		to **money.Decimal
		x  *sum
	}{{&c.NetTotal, chosen.net}, {&c.TaxTotal, chosen.tax}, {&c.GrossTotal, chosen.gross}} {
		if part.x == nil {
			if part.x = s.labelledPart(all, i, chosen); part.x == nil {
				continue
			}
			confidence := min(confidence, doubtful)
			value := part.x.value
			*part.to = &value
			v.d.recordEvidence(paths[i], confidence, part.x.seg, part.x.amount.from, part.x.amount.to)
			continue
		}
		value := part.x.value
		*part.to = &value
		var alternatives []string
		if confidence < likely {
			for _, o := range others {
				var values [3]string
				if o.p > 0.05 && json.Unmarshal([]byte(o.value), &values) == nil && values[i] != "" && values[i] != value.String() {
					alternatives = appendNew(alternatives, values[i])
				}
			}
		}
		if part.x.seg == nil {
			v.d.computed(paths[i], round(confidence), "sum of the taxes by rate")
			continue
		}
		v.d.recordEvidence(paths[i], confidence, part.x.seg, part.x.amount.from, part.x.amount.to, alternatives...)
	}
	v.keepNet(ruled, evidence, confidence)
	v.computeNet(confidence)
}

// linesAre reports whether the amounts of the lines alone add up to the printed net total of
// a combination: evidence that the ranker does not have.
func (v *solver) linesAre(chosen *combination) bool {
	return v.lines != nil && chosen.net != nil && v.lines.Within(chosen.net.value, v.tolerance())
}

// proved reports whether two equations with printed amounts confirm a combination: the
// tax is the net total multiplied by a printed rate, and the lines with the labelled
// charges and allowances add up to the net total or, with prices that include the tax,
// to the gross total.
func (v *solver) proved(chosen *combination) bool {
	if v.lines == nil || chosen.tax == nil || chosen.tax.zero && chosen.tax.label(moneyTax) < 0.5 {
		return false
	}
	tolerance, hundred := v.tolerance(), money.FromInt(100)
	net := chosen.gross.value.Sub(chosen.tax.value)
	if chosen.net != nil {
		net = chosen.net.value
	}
	fits := func(sum money.Decimal) bool {
		return sum.Within(net, tolerance) || sum.Within(chosen.gross.value, tolerance)
	}
	if !fits(*v.lines) && !fits(v.adjusted(*v.lines)) {
		return false
	}
	for _, r := range v.s.printedRates() {
		rate, err := money.Parse(formatRate(r))
		if err == nil && net.Mul(rate).Div(hundred).Within(chosen.tax.value, tolerance) {
			return true
		}
	}
	return v.taxTable(net, chosen.tax.value)
}

// taxTable reports whether the taxes by rate are complete: each is its base multiplied
// by its rate, and bases and taxes add up to the totals.
func (v *solver) taxTable(net, tax money.Decimal) bool {
	bases, taxes := money.Decimal{}, money.Decimal{}
	for _, r := range v.taxes {
		if r.base == nil || r.rate == nil || !r.base.value.Mul(*r.rate).Div(money.FromInt(100)).Within(r.amount.value, v.tolerance()) {
			return false
		}
		bases, taxes = bases.Add(r.base.value), taxes.Add(r.amount.value)
	}
	return len(v.taxes) > 0 && bases.Within(net, v.tolerance()) && taxes.Within(tax, v.tolerance())
}

// onlyTotal reports whether a combination is the total of a document without tax: the
// lines add up to it, it has the label of a gross total, and no total is larger.
func (v *solver) onlyTotal(all []*sum, chosen *combination) bool {
	return chosen.net == nil && chosen.tax == nil && v.lines != nil && v.lines.Within(chosen.gross.value, v.tolerance()) &&
		chosen.gross.label(moneyGross) >= 0.8 && chosen.gross.count > 1 &&
		!slices.ContainsFunc(all, func(x *sum) bool {
			return x.units > chosen.gross.units && (x.currency || x.value.Decimals() == 2 || v.s.wholeUnits())
		})
}

// computeNet computes a net total that is not printed, if the lines with the charges
// and allowances, and the gross total less the tax, give the same amount.
func (v *solver) computeNet(confidence float64) {
	c := &v.d.content
	if c.NetTotal != nil || c.GrossTotal == nil || v.lines == nil {
		return
	}
	net := *c.GrossTotal
	if c.TaxTotal != nil {
		net = net.Sub(*c.TaxTotal)
	}
	if c.TaxTotal == nil && v.s.mentionsTax() {
		return
	}
	if v.reach(*v.lines, net) != nil {
		c.NetTotal = &net
		v.d.computed("net_total", round(confidence), "lines with charges and allowances")
		return
	}
	if c.TaxTotal == nil || c.TaxTotal.IsZero() || v.lines.Within(*c.GrossTotal, v.tolerance()) || v.reach(*v.lines, *c.GrossTotal) != nil {
		return
	}
	if seg, a := v.s.printsBelow(net); seg != nil {
		c.NetTotal = &net
		v.d.recordEvidence("net_total", confidence, seg, a.from, a.to)
	}
}

// printsBelow returns an amount that is printed below the lines.
func (s *parsedDocument) printsBelow(value money.Decimal) (*segment, *amount) {
	for i := len(s.segments) - 1; i >= 0 && !s.segments[i].used; i-- {
		seg := s.segments[i]
		for k := range seg.amounts {
			if a := &seg.amounts[k]; a.isMoney() && a.value.Equal(value) {
				return seg, a
			}
		}
	}
	return nil, nil
}

// mentionsTax reports whether the document has a label of a tax or of a total with
// tax. Then its amounts can include a tax that no total states.
func (s *parsedDocument) mentionsTax() bool {
	return slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return hasRole(seg, textrules.RoleTax, textrules.RoleTaxTotal, textrules.RoleGross)
	})
}

// keepNet keeps the labelled net total if the selected combination has none and the
// net total explains the gross total.
func (v *solver) keepNet(ruled *money.Decimal, evidence invoice.Evidence, confidence float64) {
	c := &v.d.content
	if c.NetTotal != nil || ruled == nil || c.GrossTotal == nil {
		return
	}
	sum := *ruled
	if c.TaxTotal != nil {
		sum = sum.Add(*c.TaxTotal)
	}
	if !sum.Within(*c.GrossTotal, v.tolerance()) {
		return
	}
	c.NetTotal = ruled
	evidence.Confidence = round(min(confidence, evidence.Confidence))
	v.d.fields["net_total"] = evidence
}

func (s *parsedDocument) wholeUnits() bool { return textrules.WholeUnits(s.currency) }

// contradicted returns the maximum confidence of selected totals. A review is
// required if an amount labelled as the gross or net total differs from the selected
// one and is not explained by it.
func (s *parsedDocument) contradicted(all []*sum, chosen *combination) float64 {
	alone, g := chosen.net == nil && chosen.tax == nil, chosen.gross
	subtotal := g.rowLabel(moneySubtotal) >= 1 && max(g.label(moneyGross), g.label(moneyTotal), g.label(moneyDue)) < 0.5
	for _, x := range all {
		if x == chosen.gross || x == chosen.net || x == chosen.tax || x.units == 0 || x.seg.isProse() {
			continue
		}
		if alone && x.rowLabel(moneySubtotal) >= 1 && !s.explains(all, x.units-g.units) ||
			subtotal && max(x.rowLabel(moneyGross), x.rowLabel(moneyTotal)) >= 0.8 {
			return doubtful
		}
		for _, part := range []struct {
			group  moneyGroup
			chosen *sum
		}{{moneyGross, chosen.gross}, {moneyNet, chosen.net}} {
			if part.chosen == nil || x.rowLabel(part.group) < 1 {
				continue
			}
			if !s.explains(all, x.units-part.chosen.units) {
				return doubtful
			}
		}
	}
	return 1
}

// nextSentence matches the end of a sentence and the beginning of the next one.
var nextSentence = textrules.MustPattern(`\. \p{Lu}`)

// isProse reports whether a segment is a sentence. An amount in it is mentioned, but is
// no row of the totals.
func (seg *segment) isProse() bool {
	const few, many = 3, 6
	words := 0
	for _, w := range seg.words {
		if strings.ContainsFunc(w.text, unicode.IsLetter) && textrules.Currencies(w.text) == nil {
			words++
		}
	}
	return words > many || words > few && strings.HasSuffix(seg.text, ".") && nextSentence.MatchString(seg.text)
}

// explains reports whether a difference is an amount labelled as rounding, a payment
// or another change of totals.
func (s *parsedDocument) explains(all []*sum, rest int64) bool {
	if rest > -unitsAmount/10 && rest < unitsAmount/10 {
		return true // cash rounding
	}
	for _, x := range all {
		if x.units == rest || x.units == -rest {
			return true
		}
	}
	return false
}

// labelledPart returns the unambiguously labelled part of the totals that the
// selected combination omits. A stated value must be shown, and the checks report
// that it does not add up.
func (s *parsedDocument) labelledPart(all []*sum, part int, chosen *combination) *sum {
	group := []moneyGroup{moneyNet, moneyTax, moneyGross}[part]
	var found *sum
	for _, x := range all {
		strength := x.rowLabel(group)
		if strength < 0.5 || x == chosen.gross || x == chosen.net || x == chosen.tax {
			continue
		}
		for g := range moneyGroups {
			if g != group && x.rowLabel(g) >= strength {
				strength = 0
			}
		}
		if strength == 0 {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	return found
}

// linesExplain reports whether the lines explain a gross total without a net total:
// they add up to it with their taxes, the stated tax, a printed rate, or charges.
func (v *solver) linesExplain(chosen *combination) bool {
	if v.lines == nil {
		return true
	}
	gross := chosen.gross.value
	allowed := v.tolerance().Add(money.MustParse("0.01").Mul(money.FromInt(int64(len(v.d.content.Lines)))))
	within := func(sum money.Decimal) bool { return sum.Within(gross, allowed) }
	if within(*v.lines) || v.reach(*v.lines, gross) != nil {
		return true
	}
	if chosen.tax != nil && (within(v.lines.Add(chosen.tax.value)) || v.reach(v.lines.Add(chosen.tax.value), gross) != nil) {
		return true
	}
	hundred := money.FromInt(100)
	taxed := money.Decimal{}
	for i := range v.d.content.Lines {
		l := &v.d.content.Lines[i]
		if l.TaxRate == nil || l.NetAmount == nil {
			return false
		}
		taxed = taxed.Add(l.NetAmount.Mul(hundred.Add(*l.TaxRate)).Div(hundred))
	}
	return within(taxed)
}
