package rules

import (
	"regexp"
	"strings"
)

// otherNationalRules are the rules of Peppol for sellers in Italy, Iceland, the
// Netherlands and Greece.
var otherNationalRules = []rule{
	{id: "IT-R-001", severity: fatal, terms: "BT-32", message: "The tax registration of an Italian seller (BT-32) must have 11 to 16 capital letters or digits.",
		ubl: at(seller+"/PartyTaxScheme[!TaxScheme/ID=VAT]", matching("CompanyID", italianRegistration)).where(italian),
		cii: at("SellerTradeParty/SpecifiedTaxRegistration", or(has("ID[@schemeID!=FC]"), matching("ID[@schemeID=FC]", italianRegistration))).where(italian)},
	{id: "IT-R-002", severity: fatal, terms: "BT-35", message: "The street of an Italian seller (BT-35) is missing.",
		ubl: at(seller, has("PostalAddress/StreetName")).where(italian), cii: at("SellerTradeParty", has("PostalTradeAddress/LineOne")).where(italian)},
	{id: "IT-R-003", severity: fatal, terms: "BT-37", message: "The city of an Italian seller (BT-37) is missing.",
		ubl: at(seller, has("PostalAddress/CityName")).where(italian), cii: at("SellerTradeParty", has("PostalTradeAddress/CityName")).where(italian)},
	{id: "IT-R-004", severity: fatal, terms: "BT-38", message: "The post code of an Italian seller (BT-38) is missing.",
		ubl: at(seller, has("PostalAddress/PostalZone")).where(italian), cii: at("SellerTradeParty", has("PostalTradeAddress/PostcodeCode")).where(italian)},
	{id: "IS-R-001", severity: warning, terms: "BT-3", message: "An Icelandic seller should use the document types 380 and 381 (BT-3).",
		ubl: root(has("InvoiceTypeCode[.=380,381]", "CreditNoteTypeCode[.=380,381]")).where(icelandic)},
	{id: "IS-R-002", severity: fatal, terms: "BT-30", message: "An Icelandic seller needs a legal registration identifier (BT-30) of the scheme 0196.",
		ubl: root(has(seller + "/PartyLegalEntity/CompanyID[@schemeID=0196]")).where(icelandic)},
	{id: "IS-R-003", severity: fatal, terms: "BT-35 BT-38", message: "The street (BT-35) or post code (BT-38) of an Icelandic seller is missing.",
		ubl: root(and(has(seller+"/PostalAddress/StreetName"), has(seller+"/PostalAddress/PostalZone"))).where(icelandic)},
	{id: "IS-R-004", severity: fatal, terms: "BT-47", message: "An Icelandic buyer needs a legal registration identifier (BT-47) of the scheme 0196.",
		ubl: at("/AccountingCustomerParty", has("Party/PartyLegalEntity/CompanyID[@schemeID=0196]")).where(icelandicBoth)},
	{id: "IS-R-005", severity: fatal, terms: "BT-50 BT-53", message: "The street (BT-50) or post code (BT-53) of an Icelandic buyer is missing.",
		ubl: at("/AccountingCustomerParty", and(has("Party/PostalAddress/StreetName"), has("Party/PostalAddress/PostalZone"))).where(icelandicBoth)},
	{id: "IS-R-006", severity: fatal, terms: "BT-84", message: "A claim (9) needs an account of 12 digits (BT-84).",
		ubl: root(icelandicAccount("9")).where(icelandic)},
	{id: "IS-R-007", severity: fatal, terms: "BT-84", message: "A bank transfer (42) needs an account of 12 digits (BT-84).",
		ubl: root(icelandicAccount("42")).where(icelandic)},
	{id: "IS-R-008", severity: fatal, terms: "BT-122", message: "The final due date (EINDAGI) must be a date YYYY-MM-DD.",
		ubl: root(when(has(eindagi), finalDay)).where(icelandic)},
	{id: "IS-R-009", severity: fatal, terms: "BT-9", message: "A final due date (EINDAGI) needs a due date (BT-9).",
		ubl: root(when(has(eindagi), has("DueDate"))).where(icelandic)},
	{id: "IS-R-010", severity: fatal, terms: "BT-9", message: "The final due date (EINDAGI) is before the due date (BT-9).",
		ubl: root(when(has(eindagi), finalAfterDue)).where(icelandic)},
	{id: "NL-R-001", severity: fatal, terms: "BT-25", message: "A credit note of a Dutch seller must name the invoice that it credits (BT-25).",
		ubl: at("CreditNoteTypeCode", has("/BillingReference/InvoiceDocumentReference/ID")).where(dutch),
		cii: at("/ExchangedDocument[TypeCode=81,83,381,396,532]", has("//ApplicableHeaderTradeSettlement/InvoiceReferencedDocument/IssuerAssignedID")).where(dutch)},
	{id: "NL-R-002", severity: fatal, terms: "BT-35 BT-37 BT-38", message: "The address of a Dutch seller needs a street (BT-35), city (BT-37) and post code (BT-38).",
		ubl: at(seller+"/PostalAddress", addressUBL).where(dutch), cii: at("/"+sellerCII+"/PostalTradeAddress", addressCII).where(dutch)},
	{id: "NL-R-003", severity: fatal, terms: "BT-30", message: "The legal registration identifier of a Dutch seller (BT-30) must be a KVK or OIN number (scheme 0106 or 0190).",
		ubl: at(seller+"/PartyLegalEntity/CompanyID", dutchNumber).where(dutch), cii: at("/"+sellerCII+"/SpecifiedLegalOrganization/ID", dutchNumber).where(dutch)},
	{id: "NL-R-004", severity: fatal, terms: "BT-50 BT-52 BT-53", message: "The address of a Dutch buyer needs a street (BT-50), city (BT-52) and post code (BT-53).",
		ubl: at(buyer+"/PostalAddress", addressUBL).where(dutchBoth), cii: at("/"+buyerCII+"/PostalTradeAddress", addressCII).where(dutchBoth)},
	{id: "NL-R-005", severity: fatal, terms: "BT-47", message: "The legal registration identifier of a Dutch buyer (BT-47) must be a KVK or OIN number (scheme 0106 or 0190).",
		ubl: at(buyer+"/PartyLegalEntity/CompanyID", dutchNumber).where(dutchBoth), cii: at("/"+buyerCII+"/SpecifiedLegalOrganization/ID", dutchNumber).where(dutchBoth)},
	{id: "NL-R-006", severity: fatal, terms: "BT-64 BT-66 BT-67", message: "The address of a Dutch tax representative needs a street (BT-64), city (BT-66) and post code (BT-67).",
		ubl: at("TaxRepresentativeParty/PostalAddress", addressUBL).where(dutchAgent), cii: at("/"+agreement+"/SellerTaxRepresentativeTradeParty/PostalTradeAddress", addressCII).where(dutchAgent)},
	{id: "NL-R-007", severity: fatal, terms: "BT-81", message: "An invoice of a Dutch seller needs a means of payment (BT-81) if the buyer has to pay.",
		ubl: at("LegalMonetaryTotal", or(has("//PaymentMeans"), nothingToPayUBL)).where(dutch),
		cii: at(ciiTotalsScope, or(has(meansCII), nothingToPayCII)).where(dutch)},
	{id: "NL-R-008", severity: fatal, terms: "BT-81", message: "The means of payment (BT-81) is none of those for invoices within the Netherlands: 30, 48, 49, 57, 58, 59.",
		ubl: at("PaymentMeans", has("PaymentMeansCode[.="+dutchMeans+"]")).where(dutchBoth), cii: at(meansCII, has("TypeCode[.="+dutchMeans+"]")).where(dutchBoth)},
	{id: "NL-R-009", severity: fatal, terms: "BT-132 BT-13", message: "An order line reference (BT-132) of a Dutch seller needs an order reference (BT-13).",
		ubl: at("OrderLineReference/LineID", has("/OrderReference/ID")).where(dutch),
		cii: at("/"+ciiLines+"/SpecifiedLineTradeAgreement/BuyerOrderReferencedDocument/LineID", has("/"+agreement+"/BuyerOrderReferencedDocument/IssuerAssignedID")).where(dutch)},
	{id: "GR-R-001-1", severity: fatal, terms: "BT-1", message: "The number of a Greek invoice (BT-1) must consist of six segments, separated by |.",
		ubl: greekSegment(func(_ *document, s []string) bool { return len(s) == 6 })},
	{id: "GR-R-001-2", severity: fatal, terms: "BT-1", message: "The first segment of the number of a Greek invoice (BT-1) must be the tax number of the seller or its tax representative.",
		ubl: greekSegment(func(d *document, s []string) bool { return greekIssuer(d, segment(s, 0)) })},
	{id: "GR-R-001-3", severity: fatal, terms: "BT-1 BT-2", message: "The second segment of the number of a Greek invoice (BT-1) must be the issue date (BT-2) as DD/MM/YYYY.",
		ubl: greekSegment(func(d *document, s []string) bool { return greekDay(d, segment(s, 1)) })},
	{id: "GR-R-001-4", severity: fatal, terms: "BT-1", message: "The third segment of the number of a Greek invoice (BT-1) must be a number of 0 or above.",
		ubl: greekSegment(func(_ *document, s []string) bool { return parseNumber(segment(s, 2)).ge(zero) })},
	{id: "GR-R-001-5", severity: fatal, terms: "BT-1", message: "The fourth segment of the number of a Greek invoice (BT-1) must be a Greek document type.",
		ubl: greekSegment(func(_ *document, s []string) bool {
			return greekTypes.has(segment(s, 3)) && normalize(segment(s, 3)) != ""
		})},
	{id: "GR-R-001-6", severity: fatal, terms: "BT-1", message: "The fifth segment of the number of a Greek invoice (BT-1) must not be empty.",
		ubl: greekSegment(func(_ *document, s []string) bool { return segment(s, 4) != "" })},
	{id: "GR-R-001-7", severity: fatal, terms: "BT-1", message: "The sixth segment of the number of a Greek invoice (BT-1) must not be empty.",
		ubl: greekSegment(func(_ *document, s []string) bool { return segment(s, 5) != "" })},
	{id: "GR-R-002", severity: fatal, terms: "BT-28", message: "A Greek seller needs a trading name (BT-28).",
		ubl: at(seller, namedUBL).where(greekSeller)},
	{id: "GR-S-011", severity: warning, terms: "BT-31", message: "A Greek seller should have one VAT identifier (BT-31): EL and its tax number.",
		ubl: at(seller, greekVAT).where(greekSeller)},
	{id: "GR-R-003", severity: fatal, terms: "BT-31", message: "The VAT identifier of a Greek seller (BT-31) must be EL and its tax number.",
		ubl: at(seller+"/PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID", func(_ *document, n *node) bool { return greekID(n.text()) }).where(greekSeller)},
	{id: "GR-R-004-1", severity: fatal, terms: "BG-24", message: "A Greek invoice needs exactly one registration number of myDATA (##M.AR.K##).",
		ubl: root(exactly(1, "AdditionalDocumentReference[DocumentDescription=##M.AR.K##]")).where(greekAddress)},
	{id: "GR-R-004-2", severity: fatal, terms: "BT-122", message: "The registration number of myDATA (##M.AR.K##) must be a positive number.",
		ubl: at("AdditionalDocumentReference[DocumentDescription=##M.AR.K##]/ID", func(_ *document, n *node) bool { return greekMark.MatchString(n.text()) }).where(greekAddress)},
	{id: "GR-S-008-1", severity: warning, terms: "BG-24", message: "A Greek invoice should have one address for its verification (##INVOICE|URL##).",
		ubl: root(exactly(1, greekURL)).where(greekAddress)},
	{id: "GR-R-008-2", severity: fatal, terms: "BG-24", message: "A Greek invoice may have one address for its verification (##INVOICE|URL##).",
		ubl: root(atMost(1, greekURL)).where(greekAddress)},
	{id: "GR-R-008-3", severity: fatal, terms: "BT-124", message: "The address for the verification of a Greek invoice (##INVOICE|URL##) is missing.",
		ubl: at(greekURL, filled("Attachment/ExternalReference/URI")).where(greekSeller)},
	{id: "GR-R-005", severity: fatal, terms: "BT-45", message: "The buyer of a Greek seller needs a trading name (BT-45).",
		ubl: at(buyer, namedUBL).where(greekSeller)},
	{id: "GR-R-006", severity: fatal, terms: "BT-48", message: "A Greek buyer must have one VAT identifier (BT-48): EL and its tax number.",
		ubl: at(buyer, greekVAT).where(greekBoth)},
	{id: "GR-R-009", severity: fatal, terms: "BT-34", message: "The electronic address of a Greek seller (BT-34) must be its tax number, with the scheme 9933.",
		ubl: at(seller+"/EndpointID", greekEndpoint).where(func(v *variables) bool { return v.sellerCountry == "GR" || v.sellerCountry == "EL" })},
	{id: "GR-R-010", severity: fatal, terms: "BT-49", message: "The electronic address of a Greek buyer (BT-49) must be its tax number, with the scheme 9933.",
		ubl: at(buyer+"/EndpointID", greekEndpoint).where(greekBoth)},
}

