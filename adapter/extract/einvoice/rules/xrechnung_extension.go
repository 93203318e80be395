package rules

import "strings"

func extensionOnly(v *variables) bool { return v.extension }
func cvdOnly(v *variables) bool       { return v.cvd }

// replacedByExtension are the rules of EN 16931 that the extension of XRechnung
// replaces.
var replacedByExtension = codes("BR-CO-16 BR-CL-10 BR-CL-11 BR-CL-21 BR-CL-24 BR-CL-25 BR-CL-26")

// replacedByCVD are the rules that the profile for clean vehicles replaces.
var replacedByCVD = codes("BR-CL-13")

// replaced returns the rules of EN 16931 that do not apply to the document.
func (d *document) replaced() codeList {
	switch {
	case d.v().extension:
		return replacedByExtension
	case d.v().cvd:
		return replacedByCVD
	}
	return nil
}

var extensionMIME = mimeTypes.and(codes("application/xml"))

// xrechnungExtension are the rules of XRechnung for documents with its extension.
var xrechnungExtension = restricted(extensionOnly, []rule{
	{id: "BR-DEX-01", severity: fatal, terms: "BT-125", message: "The media type of an attached document (BT-125) is none that the extension of XRechnung allows.",
		ubl: at("EmbeddedDocumentBinaryObject", exactAttrIn("mimeCode", extensionMIME)), cii: at("AttachmentBinaryObject", exactAttrIn("mimeCode", extensionMIME))},
	{id: "BR-DEX-02", severity: warning, terms: "BT-131", message: "The net amount of a line (BT-131) is not the sum of its sub-lines.",
		ubl: at("/InvoiceLine[SubInvoiceLine] | SubInvoiceLine[SubInvoiceLine]", subLineSum)},
	{id: "BR-DEX-03", severity: fatal, terms: "BT-151", message: "A sub-line must state exactly one VAT category.",
		ubl: at("SubInvoiceLine/Item", exactly(1, "ClassifiedTaxCategory"))},
	{id: "BR-DEX-04", severity: fatal, terms: "BT-29 BT-46 BT-60", message: "The scheme of a party identifier (BT-29, BT-46, BT-60) is none that the extension of XRechnung allows.",
		ubl: at("PartyIdentification/ID[@schemeID]", partyScheme(xrIdentifierSchemes)),
		cii: at("GlobalID[@schemeID]", or(underAny("SpecifiedTradeProduct", "ShipToTradeParty"), attrIn("schemeID", xrIdentifierSchemes)))},
	{id: "BR-DEX-05", severity: fatal, terms: "BT-30 BT-47 BT-61", message: "The scheme of a legal registration identifier (BT-30, BT-47, BT-61) is none that the extension of XRechnung allows.",
		ubl: at("PartyLegalEntity/CompanyID[@schemeID]", attrIn("schemeID", xrIdentifierSchemes)),
		cii: at("ID[@schemeID]", or(underAny("SpecifiedTaxRegistration"), attrIn("schemeID", xrIdentifierSchemes)))},
	{id: "BR-DEX-06", severity: fatal, terms: "BT-157", message: "The scheme of a standard item identifier (BT-157) is none that the extension of XRechnung allows.",
		ubl: at("StandardItemIdentification/ID[@schemeID]", attrIn("schemeID", xrIdentifierSchemes)),
		cii: at("SpecifiedTradeProduct/GlobalID[@schemeID]", attrIn("schemeID", xrIdentifierSchemes))},
	{id: "BR-DEX-07", severity: fatal, terms: "BT-34 BT-49", message: "The scheme of an electronic address (BT-34, BT-49) is none that the extension of XRechnung allows.",
		ubl: at("EndpointID[@schemeID]", attrIn("schemeID", xrAddressSchemes)), cii: at("URIUniversalCommunication/URIID[@schemeID]", attrIn("schemeID", xrAddressSchemes))},
	{id: "BR-DEX-08", severity: fatal, terms: "BT-71", message: "The scheme of a delivery location (BT-71) is none that the extension of XRechnung allows.",
		ubl: at("DeliveryLocation/ID[@schemeID]", attrIn("schemeID", xrIdentifierSchemes)),
		cii: at("ApplicableHeaderTradeDelivery/ShipToTradeParty/GlobalID[@schemeID]", attrIn("schemeID", xrIdentifierSchemes))},
	{id: "BR-DEX-09", severity: fatal, terms: "BT-115 BT-112 BT-113 BT-114", message: "The amount due (BT-115) is not the total with VAT (BT-112) less what was paid (BT-113) plus rounding (BT-114) and the payments of third parties.",
		ubl: at("LegalMonetaryTotal", dueWithThirdParties)},
	{id: "BR-DEX-10", severity: fatal, message: "A payment of a third party states no type.",
		ubl: at("/PrepaidPayment", filled("ID"))},
	{id: "BR-DEX-11", severity: fatal, message: "A payment of a third party states no amount.",
		ubl: at("/PrepaidPayment", filled("PaidAmount"))},
	{id: "BR-DEX-12", severity: fatal, message: "A payment of a third party states no description.",
		ubl: at("/PrepaidPayment", filled("InstructionID"))},
	{id: "BR-DEX-13", severity: fatal, message: "The amount of a payment of a third party has more than two decimals.",
		ubl: at("/PrepaidPayment", atMostTwoDecimals("PaidAmount"))},
	{id: "BR-DEX-14", severity: fatal, terms: "BT-5", message: "The currency of a payment of a third party is not that of the invoice (BT-5).",
		ubl: at("/PrepaidPayment", paidInCurrency)},
	{id: "BR-DEX-15", severity: warning, message: "Sub-lines are not supported in CII.",
		cii: at("/"+ciiLines+"/AssociatedDocumentLineDocument", none("//ParentLineID"))},
})

