package rules

import (
	"strings"
)

// The allowances and charges that Peppol checks.
const (
	chargesPeppolUBL = "/AllowanceCharge%[1]s | /InvoiceLine/AllowanceCharge%[1]s | /CreditNoteLine/AllowanceCharge%[1]s"
	chargesPeppolCII = "SpecifiedTradeAllowanceCharge"
	peppolAmounts    = "Amount | BaseAmount | PriceAmount | TaxTotal[TaxSubtotal]/TaxAmount | TaxSubtotal/TaxAmount | TaxableAmount | LineExtensionAmount | " +
		"TaxExclusiveAmount | TaxInclusiveAmount | AllowanceTotalAmount | ChargeTotalAmount | PrepaidAmount | PayableRoundingAmount | PayableAmount"
	peppolSpecification = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
)

// chargesWith selects the allowances and charges of a UBL document that match the
// conditions.
func chargesWith(conds string) string { return strings.ReplaceAll(chargesPeppolUBL, "%[1]s", conds) }

// peppolCore are the rules of Peppol BIS Billing 3 on the document.
var peppolCore = []rule{
	{id: "PEPPOL-EN16931-R001", severity: fatal, terms: "BT-23", message: "The business process (BT-23) is missing.",
		ubl: root(has("ProfileID")), cii: at("ExchangedDocumentContext", has("BusinessProcessSpecifiedDocumentContextParameter/ID"))},
	{id: "PEPPOL-EN16931-R002", severity: fatal, terms: "BT-22", message: "Only one note (BT-22) is allowed, unless seller and buyer are in Germany.",
		ubl: root(func(d *document, n *node) bool { return d.v().german || notes.count(d, n) <= 1 }),
		cii: at("ExchangedDocument", and(atMost(1, "IncludedNote"), none("IncludedNote/SubjectCode")))},
	{id: "PEPPOL-EN16931-R003", severity: fatal, terms: "BT-10 BT-13", message: "A buyer reference (BT-10) or purchase order reference (BT-13) is missing.",
		ubl: root(has("BuyerReference", "OrderReference/ID")), cii: at("ApplicableHeaderTradeAgreement", has("BuyerReference", "BuyerOrderReferencedDocument/IssuerAssignedID"))},
	{id: "PEPPOL-EN16931-R004", severity: fatal, terms: "BT-24", message: "The specification identifier (BT-24) does not begin with that of Peppol BIS Billing 3.0.",
		ubl: root(startsWith("CustomizationID", peppolSpecification)),
		cii: at("ExchangedDocumentContext", startsWith("GuidelineSpecifiedDocumentContextParameter/ID", peppolSpecification))},
	{id: "PEPPOL-EN16931-R005", severity: fatal, terms: "BT-6 BT-5", message: "The currency of VAT accounting (BT-6) must differ from that of the invoice (BT-5).",
		ubl: at("TaxCurrencyCode", func(d *document, n *node) bool { return n.value() != siblingCurrency.first(d, n).value() }),
		cii: at("ApplicableHeaderTradeSettlement", otherCurrencyCII)},
	{id: "PEPPOL-EN16931-R006", severity: fatal, terms: "BT-18", message: "The invoiced object identifier (BT-18, document type 130) may occur once.",
		cii: at("ApplicableHeaderTradeAgreement", atMost(1, "AdditionalReferencedDocument[TypeCode=130]"))},
	{id: "PEPPOL-EN16931-R007", severity: fatal, terms: "BT-23", message: "The business process (BT-23) is not in the form urn:fdc:peppol.eu:2017:poacc:billing:NN:1.0.",
		ubl: root(knownProcess), cii: at("ExchangedDocumentContext", knownProcess)},
	{id: "PEPPOL-EN16931-R008", severity: fatal, message: "An element is empty.",
		ubl: at("*", notEmpty)},
	{id: "PEPPOL-EN16931-R010", severity: fatal, terms: "BT-49", message: "The electronic address of the buyer (BT-49) is missing.",
		ubl: at(buyer, has("EndpointID")), cii: at("BuyerTradeParty", has("URIUniversalCommunication/URIID"))},
	{id: "PEPPOL-EN16931-R020", severity: fatal, terms: "BT-34", message: "The electronic address of the seller (BT-34) is missing.",
		ubl: at(seller, has("EndpointID")), cii: at("SellerTradeParty", has("URIUniversalCommunication/URIID"))},
	{id: "PEPPOL-EN16931-R040", severity: fatal, terms: "BT-92 BT-93 BT-94 BT-99 BT-100 BT-101", message: "An allowance or charge is not its base amount times its percentage.",
		ubl: at(chargesWith("[MultiplierFactorNumeric][BaseAmount]"), percentOf("Amount", "BaseAmount", "MultiplierFactorNumeric", slack)),
		cii: at(chargesPeppolCII+"[CalculationPercent][BasisAmount]", percentOf("ActualAmount", "BasisAmount", "CalculationPercent", slack))},
	{id: "PEPPOL-EN16931-R041", severity: fatal, terms: "BT-93 BT-100", message: "An allowance or charge with a percentage needs a base amount.",
		ubl: forbidden(chargesWith("[MultiplierFactorNumeric][!BaseAmount]")), cii: forbidden(chargesPeppolCII + "[CalculationPercent][!BasisAmount]")},
	{id: "PEPPOL-EN16931-R042", severity: fatal, terms: "BT-94 BT-101", message: "An allowance or charge with a base amount needs a percentage.",
		ubl: forbidden(chargesWith("[!MultiplierFactorNumeric][BaseAmount]")), cii: forbidden(chargesPeppolCII + "[!CalculationPercent][BasisAmount]")},
	{id: "PEPPOL-EN16931-R043", severity: fatal, terms: "BG-20 BG-21", message: "The indicator of an allowance or charge must be true or false.",
		ubl: at(chargesWith("[MultiplierFactorNumeric][BaseAmount]")+" | "+chargesWith("[!MultiplierFactorNumeric][!BaseAmount]"), has("ChargeIndicator[.=true,false]")),
		cii: at(chargesPeppolCII+"[CalculationPercent][BasisAmount] | "+chargesPeppolCII+"[!CalculationPercent][!BasisAmount] | AppliedTradeAllowanceCharge", has("ChargeIndicator/Indicator[.=true,false]"))},
	{id: "PEPPOL-EN16931-R044", severity: fatal, terms: "BT-147", message: "A price must not have a charge.",
		ubl: at("Price/AllowanceCharge", has("ChargeIndicator[.=false]"))},
	{id: "PEPPOL-EN16931-R046", severity: fatal, terms: "BT-146 BT-147 BT-148", message: "The net price (BT-146) is not the gross price (BT-148) less the discount (BT-147).",
		ubl: at("Price/AllowanceCharge", netPriceUBL)},
	{id: "PEPPOL-EN16931-R051", severity: fatal, terms: "BT-5", message: "An amount is not in the currency of the invoice (BT-5).",
		ubl: at(peppolAmounts, func(d *document, n *node) bool {
			return n.hasAttr("currencyID") && n.attr("currencyID") == d.v().currency
		})},
	{id: "PEPPOL-EN16931-R053", severity: fatal, terms: "BT-110", message: "The document must state one VAT total in its currency (BT-110).",
		ubl: root(exactly(1, "TaxTotal[TaxSubtotal]")), cii: at("ApplicableHeaderTradeSettlement", totalsInCII(true))},
	{id: "PEPPOL-EN16931-R054", severity: fatal, terms: "BT-111 BT-6", message: "The document must state one VAT total in the currency of VAT accounting (BT-111) if, and only if, it names that currency (BT-6).",
		ubl: root(or(and(has("TaxCurrencyCode"), exactly(1, "TaxTotal[!TaxSubtotal]")), none("TaxCurrencyCode", "TaxTotal[!TaxSubtotal]"))),
		cii: at("ApplicableHeaderTradeSettlement", totalsInCII(false))},
	{id: "PEPPOL-EN16931-R055", severity: fatal, terms: "BT-110 BT-111", message: "The VAT totals in the two currencies (BT-110, BT-111) have different signs.",
		ubl: root(sameSignUBL), cii: at("ApplicableHeaderTradeSettlement", sameSignCII)},
	{id: "PEPPOL-EN16931-R061", severity: fatal, terms: "BT-89", message: "A direct debit needs a mandate reference (BT-89).",
		ubl: at("PaymentMeans[PaymentMeansCode=49,59]", has("PaymentMandate/ID")),
		cii: at("SpecifiedTradeSettlementPaymentMeans[TypeCode=49,59]", has("../SpecifiedTradePaymentTerms/DirectDebitMandateID"))},
	{id: "PEPPOL-EN16931-R080", severity: fatal, terms: "BT-11", message: "The project reference (BT-11, document type 50) may occur once.",
		ubl: root(or(not(isCreditNote), atMost(1, "AdditionalDocumentReference[DocumentTypeCode=50]"))),
		cii: at("ApplicableHeaderTradeAgreement", atMost(1, "AdditionalReferencedDocument[TypeCode=50]"))},
	{id: "PEPPOL-EN16931-R100", severity: fatal, terms: "BT-128", message: "The object identifier of a line (BT-128) may occur once.",
		ubl: at(linesUBL, atMost(1, "DocumentReference")), cii: at(linesCII, atMost(1, "SpecifiedLineTradeSettlement/AdditionalReferencedDocument[TypeCode=130]"))},
	{id: "PEPPOL-EN16931-R101", severity: fatal, terms: "BT-128", message: "A line may refer only to its object (BT-128, document type 130).",
		ubl: at(linesUBL, when(has("DocumentReference"), has("DocumentReference[DocumentTypeCode=130]"))),
		cii: at(linesCII, when(has("SpecifiedLineTradeSettlement/AdditionalReferencedDocument"), has("SpecifiedLineTradeSettlement/AdditionalReferencedDocument[TypeCode=130]")))},
	{id: "PEPPOL-EN16931-R110", severity: fatal, terms: "BT-134 BT-73", message: "The period of a line begins (BT-134) before the invoicing period (BT-73).",
		ubl: at("/InvoiceLine/InvoicePeriod/StartDate | /CreditNoteLine/InvoicePeriod/StartDate", datesUBL("/InvoicePeriod/StartDate", false)),
		cii: at(linePeriod+"/StartDateTime", datesCII("StartDateTime", false))},
	{id: "PEPPOL-EN16931-R111", severity: fatal, terms: "BT-135 BT-74", message: "The period of a line ends (BT-135) after the invoicing period (BT-74).",
		ubl: at("/InvoiceLine/InvoicePeriod/EndDate | /CreditNoteLine/InvoicePeriod/EndDate", datesUBL("/InvoicePeriod/EndDate", true)),
		cii: at(linePeriod+"/EndDateTime", datesCII("EndDateTime", true))},
	{id: "PEPPOL-EN16931-R120", severity: fatal, terms: "BT-131 BT-129 BT-146 BT-149", message: "The net amount of a line (BT-131) is not its quantity times its price, less allowances plus charges.",
		ubl: at(linesUBL, lineAmountUBL), cii: at(linesCII, lineAmountCII)},
	{id: "PEPPOL-EN16931-R121", severity: fatal, terms: "BT-149", message: "The base quantity of a price (BT-149) must be above 0.",
		ubl: at(linesUBL, or(none("Price/BaseQuantity"), compareTo("Price/BaseQuantity", number.gt))),
		cii: at("NetPriceProductTradePrice | GrossPriceProductTradePrice", or(none("BasisQuantity"), compareTo("BasisQuantity", number.gt)))},
	{id: "PEPPOL-EN16931-R130", severity: fatal, terms: "BT-150 BT-130", message: "The unit of the base quantity (BT-150) differs from that of the invoiced quantity (BT-130).",
		ubl: at("Price/BaseQuantity[@unitCode]", sameUnitUBL),
		cii: at("NetPriceProductTradePrice/BasisQuantity[@unitCode] | GrossPriceProductTradePrice/BasisQuantity[@unitCode]", sameUnitCII)},
}

