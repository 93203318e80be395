package rules

import "strings"

// nordicRules are the rules of Peppol for sellers in Norway, Denmark, Sweden
// and Iceland.
var nordicRules = []rule{
	{id: "NO-R-001", severity: fatal, terms: "BT-31", message: "The VAT identifier of a Norwegian seller (BT-31) must be NO, an organization number and MVA.",
		ubl: at(seller, norwegianVAT(sel("PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID"))).where(norwegian),
		cii: at("SellerTradeParty", norwegianVAT(sel("SpecifiedTaxRegistration/ID[@schemeID=VAT]"))).where(norwegian)},
	{id: "NO-R-002", severity: warning, terms: "BT-32", message: "A Norwegian seller should state Foretaksregisteret as its tax registration (BT-32) if it is in that register.",
		ubl: at(seller, has("PartyTaxScheme[TaxScheme/ID=TAX][CompanyID=Foretaksregisteret]")).where(norwegian),
		cii: at("SellerTradeParty", has("SpecifiedTaxRegistration/ID[@schemeID=FC][.=Foretaksregisteret]")).where(norwegian)},
	{id: "DK-R-002", severity: fatal, terms: "BT-30", message: "A Danish seller needs a legal registration identifier (BT-30).",
		ubl: root(filled(seller + "/PartyLegalEntity/CompanyID")).where(danishSeller), cii: root(filled(sellerCII + "/SpecifiedLegalOrganization/ID")).where(danishSeller)},
	{id: "DK-R-003", severity: warning, terms: "BT-158", message: "An item classification of the scheme TST must state version 19.05.01 or 26.08.01 of UNSPSC.",
		ubl: at("/InvoiceLine | /CreditNoteLine", when(has("Item/CommodityClassification/ItemClassificationCode[@listID=TST]"), has("Item/CommodityClassification/ItemClassificationCode[@listVersionID="+unspsc+"]"))).where(danishBoth),
		cii: at("/"+ciiLines, when(has("SpecifiedTradeProduct/DesignatedProductClassification/ClassCode[@listID=TST]"), has("SpecifiedTradeProduct/DesignatedProductClassification/ClassCode[@listVersionID="+unspsc+"]"))).where(danishBoth)},
	{id: "DK-R-004", severity: fatal, terms: "BT-97 BT-98 BT-104 BT-105", message: "An allowance or charge of the reason ZZZ must state the four digits of a Danish tax, or a text with # in it, as its reason.",
		ubl: at("AllowanceCharge[AllowanceChargeReasonCode=ZZZ]", danishReason("AllowanceChargeReason")).where(danishBoth),
		cii: root(when(has(settlement+"/SpecifiedTradeAllowanceCharge[ReasonCode=ZZZ]"), danishReason(settlement+"/SpecifiedTradeAllowanceCharge/Reason"))).where(danishBoth)},
	{id: "DK-R-005", severity: fatal, terms: "BT-81", message: "The means of payment (BT-81) is none of those for invoices within Denmark: 1, 10, 31, 42, 48, 49, 50, 58, 59, 93, 97.",
		ubl: at("/PaymentMeans", has("PaymentMeansCode[.="+danishMeans+"]")).where(danishInvoice), cii: at(meansCII, has("TypeCode[.="+danishMeans+"]")).where(danishBoth)},
	{id: "DK-R-006", severity: fatal, terms: "BT-84 BT-86", message: "A Danish transfer (31, 42) needs the account (BT-84) and the registration number of the bank (BT-86).",
		ubl: at("/PaymentMeans[PaymentMeansCode=31,42]", and(filled("PayeeFinancialAccount/ID"), filled("PayeeFinancialAccount/FinancialInstitutionBranch/ID"))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=31,42]", and(filled("PayeePartyCreditorFinancialAccount/IBANID"), filled("PayeeSpecifiedCreditorFinancialInstitution/BICID"))).where(danishBoth)},
	{id: "DK-R-007", severity: fatal, terms: "BT-89 BT-91", message: "A Danish direct debit (49) needs the mandate (BT-89) and the account to debit (BT-91).",
		ubl: at("/PaymentMeans[PaymentMeansCode=49]", and(filled("PaymentMandate/ID"), filled("PaymentMandate/PayerFinancialAccount/ID"))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=49]", and(filled("../CreditorReferenceID"), filled("SpecifiedTradePaymentTerms/DirectDebitMandateID"))).where(danishBoth)},
	{id: "DK-R-008", severity: fatal, terms: "BT-83 BT-84", message: "A giro payment (50) needs a remittance information (BT-83) that begins with 01#, 04# or 15#, and a giro account (BT-84).",
		ubl: at("/PaymentMeans[PaymentMeansCode=50]", and(prefixed("PaymentID", "01#", "04#", "15#"), digitCount("PayeeFinancialAccount/ID", 7, 8))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=50]", and(prefixed("../PaymentReference", "01#", "04#", "15#"), lengths("PayeePartyCreditorFinancialAccount/IBANID", 7))).where(danishBoth)},
	{id: "DK-R-009", severity: fatal, terms: "BT-83", message: "The remittance information of a giro payment with 04# or 15# (BT-83) must have 19 characters.",
		ubl: at("/PaymentMeans[PaymentMeansCode=50]", when(prefixed("PaymentID", "04#", "15#"), lengths("PaymentID", 19))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=50]", when(prefixed("../PaymentReference", "04#", "15#"), lengths("../PaymentReference", 19))).where(danishBoth)},
	{id: "DK-R-010", severity: fatal, terms: "BT-83 BT-84", message: "A FIK payment (93) needs a remittance information (BT-83) that begins with 71#, 73# or 75#, and an account of 8 characters (BT-84).",
		ubl: at("/PaymentMeans[PaymentMeansCode=93]", and(prefixed("PaymentID", "71#", "73#", "75#"), lengths("PayeeFinancialAccount/ID", 8))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=93]", and(prefixed("../PaymentReference", "71#", "73#", "75#"), lengths("PayeePartyCreditorFinancialAccount/IBANID", 8))).where(danishBoth)},
	{id: "DK-R-011", severity: fatal, terms: "BT-83", message: "The remittance information of a FIK payment with 71# or 75# (BT-83) must have 18 or 19 characters.",
		ubl: at("/PaymentMeans[PaymentMeansCode=93]", when(prefixed("PaymentID", "71#", "75#"), lengths("PaymentID", 18, 19))).where(danishInvoice),
		cii: at(meansCII+"[TypeCode=93]", when(prefixed("../PaymentReference", "71#", "75#"), lengths("../PaymentReference", 18, 19))).where(danishBoth)},
	{id: "DK-R-013", severity: fatal, terms: "BT-29 BT-46", message: "The identifier of a Danish seller or buyer (BT-29, BT-46) names no scheme.",
		ubl: at("/"+seller+"/PartyIdentification | /"+buyer+"/PartyIdentification", or(none("ID"), has("ID[@schemeID!=]"))).where(danishBoth),
		cii: root(and(schemed(sellerCII+"/GlobalID"), schemed(buyerCII+"/GlobalID"))).where(danishBoth)},
	{id: "DK-R-014", severity: fatal, terms: "BT-30", message: "The legal registration identifier of a Danish seller (BT-30) must be of the scheme 0184.",
		ubl: root(or(none(seller+"/PartyLegalEntity/CompanyID"), has(seller+"/PartyLegalEntity/CompanyID[@schemeID=0184]"))).where(danishSeller),
		cii: root(or(none(sellerCII+"/SpecifiedLegalOrganization/ID"), has(sellerCII+"/SpecifiedLegalOrganization/ID[@schemeID=0184]"))).where(danishSeller)},
	{id: "DK-R-016", severity: fatal, terms: "BT-115", message: "A credit note within Denmark must not have a negative amount due (BT-115).",
		ubl: root(or(not(isCreditNote), not(compareTo("LegalMonetaryTotal/PayableAmount", number.lt)))).where(danishBoth),
		cii: root(or(none("ExchangedDocument/TypeCode[.=381]"), not(compareTo(settlement+"/SpecifiedTradeSettlementHeaderMonetarySummation/DuePayableAmount", number.lt)))).where(danishBoth)},
	{id: "SE-R-001", severity: fatal, terms: "BT-31", message: "The VAT identifier of a Swedish seller (BT-31) must have 14 characters.",
		ubl: at(seller, swedishVAT("PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID", func(s string) bool { return len([]rune(normalize(s))) == 14 })),
		cii: at("/"+sellerCII, swedishVAT("SpecifiedTaxRegistration/ID[@schemeID=VAT]", func(s string) bool { return len([]rune(normalize(s))) == 14 }))},
	{id: "SE-R-002", severity: fatal, terms: "BT-31", message: "The VAT identifier of a Swedish seller (BT-31) must have 12 digits after SE.",
		ubl: at(seller, swedishVAT("PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID", swedishDigits)),
		cii: at("/"+sellerCII, swedishVAT("SpecifiedTaxRegistration/ID[@schemeID=VAT]", swedishDigits))},
	{id: "SE-R-003", severity: fatal, terms: "BT-30", message: "The organization number of a Swedish seller (BT-30) must be a number.",
		ubl: swedishLegal(isNumber), cii: swedishLegalCII(isNumber)},
	{id: "SE-R-004", severity: fatal, terms: "BT-30", message: "The organization number of a Swedish seller (BT-30) must have 10 characters.",
		ubl: swedishLegal(func(s string) bool { return len([]rune(s)) == 10 }), cii: swedishLegalCII(func(s string) bool { return len([]rune(s)) == 10 })},
	{id: "SE-R-005", severity: fatal, terms: "BT-32", message: "The tax registration of a Swedish seller (BT-32) must be the text GODKÄND FÖR F-SKATT.",
		ubl: at(seller+"[PostalAddress/Country/IdentificationCode=SE][PartyLegalEntity/CompanyID]/PartyTaxScheme[!TaxScheme/ID~VAT]/CompanyID", own(fSkatt)),
		cii: at("/"+sellerCII+"[PostalTradeAddress/CountryID=SE][SpecifiedLegalOrganization/ID]/SpecifiedTaxRegistration/ID[@schemeID=FC]", own(fSkatt))},
	{id: "SE-R-006", severity: fatal, terms: "BT-152 BT-119", message: "The rate of Swedish VAT must be 25, 12 or 6.",
		ubl: at("TaxCategory[ID=S] | ClassifiedTaxCategory[ID=S]", swedishRate("Percent")).where(func(v *variables) bool { return v.swedishVAT }),
		cii: at("ApplicableTradeTax | CategoryTradeTax", swedishRate("RateApplicablePercent")).where(func(v *variables) bool { return v.swedishVAT })},
	{id: "SE-R-007", severity: warning, terms: "BT-84", message: "A Plusgiro account (BT-84) must be a number.",
		ubl: swedishAccount("SE:PLUSGIRO", isNumber), cii: swedishAccountCII("SE:PLUSGIRO", isNumber)},
	{id: "SE-R-008", severity: warning, terms: "BT-84", message: "A Bankgiro account (BT-84) must be a number.",
		ubl: swedishAccount("SE:BANKGIRO", isNumber), cii: swedishAccountCII("SE:BANKGIRO", isNumber)},
	{id: "SE-R-009", severity: warning, terms: "BT-84", message: "A Bankgiro account (BT-84) must have 7 or 8 characters.",
		ubl: swedishAccount("SE:BANKGIRO", sized(7, 8)), cii: swedishAccountCII("SE:BANKGIRO", sized(7, 8))},
	{id: "SE-R-010", severity: warning, terms: "BT-84", message: "A Plusgiro account (BT-84) must have 2 to 8 characters.",
		ubl: swedishAccount("SE:PLUSGIRO", sized(2, 8)), cii: swedishAccountCII("SE:PLUSGIRO", sized(2, 8))},
	{id: "SE-R-011", severity: warning, terms: "BT-81", message: "A Swedish seller should state giro payments as credit transfers (30), not as 50 or 56.",
		ubl: forbidden("PaymentMeans[PaymentMeansCode=50,56]").where(inSweden), cii: forbidden(meansCII + "[TypeCode=50,56]").where(inSweden)},
	{id: "SE-R-012", severity: warning, terms: "BT-81", message: "A credit transfer within Sweden should be stated as 30, not as 31.",
		ubl: forbidden("PaymentMeans[PaymentMeansCode=31]").where(withinSweden), cii: forbidden(meansCII + "[TypeCode=31]").where(withinSweden)},
	{id: "SE-R-013", severity: fatal, terms: "BT-30", message: "The check digit of the organization number of a Swedish seller (BT-30) is wrong.",
		ubl: swedishLegal(swedish), cii: swedishLegalCII(swedish)},
}

const (
	unspsc      = "19.05.01,19.0501,26.08.01,26.0801"
	danishMeans = "1,10,31,42,48,49,50,58,59,93,97"
)

func norwegian(v *variables) bool    { return v.supplierCountry == "NO" }
func danishSeller(v *variables) bool { return v.seller == "DK" }
func danishBoth(v *variables) bool   { return v.seller == "DK" && v.buyer == "DK" }
func inSweden(v *variables) bool     { return v.swedishSeller }
func withinSweden(v *variables) bool { return v.swedishSeller && v.buyer == "SE" }

// danishInvoice reports whether an invoice is within Denmark, because payment rules
// apply only there.
func danishInvoice(v *variables) bool { return danishBoth(v) && !v.creditNote }

// norwegianVAT accepts identifiers of other countries.
func norwegianVAT(s *selector) test {
	return func(d *document, n *node) bool {
		id := s.first(d, n).text()
		if !strings.HasPrefix(id, "NO") {
			return true
		}
		digits, ok := strings.CutSuffix(id[2:], "MVA")
		return ok && len(digits) == 9 && mod11(digits)
	}
}

// danishReason reports whether a reason is a number of four digits or contains a
// number sign.
func danishReason(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		reason := s.first(d, n)
		v := parseNumber(reason.text())
		if len([]rune(reason.value())) == 4 && v.ge(zero) {
			return true
		}
		t := reason.text()
		return strings.Contains(t, "#") && !strings.HasPrefix(t, "#") && !strings.HasSuffix(t, "#")
	}
}

func prefixed(selector string, prefixes ...string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(s.first(d, n).text(), p) {
				return true
			}
		}
		return false
	}
}

// lengths reports whether the first selected element has one of the lengths.
func lengths(selector string, allowed ...int) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		have := len([]rune(s.first(d, n).text()))
		for _, a := range allowed {
			if a == have {
				return true
			}
		}
		return false
	}
}