// restricted restricts the rules to documents that satisfy the condition.
func restricted(matches func(v *variables) bool, rules []rule) []rule {
	for i := range rules {
		rules[i].ubl, rules[i].cii = rules[i].ubl.where(matches), rules[i].cii.where(matches)
	}
	return rules
}

var subLines = sel("SubInvoiceLine/LineExtensionAmount")

// subLineSum reports whether a line equals the sum of its sub-lines. Only invoices
// have sub-lines.
func subLineSum(d *document, n *node) bool {
	return d.root.name != "Invoice" || d.num(n, lineSum).eq(d.sum(n, subLines))
}

var (
	thirdParties = sel("../PrepaidPayment/PaidAmount")
	paidAmount   = sel("PaidAmount")
)

func dueWithThirdParties(d *document, n *node) bool {
	due := d.num(n, payable).sub(d.num(n, rounding).orZero()).cents()
	want := d.num(n, inclusive).sub(d.num(n, prepaid).orZero()).add(d.sum(n, thirdParties)).cents()
	return due.eq(want)
}

func paidInCurrency(d *document, n *node) bool {
	paid := paidAmount.first(d, n)
	return paid.hasAttr("currencyID") && paid.attr("currencyID") == d.v().currency
}

const vehicleClasses = "M1,M2,M3,N1,N2,N3"