const linePeriod = "/" + ciiLines + "/SpecifiedLineTradeSettlement/BillingSpecifiedPeriod"

// harmonized are the rules of Peppol that XRechnung includes.
var harmonized = codes("R001 R005 R008 R010 R020 R040 R041 R042 R043 R044 R046 R053 R054 R055 R061 R101 R110 R111 R120 R121 R130")

// xrechnungPeppol returns the rules of Peppol that XRechnung includes, with the
// changes of XRechnung: amounts in HUF may be rounded to whole numbers, CII may omit
// a total in the currency of the invoice, and three rules that Peppol has only for
// UBL also apply to CII.
func xrechnungPeppol() []rule {
	var out []rule
	for _, r := range peppolCore {
		number, _ := strings.CutPrefix(r.id, "PEPPOL-EN16931-")
		if !harmonized.has(number) {
			continue
		}
		gross := "/" + ciiLines + "/SpecifiedLineTradeAgreement/GrossPriceProductTradePrice"
		switch number {
		case "R008":
			r.cii = at("*", func(d *document, n *node) bool { return n.name == "ApplicableHeaderTradeDelivery" || notEmpty(d, n) })
		case "R040":
			r.ubl = &check{r.ubl.in, percentOf("Amount", "BaseAmount", "MultiplierFactorNumeric", slackXR)}
			r.cii = &check{r.cii.in, percentOf("ActualAmount", "BasisAmount", "CalculationPercent", slackXR)}
		case "R043":
			prices := r
			r.cii, prices.ubl = nil, nil
			prices.id += "-2"
			prices.cii = at("AppliedTradeAllowanceCharge", has("ChargeIndicator/Indicator[.=true,false]"))
			charges := prices
			charges.id = "PEPPOL-EN16931-R043-1"
			charges.cii = at(chargesPeppolCII+"[CalculationPercent][BasisAmount] | "+chargesPeppolCII+"[!CalculationPercent][!BasisAmount]", has("ChargeIndicator/Indicator[.=true,false]"))
			out = append(out, charges, prices)
		case "R044":
			r.cii = at(gross, or(none("AppliedTradeAllowanceCharge/ActualAmount"), has("AppliedTradeAllowanceCharge/ChargeIndicator/Indicator[.=false]")))
		case "R046":
			r.cii = at(gross, netPriceCII)
		case "R053":
			r.cii = at("ApplicableHeaderTradeSettlement", func(d *document, n *node) bool { return taxTotalsCII(d, n, true) <= 1 })
		case "R055":
			r.cii = at("ApplicableHeaderTradeSettlement", func(d *document, n *node) bool { return taxTotalsCII(d, n, true) == 0 || sameSignCII(d, n) })
		case "R120":
			r.severity = warning
			r.ubl, r.cii = at(linesUBL, lineAmountXR), at(linesCII, func(d *document, n *node) bool { return lineTradedXR.agrees(d, n, slackXR(d)) })
		}
		out = append(out, r)
	}
	return out
}
