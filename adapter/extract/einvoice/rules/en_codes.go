package rules

import "strings"

// amountsUBL are the amounts with a currency that is checked.
const amountsUBL = "Amount | BaseAmount | PriceAmount | TaxAmount | TaxableAmount | LineExtensionAmount | TaxExclusiveAmount | TaxInclusiveAmount | " +
	"AllowanceTotalAmount | ChargeTotalAmount | PrepaidAmount | PayableRoundingAmount | PayableAmount"

// enCodes are the rules of EN 16931 on codes and on the schemes of identifiers.
var enCodes = []rule{
	{id: "BR-CL-01", severity: fatal, terms: "BT-3", message: "The document type code (BT-3) is none of UNTDID 1001 that EN 16931 allows.",
		ubl: at("InvoiceTypeCode | CreditNoteTypeCode", documentTypeUBL), cii: at("ExchangedDocument/TypeCode", inList(invoiceTypes.and(creditNoteTypes)))},
	{id: "BR-CL-03", severity: fatal, terms: "BT-5 BT-6", message: "The currency of an amount is none of ISO 4217.",
		ubl: at(amountsUBL, attrIn("currencyID", currencies)), cii: at("TaxTotalAmount[@currencyID]", attrIn("currencyID", currencies))},
	{id: "BR-CL-04", severity: fatal, terms: "BT-5", message: "The currency of the invoice (BT-5) is none of ISO 4217.",
		ubl: at("DocumentCurrencyCode", inList(currencies)), cii: at("InvoiceCurrencyCode", inList(currencies))},
	{id: "BR-CL-05", severity: fatal, terms: "BT-6", message: "The currency of VAT accounting (BT-6) is none of ISO 4217.",
		ubl: at("TaxCurrencyCode", inList(currencies)), cii: at("TaxCurrencyCode", inList(currencies))},
	{id: "BR-CL-06", severity: fatal, terms: "BT-8", message: "The code of the date on which VAT becomes due (BT-8) is none of the code list (UNTDID 2005 in UBL, UNTDID 2475 in CII).",
		ubl: at("InvoicePeriod/DescriptionCode", inList(taxPointsUBL)), cii: at("DueDateTypeCode", inList(taxPointsCII))},
	{id: "BR-CL-07", severity: fatal, terms: "BT-18 BT-128", message: "The scheme of an object identifier (BT-18, BT-128) is none of UNTDID 1153.",
		ubl: at("AdditionalDocumentReference[DocumentTypeCode=130]/ID[@schemeID] | DocumentReference[DocumentTypeCode=130]/ID[@schemeID]", attrIn("schemeID", referenceSchemes)),
		cii: at("ReferenceTypeCode", inList(referenceSchemes))},
	{id: "BR-CL-08", severity: fatal, terms: "BT-21", message: "The subject code of a note (BT-21) is none of UNTDID 4451.",
		ubl: at("/Note", noteSubject), cii: at("SubjectCode", inList(subjectsCII))},
	{id: "BR-CL-10", severity: fatal, terms: "BT-29 BT-46 BT-60", message: "The scheme of a party identifier (BT-29, BT-46, BT-60) is none of ISO/IEC 6523.",
		ubl: at("PartyIdentification/ID[@schemeID]", partyScheme(identifierSchemes)),
		cii: at("GlobalID[@schemeID]", or(underAny("SpecifiedTradeProduct", "ShipToTradeParty"), attrIn("schemeID", identifierSchemes)))},
	{id: "BR-CL-11", severity: fatal, terms: "BT-30 BT-47 BT-61", message: "The scheme of a legal registration identifier (BT-30, BT-47, BT-61) is none of ISO/IEC 6523.",
		ubl: at("PartyLegalEntity/CompanyID[@schemeID]", attrIn("schemeID", identifierSchemes)),
		cii: at("ID[@schemeID]", or(underAny("SpecifiedTaxRegistration"), attrIn("schemeID", identifierSchemes)))},
	{id: "BR-CL-13", severity: fatal, terms: "BT-158", message: "The scheme of an item classification (BT-158) is none of UNTDID 7143.",
		ubl: at("CommodityClassification/ItemClassificationCode[@listID]", attrIn("listID", classifications)),
		cii: at("ClassCode[@listID]", attrIn("listID", classifications))},
	{id: "BR-CL-14", severity: fatal, terms: "BT-40 BT-55 BT-69 BT-80", message: "The country of an address (BT-40, BT-55, BT-69, BT-80) is none of ISO 3166-1.",
		ubl: at("Country/IdentificationCode", inList(countriesUBL)), cii: at("CountryID", inList(countriesCII))},
	{id: "BR-CL-15", severity: fatal, terms: "BT-159", message: "The country of origin of an item (BT-159) is none of ISO 3166-1.",
		ubl: at("OriginCountry/IdentificationCode", inList(countriesUBL)), cii: at("OriginTradeCountry/ID[!@schemeID]", inList(countriesCII))},
	{id: "BR-CL-16", severity: fatal, terms: "BT-81", message: "The means of payment (BT-81) is none of UNTDID 4461.",
		ubl: at("PaymentMeans/PaymentMeansCode", inList(paymentMeans)), cii: at("SpecifiedTradeSettlementPaymentMeans/TypeCode", inList(paymentMeans))},
	{id: "BR-CL-17", severity: fatal, terms: "BT-95 BT-102 BT-118", message: "The VAT category of a breakdown, allowance or charge (BT-118, BT-95, BT-102) is none of UNTDID 5305 that EN 16931 allows.",
		ubl: at("TaxCategory/ID", inList(vatCategories)), cii: at("CategoryTradeTax/CategoryCode", inList(vatCategories))},
	{id: "BR-CL-18", severity: fatal, terms: "BT-151", message: "The VAT category of a line (BT-151) is none of UNTDID 5305 that EN 16931 allows.",
		ubl: at("ClassifiedTaxCategory/ID", inList(vatCategories)), cii: at("ApplicableTradeTax/CategoryCode", inList(vatCategories))},
	{id: "BR-CL-19", severity: fatal, terms: "BT-98 BT-140", message: "The reason code of an allowance (BT-98, BT-140) is none of UNTDID 5189 that EN 16931 allows.",
		ubl: at("AllowanceCharge[ChargeIndicator=false,0]/AllowanceChargeReasonCode", inList(allowanceReasons)),
		cii: at("SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false,0]/ReasonCode", inList(allowanceReasons))},
	{id: "BR-CL-20", severity: fatal, terms: "BT-105 BT-145", message: "The reason code of a charge (BT-105, BT-145) is none of UNTDID 7161.",
		ubl: at("AllowanceCharge[ChargeIndicator=true,1]/AllowanceChargeReasonCode", inList(chargeReasons)),
		cii: at("SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true,1]/ReasonCode", inList(chargeReasons))},
	{id: "BR-CL-21", severity: fatal, terms: "BT-157", message: "The scheme of a standard item identifier (BT-157) is none of ISO/IEC 6523.",
		ubl: at("StandardItemIdentification/ID[@schemeID]", attrIn("schemeID", identifierSchemes)),
		cii: at("SpecifiedTradeProduct/GlobalID[@schemeID]", attrIn("schemeID", identifierSchemes))},
	{id: "BR-CL-22", severity: fatal, terms: "BT-121", message: "The code of a reason of exemption (BT-121) is none of the list VATEX.",
		ubl: at("TaxExemptionReasonCode", own(exemptionCode)), cii: at("ExemptionReasonCode", own(exemptionCode))},
	{id: "BR-CL-23", severity: fatal, terms: "BT-130 BT-150", message: "A unit of measure (BT-130, BT-150) is none of UN/ECE Recommendation 20 or 21.",
		ubl: at("InvoicedQuantity[@unitCode] | BaseQuantity[@unitCode] | CreditedQuantity[@unitCode]", attrIn("unitCode", units)),
		cii: at("BasisQuantity[@unitCode] | BilledQuantity[@unitCode]", attrIn("unitCode", units))},
	{id: "BR-CL-24", severity: fatal, terms: "BT-125", message: "The media type of an attached document (BT-125) is none that EN 16931 allows.",
		ubl: at("EmbeddedDocumentBinaryObject[@mimeCode]", exactAttrIn("mimeCode", mimeTypes)),
		cii: at("AttachmentBinaryObject[@mimeCode]", exactAttrIn("mimeCode", mimeTypes))},
	{id: "BR-CL-25", severity: fatal, terms: "BT-34 BT-49", message: "The scheme of an electronic address (BT-34, BT-49) is none of the list EAS.",
		ubl: at("EndpointID[@schemeID]", attrIn("schemeID", addressSchemes)),
		cii: at("URIUniversalCommunication/URIID[@schemeID]", attrIn("schemeID", addressSchemes))},
	{id: "BR-CL-26", severity: fatal, terms: "BT-71", message: "The scheme of a delivery location (BT-71) is none of ISO/IEC 6523.",
		ubl: at("DeliveryLocation/ID[@schemeID]", attrIn("schemeID", identifierSchemes)),
		cii: at("ApplicableHeaderTradeDelivery/ShipToTradeParty/GlobalID[@schemeID]", attrIn("schemeID", identifierSchemes))},
}