// xrechnungCVD are the rules of XRechnung for documents with the profile for clean
// vehicles.
var xrechnungCVD = restricted(cvdOnly, []rule{
	{id: "BR-DE-CVD-01", severity: fatal, terms: "BT-12", message: "The contract reference (BT-12) is missing.",
		ubl: root(filled("ContractDocumentReference/ID")), cii: at("/"+agreement, filled("ContractReferencedDocument/IssuerAssignedID"))},
	{id: "BR-DE-CVD-02", severity: fatal, terms: "BT-17", message: "The tender or lot reference (BT-17) is missing.",
		ubl: root(filled("OriginatorDocumentReference/ID")), cii: at("/"+agreement, has("AdditionalReferencedDocument[TypeCode=50][IssuerAssignedID!=]"))},
	{id: "BR-DE-CVD-03", severity: fatal, terms: "BT-158 BG-32", message: "No line states a vehicle by its class (BT-158, scheme CVD) and the attribute cva (BG-32).",
		ubl: root(has("InvoiceLine/Item[CommodityClassification/ItemClassificationCode[@listID=CVD]][AdditionalItemProperty/Name=cva]",
			"CreditNoteLine/Item[CommodityClassification/ItemClassificationCode[@listID=CVD]][AdditionalItemProperty/Name=cva]")),
		cii: at("/SupplyChainTradeTransaction", has("IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct[DesignatedProductClassification/ClassCode[@listID=CVD]][ApplicableProductCharacteristic/Description=cva]"))},
	{id: "BR-DE-CVD-04", severity: fatal, terms: "BT-158", message: "The class of a vehicle (BT-158, scheme CVD) must be M1, M2, M3, N1, N2 or N3.",
		ubl: at(classesUBL+"[@listID=CVD] | "+strings.Replace(classesUBL, "Invoice", "CreditNote", 1)+"[@listID=CVD]", own(codes(strings.ReplaceAll(vehicleClasses, ",", " ")).has)),
		cii: at(classesCII+"[@listID=CVD]", own(codes(strings.ReplaceAll(vehicleClasses, ",", " ")).has))},
	{id: "BR-DE-CVD-05", severity: fatal, terms: "BT-161", message: "The attribute cva (BT-161) must be clean, zero-emission or other.",
		ubl: at("/InvoiceLine/Item/AdditionalItemProperty[Name=cva] | /CreditNoteLine/Item/AdditionalItemProperty[Name=cva]", has("Value[.=clean,zero-emission,other]")),
		cii: at("/"+ciiLines+"/SpecifiedTradeProduct/ApplicableProductCharacteristic[Description=cva]", has("Value[.=clean,zero-emission,other]"))},
	{id: "BR-DE-CVD-06-a", severity: fatal, terms: "BG-32 BT-158", message: "A vehicle (BT-158, scheme CVD) must have the attribute cva (BG-32) exactly once.",
		ubl: at("/InvoiceLine/Item | /CreditNoteLine/Item", when(has("CommodityClassification/ItemClassificationCode[@listID=CVD]"), exactly(1, "AdditionalItemProperty[Name=cva]"))),
		cii: at("/"+ciiLines+"/SpecifiedTradeProduct", when(has("DesignatedProductClassification/ClassCode[@listID=CVD]"), exactly(1, "ApplicableProductCharacteristic[Description=cva]")))},
	{id: "BR-DE-CVD-06-b", severity: fatal, terms: "BG-32 BT-158", message: "An item with the attribute cva (BG-32) must have a vehicle class (BT-158, scheme CVD) exactly once.",
		ubl: at("/InvoiceLine/Item | /CreditNoteLine/Item", when(has("AdditionalItemProperty[Name=cva]"), exactly(1, "CommodityClassification/ItemClassificationCode[@listID=CVD]"))),
		cii: at("/"+ciiLines+"/SpecifiedTradeProduct", when(has("ApplicableProductCharacteristic[Description=cva]"), exactly(1, "DesignatedProductClassification/ClassCode[@listID=CVD]")))},
	{id: "BR-TMP-CVD-01", severity: fatal, terms: "BT-158", message: "The scheme of an item classification (BT-158) is none of UNTDID 7143, nor CVD.",
		ubl: at(classesUBL+" | "+strings.Replace(classesUBL, "Invoice", "CreditNote", 1), attrIn("listID", xrClassifications)),
		cii: at(classesCII, attrIn("listID", xrClassifications))},
})

const (
	classesUBL = "/InvoiceLine/Item/CommodityClassification/ItemClassificationCode"
	classesCII = "/" + ciiLines + "/SpecifiedTradeProduct/DesignatedProductClassification/ClassCode"
)
