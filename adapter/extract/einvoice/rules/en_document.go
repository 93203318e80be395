package rules

import (
	"maps"
	"slices"
	"strings"
)

// The paths to the groups of a CII document.
const (
	agreement  = "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement"
	delivery   = "SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery"
	settlement = "SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement"
	ciiLines   = "SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem"
	seller     = "AccountingSupplierParty/Party"
	buyer      = "AccountingCustomerParty/Party"
)

// enDocument are the rules of EN 16931 on the document as a whole, its parties,
// delivery, references and payment.
var enDocument = []rule{
	{id: "BR-01", severity: fatal, terms: "BT-24", message: "The specification identifier (BT-24) is missing.",
		ubl: root(filled("CustomizationID")),
		cii: root(filled("ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"))},
	{id: "BR-02", severity: fatal, terms: "BT-1", message: "The invoice number (BT-1) is missing.",
		ubl: root(filled("ID")), cii: root(filled("ExchangedDocument/ID"))},
	{id: "BR-03", severity: fatal, terms: "BT-2", message: "The issue date (BT-2) is missing.",
		ubl: root(filled("IssueDate")), cii: root(filled("ExchangedDocument/IssueDateTime/DateTimeString[@format=102]"))},
	{id: "BR-04", severity: fatal, terms: "BT-3", message: "The document type code (BT-3) is missing.",
		ubl: root(filled("InvoiceTypeCode", "CreditNoteTypeCode")), cii: root(filled("ExchangedDocument/TypeCode"))},
	{id: "BR-05", severity: fatal, terms: "BT-5", message: "The currency of the invoice (BT-5) is missing.",
		ubl: root(filled("DocumentCurrencyCode")), cii: root(filled(settlement + "/InvoiceCurrencyCode"))},
	{id: "BR-06", severity: fatal, terms: "BT-27", message: "The name of the seller (BT-27) is missing.",
		ubl: root(filled(seller + "/PartyLegalEntity/RegistrationName")), cii: root(filled(agreement + "/SellerTradeParty/Name"))},
	{id: "BR-07", severity: fatal, terms: "BT-44", message: "The name of the buyer (BT-44) is missing.",
		ubl: root(filled(buyer + "/PartyLegalEntity/RegistrationName")), cii: root(filled(agreement + "/BuyerTradeParty/Name"))},
	{id: "BR-08", severity: fatal, terms: "BG-5", message: "The postal address of the seller (BG-5) is missing.",
		ubl: root(has(seller + "/PostalAddress")), cii: root(has(agreement + "/SellerTradeParty/PostalTradeAddress"))},
	{id: "BR-09", severity: fatal, terms: "BT-40", message: "The country in the postal address of the seller (BT-40) is missing.",
		ubl: at(seller+"/PostalAddress", filled("Country/IdentificationCode")),
		cii: root(filled(agreement + "/SellerTradeParty/PostalTradeAddress/CountryID"))},
	{id: "BR-10", severity: fatal, terms: "BG-8", message: "The postal address of the buyer (BG-8) is missing.",
		ubl: root(has(buyer + "/PostalAddress")), cii: root(has(agreement + "/BuyerTradeParty/PostalTradeAddress"))},
	{id: "BR-11", severity: fatal, terms: "BT-55", message: "The country in the postal address of the buyer (BT-55) is missing.",
		ubl: at(buyer+"/PostalAddress", filled("Country/IdentificationCode")),
		cii: root(filled(agreement + "/BuyerTradeParty/PostalTradeAddress/CountryID"))},
	{id: "BR-16", severity: fatal, terms: "BG-25", message: "The document has no invoice line (BG-25).",
		ubl: root(has("InvoiceLine", "CreditNoteLine")), cii: root(has("//IncludedSupplyChainTradeLineItem"))},
	{id: "BR-17", severity: fatal, terms: "BT-59 BG-10 BG-4", message: "A payee (BG-10) needs a name (BT-59) and must be a party other than the seller (BG-4).",
		ubl: at("PayeeParty", payeeDiffersUBL), cii: at("PayeeTradeParty", payeeDiffersCII)},
	{id: "BR-18", severity: fatal, terms: "BT-62 BG-11", message: "The name of the seller's tax representative (BT-62) is missing.",
		ubl: at("TaxRepresentativeParty", filled("PartyName/Name")), cii: at("SellerTaxRepresentativeTradeParty", filled("Name"))},
	{id: "BR-19", severity: fatal, terms: "BG-12 BG-11", message: "The postal address of the seller's tax representative (BG-12) is missing.",
		ubl: at("TaxRepresentativeParty", has("PostalAddress")), cii: at("SellerTaxRepresentativeTradeParty", has("PostalTradeAddress"))},
	{id: "BR-20", severity: fatal, terms: "BT-69 BG-12", message: "The country in the postal address of the seller's tax representative (BT-69) is missing.",
		ubl: at("TaxRepresentativeParty/PostalAddress", filled("Country/IdentificationCode")),
		cii: at("SellerTaxRepresentativeTradeParty", filled("PostalTradeAddress/CountryID"))},
	{id: "BR-29", severity: fatal, terms: "BT-73 BT-74", message: "The invoicing period ends (BT-74) before it begins (BT-73).",
		ubl: at("InvoicePeriod", or(ofLine, periodUBL)), cii: at("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod", periodCII)},
	{id: "BR-49", severity: fatal, terms: "BT-81 BG-16", message: "Payment instructions (BG-16) need the code of a means of payment (BT-81).",
		ubl: at("PaymentMeans", has("PaymentMeansCode")), cii: at("SpecifiedTradeSettlementPaymentMeans", has("TypeCode"))},
	{id: "BR-50", severity: fatal, terms: "BT-84 BG-17", message: "A credit transfer (BG-17) needs the account to pay to (BT-84).",
		ubl: at("PaymentMeans[PaymentMeansCode=30,58]/PayeeFinancialAccount", filled("ID")),
		cii: at("SpecifiedTradeSettlementPaymentMeans[TypeCode=30,58]/PayeePartyCreditorFinancialAccount", filled("IBANID", "ProprietaryID"))},
	{id: "BR-51", severity: warning, ciiLevel: fatal, terms: "BT-87 BG-18", message: "A card number (BT-87) is longer than 10 characters; state only its first 6 and last 4 digits.",
		ubl: at("PaymentMeans/CardAccount/PrimaryAccountNumberID", own(func(v string) bool { return len([]rune(v)) <= 10 })),
		cii: at("ApplicableTradeSettlementFinancialCard", cardNumberCII)},
	{id: "BR-52", severity: fatal, terms: "BT-122 BG-24", message: "A supporting document (BG-24) needs a reference (BT-122).",
		ubl: at("AdditionalDocumentReference", filled("ID")), cii: at("AdditionalReferencedDocument", filled("IssuerAssignedID"))},
	{id: "BR-53", severity: fatal, terms: "BT-6 BT-111", message: "The VAT total in the accounting currency (BT-111) is missing although that currency (BT-6) is stated.",
		ubl: root(taxCurrencyTotalUBL), cii: at("SpecifiedTradeSettlementHeaderMonetarySummation", taxCurrencyTotalCII)},
	{id: "BR-55", severity: fatal, terms: "BT-25 BG-3", message: "A preceding invoice (BG-3) needs a number (BT-25).",
		ubl: at("BillingReference", has("InvoiceDocumentReference/ID")),
		cii: at("/"+settlement+"/InvoiceReferencedDocument", filled("IssuerAssignedID"))},
	{id: "BR-56", severity: fatal, terms: "BT-63 BG-11", message: "The VAT identifier of the seller's tax representative (BT-63) is missing.",
		ubl: at("TaxRepresentativeParty", has("PartyTaxScheme[TaxScheme/ID~VAT]/CompanyID")),
		cii: at("SellerTaxRepresentativeTradeParty", filled("SpecifiedTaxRegistration/ID[@schemeID=VA]"))},
	{id: "BR-57", severity: fatal, terms: "BT-80 BG-15", message: "The country in the delivery address (BT-80) is missing.",
		ubl: at("Delivery/DeliveryLocation/Address", has("Country/IdentificationCode")),
		cii: at("/"+delivery, when(has("ShipToTradeParty/PostalTradeAddress"), filled("ShipToTradeParty/PostalTradeAddress/CountryID")))},
	{id: "BR-61", severity: fatal, terms: "BT-84 BT-81", message: "The means of payment is a credit transfer, but the account to pay to (BT-84) is missing.",
		ubl: at("PaymentMeans[PaymentMeansCode=30,58]", has("PayeeFinancialAccount/ID")),
		cii: at("SpecifiedTradeSettlementPaymentMeans[TypeCode=30,58]/PayeePartyCreditorFinancialAccount", has("IBANID", "ProprietaryID"))},
	{id: "BR-62", severity: fatal, terms: "BT-34", message: "The electronic address of the seller (BT-34) names no scheme.",
		ubl: at(seller+"/EndpointID", withAttr("schemeID")), cii: root(addressScheme("SellerTradeParty"))},
	{id: "BR-63", severity: fatal, terms: "BT-49", message: "The electronic address of the buyer (BT-49) names no scheme.",
		ubl: at(buyer+"/EndpointID", withAttr("schemeID")), cii: root(addressScheme("BuyerTradeParty"))},
	{id: "BR-CO-03", severity: fatal, terms: "BT-7 BT-8", message: "The date on which VAT becomes due is stated as a date (BT-7) and as a code (BT-8); state one of them.",
		ubl: root(not(and(has("TaxPointDate"), has("InvoicePeriod/DescriptionCode")))),
		cii: at(breakdownCII, not(and(has("//TaxPointDate"), has("//DueDateTypeCode"))))},
	{id: "BR-CO-09", severity: fatal, terms: "BT-31 BT-48 BT-63", message: "A VAT identifier does not begin with the code of a country.",
		ubl: at("PartyTaxScheme[TaxScheme/ID~VAT]", vatPrefixUBL),
		cii: at("SpecifiedTaxRegistration/ID[@schemeID=VA]", func(_ *document, n *node) bool { return vatPrefixesCII.has(cut(n.text(), 2)) })},
	{id: "BR-CO-19", severity: fatal, terms: "BG-14 BT-73 BT-74", message: "The invoicing period (BG-14) has neither a beginning (BT-73) nor an end (BT-74).",
		ubl: at("InvoicePeriod", or(ofLine, has("StartDate", "EndDate", "DescriptionCode"))),
		cii: at("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod", has("StartDateTime", "EndDateTime"))},
	{id: "BR-CO-26", severity: fatal, terms: "BT-29 BT-30 BT-31", message: "The seller has no identifier (BT-29), legal registration identifier (BT-30) or VAT identifier (BT-31), so the buyer cannot identify it automatically.",
		ubl: at("AccountingSupplierParty", has("Party/PartyTaxScheme[TaxScheme/ID~VAT]/CompanyID", "Party/PartyIdentification/ID[!@schemeID=SEPA]", "Party/PartyLegalEntity/CompanyID")),
		cii: at("SellerTradeParty", has("ID", "GlobalID", "SpecifiedLegalOrganization/ID", "SpecifiedTaxRegistration/ID[@schemeID=VA]"))},
}