func documentTypeUBL(_ *document, n *node) bool {
	if n.name == "CreditNoteTypeCode" {
		return creditNoteTypes.has(n.value())
	}
	return invoiceTypes.has(n.value())
}

// noteSubject reports whether the text between two number signs is a three-character
// subject code of the list.
func noteSubject(_ *document, n *node) bool {
	_, rest, _ := strings.Cut(n.text(), "#")
	code, _, ok := strings.Cut(rest, "#")
	return !ok || len([]rune(code)) != 3 || subjectsUBL.has(code)
}

// partyScheme accepts the schemes of the list, and SEPA for the creditor identifier
// of a seller or payee.
func partyScheme(schemes codeList) test {
	return func(_ *document, n *node) bool {
		scheme := normalize(n.attr("schemeID"))
		return schemes.has(scheme) || scheme == "SEPA" && (n.under("AccountingSupplierParty") || n.under("PayeeParty"))
	}
}

// underAny reports whether an ancestor of the element has one of the names.
func underAny(names ...string) test {
	return func(_ *document, n *node) bool {
		for _, name := range names {
			if n.under(name) {
				return true
			}
		}
		return false
	}
}

func exemptionCode(v string) bool { return exemptionReasons.has(strings.ToUpper(v)) }

// exactAttrIn is attrIn without normalized white space.
func exactAttrIn(name string, codes codeList) test {
	return func(_ *document, n *node) bool { return codes.has(n.attr(name)) }
}