const (
	dutchMeans     = "30,48,49,57,58,59"
	eindagi        = "AdditionalDocumentReference[DocumentDescription=EINDAGI]"
	greekURL       = "AdditionalDocumentReference[DocumentDescription=##INVOICE|URL##]"
	ciiTotalsScope = "/" + settlement + "/SpecifiedTradeSettlementHeaderMonetarySummation"
)

var (
	italianRegistration = regexp.MustCompile(`^[A-Z0-9]{11,16}$`)
	greekMark           = regexp.MustCompile(`^[1-9]([0-9]*)`)
	greekTypes          = codes("1.1 1.6 2.1 2.4 5.1 5.2")
	addressUBL          = and(has("StreetName"), has("CityName"), has("PostalZone"))
	addressCII          = and(has("LineOne"), has("CityName"), has("PostcodeCode"))
)

func italian(v *variables) bool       { return v.supplierCountry == "IT" }
func icelandic(v *variables) bool     { return v.seller == "IS" }
func icelandicBoth(v *variables) bool { return v.seller == "IS" && v.buyer == "IS" }
func dutch(v *variables) bool         { return v.dutchSeller }
func dutchBoth(v *variables) bool     { return v.dutchSeller && v.dutchBuyer }
func dutchAgent(v *variables) bool    { return v.dutchSeller && v.dutchAgent }
func greekSeller(v *variables) bool   { return v.greekSeller }
func greekBoth(v *variables) bool     { return v.greekSeller && v.greekBuyer }
func greekAddress(v *variables) bool  { return v.greekSeller && v.seller == "GR" }

