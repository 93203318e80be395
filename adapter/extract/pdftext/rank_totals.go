package pdftext

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

const (
	// maxSums is the maximum number of different amounts in the search for totals.
	maxSums = 48
	// maxCombinations is the maximum number of ranked combinations of totals.
	maxCombinations = 240
	// maxTaxRows is the maximum number of taxes by rate that are added.
	maxTaxRows = 6
	// unitsAmount is the number of search units in one currency unit.
	unitsAmount = 10_000
)

// moneyGroup is the meaning of an amount's label for the totals.
type moneyGroup int

const (
	moneyNet moneyGroup = iota
	moneySubtotal
	moneyTax
	moneyGross
	moneyTotal
	moneyDue
	moneyPaid // paid before, withheld or carried over: not part of the invoice's totals
	moneyExtra
	moneyGroups
)

var moneyNames = [moneyGroups]string{"net", "subtotal", "tax", "gross", "total", "due", "paid", "extra"}

func moneyGroupOf(r textrules.Role) (moneyGroup, bool) {
	switch r {
	case textrules.RoleNet:
		return moneyNet, true
	case textrules.RoleSubtotal:
		return moneySubtotal, true
	case textrules.RoleTax, textrules.RoleTaxTotal:
		return moneyTax, true
	case textrules.RoleGross:
		return moneyGross, true
	case textrules.RoleTotal:
		return moneyTotal, true
	case textrules.RoleDue:
		return moneyDue, true
	case textrules.RolePrepaid, textrules.RolePrevious, textrules.RoleWithheld, textrules.RoleCarried:
		return moneyPaid, true
	case textrules.RoleAllowance, textrules.RoleCharge, textrules.RoleRounding:
		return moneyExtra, true
	}
	return 0, false
}

// The positions of a label relative to its amount.
const (
	sideSame = iota
	sideLeft
	sideAbove
	sides
)

// sum is an amount of money that the document prints at least once.
type sum struct {
	value  money.Decimal
	units  int64
	labels [moneyGroups][sides]float64
	count  int
	last   float64 // relative position in the document, 0 to 1
	amount *amount
	seg    *segment // the occurrence with the best label
	best   float64
	order  int
	currency,
	zero bool
	right   float64 // right edge
	extra   textrules.Match
	extraAt *segment // the segment with the label of a charge or an allowance
	unknown bool     // its position between two totals shows that it is a charge or an allowance
}

func toUnits(v money.Decimal) (int64, bool) {
	f, err := strconv.ParseFloat(v.String(), 64)
	if err != nil || math.Abs(f) > 1e11 {
		return 0, false
	}
	return int64(math.Round(f * unitsAmount)), true
}

// sums returns the amounts that may be totals, most likely first.
func (s *parsedDocument) sums() []*sum {
	byUnits := map[int64]*sum{}
	var all []*sum
	for i, seg := range s.segments {
		for k := range seg.amounts {
			a := &seg.amounts[k]
			if a.percent || !s.maybeMoney(a) || seg.used && !s.totalsRow(seg) {
				continue
			}
			for n, value := range append([]money.Decimal{a.value}, a.alternatives...) {
				units, ok := toUnits(value)
				if !ok {
					continue
				}
				c := byUnits[units]
				if c == nil {
					c = &sum{value: value, units: units, order: len(all), zero: units == 0, best: -1}
					byUnits[units] = c
					all = append(all, c)
				}
				weight := 0.0
				if a.showsMoney() {
					weight += 0.3
				}
				c.currency = c.currency || len(a.currencies) > 0
				s.moneyTags(seg, a, func(side int, at *segment, m textrules.Match) {
					g, _ := moneyGroupOf(m.Role)
					strength := 1.0
					if m.Weak {
						strength = 0.5
					}
					if n > 0 {
						strength *= 0.8
					}
					c.labels[g][side] = max(c.labels[g][side], strength)
					if g == moneyExtra && c.extraAt == nil {
						c.extra, c.extraAt = m, at
					}
					weight = max(weight, strength+0.3)
				})
				c.count++
				c.last = float64(i) / float64(len(s.segments))
				if weight > c.best {
					c.best, c.seg, c.amount, c.right = weight, seg, a, a.x1
				}
			}
		}
	}
	for _, c := range all {
		c.best += 0.2 * c.last
		if c.count > 1 {
			c.best += 0.1
		}
	}
	slices.SortStableFunc(all, func(a, b *sum) int { return cmp.Compare(b.best, a.best) })
	return all[:min(len(all), maxSums)]
}

// totalsRow reports whether a line within the table contains totals.
func (s *parsedDocument) totalsRow(seg *segment) bool {
	for _, b := range s.lines[seg.line].segments {
		if len(b.labels) > 0 && b.labels[0].From == 0 {
			switch b.labels[0].Role {
			case textrules.RoleNet, textrules.RoleTaxTotal, textrules.RoleGross, textrules.RoleDue, textrules.RoleTotal, textrules.RoleSubtotal:
				return true
			}
		}
	}
	return false
}

