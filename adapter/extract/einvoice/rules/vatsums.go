package rules

// maxCategories is the maximum number of evaluated categories and rates of one line,
// allowance or charge. EN 16931 allows one.
const maxCategories = 20

// vatKey is a VAT category, or one of its rates.
type vatKey struct{ code, rate string }

// vatData contains the amounts of lines, allowances and charges by VAT category.
type vatData struct {
	lines, allowances, charges map[vatKey]number
	used                       map[vatKey]bool // rates of lines, and of allowances and charges at any level
}

// sum returns the total of the lines, allowances and charges of the category. If
// rounded, each of the three sums is rounded first.
func (v *vatData) sum(code, rate string, rounded bool) number {
	key := vatKey{code, rate}
	lines, allowances, charges := v.lines[key].orZero(), v.allowances[key].orZero(), v.charges[key].orZero()
	if rounded {
		lines, allowances, charges = lines.cents(), allowances.cents(), charges.cents()
	}
	return lines.add(charges).sub(allowances)
}

// source is the location of amounts with categories in a syntax.
type source struct {
	items        []*selector
	codes, rates *selector
	amount       *selector
	target       func(v *vatData, d *document, n *node) map[vatKey]number // nil: only the rates are needed
}

var (
	indicator    = sel("ChargeIndicator")
	ciiIndicator = sel("ChargeIndicator/Indicator")
)

func lineTarget(v *vatData, _ *document, _ *node) map[vatKey]number { return v.lines }

func chargeTarget(indicator *selector) func(v *vatData, d *document, n *node) map[vatKey]number {
	return func(v *vatData, d *document, n *node) map[vatKey]number {
		switch indicator.first(d, n).value() {
		case "true", "1":
			return v.charges
		case "false", "0":
			return v.allowances
		}
		return nil
	}
}

func noTarget(*vatData, *document, *node) map[vatKey]number { return nil }

var sourcesUBL = []source{
	{[]*selector{sel("/InvoiceLine"), sel("/CreditNoteLine")}, sel("Item/ClassifiedTaxCategory/ID"), sel("Item/ClassifiedTaxCategory/Percent"), sel("LineExtensionAmount"), lineTarget},
	{[]*selector{sel("/AllowanceCharge")}, sel("TaxCategory/ID"), sel("TaxCategory/Percent"), sel("Amount"), chargeTarget(indicator)},
	{[]*selector{sel("//AllowanceCharge")}, sel("TaxCategory/ID"), sel("TaxCategory/Percent"), sel("Amount"), noTarget},
}

var sourcesCII = []source{
	{[]*selector{sel("/" + ciiLines + "/SpecifiedLineTradeSettlement")}, sel("ApplicableTradeTax/CategoryCode"), sel("ApplicableTradeTax/RateApplicablePercent"),
		sel("SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"), lineTarget},
	{[]*selector{sel("/" + settlement + "/SpecifiedTradeAllowanceCharge")}, sel("CategoryTradeTax/CategoryCode"), sel("CategoryTradeTax/RateApplicablePercent"),
		sel("ActualAmount"), chargeTarget(ciiIndicator)},
}

// vatSums returns the sums by VAT category and computes them once.
func (d *document) vatSums() *vatData {
	if d.vat != nil {
		return d.vat
	}
	d.vat = &vatData{map[vatKey]number{}, map[vatKey]number{}, map[vatKey]number{}, map[vatKey]bool{}}
	sources := sourcesUBL
	if d.cii {
		sources = sourcesCII
	}
	for _, s := range sources {
		for _, items := range s.items {
			items.each(d, d.root, func(n *node) bool {
				s.read(d, n)
				return true
			})
		}
	}
	return d.vat
}

func (s *source) read(d *document, n *node) {
	amount := d.num(n, s.amount).orZero()
	target := s.target(d.vat, d, n)
	for _, key := range s.keys(d, n) {
		if target != nil {
			target[key] = target[key].orZero().add(amount)
		}
		if key.rate != "" {
			d.vat.used[key] = true
		}
	}
}

// keys returns the categories of an item, each without a rate and with each rate.
func (s *source) keys(d *document, n *node) []vatKey {
	var out []vatKey
	rates := distinct(d, n, s.rates, func(m *node) (string, bool) {
		rate := m.number()
		return rate.d.String(), rate.ok
	})
	for _, code := range distinct(d, n, s.codes, func(m *node) (string, bool) { return m.value(), true }) {
		out = append(out, vatKey{code, ""})
		for _, rate := range rates {
			out = append(out, vatKey{code, rate})
		}
	}
	return out
}

func distinct(d *document, n *node, s *selector, value func(*node) (string, bool)) []string {
	var out []string
	s.each(d, n, func(m *node) bool {
		v, ok := value(m)
		for _, have := range out {
			ok = ok && have != v
		}
		if ok {
			out = append(out, v)
		}
		return len(out) < maxCategories
	})
	return out
}
