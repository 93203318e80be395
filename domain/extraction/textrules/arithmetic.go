package textrules

import "docledger/domain/money"

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

// Solve finds the triple of candidates with net + tax = gross whose labels fit
// best. contested says that another one, of another gross total, fits about as
// well; ok that there is one at all. Tolerance is what rounding may cost.
func Solve(net, tax, gross []Candidate, tolerance money.Decimal) (best Triple, contested, ok bool) {
	var found []Triple
	for _, n := range net {
		for _, t := range tax {
			sum := n.Value.Add(t.Value)
			for _, g := range gross {
				if g.Value.Within(sum, tolerance) && sameSide(n.Value, t.Value) {
					found = append(found, Triple{n, t, g, n.Weight + t.Weight + g.Weight})
				}
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

// sameSide says whether a net total and its tax are both owed or both given
// back.
func sameSide(net, tax money.Decimal) bool {
	return tax.IsZero() || net.IsZero() || net.Sign() == tax.Sign()
}

// IsTaxOf says whether amount is the tax on base at a rate in percent.
func IsTaxOf(base, rate, amount, tolerance money.Decimal) bool {
	return base.Mul(rate).Div(money.FromInt(100)).Within(amount, tolerance)
}
