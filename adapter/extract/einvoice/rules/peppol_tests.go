package rules

import "strings"

var (
	notes           = sel("Note")
	siblingCurrency = sel("../DocumentCurrencyCode")
)

// startsWith reports whether the first selected element begins with the text.
func startsWith(selector, prefix string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return strings.HasPrefix(s.first(d, n).value(), prefix) }
}

func knownProcess(d *document, _ *node) bool { return d.v().process != "" }

// notEmpty reports whether the element has a child or a text.
func notEmpty(_ *document, n *node) bool { return n.first != nil || n.value() != "" }

var (
	ownTaxCurrency = sel("TaxCurrencyCode")
	ownCurrency    = sel("InvoiceCurrencyCode")
)

func otherCurrencyCII(d *document, n *node) bool {
	own := ownTaxCurrency.first(d, n)
	return own == nil || own.value() != ownCurrency.first(d, n).value()
}

// slack is the tolerance of Peppol for computed amounts.
func slack(*document) number { return cents2 }

// slackXR is the tolerance of XRechnung, which permits whole numbers in HUF.
func slackXR(d *document) number {
	if d.v().currency == "HUF" {
		return number{half, true}
	}
	return cents2
}

// percentOf reports whether an amount equals the base times the percentage within the
// slack.
func percentOf(amount, base, percent string, slack func(*document) number) test {
	a, b, p := sel(amount), sel(base), sel(percent)
	return func(d *document, n *node) bool {
		return stated(d, n, a, zero).within(d.num(n, b).percent(d.num(n, p)), slack(d))
	}
}

var (
	priceBase   = sel("BaseAmount")
	priceAmount = sel("../PriceAmount")
	ownAmount   = sel("Amount")
	ciiGrossAmt = sel("ChargeAmount")
	ciiNetAmt   = sel("../NetPriceProductTradePrice/ChargeAmount")
	ciiDiscount = sel("AppliedTradeAllowanceCharge/ActualAmount")
)

func netPriceUBL(d *document, n *node) bool {
	return !priceBase.has(d, n) || d.num(n, priceAmount).eq(d.num(n, priceBase).sub(d.num(n, ownAmount)))
}

func netPriceCII(d *document, n *node) bool {
	return !ciiGrossAmt.has(d, n) || d.num(n, ciiNetAmt).eq(d.num(n, ciiGrossAmt).sub(d.num(n, ciiDiscount).orZero()))
}

var headerTaxes = sel("SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount")

// taxTotalsCII returns the number of VAT totals in the currency of the invoice, or in
// other currencies.
func taxTotalsCII(d *document, n *node, own bool) int {
	currency := ciiCurrency.first(d, nil)
	count := 0
	headerTaxes.each(d, n, func(total *node) bool {
		if currency != nil && total.hasAttr("currencyID") && (total.attr("currencyID") == currency.text()) == own {
			count++
		}
		return true
	})
	return count
}

// totalsInCII reports whether there is one VAT total in the currency of the invoice,
// or the number in other currencies that the VAT accounting currency requires.
func totalsInCII(own bool) test {
	return func(d *document, n *node) bool {
		if own || ownTaxCurrency.has(d, n) {
			return taxTotalsCII(d, n, own) == 1
		}
		return taxTotalsCII(d, n, own) == 0
	}
}

// anyTotal reports whether a VAT total in the currency satisfies the comparison with
// 0.
func anyTotal(d *document, n *node, totals *selector, currency string, matches func(a, b number) bool) bool {
	return !totals.each(d, n, func(total *node) bool {
		return !total.hasAttr("currencyID") || total.attr("currencyID") != currency || !matches(total.number(), zero)
	})
}

func sameSignUBL(d *document, n *node) bool {
	accounting := taxCurrency.first(d, n)
	if accounting == nil {
		return true
	}
	own := documentVATCode.first(d, n).value()
	both := func(matches func(a, b number) bool) bool {
		return anyTotal(d, n, documentTaxes, accounting.value(), matches) && anyTotal(d, n, documentTaxes, own, matches)
	}
	return both(number.le) || both(number.ge)
}

func sameSignCII(d *document, n *node) bool {
	accounting, own := ciiTaxCurrency.first(d, n), ciiCurrency.first(d, n)
	if accounting == nil {
		return true
	}
	both := func(matches func(a, b number) bool) bool {
		return anyTotal(d, n, headerTaxes, accounting.text(), matches) && anyTotal(d, n, headerTaxes, own.text(), matches)
	}
	return both(number.lt) || both(number.ge)
}