// ofLine reports whether the period belongs to a line.
func ofLine(_ *document, n *node) bool {
	return n.parent != nil && (n.parent.name == "InvoiceLine" || n.parent.name == "CreditNoteLine")
}

var (
	periodStart = sel("StartDate")
	periodEnd   = sel("EndDate")
)

// periodUBL reports whether the end of a period is not before its start.
func periodUBL(d *document, n *node) bool {
	start, end := periodStart.first(d, n), periodEnd.first(d, n)
	if start == nil || end == nil {
		return true
	}
	from, ok1 := date(start.value())
	to, ok2 := date(end.value())
	return ok1 && ok2 && !to.Before(from)
}

var (
	ciiStart     = sel("StartDateTime")
	ciiEnd       = sel("EndDateTime")
	ciiStartDate = sel("StartDateTime/DateTimeString[@format=102]")
	ciiEndDate   = sel("EndDateTime/DateTimeString[@format=102]")
)

// periodCII compares the dates as text, as the official rule does.
func periodCII(d *document, n *node) bool {
	if !ciiStart.has(d, n) || !ciiEnd.has(d, n) {
		return true
	}
	start, end := ciiStartDate.first(d, n), ciiEndDate.first(d, n)
	return start != nil && end != nil && end.text() >= start.text()
}

