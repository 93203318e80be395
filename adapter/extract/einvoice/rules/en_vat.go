package rules

// category is a VAT category with its requirements in EN 16931.
type category struct {
	id, code string
	name     string
	rate     func(a, b number) bool // comparison of the rate with 0; nil: no rate is allowed
	rateText string
	exempt   bool // an exemption reason is required; otherwise it is forbidden
	rated    bool // one breakdown for each rate, with a computed tax
	seller   string
	buyer    string
}

// categories are the VAT categories with the same ten rules.
var categories = []category{
	{id: "S", code: "S", name: "standard rate (S)", rate: number.gt, rateText: "above 0", rated: true},
	{id: "Z", code: "Z", name: "zero rate (Z)", rate: number.eq, rateText: "0"},
	{id: "E", code: "E", name: "exempt (E)", rate: number.eq, rateText: "0", exempt: true},
	{id: "AE", code: "AE", name: "reverse charge (AE)", rate: number.eq, rateText: "0", exempt: true, buyer: "a VAT identifier (BT-48) or legal registration identifier (BT-47) of the buyer"},
	{id: "IC", code: "K", name: "intra-community supply (K)", rate: number.eq, rateText: "0", exempt: true, seller: "VAT", buyer: "a VAT identifier of the buyer (BT-48)"},
	{id: "G", code: "G", name: "export (G)", rate: number.eq, rateText: "0", exempt: true, seller: "VAT"},
	{id: "O", code: "O", name: "not subject to VAT (O)", exempt: true},
	{id: "AF", code: "L", name: "Canary Islands tax (L)", rate: number.ge, rateText: "0 or above", rated: true},
	{id: "AG", code: "M", name: "tax of Ceuta and Melilla (M)", rate: number.ge, rateText: "0 or above", rated: true},
}

// enVAT returns the rules of EN 16931 on the VAT categories.
func enVAT() []rule {
	var out []rule
	for _, c := range categories {
		out = append(out, c.rules()...)
	}
	return append(out, enVATOther...)
}

func (c category) rules() []rule {
	id := func(n string) string { return "BR-" + c.id + "-" + n }
	parties := "an identifier of the seller (BT-31, BT-32) or the VAT identifier of its tax representative (BT-63)"
	if c.seller == "VAT" {
		parties = "a VAT identifier of the seller (BT-31) or of its tax representative (BT-63)"
	}
	demand := "needs " + parties
	if c.buyer != "" {
		demand += " and " + c.buyer
	}
	if c.id == "O" {
		demand = "must state no VAT identifier of the seller (BT-31), its tax representative (BT-63) or the buyer (BT-48)"
	}
	rate := "must have a rate " + c.rateText
	if c.rate != nil && c.rateText == "0" {
		rate = "must have the rate 0"
	}
	if c.rate == nil {
		rate = "must have no rate"
	}
	tax := "must be 0"
	if c.rated {
		tax = "must be the taxable amount (BT-116) times the rate (BT-119)"
	}
	reason := "must have no reason of exemption (BT-120, BT-121)"
	if c.exempt {
		reason = "needs a reason of exemption (BT-120) or its code (BT-121)"
	}
	f := fatal
	return []rule{
		{id: id("01"), severity: f, terms: "BG-23 BT-118 BT-151 BT-95 BT-102",
			message: "The VAT breakdown (BG-23) must state the category " + c.name + " if, and only if, a line, allowance or charge has it, and once where it has one rate.",
			ubl:     root(c.inBreakdownUBL()), cii: root(c.inBreakdownCII())},
		{id: id("02"), severity: f, terms: "BT-151 BT-31 BT-32 BT-63", message: "An invoice with a line of category " + c.name + " " + demand + ".",
			ubl: root(c.linePartiesUBL()), cii: at(c.lineCII(), c.partiesCII())},
		{id: id("03"), severity: f, terms: "BT-95 BT-31 BT-32 BT-63", message: "An invoice with an allowance of category " + c.name + " " + demand + ".",
			ubl: root(when(has(c.anyUBL("false,0")), c.partiesUBL())), cii: at(c.chargeCII("false,0"), c.partiesCII())},
		{id: id("04"), severity: f, terms: "BT-102 BT-31 BT-32 BT-63", message: "An invoice with a charge of category " + c.name + " " + demand + ".",
			ubl: root(when(has(c.anyUBL("true,1")), c.partiesUBL())), cii: at(c.chargeCII("true,1"), c.partiesCII())},
		{id: id("05"), severity: f, terms: "BT-152 BT-151", message: "A line of category " + c.name + " " + rate + " (BT-152).",
			ubl: at(c.lineUBL(), c.rateTest("Percent", false)), cii: at(c.lineCII(), c.rateTest("RateApplicablePercent", true))},
		{id: id("06"), severity: f, terms: "BT-96 BT-95", message: "An allowance of category " + c.name + " " + rate + " (BT-96).",
			ubl: at(c.chargeUBL("false,0"), c.rateTest("Percent", false)), cii: at(c.chargeCII("false,0"), c.rateTest("RateApplicablePercent", true))},
		{id: id("07"), severity: f, terms: "BT-103 BT-102", message: "A charge of category " + c.name + " " + rate + " (BT-103).",
			ubl: at(c.chargeUBL("true,1"), c.rateTest("Percent", false)), cii: at(c.chargeCII("true,1"), c.rateTest("RateApplicablePercent", true))},
		{id: id("08"), severity: f, terms: "BT-116 BT-131 BT-92 BT-99", message: "The taxable amount (BT-116) of category " + c.name + " is not that of its lines less allowances plus charges.",
			ubl: at(c.breakdownUBL(), c.taxableUBL), cii: at(c.breakdownCII(), c.taxableTestCII())},
		{id: id("09"), severity: f, terms: "BT-117 BT-116 BT-119", message: "The VAT amount (BT-117) of category " + c.name + " " + tax + ".",
			ubl: at(c.breakdownUBL(), c.taxUBL), cii: at(c.breakdownCII(), c.taxCII)},
		{id: id("10"), severity: f, terms: "BT-120 BT-121", message: "A breakdown of category " + c.name + " " + reason + ".",
			ubl: at(c.breakdownUBL(), c.reason("TaxExemptionReason", "TaxExemptionReasonCode")),
			cii: at(c.breakdownCII(), c.reason("ExemptionReason", "ExemptionReasonCode"))},
	}
}