func icelandicAccount(code string) test {
	means := has("PaymentMeans[PaymentMeansCode=" + code + "]")
	account := sel("PaymentMeans[PaymentMeansCode=" + code + "]/PayeeFinancialAccount/ID")
	return func(d *document, n *node) bool {
		return !means(d, n) || len([]rune(account.first(d, n).value())) == 12
	}
}

var (
	finalDate = sel(eindagi + "/ID")
	dueDate   = sel("DueDate")
)

func finalDay(d *document, n *node) bool {
	_, ok := date(finalDate.first(d, n).text())
	return ok
}

func finalAfterDue(d *document, n *node) bool {
	due, final := dueDate.first(d, n), finalDate.first(d, n)
	return due != nil && final != nil && due.text() <= final.text()
}

func dutchNumber(_ *document, n *node) bool {
	scheme := n.attr("schemeID")
	return (scheme == "0106" || scheme == "0190") && n.value() != ""
}

func nothingToPayUBL(d *document, n *node) bool {
	due := d.num(n, payable)
	if isCreditNote(d, n) {
		return due.ge(zero)
	}
	return due.le(zero)
}

var creditedCII = has("/ExchangedDocument/TypeCode[.=381]")

func nothingToPayCII(d *document, n *node) bool {
	due := d.num(n, ciiDue)
	if creditedCII(d, n) {
		return due.ge(zero)
	}
	return due.le(zero)
}

