package rules

import (
	"regexp"
	"strings"
)

// plainIDs are the identifiers without attributes.
const plainIDs = "/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID%[1]s | /ExchangedDocument/ID%[1]s | " +
	"/SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/AssociatedDocumentLineDocument/LineID%[1]s | " +
	"/SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct/SellerAssignedID%[1]s"

const supporting = "AdditionalReferencedDocument"

// enSyntaxCII are the rules of EN 16931 on the use of CII, in addition to those of
// the data file.
var enSyntaxCII = []rule{
	{id: "CII-SR-046", severity: fatal, terms: "BT-157", message: "The standard identifier of an item (BT-157) names no scheme.",
		cii: at("/"+ciiLines+"/SpecifiedTradeProduct", or(none("GlobalID"), has("GlobalID[@schemeID]")))},
	{id: "CII-SR-090", severity: fatal, terms: "BT-159", message: "The country of origin of an item (BT-159) must be stated by one code.",
		cii: at("/"+ciiLines+"/SpecifiedTradeProduct", or(none("OriginTradeCountry"), exactly(1, "OriginTradeCountry/ID")))},
	{id: "CII-SR-119", severity: warning, terms: "BT-147", message: "The discount of a price (BT-147) must be an allowance with an amount.",
		cii: at("/"+ciiLines+"/SpecifiedLineTradeAgreement", priceAllowanceCII)},
	{id: "CII-SR-449", severity: warning, terms: "BT-71", message: "The delivery location (BT-71) must have one kind of identifier: ID or GlobalID.",
		cii: at("/"+delivery, oneKindOfID("ShipToTradeParty"))},
	{id: "CII-SR-450", severity: warning, terms: "BT-46", message: "The buyer (BT-46) must have one kind of identifier: ID or GlobalID.",
		cii: at("/"+agreement, oneKindOfID("BuyerTradeParty"))},
	{id: "CII-SR-451", severity: warning, terms: "BT-60", message: "The payee (BT-60) must have one kind of identifier: ID or GlobalID.",
		cii: at("/"+settlement, oneKindOfID("PayeeTradeParty"))},
	{id: "CII-SR-457", severity: warning, terms: "BT-17", message: "The tender or lot reference (BT-17, document type 50) may occur once.",
		cii: at("/"+agreement, atMost(1, supporting+"[TypeCode=50]"))},
	{id: "CII-SR-458", severity: warning, terms: "BT-18", message: "The invoiced object identifier (BT-18, document type 130) may occur once.",
		cii: at("/"+agreement, atMost(1, supporting+"[TypeCode=130]"))},
	{id: "CII-SR-462", severity: fatal, terms: "BT-8", message: "All VAT breakdowns must state the same code of the date on which VAT becomes due (BT-8).",
		cii: at("/"+settlement, sameEverywhere("//ApplicableTradeTax/DueDateTypeCode"))},
	{id: "CII-SR-463", severity: fatal, terms: "BG-20 BG-21 BG-27 BG-28", message: "An allowance or charge must state which of both it is.",
		cii: at("SpecifiedTradeAllowanceCharge", has("ChargeIndicator"))},
	{id: "CII-SR-465", severity: warning, terms: "BT-41", message: "The contact of the seller (BT-41) must be a person or a department, not both.",
		cii: at("/"+agreement, not(and(has("SellerTradeParty/DefinedTradeContact/PersonName"), has("SellerTradeParty/DefinedTradeContact/DepartmentName"))))},
	{id: "CII-SR-466", severity: warning, terms: "BT-56", message: "The contact of the buyer (BT-56) must be a person or a department, not both.",
		cii: at("/"+agreement, not(and(has("BuyerTradeParty/DefinedTradeContact/PersonName"), has("BuyerTradeParty/DefinedTradeContact/DepartmentName"))))},
	{id: "CII-SR-467", severity: fatal, terms: "BT-81", message: "All payment instructions must state the same means of payment (BT-81).",
		cii: root(sameValues("//SpecifiedTradeSettlementPaymentMeans/TypeCode"))},
	{id: "CII-SR-468", severity: fatal, terms: "BT-82", message: "All payment instructions must state the same text of the means of payment (BT-82).",
		cii: root(sameValues("//SpecifiedTradeSettlementPaymentMeans/Information"))},
	{id: "CII-SR-469", severity: fatal, terms: "BT-83", message: "The remittance information (BT-83) may occur once.",
		cii: root(atMost(1, "//ApplicableHeaderTradeSettlement/PaymentReference"))},
	{id: "CII-SR-470", severity: fatal, terms: "BT-84", message: "A credit transfer needs the account to pay to (BT-84).",
		cii: at("/"+settlement, none("SpecifiedTradeSettlementPaymentMeans[TypeCode=30,58][!PayeePartyCreditorFinancialAccount/IBANID][!PayeePartyCreditorFinancialAccount/ProprietaryID]"))},
	{id: "CII-SR-474", severity: warning, terms: "BT-128", message: "The object identifier of a line (BT-128, document type 130) may occur once.",
		cii: at("/"+ciiLines+"/SpecifiedLineTradeSettlement", atMost(1, supporting+"[TypeCode=130]"))},
	{id: "CII-SR-475", severity: warning, terms: "BT-123", message: "The description of a supporting document (BT-123) may occur once.",
		cii: at("/"+agreement, atMost(1, supporting+"[TypeCode=916]/Name"))},
	{id: "CII-SR-476", severity: warning, terms: "BT-125", message: "The attached document (BT-125) may occur once.",
		cii: at("/"+agreement, atMost(1, supporting+"[TypeCode=916]/AttachmentBinaryObject"))},
	{id: "CII-SR-438", severity: warning, message: "EN 16931 does not use the element ValuationBreakdownStatement.",
		cii: forbidden("/ValuationBreakdownStatement")},
	plainAttr("CII-DT-001", "schemeName"), plainAttr("CII-DT-002", "schemeAgencyName"), plainAttr("CII-DT-003", "schemeDataURI"),
	plainAttr("CII-DT-004", "schemeURI"), plainAttr("CII-DT-005", "schemeID"), plainAttr("CII-DT-006", "schemeAgencyID"), plainAttr("CII-DT-007", "schemeVersionID"),
	otherIDAttr("CII-DT-101", "schemeName"), otherIDAttr("CII-DT-102", "schemeAgencyName"), otherIDAttr("CII-DT-103", "schemeDataURI"), otherIDAttr("CII-DT-104", "schemeURI"),
	neverEvaluated("CII-DT-010", "listID"), neverEvaluated("CII-DT-011", "listAgencyID"), neverEvaluated("CII-DT-012", "listVersionID"),
	{id: "CII-DT-013", severity: fatal, message: "EN 16931 does not use the attribute languageID of the document element.", cii: root(withoutAttr("languageID"))},
	{id: "CII-DT-014", severity: fatal, message: "EN 16931 does not use the attribute languageLocaleID of the document element.", cii: root(withoutAttr("languageLocaleID"))},
	{id: "CII-DT-015", severity: fatal, terms: "BT-124", message: "Only a supporting document (type 916) may have a location (BT-124).",
		cii: at("*ReferencedDocument[URIID]", supportingOf("916"))},
	{id: "CII-DT-018", severity: fatal, message: "A reference may state a document type only in AdditionalReferencedDocument, and only 50, 130 or 916.",
		cii: at("*ReferencedDocument[TypeCode]", supportingOf("50,130,916"))},
	{id: "CII-DT-021", severity: fatal, terms: "BT-123", message: "Only a supporting document (type 916) may have a description (BT-123).",
		cii: at("*ReferencedDocument[Name]", supportingOf("916"))},
	{id: "CII-DT-022", severity: fatal, terms: "BT-125", message: "Only a supporting document (type 916) may be attached (BT-125).",
		cii: at("*ReferencedDocument[AttachmentBinaryObject]", supportingOf("916"))},
	{id: "CII-DT-024", severity: fatal, terms: "BT-18", message: "Only the reference of an invoiced object (BT-18, type 130) may name a scheme.",
		cii: at("*ReferencedDocument[ReferenceTypeCode]", supportingOf("130"))},
	{id: "CII-DT-027", severity: fatal, terms: "BT-26", message: "Only a preceding invoice (BG-3) may state a date (BT-26).",
		cii: at("*ReferencedDocument[FormattedIssueDateTime]", func(_ *document, n *node) bool { return n.name == "InvoiceReferencedDocument" })},
	{id: "CII-DT-031", severity: fatal, message: "Only the VAT total may state a currency.",
		cii: at("*Amount[@currencyID]", func(_ *document, n *node) bool { return n.name == "TaxTotalAmount" })},
	{id: "CII-DT-032", severity: fatal, message: "EN 16931 does not use the attribute currencyCodeListVersionID.",
		cii: at("*Amount[@currencyCodeListVersionID]", func(_ *document, n *node) bool { return n.name == "TaxTotalAmount" })},
	{id: "CII-DT-033", severity: fatal, message: "A quantity states a unit although no invoiced quantity does.",
		cii: at("*Quantity[@unitCode]", has("/"+ciiLines+"/SpecifiedLineTradeDelivery/BilledQuantity[@unitCode]"))},
	{id: "CII-DT-037", severity: fatal, message: "The type of a tax must be VAT.",
		cii: at("*TradeTax[TypeCode]", has("TypeCode[.=VAT]"))},
	{id: "CII-DT-041", severity: warning, terms: "BT-116", message: "Only the VAT breakdown may state a taxable amount (BT-116).",
		cii: at("*TradeTax[BasisAmount]", underAny("ApplicableHeaderTradeSettlement"))},
	{id: "CII-DT-052", severity: warning, terms: "BT-121", message: "Only the VAT breakdown may state the code of a reason of exemption (BT-121).",
		cii: at("*TradeTax[ExemptionReasonCode]", isApplicableTax)},
	{id: "CII-DT-098", severity: warning, terms: "BT-120", message: "Only the VAT breakdown may state a reason of exemption (BT-120).",
		cii: at("*TradeTax[ExemptionReason]", isApplicableTax)},
	{id: "CII-DT-054", severity: warning, terms: "BT-7", message: "Only the VAT breakdown may state the date on which VAT becomes due (BT-7).",
		cii: at("*TradeTax[TaxPointDate]", underAny("ApplicableHeaderTradeSettlement"))},
	{id: "CII-DT-058", severity: warning, terms: "BT-8", message: "Only the VAT breakdown may state the code of the date on which VAT becomes due (BT-8).",
		cii: at("*TradeTax[DueDateTypeCode]", underAny("ApplicableHeaderTradeSettlement"))},
	{id: "CII-DT-097", severity: fatal, message: "A date of format 102 must be a year, month and day of eight digits.",
		cii: at("DateTimeString[@format=102]", func(_ *document, n *node) bool { return date102.MatchString(n.text()) })},
}