const vatUBL = "[TaxScheme/ID~VAT]"

func (c category) lineUBL() string {
	return "InvoiceLine/Item/ClassifiedTaxCategory[ID=" + c.code + "]" + vatUBL + " | CreditNoteLine/Item/ClassifiedTaxCategory[ID=" + c.code + "]" + vatUBL
}

func (c category) chargeUBL(indicator string) string {
	return "AllowanceCharge[ChargeIndicator=" + indicator + "]/TaxCategory[ID=" + c.code + "]" + vatUBL
}

// anyUBL selects the category of allowances or charges: for category O only those at
// document level, otherwise all.
func (c category) anyUBL(indicator string) string {
	if c.id == "O" {
		return "/" + c.chargeUBL(indicator)
	}
	return "//" + c.chargeUBL(indicator)
}

func (c category) breakdownUBL() string {
	return "/TaxTotal/TaxSubtotal/TaxCategory[ID=" + c.code + "]" + vatUBL
}

func (c category) lineCII() string {
	return "IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/ApplicableTradeTax[CategoryCode=" + c.code + "][TypeCode~VAT]"
}

func (c category) chargeCII(indicator string) string {
	return "SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=" + indicator + "]/CategoryTradeTax[CategoryCode=" + c.code + "][TypeCode~VAT]"
}

func (c category) breakdownCII() string {
	s := "ApplicableHeaderTradeSettlement/ApplicableTradeTax[CategoryCode=" + c.code + "]"
	if c.code == "S" || c.code == "Z" {
		return s
	}
	return s + "[TypeCode~VAT]"
}

// linePartiesUBL tests the parties of a document with a line of the category. For
// category S, the artefact also counts lines of another tax scheme, which violate the
// rule.
func (c category) linePartiesUBL() test {
	with := "//ClassifiedTaxCategory[ID=" + c.code + "]"
	ofVAT := has(with + vatUBL)
	if c.id == "S" {
		return when(has(with), and(ofVAT, c.partiesUBL()))
	}
	return when(ofVAT, c.partiesUBL())
}

func (c category) partiesUBL() test {
	sellerVAT := "//AccountingSupplierParty/Party/PartyTaxScheme" + vatUBL + "/CompanyID"
	sellerAny := "//AccountingSupplierParty/Party/PartyTaxScheme/CompanyID"
	agent := "//TaxRepresentativeParty/PartyTaxScheme" + vatUBL + "/CompanyID"
	buyerVAT := "//AccountingCustomerParty/Party/PartyTaxScheme" + vatUBL + "/CompanyID"
	buyerLegal := "//AccountingCustomerParty/Party/PartyLegalEntity/CompanyID"
	switch c.id {
	case "O":
		return none(sellerVAT, agent, buyerVAT)
	case "S":
		return has(sellerAny, agent)
	case "AE":
		return and(has(sellerAny, agent), has(buyerVAT, buyerLegal))
	case "IC":
		return and(has(sellerVAT, agent), has(buyerVAT))
	case "G":
		return has(sellerVAT, agent)
	}
	return has(sellerAny, agent)
}