// combination is a net total, a tax total and a gross total that fit together. Nil
// totals are not stated.
type combination struct {
	net, tax, gross *sum
	computed        bool // the tax total is the sum of taxes by rate
	weight          float64
}

func (c *combination) key() string {
	parts := [3]string{}
	for i, x := range []*sum{c.net, c.tax, c.gross} {
		if x != nil {
			parts[i] = x.value.String()
		}
	}
	raw, _ := json.Marshal(parts) //nolint:errchkjson // strings always marshal
	return string(raw)
}

func (x *sum) label(g moneyGroup) float64 {
	if x == nil {
		return 0
	}
	return max(x.labels[g][sideSame], x.labels[g][sideLeft], 0.8*x.labels[g][sideAbove])
}

// rowLabel returns the strength of a label in the row of an amount.
func (x *sum) rowLabel(g moneyGroup) float64 {
	return max(x.labels[g][sideSame], x.labels[g][sideLeft])
}

// combinations returns the combinations that arithmetic allows and that have the best
// labels.
func (s *parsedDocument) combinations(all []*sum, taxes []stated, tolerance int64) []combination {
	byUnits := map[int64]*sum{}
	for _, x := range all {
		byUnits[x.units] = x
	}
	var out []combination
	add := func(c combination) {
		c.weight = 0
		if c.net != nil {
			c.weight += max(c.net.label(moneyNet), 0.6*c.net.label(moneySubtotal), 0.3*c.net.label(moneyTotal))
		}
		if c.tax != nil {
			c.weight += c.tax.label(moneyTax)
			if c.computed {
				c.weight += 0.7
			}
		}
		c.weight += max(c.gross.label(moneyGross), 0.8*c.gross.label(moneyTotal), 0.9*c.gross.label(moneyDue)) + 0.2*c.gross.last
		if c.net != nil && c.tax != nil {
			c.weight++
		}
		out = append(out, c)
	}
	computed := s.taxSums(all, taxes)
	rounded := roundedTotals(all)
	for _, g := range all {
		if g.units == 0 && g.best < 0.8 || g.seg == nil || rounded[g] != nil {
			continue
		}
		if g.best >= 0.3 {
			add(combination{gross: g})
			add(combination{gross: g, net: g})
			for _, z := range all {
				if z.zero && z.label(moneyTax) > 0 {
					add(combination{net: g, tax: z, gross: g})
					add(combination{tax: z, gross: g})
					break
				}
			}
		}
		for _, n := range all {
			rest := g.units - n.units
			if n == g || rest == 0 || (rest > 0) != (g.units > 0) || n.units == 0 || math.Abs(float64(rest)) > 0.31*math.Abs(float64(n.units)) {
				continue
			}
			matched := false
			for delta := int64(0); delta <= tolerance && !matched; delta += unitsAmount / 100 {
				for _, at := range []int64{rest + delta, rest - delta} {
					if t := byUnits[at]; t != nil && !matched && mayBe(t, moneyTax, moneyPaid, moneyDue, moneyExtra) && mayBe(n, moneyNet, moneyPaid, moneyDue) {
						add(combination{net: n, tax: t, gross: g})
						matched = true
					}
				}
			}
			if matched {
				continue
			}
			for _, t := range computed {
				if abs(float64(t.units-rest)) <= float64(tolerance) {
					add(combination{net: n, tax: t, gross: g, computed: true})
					matched = true
					break
				}
			}
		}
		// A tax that is included in the gross total, without a printed net total.
		for _, t := range all {
			if t.units > 0 && t.label(moneyTax) > 0 && float64(t.units) < 0.24*math.Abs(float64(g.units)) {
				add(combination{tax: t, gross: g})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b combination) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), maxCombinations)]
}

// roundedTotals returns the amounts that are a labelled total and a labelled rounding,
// with that total. They are amounts to pay, not gross totals.
func roundedTotals(all []*sum) map[*sum]*sum {
	out := map[*sum]*sum{}
	for _, r := range all {
		if r.extra.Role != textrules.RoleRounding || r.units == 0 || abs(float64(r.units)) >= unitsAmount {
			continue
		}
		for _, total := range all {
			if max(total.label(moneyGross), total.label(moneyTotal)) < 1 {
				continue
			}
			for _, x := range all {
				if x != total && x.units == total.units+r.units && max(x.label(moneyGross), x.label(moneyTotal), x.label(moneyDue)) >= 0.5 {
					out[x] = total
				}
			}
		}
	}
	return out
}

// mayBe reports whether an amount can belong to a group: it is not labelled only with
// other groups.
func mayBe(x *sum, g moneyGroup, others ...moneyGroup) bool {
	for _, o := range others {
		if x.label(o) >= 1 && x.label(g) == 0 {
			return false
		}
	}
	return true
}