var date102 = regexp.MustCompile(`^\s*\d{4}(1[0-2]|0[1-9])(3[01]|[12][0-9]|0[1-9])\s*$`)

func isApplicableTax(_ *document, n *node) bool { return n.name == "ApplicableTradeTax" }

// plainAttr returns the rule that forbids the attribute for identifiers without
// attributes.
func plainAttr(id, attr string) rule {
	return rule{id: id, severity: fatal, message: "EN 16931 does not use the attribute " + attr + " of this identifier.",
		cii: forbidden(strings.ReplaceAll(plainIDs, "%[1]s", "[@"+attr+"]"))}
}

// otherIDAttr returns the rule that forbids the attribute for all other identifiers.
func otherIDAttr(id, attr string) rule {
	plain := within(strings.ReplaceAll(plainIDs, "%[1]s", ""))
	return rule{id: id, severity: fatal, message: "EN 16931 does not use the attribute " + attr + " of identifiers.",
		cii: at("*ID[@"+attr+"]", func(d *document, n *node) bool { return n.space != "ram" || plain.has(d, n) })}
}

// neverEvaluated returns a rule that the official artefact never evaluates, because
// another rule has the same scope.
func neverEvaluated(id, attr string) rule {
	return rule{id: id, severity: fatal, message: "EN 16931 does not use the attribute " + attr + " of the document type code.",
		cii: at("/ExchangedDocument/TypeCode", always)}
}

// supportingOf tests whether a reference is that of a supporting document with one of
// the types.
func supportingOf(types string) test {
	typed := has("TypeCode[.=" + types + "]")
	return func(d *document, n *node) bool { return n.name == supporting && typed(d, n) }
}

// oneKindOfID reports whether the party does not have identifiers of both kinds.
func oneKindOfID(party string) test {
	return not(and(has(party+"/ID"), has(party+"/GlobalID")))
}

const priceAllowance = "GrossPriceProductTradePrice/AppliedTradeAllowanceCharge"

var priceAllowanceCII = or(
	and(has(priceAllowance+"/ChargeIndicator[Indicator=false,0]"), has(priceAllowance+"/ActualAmount")),
	none(priceAllowance+"/ChargeIndicator", priceAllowance+"/ActualAmount"))

// sameValues is sameEverywhere with normalized white space.
func sameValues(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		var first *node
		return s.each(d, n, func(m *node) bool {
			if first == nil {
				first = m
			}
			return m.value() == first.value()
		})
	}
}