func (c category) partiesCII() test {
	sellerVAT := "//SellerTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VA]"
	sellerAny := "//SellerTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VA,FC]"
	agent := "//SellerTaxRepresentativeTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VA]"
	buyerVAT := "//BuyerTradeParty/SpecifiedTaxRegistration/ID[@schemeID=VA]"
	buyerLegal := "//BuyerTradeParty/SpecifiedLegalOrganization/ID"
	switch c.id {
	case "O":
		return none(sellerVAT, agent, buyerVAT)
	case "AE":
		return and(has(sellerAny, agent), has(buyerVAT, buyerLegal))
	case "IC":
		return and(has(sellerVAT, agent), has(buyerVAT))
	case "G":
		return has(sellerVAT, agent)
	}
	return has(sellerAny, agent)
}

func (c category) rateTest(path string, cii bool) test {
	if c.rate == nil {
		return none(path)
	}
	if cii && c.id == "AF" {
		return compareTo(path, number.gt)
	}
	return compareTo(path, c.rate)
}

func (c category) inBreakdownUBL() test {
	with := "[ID=" + c.code + "]"
	if c.id != "S" {
		with += vatUBL
	}
	breakdown := "TaxTotal/TaxSubtotal/TaxCategory" + with
	if c.rated {
		used := has("//AllowanceCharge/TaxCategory"+with, "//ClassifiedTaxCategory"+with)
		stated := has(breakdown)
		return func(d *document, n *node) bool { return used(d, n) == stated(d, n) }
	}
	return when(has("//TaxCategory"+with+"/ID", "//ClassifiedTaxCategory"+with+"/ID"), exactly(1, breakdown+"/ID"))
}

func (c category) inBreakdownCII() test {
	with := "[CategoryCode=" + c.code + "]"
	header := sel("//ApplicableHeaderTradeSettlement/ApplicableTradeTax" + with)
	line := sel("//SpecifiedLineTradeSettlement/ApplicableTradeTax" + with)
	other := sel("//CategoryTradeTax" + with)
	return func(d *document, n *node) bool {
		headers, lines, others := header.count(d, n), line.count(d, n), other.count(d, n)
		switch {
		case c.rated:
			return (lines+headers >= 2 || lines == 0) && (others+headers >= 2 || others == 0)
		case c.id == "O":
			return headers == 0 || headers == 1 && lines+others > 0
		}
		return headers+lines+others == 0 || headers == 1 && lines+others > 0
	}
}

// reason tests the exemption reason.
func (c category) reason(paths ...string) test {
	if c.exempt {
		return has(paths...)
	}
	return none(paths...)
}

var (
	ownRate       = sel("Percent")
	aboveTaxable  = sel("../TaxableAmount")
	aboveTax      = sel("../TaxAmount")
	anyLine       = []*selector{sel("//InvoiceLine"), sel("//CreditNoteLine")}
	exactlySame   = number.eq
	withinOneUnit = number.about
)

func (c category) taxableUBL(d *document, n *node) bool {
	v := d.vatSums()
	base := d.num(n, aboveTaxable)
	if !c.rated {
		return (anyLine[0].has(d, n) || anyLine[1].has(d, n)) && exactlySame(base, v.sum(c.code, "", false))
	}
	return ownRate.each(d, n, func(rate *node) bool {
		key := rate.number()
		if !key.ok {
			return false
		}
		if c.id == "S" {
			if !v.used[vatKey{c.code, key.d.String()}] {
				return false
			}
		} else if !anyLine[0].has(d, n) && !anyLine[1].has(d, n) {
			return false
		}
		return withinOneUnit(base, v.sum(c.code, key.d.String(), false))
	})
}

// taxableTestCII is the test of rule 08. The official artefact reads the rate of
// categories L and M from an element that CII does not have, and so never evaluates
// their rule.
func (c category) taxableTestCII() test {
	if c.code == "L" || c.code == "M" {
		return always
	}
	return c.taxableCII
}

func (c category) taxableCII(d *document, n *node) bool {
	v := d.vatSums()
	base := d.num(n, ciiBasis)
	switch {
	case c.id == "O":
		return exactlySame(base, v.sum(c.code, "", true))
	case !c.rated:
		return withinOneUnit(base, v.sum(c.code, "", true))
	}
	return ciiRate.each(d, n, func(rate *node) bool {
		key := rate.number()
		return key.ok && exactlySame(base, v.sum(c.code, key.d.String(), true))
	})
}

func (c category) taxUBL(d *document, n *node) bool {
	tax := d.num(n, aboveTax)
	if !c.rated {
		return tax.isZero()
	}
	return tax.abs().about(d.num(n, aboveTaxable).abs().percent(d.num(n, ownRate)).cents())
}

