package rules

const (
	totalsUBL = "LegalMonetaryTotal"
	totalsCII = "SpecifiedTradeSettlementHeaderMonetarySummation"
	// breakdownCII excludes the categories L, M and O, because the official artefact
	// evaluates only their specific rules.
	breakdownCII = "ApplicableHeaderTradeSettlement/ApplicableTradeTax[!CategoryCode=L,M,O] | ApplicableHeaderTradeSettlement/ApplicableTradeTax[!TypeCode~VAT]"
	breakdownUBL = "TaxTotal/TaxSubtotal"
	taxTotalCII  = "SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount"
)

// enTotals are the rules of EN 16931 on the totals of the document and on its
// VAT breakdown as a whole.
var enTotals = []rule{
	{id: "BR-12", severity: fatal, terms: "BT-106 BG-22", message: "The sum of the net amounts of the lines (BT-106) is missing.",
		ubl: at(totalsUBL, has("LineExtensionAmount")), cii: at(totalsCII, has("LineTotalAmount"))},
	{id: "BR-13", severity: fatal, terms: "BT-109 BG-22", message: "The total without VAT (BT-109) is missing.",
		ubl: at(totalsUBL, has("TaxExclusiveAmount")), cii: at(totalsCII, has("TaxBasisTotalAmount"))},
	{id: "BR-14", severity: fatal, terms: "BT-112 BG-22", message: "The total with VAT (BT-112) is missing.",
		ubl: at(totalsUBL, has("TaxInclusiveAmount")), cii: at(totalsCII, has("GrandTotalAmount"))},
	{id: "BR-15", severity: fatal, terms: "BT-115 BG-22", message: "The amount due (BT-115) is missing.",
		ubl: at(totalsUBL, has("PayableAmount")), cii: at(totalsCII, has("DuePayableAmount"))},
	{id: "BR-45", severity: fatal, terms: "BT-116 BG-23", message: "A VAT breakdown has no taxable amount (BT-116).",
		ubl: at(breakdownUBL, has("TaxableAmount")), cii: at(breakdownCII, has("BasisAmount"))},
	{id: "BR-46", severity: fatal, terms: "BT-117 BG-23", message: "A VAT breakdown has no VAT amount (BT-117).",
		ubl: at(breakdownUBL, has("TaxAmount")), cii: at(breakdownCII, has("CalculatedAmount"))},
	{id: "BR-47", severity: fatal, terms: "BT-118 BG-23", message: "A VAT breakdown has no VAT category (BT-118).",
		ubl: at(breakdownUBL, has("TaxCategory[TaxScheme/ID~VAT]/ID")), cii: at(breakdownCII, and(isVATCII, has("CategoryCode")))},
	{id: "BR-48", severity: fatal, terms: "BT-119 BG-23", message: "A VAT breakdown has no VAT rate (BT-119); only category O does without.",
		ubl: at(breakdownUBL, has("TaxCategory[TaxScheme/ID~VAT]/Percent", "TaxCategory[TaxScheme/ID~VAT][ID=O]")),
		cii: at(breakdownCII, and(isVATCII, has("RateApplicablePercent", "CategoryCode[.=O]")))},
	{id: "BR-CO-10", severity: fatal, terms: "BT-106 BT-131", message: "The sum of the net amounts of the lines (BT-106) differs from the lines (BT-131).",
		ubl: at(totalsUBL, lineSumUBL), cii: at(totalsCII, lineSumCII)},
	{id: "BR-CO-11", severity: fatal, terms: "BT-107 BT-92", message: "The sum of the allowances (BT-107) differs from the document level allowances (BT-92).",
		ubl: at(totalsUBL, partSum("AllowanceTotalAmount", "/AllowanceCharge[ChargeIndicator=false,0]", "Amount")),
		cii: at(totalsCII, partSum("AllowanceTotalAmount", "/"+settlement+"/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false,0]", "ActualAmount"))},
	{id: "BR-CO-12", severity: fatal, terms: "BT-108 BT-99", message: "The sum of the charges (BT-108) differs from the document level charges (BT-99).",
		ubl: at(totalsUBL, partSum("ChargeTotalAmount", "/AllowanceCharge[ChargeIndicator=true,1]", "Amount")),
		cii: at(totalsCII, partSum("ChargeTotalAmount", "/"+settlement+"/SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true,1]", "ActualAmount"))},
	{id: "BR-CO-13", severity: fatal, terms: "BT-109 BT-106 BT-107 BT-108", message: "The total without VAT (BT-109) is not the sum of the lines (BT-106) less allowances (BT-107) plus charges (BT-108).",
		ubl: at(totalsUBL, netTotal("LineExtensionAmount", "TaxExclusiveAmount", false)), cii: at(totalsCII, netTotal("LineTotalAmount", "TaxBasisTotalAmount", true))},
	{id: "BR-CO-14", severity: fatal, terms: "BT-110 BT-117", message: "The VAT total (BT-110) is not the sum of the VAT amounts of the breakdown (BT-117).",
		ubl: at("/TaxTotal", vatSumUBL), cii: at(taxTotalCII, vatSumCII)},
	{id: "BR-CO-15", severity: fatal, terms: "BT-112 BT-109 BT-110", message: "The total with VAT (BT-112) is not the total without VAT (BT-109) plus the VAT total (BT-110).",
		ubl: root(grossTotalUBL), cii: root(grossTotalCII)},
	{id: "BR-CO-16", severity: fatal, terms: "BT-115 BT-112 BT-113 BT-114", message: "The amount due (BT-115) is not the total with VAT (BT-112) less what was paid (BT-113) plus the rounding amount (BT-114).",
		ubl: at(totalsUBL, dueUBL), cii: at(totalsCII, dueCII)},
	{id: "BR-CO-17", severity: fatal, terms: "BT-117 BT-116 BT-119", message: "The VAT amount of a breakdown (BT-117) is not its taxable amount (BT-116) times its rate (BT-119).",
		ubl: at(breakdownUBL, breakdownTaxUBL), cii: at(breakdownCII, breakdownTaxCII)},
	{id: "BR-CO-18", severity: fatal, terms: "BG-23", message: "The document has no VAT breakdown (BG-23).",
		ubl: root(has("TaxTotal/TaxSubtotal")), cii: at(linesCII, has("//ApplicableHeaderTradeSettlement/ApplicableTradeTax"))},
}