// sameText reports whether an element of a states the same text as one of b.
func sameText(d *document, n *node, a, b *selector) bool {
	return !a.each(d, n, func(x *node) bool {
		return b.each(d, n, func(y *node) bool { return x.text() != y.text() })
	})
}

var (
	payeeName     = sel("PartyName/Name")
	payeeID       = sel("PartyIdentification/ID")
	sellerName    = sel("../" + seller + "/PartyName/Name")
	sellerID      = sel("../" + seller + "/PartyIdentification/ID")
	ciiPayeeName  = sel("Name")
	ciiPayeeID    = sel("ID")
	ciiPayeeLegal = sel("SpecifiedLegalOrganization/ID")
	ciiSellerPath = "../../ApplicableHeaderTradeAgreement/SellerTradeParty/"
	ciiSellerName = sel(ciiSellerPath + "Name")
	ciiSellerID   = sel(ciiSellerPath + "ID")
	ciiSellerLaw  = sel(ciiSellerPath + "SpecifiedLegalOrganization/ID")
)

func payeeDiffersUBL(d *document, n *node) bool {
	return payeeName.has(d, n) && !sameText(d, n, payeeName, sellerName) && !sameText(d, n, payeeID, sellerID)
}

func payeeDiffersCII(d *document, n *node) bool {
	return ciiPayeeName.has(d, n) && !sameText(d, n, ciiPayeeName, ciiSellerName) &&
		!sameText(d, n, ciiPayeeID, ciiSellerID) && !sameText(d, n, ciiPayeeLegal, ciiSellerLaw)
}

