package textrules

import (
	"cmp"
	"slices"

	"docledger/domain/money"
)

// Candidate is a possible value of a total. Weight is the quality of its label, from
// 0 to 1.
type Candidate struct {
	Value  money.Decimal
	Weight float64
	Index  int // set by the caller
}

// Triple is a net total, its tax and their gross total.
type Triple struct {
	Net, Tax, Gross Candidate
	Weight          float64
}

// maxCandidates is the maximum number of values of one total that Solve combines.
// Usual invoices print a few. The limit bounds the time for documents that print
// thousands.
const maxCandidates = 100

// Solve finds the triple of candidates with net + tax = gross and the best labels.
// contested reports that a triple with another gross total is about as good; ok
// reports that there is a triple. tolerance is the maximum rounding difference. Solve
// combines the maxCandidates values with the best labels from each list.
func Solve(net, tax, gross []Candidate, tolerance money.Decimal) (best Triple, contested, ok bool) {
	net, tax, gross = strongest(net), strongest(tax), strongest(gross)
	byValue := make([]int, len(gross)) // indices in gross
	for i := range byValue {
		byValue[i] = i
	}
	slices.SortStableFunc(byValue, func(a, b int) int { return gross[a].Value.Cmp(gross[b].Value) })
	var found []Triple
	for _, n := range net {
		for _, t := range tax {
			if !sameSide(n.Value, t.Value) {
				continue
			}
			sum := n.Value.Add(t.Value)
			from, _ := slices.BinarySearchFunc(byValue, sum.Sub(tolerance), func(i int, v money.Decimal) int { return gross[i].Value.Cmp(v) })
			to := from
			for to < len(byValue) && gross[byValue[to]].Value.Within(sum, tolerance) {
				to++
			}
			for _, i := range slices.Sorted(slices.Values(byValue[from:to])) {
				g := gross[i]
				found = append(found, Triple{n, t, g, n.Weight + t.Weight + g.Weight})
			}
		}
	}
	for _, f := range found {
		if !ok || f.Weight > best.Weight {
			best, ok = f, true
		}
	}
	const close = 0.35
	for _, f := range found {
		if !f.Gross.Value.Equal(best.Gross.Value) && best.Weight-f.Weight < close {
			contested = true
		}
	}
	return best, contested, ok
}

// strongest returns the candidate with the greatest weight for each value, in order.
// If there are more than maxCandidates, it returns those with the greatest weights.
func strongest(all []Candidate) []Candidate {
	at := map[string]int{}
	var out []Candidate
	for _, c := range all {
		key := c.Value.Normal()
		if i, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, c)
		} else if c.Weight > out[i].Weight {
			out[i] = c
		}
	}
	if len(out) > maxCandidates {
		slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.Weight, a.Weight) })
		out = out[:maxCandidates]
	}
	return out
}

// sameSide reports whether a net total and its tax have compatible signs.
func sameSide(net, tax money.Decimal) bool {
	return tax.IsZero() || net.IsZero() || net.Sign() == tax.Sign()
}

// IsTaxOf reports whether amount is the tax on base at a rate in percent.
func IsTaxOf(base, rate, amount, tolerance money.Decimal) bool {
	return base.Mul(rate).Div(money.FromInt(100)).Within(amount, tolerance)
}