// greekSegment is a check of the segments of the number of a Greek invoice.
func greekSegment(valid func(d *document, segments []string) bool) *check {
	return at("/ID", func(d *document, n *node) bool { return valid(d, strings.Split(n.text(), "|")) }).where(greekSeller)
}

func segment(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return ""
}

func greekIssuer(d *document, s string) bool {
	if len(normalize(s)) != 9 || !greek(s) {
		return false
	}
	for _, vat := range append(append([]string(nil), d.v().companyVAT...), d.v().agentVAT...) {
		if r := []rune(vat); len(r) >= 3 && string(r[2:min(11, len(r))]) == s {
			return true
		}
	}
	return false
}

var (
	greekDate = regexp.MustCompile(`^(0?[1-9]|[12][0-9]|3[01])[-\\/ ]?(0?[1-9]|1[0-2])[-\\/ ]?(19|20)[0-9]{2}`)
	issueDate = sel("/IssueDate")
)

// greekDay reports whether the segment is the issue date.
func greekDay(d *document, s string) bool {
	if normalize(s) == "" || !greekDate.MatchString(s) {
		return false
	}
	day, issued := strings.Split(s, "/"), strings.Split(issueDate.first(d, nil).text(), "-")
	return segment(day, 0) == segment(issued, 2) && segment(day, 1) == segment(issued, 1) && segment(day, 2) == segment(issued, 0)
}

var (
	partyName = sel("PartyName/Name")
	partyVAT  = sel("PartyTaxScheme[TaxScheme/ID=VAT]/CompanyID")
	namedUBL  = func(d *document, n *node) bool { return partyName.first(d, n).text() != "" }
	greekVAT  = func(d *document, n *node) bool {
		return partyVAT.count(d, n) == 1 && greekID(partyVAT.first(d, n).text())
	}
)

// greekID reports whether the text is EL and a Greek tax number.
func greekID(s string) bool {
	number, ok := strings.CutPrefix(s, "EL")
	return ok && greek(number)
}

func greekEndpoint(_ *document, n *node) bool { return n.attr("schemeID") == "9933" && greek(n.text()) }