func digitCount(selector string, least, most int) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		t := s.first(d, n).text()
		return digitsOnly(t) && len(t) >= least && len(t) <= most
	}
}

// schemed reports whether the first selected element, if there is one, has a scheme.
func schemed(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		id := s.first(d, n)
		return id == nil || normalize(id.attr("schemeID")) != ""
	}
}

// swedishVAT tests the VAT identifier of a Swedish seller, if there is one.
func swedishVAT(selector string, valid func(string) bool) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		return !d.v().swedishVAT || valid(s.first(d, n).text())
	}
}

func swedishDigits(s string) bool {
	r := []rune(s)
	if len(r) < 3 {
		return false
	}
	return isNumber(strings.TrimSpace(string(r[2:min(14, len(r))])))
}

func swedishLegal(valid func(string) bool) *check {
	return at(seller+"[PostalAddress/Country/IdentificationCode=SE]/PartyLegalEntity[CompanyID]", legalNumber("CompanyID", valid))
}

func swedishLegalCII(valid func(string) bool) *check {
	return at("/"+sellerCII+"[PostalTradeAddress/CountryID=SE]/SpecifiedLegalOrganization[ID]", legalNumber("ID", valid))
}

func legalNumber(selector string, valid func(string) bool) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return valid(s.first(d, n).value()) }
}

func fSkatt(v string) bool { return strings.ToUpper(v) == "GODKÄND FÖR F-SKATT" }

func swedishRate(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		rate := d.num(n, s)
		for _, allowed := range []string{"25", "12", "6"} {
			if rate.eq(parseNumber(allowed)) {
				return true
			}
		}
		return false
	}
}

func swedishAccount(branch string, valid func(string) bool) *check {
	return at("PaymentMeans[PaymentMeansCode=30][PayeeFinancialAccount/FinancialInstitutionBranch/ID="+branch+"]/PayeeFinancialAccount/ID", own(valid)).where(inSweden)
}

func swedishAccountCII(branch string, valid func(string) bool) *check {
	return at(meansCII+"[TypeCode=30][PayeeSpecifiedCreditorFinancialInstitution/BICID="+branch+"]/PayeePartyCreditorFinancialAccount/ProprietaryID", own(valid)).where(inSweden)
}

func sized(least, most int) func(string) bool {
	return func(s string) bool {
		n := len([]rune(s))
		return n >= least && n <= most
	}
}