func (c category) taxCII(d *document, n *node) bool {
	tax := d.num(n, ciiCalculate)
	switch {
	case c.id == "S":
		return tax.abs().about(d.num(n, ciiBasis).abs().percent(d.num(n, ciiRate)).cents())
	case c.rated: // BR-CO-17 covers these
		return true
	}
	return tax.isZero()
}

var (
	breakdownOfO = "TaxTotal/TaxSubtotal/TaxCategory[ID=O]" + vatUBL + "/ID"
	breakdownOfK = "TaxTotal/TaxSubtotal/TaxCategory[ID=K]" + vatUBL + "/ID"
	categoryO    = category{id: "O", code: "O"}
	categoryK    = category{id: "IC", code: "K"}
	usesB        = has("//TaxCategory/ID[.=B]", "//ClassifiedTaxCategory/ID[.=B]")
	usesBCII     = has("//CategoryCode[.=B]")
)

// enVATOther are the rules that exist only for single categories.
var enVATOther = []rule{
	{id: "BR-O-11", severity: fatal, terms: "BG-23 BT-118", message: "A VAT breakdown of category O must be the only breakdown.",
		ubl: root(when(has(breakdownOfO), none("TaxTotal/TaxSubtotal/TaxCategory[!ID=O]"+vatUBL))),
		cii: at(categoryO.breakdownCII(), none("//ApplicableTradeTax[CategoryCode!=O]"))},
	{id: "BR-O-12", severity: fatal, terms: "BG-23 BT-151", message: "The VAT breakdown is of category O, but a line has another category (BT-151).",
		ubl: root(when(has(breakdownOfO), none("//ClassifiedTaxCategory[!ID=O]"+vatUBL))),
		cii: at(categoryO.breakdownCII(), none("//ApplicableTradeTax[CategoryCode!=O]"))},
	{id: "BR-O-13", severity: fatal, terms: "BG-23 BT-95", message: "The VAT breakdown is of category O, but an allowance has another category (BT-95).",
		ubl: root(when(has(breakdownOfO), none("//AllowanceCharge[ChargeIndicator=false,0]/TaxCategory[!ID=O]"+vatUBL))),
		cii: at(categoryO.breakdownCII(), none("//CategoryTradeTax[CategoryCode!=O]"))},
	{id: "BR-O-14", severity: fatal, terms: "BG-23 BT-102", message: "The VAT breakdown is of category O, but a charge has another category (BT-102).",
		ubl: root(when(has(breakdownOfO), none("//AllowanceCharge[ChargeIndicator=true,1]/TaxCategory[!ID=O]"+vatUBL))),
		cii: at(categoryO.breakdownCII(), none("//CategoryTradeTax[CategoryCode!=O]"))},
	{id: "BR-IC-11", severity: fatal, terms: "BT-72 BG-14", message: "An intra-community supply (K) needs a delivery date (BT-72) or an invoicing period (BG-14).",
		ubl: root(when(has(breakdownOfK), or(longer("Delivery/ActualDeliveryDate"), has("InvoicePeriod/*")))),
		cii: at(categoryK.breakdownCII(), has("/"+delivery+"/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString",
			"../BillingSpecifiedPeriod/StartDateTime", "../BillingSpecifiedPeriod/EndDateTime"))},
	{id: "BR-IC-12", severity: fatal, terms: "BT-80", message: "An intra-community supply (K) needs the country of the delivery (BT-80).",
		ubl: root(when(has(breakdownOfK), longer("Delivery/DeliveryLocation/Address/Country/IdentificationCode"))),
		cii: at(categoryK.breakdownCII(), has("/"+delivery+"/ShipToTradeParty/PostalTradeAddress/CountryID"))},
	{id: "BR-B-01", severity: fatal, terms: "BT-151 BT-95 BT-102", message: "The category split payment (B) is for invoices within Italy, but the document names another country.",
		ubl: root(when(usesB, none("//IdentificationCode[.!=IT]"))), cii: root(when(usesBCII, none("//CountryID[.!=IT]")))},
	{id: "BR-B-02", severity: fatal, terms: "BT-151 BT-95 BT-102", message: "The categories split payment (B) and standard rate (S) exclude each other.",
		ubl: root(when(has("TaxTotal/TaxSubtotal/TaxCategory/ID[.=B]", "AllowanceCharge/TaxCategory/ID[.=B]", "//ClassifiedTaxCategory/ID[.=B]"),
			none("TaxTotal/TaxSubtotal/TaxCategory/ID[.=S]", "AllowanceCharge/TaxCategory/ID[.=S]", "//ClassifiedTaxCategory/ID[.=S]"))),
		cii: root(when(usesBCII, none("//CategoryCode[.=S]")))},
}

// longer reports whether the first selected element has two characters or more.
func longer(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return len([]rune(s.first(d, n).text())) > 1 }
}