var isVATCII = compileCond("[TypeCode~VAT]")

// compileCond returns a test of the condition on the element.
func compileCond(text string) test {
	c, _ := parseCond(text[1:])
	return func(d *document, n *node) bool { return c.satisfied(d, n) }
}

var (
	lineSum       = sel("LineExtensionAmount")
	allLinesUBL   = []*selector{sel("//InvoiceLine/LineExtensionAmount"), sel("//CreditNoteLine/LineExtensionAmount")}
	ciiLineTotal  = sel("LineTotalAmount")
	allLineTotals = sel("../../IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount")
)

func lineSumUBL(d *document, n *node) bool {
	total := d.sum(n, allLinesUBL[0]).add(d.sum(n, allLinesUBL[1]))
	return d.num(n, lineSum).eq(total.cents())
}

func lineSumCII(d *document, n *node) bool {
	return d.num(n, ciiLineTotal).eq(d.sum(n, allLineTotals).cents())
}

// partSum reports whether a total equals the sum of its parts, or neither is
// stated.
func partSum(total, parts, amount string) test {
	t, p, a := sel(total), sel(parts), sel(amount)
	return func(d *document, n *node) bool {
		sum, found := zero, false
		p.each(d, n, func(part *node) bool {
			found = true
			sum = sum.add(d.num(part, a).orZero())
			return true
		})
		if !t.has(d, n) {
			return !found
		}
		return d.num(n, t).eq(sum.cents())
	}
}

// netTotal reports whether the total without VAT equals lines less allowances plus
// charges. The UBL artefact does not round the sum of the lines separately.
func netTotal(lines, net string, rounded bool) test {
	l, t, a, c := sel(lines), sel(net), sel("AllowanceTotalAmount"), sel("ChargeTotalAmount")
	return func(d *document, n *node) bool {
		sum, more := d.num(n, l), rounded
		if c.has(d, n) {
			sum, more = sum.add(d.num(n, c)), true
		}
		if a.has(d, n) {
			sum, more = sum.sub(d.num(n, a)), true
		}
		if more {
			sum = sum.cents()
		}
		return d.num(n, t).eq(sum)
	}
}

var (
	taxAmount    = sel("TaxAmount")
	subtotal     = sel("TaxSubtotal")
	subtotalTax  = sel("TaxSubtotal/TaxAmount")
	ciiVATAmount = sel("/" + settlement + "/ApplicableTradeTax/CalculatedAmount")
)

func vatSumUBL(d *document, n *node) bool {
	return !subtotal.has(d, n) || d.num(n, taxAmount).eq(d.sum(n, subtotalTax).cents())
}

