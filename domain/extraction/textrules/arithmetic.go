package textrules

import (
	"cmp"
	"slices"

	"docledger/domain/money"
)

// Candidate is a value that a total may have. Weight says how well its label
// fits, from 0 to 1.
type Candidate struct {
	Value  money.Decimal
	Weight float64
	Index  int // the caller's own
}

// Triple is a net total, its tax and the gross total that they make.
type Triple struct {
	Net, Tax, Gross Candidate
	Weight          float64
}

// maxCandidates is how many values of one total Solve combines. An invoice prints
// a few; a document that prints thousands must not take longer.
const maxCandidates = 100

// Solve finds the triple of candidates with net + tax = gross whose labels fit
// best. contested says that another one, of another gross total, fits about as
// well; ok that there is one at all. Tolerance is what rounding may cost. Of
// each list the maxCandidates values whose labels fit best are combined.
func Solve(net, tax, gross []Candidate, tolerance money.Decimal) (best Triple, contested, ok bool) {
	net, tax, gross = strongest(net), strongest(tax), strongest(gross)
	byValue := make([]int, len(gross)) // places in gross
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

// strongest returns the candidates of each value with the greatest weight, in
// their order; of more than maxCandidates those with the greatest weights.
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

// sameSide says whether a net total and its tax are both owed or both given
// back.
func sameSide(net, tax money.Decimal) bool {
	return tax.IsZero() || net.IsZero() || net.Sign() == tax.Sign()
}

// IsTaxOf says whether amount is the tax on base at a rate in percent.
func IsTaxOf(base, rate, amount, tolerance money.Decimal) bool {
	return base.Mul(rate).Div(money.FromInt(100)).Within(amount, tolerance)
}