// datesUBL reports whether the date is within the limit of the invoicing period, if
// there is one.
func datesUBL(bound string, end bool) test {
	s := sel(bound)
	return func(d *document, n *node) bool {
		limit := s.first(d, n)
		if limit == nil {
			return true
		}
		day, ok1 := date(n.value())
		most, ok2 := date(limit.value())
		return ok1 && ok2 && (day.Equal(most) || day.Before(most) == end)
	}
}

// datesCII compares the dates as text, as the artefact does.
func datesCII(name string, end bool) test {
	limit := sel("/" + settlement + "/BillingSpecifiedPeriod/" + name)
	own := sel("DateTimeString")
	return func(d *document, n *node) bool {
		bound := limit.first(d, n)
		if bound == nil {
			return true
		}
		a, b := own.first(d, n), own.first(d, bound)
		return a != nil && b != nil && (a.text() == b.text() || (a.text() < b.text()) == end)
	}
}

// linePaths are the paths of the parts of a line's net amount in a syntax.
type linePaths struct {
	net, quantity, price, base, allowances, charges *selector
	otherBase                                       *selector // used if base is missing or 0
}

var (
	lineInvoiced = linePaths{net: sel("LineExtensionAmount"), quantity: sel("InvoicedQuantity"), price: sel("Price/PriceAmount"), base: sel("Price/BaseQuantity"),
		allowances: sel("AllowanceCharge[ChargeIndicator=false]/Amount"), charges: sel("AllowanceCharge[ChargeIndicator=true]/Amount")}
	lineCredited = linePaths{net: lineInvoiced.net, quantity: sel("CreditedQuantity"), price: lineInvoiced.price, base: lineInvoiced.base,
		allowances: lineInvoiced.allowances, charges: lineInvoiced.charges}
	lineTraded = linePaths{net: sel("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"),
		quantity: sel("SpecifiedLineTradeDelivery/BilledQuantity"), price: sel("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount"),
		base:       sel("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity"),
		allowances: sel("SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false]/ActualAmount"),
		charges:    sel("SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true]/ActualAmount")}
	// lineTradedXR uses the base quantity of the gross price if the net price has
	// none.
	lineTradedXR = linePaths{net: lineTraded.net, quantity: lineTraded.quantity, price: lineTraded.price, base: lineTraded.base,
		allowances: lineTraded.allowances, charges: lineTraded.charges,
		otherBase: sel("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/BasisQuantity")}
)

func lineAmountUBL(d *document, n *node) bool { return linesOf(d).agrees(d, n, cents2) }

func lineAmountXR(d *document, n *node) bool { return linesOf(d).agrees(d, n, slackXR(d)) }

// linesOf returns the paths of the lines of a UBL document.
func linesOf(d *document) *linePaths {
	if isCreditNote(d, nil) {
		return &lineCredited
	}
	return &lineInvoiced
}

func lineAmountCII(d *document, n *node) bool { return lineTraded.agrees(d, n, cents2) }

// agrees reports whether the net amount of a line equals its quantity times its
// price, less allowances plus charges, within the slack.
func (p *linePaths) agrees(d *document, n *node, slack number) bool {
	base := stated(d, n, p.base, one)
	if p.otherBase != nil && (base.isZero() || !p.base.has(d, n)) {
		base = stated(d, n, p.otherBase, one)
	}
	if base.isZero() {
		base = one
	}
	want := stated(d, n, p.quantity, one).mul(stated(d, n, p.price, zero).div(base)).
		add(d.sum(n, p.charges).cents()).sub(d.sum(n, p.allowances).cents())
	return stated(d, n, p.net, zero).within(want, slack)
}

// stated returns the first selected number, or otherwise if nothing is selected.
func stated(d *document, n *node, s *selector, otherwise number) number {
	if m := s.first(d, n); m != nil {
		return m.number()
	}
	return otherwise
}

var (
	quantityInvoiced = sel("../../InvoicedQuantity")
	quantityCredited = sel("../../CreditedQuantity")
	quantityBilled   = sel("../../../SpecifiedLineTradeDelivery/BilledQuantity")
)

func sameUnitUBL(d *document, n *node) bool {
	quantity := quantityInvoiced.first(d, n)
	if isCreditNote(d, n) {
		quantity = quantityCredited.first(d, n)
	}
	if !quantityInvoiced.has(d, n) && !quantityCredited.has(d, n) {
		return true
	}
	return quantity.hasAttr("unitCode") && quantity.attr("unitCode") == n.attr("unitCode")
}

func sameUnitCII(d *document, n *node) bool {
	quantity := quantityBilled.first(d, n)
	return quantity.hasAttr("unitCode") && quantity.attr("unitCode") == n.attr("unitCode")
}