var ciiCardID = sel("ID")

func cardNumberCII(d *document, n *node) bool {
	return len([]rune(ciiCardID.first(d, n).value())) <= 10
}

var (
	taxCurrency     = sel("/TaxCurrencyCode")
	anyTaxTotal     = sel("//TaxTotal/TaxAmount")
	ciiTaxCurrency  = sel("/" + settlement + "/TaxCurrencyCode")
	ciiCurrency     = sel("/" + settlement + "/InvoiceCurrencyCode")
	ciiTaxTotal     = sel("TaxTotalAmount")
	documentVATCode = sel("/DocumentCurrencyCode")
)

func taxCurrencyTotalUBL(d *document, n *node) bool {
	return taxCurrency.each(d, n, func(currency *node) bool {
		return !anyTaxTotal.each(d, n, func(total *node) bool { return total.attr("currencyID") != currency.text() })
	})
}

func taxCurrencyTotalCII(d *document, n *node) bool {
	currency := ciiTaxCurrency.first(d, n)
	if currency == nil {
		return true
	}
	stated := !ciiTaxTotal.each(d, n, func(total *node) bool { return total.attr("currencyID") != currency.text() })
	return stated && currency.text() != ciiCurrency.first(d, n).text()
}

var (
	companyID = sel("CompanyID")
	// vatPrefixText contains all prefixes. The official UBL rule searches it for the
	// first two characters of the identifier.
	vatPrefixText = " " + strings.Join(slices.Sorted(maps.Keys(vatPrefixesUBL)), " ") + " "
)

func vatPrefixUBL(d *document, n *node) bool {
	return strings.Contains(vatPrefixText, cut(companyID.first(d, n).text(), 2))
}

// cut returns the first characters of the text.
func cut(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

// addressScheme reports whether the first electronic address of the party has a
// scheme.
func addressScheme(party string) test {
	address := sel("/" + agreement + "/" + party + "/URIUniversalCommunication")
	id := sel("URIID")
	return func(d *document, n *node) bool {
		first := address.first(d, n)
		return first == nil || normalize(id.first(d, first).attr("schemeID")) != ""
	}
}
