package rules

// enDecimals are the rules of EN 16931 on the number of decimals.
var enDecimals = []rule{
	decimalRule("01", "BT-92", "The amount of a document level allowance", allowancesUBL, "Amount", allowancesCII, "ActualAmount"),
	decimalRule("02", "BT-93", "The base amount of a document level allowance", allowancesUBL, "BaseAmount", allowancesCII, "BasisAmount"),
	decimalRule("05", "BT-99", "The amount of a document level charge", chargesUBL, "Amount", chargesCII, "ActualAmount"),
	decimalRule("06", "BT-100", "The base amount of a document level charge", chargesUBL, "BaseAmount", chargesCII, "BasisAmount"),
	decimalRule("09", "BT-106", "The sum of the lines", totalsUBL, "LineExtensionAmount", totalsCII, "LineTotalAmount"),
	decimalRule("10", "BT-107", "The sum of the allowances", totalsUBL, "AllowanceTotalAmount", totalsCII, "AllowanceTotalAmount"),
	decimalRule("11", "BT-108", "The sum of the charges", totalsUBL, "ChargeTotalAmount", totalsCII, "ChargeTotalAmount"),
	decimalRule("12", "BT-109", "The total without VAT", totalsUBL, "TaxExclusiveAmount", totalsCII, "TaxBasisTotalAmount"),
	{id: "BR-DEC-13", severity: fatal, terms: "BT-110", message: "The VAT total (BT-110) has more than two decimals.",
		// The condition of the official UBL artefact never selects an amount.
		ubl: root(always), cii: at(totalsCII, taxDecimals(ciiCurrency, false))},
	decimalRule("14", "BT-112", "The total with VAT", totalsUBL, "TaxInclusiveAmount", totalsCII, "GrandTotalAmount"),
	{id: "BR-DEC-15", severity: fatal, terms: "BT-111", message: "The VAT total in the accounting currency (BT-111) has more than two decimals.",
		ubl: root(always), cii: at(totalsCII, taxDecimals(ciiTaxCurrency, true))},
	decimalRule("16", "BT-113", "The paid amount", totalsUBL, "PrepaidAmount", totalsCII, "TotalPrepaidAmount"),
	decimalRule("17", "BT-114", "The rounding amount", totalsUBL, "PayableRoundingAmount", totalsCII, "RoundingAmount"),
	decimalRule("18", "BT-115", "The amount due", totalsUBL, "PayableAmount", totalsCII, "DuePayableAmount"),
	decimalRule("19", "BT-116", "The taxable amount of a VAT breakdown", breakdownUBL, "TaxableAmount", breakdownCII, "BasisAmount"),
	decimalRule("20", "BT-117", "The VAT amount of a VAT breakdown", breakdownUBL, "TaxAmount", breakdownCII, "CalculatedAmount"),
	decimalRule("23", "BT-131", "The net amount of a line", linesUBL, "LineExtensionAmount", linesCII,
		"SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"),
	decimalRule("24", "BT-136", "The amount of an allowance of a line", lineAllowancesUBL, "Amount", lineAllowancesCII, "ActualAmount"),
	decimalRule("25", "BT-137", "The base amount of an allowance of a line", lineAllowancesUBL, "BaseAmount", lineAllowancesCII, "BasisAmount"),
	decimalRule("27", "BT-141", "The amount of a charge of a line", lineChargesUBL, "Amount", lineChargesCII, "ActualAmount"),
	decimalRule("28", "BT-142", "The base amount of a charge of a line", lineChargesUBL, "BaseAmount", lineChargesCII, "BasisAmount"),
}

func decimalRule(number, term, what, scopeUBL, ubl, scopeCII, cii string) rule {
	return rule{id: "BR-DEC-" + number, severity: fatal, terms: term, message: what + " (" + term + ") has more than two decimals.",
		ubl: at(scopeUBL, atMostTwoDecimals(ubl)), cii: at(scopeCII, atMostTwoDecimals(cii))}
}

// taxDecimals reports whether a VAT total in the currency has at most two decimals. A
// total in another currency passes. If free is set, all totals pass in a document
// without such a currency.
func taxDecimals(currency *selector, free bool) test {
	return func(d *document, n *node) bool {
		code := currency.first(d, n)
		if free && code == nil {
			return true
		}
		found := false
		return !ciiTaxTotal.each(d, n, func(total *node) bool {
			found = true
			same := code != nil && total.attr("currencyID") == code.text()
			ok := !same && !free
			if same {
				v := total.number()
				ok = v.eq(v.cents())
			}
			return !ok
		}) || !found
	}
}