// vatSumCII checks the VAT total in the currency of the invoice.
func vatSumCII(d *document, n *node) bool {
	currency := ciiCurrency.first(d, nil)
	if currency == nil || n.attr("currencyID") != currency.text() {
		return true
	}
	return n.number().eq(d.sum(n, ciiVATAmount).cents())
}

var (
	grossUBL      = sel("LegalMonetaryTotal/TaxInclusiveAmount")
	netUBL        = sel("LegalMonetaryTotal/TaxExclusiveAmount")
	documentTaxes = sel("TaxTotal/TaxAmount")
	ciiTotals     = "/" + settlement + "/SpecifiedTradeSettlementHeaderMonetarySummation/"
	ciiGross      = sel(ciiTotals + "GrandTotalAmount")
	ciiNet        = sel(ciiTotals + "TaxBasisTotalAmount")
	ciiTaxes      = sel(ciiTotals + "TaxTotalAmount")
)

// taxesIn returns the first VAT total in the currency, and the number of them.
func taxesIn(d *document, n *node, totals *selector, currency string) (first number, count int) {
	totals.each(d, n, func(total *node) bool {
		if total.attr("currencyID") == currency {
			if count == 0 {
				first = total.number()
			}
			count++
		}
		return true
	})
	return first, count
}

func grossTotalUBL(d *document, n *node) bool {
	return documentVATCode.each(d, n, func(currency *node) bool {
		tax, count := taxesIn(d, n, documentTaxes, currency.text())
		return count == 1 && d.num(n, grossUBL).eq(d.num(n, netUBL).add(tax).cents())
	})
}

func grossTotalCII(d *document, n *node) bool {
	gross, net := d.num(n, ciiGross), d.num(n, ciiNet)
	return ciiCurrency.each(d, n, func(currency *node) bool {
		tax, count := taxesIn(d, n, ciiTaxes, currency.text())
		return gross.eq(net) || count == 1 && gross.eq(net.add(tax).cents())
	})
}

var (
	prepaid     = sel("PrepaidAmount")
	rounding    = sel("PayableRoundingAmount")
	payable     = sel("PayableAmount")
	inclusive   = sel("TaxInclusiveAmount")
	ciiPrepaid  = sel("TotalPrepaidAmount")
	ciiRounding = sel("RoundingAmount")
	ciiDue      = sel("DuePayableAmount")
	ciiGrand    = sel("GrandTotalAmount")
)

func dueUBL(d *document, n *node) bool {
	due, gross := d.num(n, payable), d.num(n, inclusive)
	if rounding.has(d, n) {
		due = due.sub(d.num(n, rounding)).cents()
	}
	if prepaid.has(d, n) {
		gross = gross.sub(d.num(n, prepaid)).cents()
	}
	return due.eq(gross)
}

func dueCII(d *document, n *node) bool {
	gross := d.num(n, ciiGrand)
	if ciiPrepaid.has(d, n) {
		gross = gross.sub(d.num(n, ciiPrepaid))
	}
	if ciiRounding.has(d, n) {
		gross = gross.add(d.num(n, ciiRounding))
	}
	return d.num(n, ciiDue).eq(gross)
}

var (
	taxable      = sel("TaxableAmount")
	ublRate      = sel("TaxCategory[TaxScheme/ID~VAT]/Percent")
	ciiRate      = sel("RateApplicablePercent")
	ciiBasis     = sel("BasisAmount")
	ciiCalculate = sel("CalculatedAmount")
)

func breakdownTaxUBL(d *document, n *node) bool {
	return breakdownTax(ublRate.first(d, n), d.num(n, taxAmount), d.num(n, taxable), number.lt)
}

func breakdownTaxCII(d *document, n *node) bool {
	var rate *node
	if isVATCII(d, n) {
		rate = ciiRate.first(d, n)
	}
	return breakdownTax(rate, d.num(n, ciiCalculate), d.num(n, ciiBasis), number.le)
}

// breakdownTax compares a VAT amount with the computed one. They may differ by up to
// 1; the syntax determines whether exactly 1 is accepted.
func breakdownTax(rate *node, tax, base number, less func(a, b number) bool) bool {
	if rate == nil {
		return tax.round().isZero()
	}
	percent := rate.number()
	if percent.round().isZero() {
		return tax.round().isZero()
	}
	want := base.abs().percent(percent).cents()
	return less(tax.abs().sub(one), want) && less(want, tax.abs().add(one))
}