// taxSums returns the sums of taxes by rate, and of pairs of labelled taxes, that are
// not printed.
func (s *parsedDocument) taxSums(all []*sum, taxes []stated) []*sum {
	var values []money.Decimal
	if len(taxes) > 1 && len(taxes) <= maxTaxRows {
		total := money.Decimal{}
		for _, r := range taxes {
			total = total.Add(r.amount.value)
		}
		values = append(values, total)
	}
	var labelled []*sum
	for _, x := range all {
		if x.label(moneyTax) >= 0.5 && x.units != 0 && len(labelled) < maxTaxRows {
			labelled = append(labelled, x)
		}
	}
	total := money.Decimal{}
	for i, a := range labelled {
		total = total.Add(a.value)
		for _, b := range labelled[:i] {
			values = append(values, a.value.Add(b.value))
		}
		if a.count > 1 {
			values = append(values, a.value.Add(a.value))
		}
	}
	if len(labelled) > 2 {
		values = append(values, total)
	}
	var out []*sum
	for _, v := range values {
		if units, ok := toUnits(v); ok {
			out = append(out, &sum{value: v, units: units})
		}
	}
	return out
}

// totalsCandidates returns combinations with their features.
func (s *parsedDocument) totalsCandidates(all []*sum, combos []combination, lines *money.Decimal, ruled [3]*money.Decimal, rates []float64, training bool) []candidate {
	largest := int64(0)
	strongest := [moneyGroups]*sum{}
	for _, x := range all {
		if x.currency || x.value.Decimals() == 2 {
			largest = max(largest, x.units)
		}
		for g := range moneyGroups {
			if x.label(g) > strongest[g].label(g) {
				strongest[g] = x
			}
		}
	}
	lineUnits, hasLines := int64(0), false
	if lines != nil {
		lineUnits, hasLines = toUnits(*lines)
	}
	var ruledUnits [3]int64
	for i, v := range ruled {
		ruledUnits[i] = math.MinInt64
		if v != nil {
			ruledUnits[i], _ = toUnits(*v)
		}
	}
	out := make([]candidate, 0, len(combos))
	for i := range combos {
		c := &combos[i]
		k := candidate{found: found{value: c.key(), weight: float64(i)}}
		k.features = newFeatures(rankTotals, training)
		f := &k.features
		for n, x := range []*sum{c.net, c.tax, c.gross} {
			who := []string{"net", "tax", "gross"}[n]
			f.flag(f.joined(who, "_stated"), x != nil)
			for g := range moneyGroups {
				for side := range sides {
					v := 0.0
					if x != nil {
						v = x.labels[g][side]
					}
					f.add(f.joined(who, "_", moneyNames[g], "_", []string{"same", "left", "above"}[side]), v)
				}
			}
			for _, g := range []moneyGroup{moneyNet, moneyTax, moneyGross, moneyTotal, moneyDue} {
				f.add(f.joined(who, "_near_", moneyNames[g]), x.label(g))
			}
			f.flag(f.joined(who, "_rule"), x != nil && x.units == ruledUnits[n] || x == nil && ruledUnits[n] == math.MinInt64)
			count, last, currency, cents := 0.0, 0.0, false, false
			if x != nil {
				count, last, currency, cents = float64(min(x.count, 5)), x.last, x.currency, x.value.Decimals() == 2
			}
			f.add(f.joined(who, "_count"), count)
			f.add(f.joined(who, "_last"), last)
			f.flag(f.joined(who, "_currency"), currency)
			f.flag(f.joined(who, "_cents"), cents)
		}
		f.flag("computed", c.computed)
		f.flag("same_net", c.net == c.gross)
		f.flag("adds", c.net != nil && c.tax != nil)
		f.add("rank", float64(min(i, 60)))
		f.add("weight", c.weight-combos[0].weight)
		f.flag("largest", c.gross.units == largest)
		f.add("to_largest", float64(c.gross.units)/math.Max(float64(largest), 1))
		f.flag("lines_net", hasLines && c.net != nil && near(lineUnits, c.net.units))
		f.flag("lines_gross", hasLines && near(lineUnits, c.gross.units))
		f.flag("lines", hasLines)
		f.flag("rate_printed", ratePrinted(c, rates))
		f.add("rates", float64(min(len(rates), 5)))
		f.add("rate", rateOf(c))
		f.flag("conflict_gross", conflicts(strongest[moneyGross], moneyGross, c.gross))
		f.flag("conflict_net", conflicts(strongest[moneyNet], moneyNet, c.net))
		f.flag("conflict_tax", conflicts(strongest[moneyTax], moneyTax, c.tax))
		f.flag("conflict_due", conflicts(strongest[moneyDue], moneyDue, c.gross))
		f.flag("aligned", c.net != nil && c.net.seg != nil && c.gross.seg != nil && math.Abs(c.net.right-c.gross.right) < s.height)
		f.flag("net_before", c.net != nil && c.net.seg != nil && c.gross.seg != nil && c.net.seg.line <= c.gross.seg.line)
		f.flag("same_line", c.net != nil && c.net.seg != nil && c.gross.seg != nil && c.net.seg.line == c.gross.seg.line)
		f.add("sums", float64(min(len(all), 48)))
		out = append(out, k)
	}
	return out
}
