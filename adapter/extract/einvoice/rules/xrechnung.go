package rules

import (
	"regexp"
	"strings"
)

const (
	sellerCII  = agreement + "/SellerTradeParty"
	buyerCII   = agreement + "/BuyerTradeParty"
	meansCII   = "/" + settlement + "/SpecifiedTradeSettlementPaymentMeans"
	mandateCII = "/" + settlement + "/SpecifiedTradePaymentTerms/DirectDebitMandateID"
	creditor   = "/" + settlement + "/CreditorReferenceID"
	debtorCII  = "PayerPartyDebtorFinancialAccount/IBANID"
)

var (
	phonePattern   = regexp.MustCompile(`(?s)[0-9].*[0-9].*[0-9]`)
	mailPattern    = regexp.MustCompile(`^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$`)
	urlPattern     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+:`)
	directDebitCII = has(mandateCII, creditor, meansCII+"/"+debtorCII)
	debitCII       = has(mandateCII, creditor, debtorCII)
)

// matching reports whether the first selected element, with normalized white space,
// matches the pattern.
func matching(selector string, pattern *regexp.Regexp) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return pattern.MatchString(s.first(d, n).value()) }
}

// xrechnungCore are the rules of XRechnung for every document. germanRules derives
// the Peppol rules for Germany from them.
var xrechnungCore = []rule{
	{id: "BR-DE-1", severity: fatal, terms: "BG-16", message: "The payment instructions (BG-16) are missing.",
		ubl: root(has("PaymentMeans")), cii: root(has(settlement + "/SpecifiedTradeSettlementPaymentMeans"))},
	{id: "BR-DE-2", severity: fatal, terms: "BG-6", message: "The contact of the seller (BG-6) is missing.",
		ubl: at("/AccountingSupplierParty", has("Party/Contact")), cii: at("/"+sellerCII, has("DefinedTradeContact"))},
	{id: "BR-DE-3", severity: fatal, terms: "BT-37", message: "The city of the seller (BT-37) is missing.",
		ubl: at("/"+seller+"/PostalAddress", filled("CityName")), cii: at("/"+sellerCII+"/PostalTradeAddress", filled("CityName"))},
	{id: "BR-DE-4", severity: fatal, terms: "BT-38", message: "The post code of the seller (BT-38) is missing.",
		ubl: at("/"+seller+"/PostalAddress", filled("PostalZone")), cii: at("/"+sellerCII+"/PostalTradeAddress", filled("PostcodeCode"))},
	{id: "BR-DE-5", severity: fatal, terms: "BT-41", message: "The name of the seller's contact (BT-41) is missing.",
		ubl: at("/"+seller+"/Contact", filled("Name")), cii: at("/"+sellerCII+"/DefinedTradeContact", filled("PersonName", "DepartmentName"))},
	{id: "BR-DE-6", severity: fatal, terms: "BT-42", message: "The telephone number of the seller's contact (BT-42) is missing.",
		ubl: at("/"+seller+"/Contact", filled("Telephone")), cii: at("/"+sellerCII+"/DefinedTradeContact", filled("TelephoneUniversalCommunication/CompleteNumber"))},
	{id: "BR-DE-7", severity: fatal, terms: "BT-43", message: "The e-mail address of the seller's contact (BT-43) is missing.",
		ubl: at("/"+seller+"/Contact", filled("ElectronicMail")), cii: at("/"+sellerCII+"/DefinedTradeContact", filled("EmailURIUniversalCommunication/URIID"))},
	{id: "BR-DE-8", severity: fatal, terms: "BT-52", message: "The city of the buyer (BT-52) is missing.",
		ubl: at("/"+buyer+"/PostalAddress", filled("CityName")), cii: at("/"+buyerCII+"/PostalTradeAddress", filled("CityName"))},
	{id: "BR-DE-9", severity: fatal, terms: "BT-53", message: "The post code of the buyer (BT-53) is missing.",
		ubl: at("/"+buyer+"/PostalAddress", filled("PostalZone")), cii: at("/"+buyerCII+"/PostalTradeAddress", filled("PostcodeCode"))},
	{id: "BR-DE-10", severity: fatal, terms: "BT-77", message: "The city of the delivery address (BT-77) is missing.",
		ubl: at("/Delivery/DeliveryLocation/Address", filled("CityName")), cii: at("/"+delivery+"/ShipToTradeParty/PostalTradeAddress", filled("CityName"))},
	{id: "BR-DE-11", severity: fatal, terms: "BT-78", message: "The post code of the delivery address (BT-78) is missing.",
		ubl: at("/Delivery/DeliveryLocation/Address", filled("PostalZone")), cii: at("/"+delivery+"/ShipToTradeParty/PostalTradeAddress", filled("PostcodeCode"))},
	{id: "BR-DE-14", severity: fatal, terms: "BT-119", message: "The rate of a VAT breakdown (BT-119) is missing.",
		ubl: at("/TaxTotal/TaxSubtotal", filled("TaxCategory/Percent")), cii: at("/"+settlement+"/ApplicableTradeTax", filled("RateApplicablePercent"))},
	{id: "BR-DE-15", severity: fatal, terms: "BT-10", message: "The buyer reference (BT-10), for German authorities the Leitweg-ID, is missing.",
		ubl: root(filled("BuyerReference")), cii: root(filled(agreement + "/BuyerReference"))},
	{id: "BR-DE-16", severity: fatal, terms: "BT-31 BT-32 BG-11", message: "The VAT categories of the document need a tax identifier of the seller (BT-31, BT-32) or a tax representative (BG-11).",
		ubl: root(when(taxedUBL, or(filled(seller+"/PartyTaxScheme/CompanyID"), has("TaxRepresentativeParty")))),
		cii: root(when(taxedCII, or(filled(sellerCII+"/SpecifiedTaxRegistration/ID[@schemeID=VA,FC]"), has(agreement+"/SellerTaxRepresentativeTradeParty"))))},
	{id: "BR-DE-17", severity: warning, terms: "BT-3", message: "The document type (BT-3) is none of those of XRechnung: 326, 380, 381, 384, 389, 875, 876, 877.",
		ubl: root(has("InvoiceTypeCode[.="+xrTypeList+"]", "CreditNoteTypeCode[.="+xrTypeList+"]")), cii: root(has("ExchangedDocument/TypeCode[.=" + xrTypeList + "]"))},
	{id: "BR-DE-18", severity: fatal, terms: "BT-20", message: "A line of the payment terms (BT-20) begins with # but does not state a cash discount in the form of XRechnung.",
		ubl: root(discountTerms("/PaymentTerms", "Note")), cii: root(discountTerms("/"+settlement+"/SpecifiedTradePaymentTerms", "Description"))},
	{id: "BR-DE-19", severity: warning, terms: "BT-84", message: "The account to pay to (BT-84) is no IBAN although the means of payment is a SEPA credit transfer.",
		ubl: at("/PaymentMeans[PaymentMeansCode=58]", ibanIn("PayeeFinancialAccount/ID")), cii: at(meansCII+"[TypeCode=58]", ibanIn("PayeePartyCreditorFinancialAccount/IBANID"))},
	{id: "BR-DE-20", severity: warning, terms: "BT-91", message: "The account to debit (BT-91) is no IBAN although the means of payment is a SEPA direct debit.",
		ubl: at("/PaymentMeans[PaymentMeansCode=59]", ibanIn("PaymentMandate/PayerFinancialAccount/ID")), cii: at(meansCII+"[TypeCode=59]", ibanIn(debtorCII))},
	{id: "BR-DE-22", severity: fatal, terms: "BT-125", message: "Two attached documents (BT-125) have the same file name.",
		ubl: root(uniqueFiles("/AdditionalDocumentReference", "Attachment/EmbeddedDocumentBinaryObject")),
		cii: root(uniqueFiles("//AdditionalReferencedDocument", "AttachmentBinaryObject"))},
	{id: "BR-DE-23-a", severity: fatal, terms: "BG-17", message: "The means of payment is a credit transfer, but the account (BG-17) is missing.",
		ubl: at("/PaymentMeans[PaymentMeansCode=30,58]", has("PayeeFinancialAccount")), cii: at(meansCII+"[TypeCode=30,58]", has("PayeePartyCreditorFinancialAccount"))},
	{id: "BR-DE-23-b", severity: fatal, terms: "BG-18 BG-19", message: "The means of payment is a credit transfer, but a card (BG-18) or a mandate (BG-19) is stated.",
		ubl: at("/PaymentMeans[PaymentMeansCode=30,58]", none("CardAccount", "PaymentMandate")),
		cii: at(meansCII+"[TypeCode=30,58]", and(none("ApplicableTradeSettlementFinancialCard"), not(debitCII)))},
	{id: "BR-DE-24-a", severity: fatal, terms: "BG-18", message: "The means of payment is a card, but the card (BG-18) is missing.",
		ubl: at("/PaymentMeans[PaymentMeansCode=48,54,55]", has("CardAccount")), cii: at(meansCII+"[TypeCode=48,54,55]", has("ApplicableTradeSettlementFinancialCard"))},
	{id: "BR-DE-24-b", severity: fatal, terms: "BG-17 BG-19", message: "The means of payment is a card, but an account (BG-17) or a mandate (BG-19) is stated.",
		ubl: at("/PaymentMeans[PaymentMeansCode=48,54,55]", none("PayeeFinancialAccount", "PaymentMandate")),
		cii: at(meansCII+"[TypeCode=48,54,55]", and(none("PayeePartyCreditorFinancialAccount"), not(debitCII)))},
	{id: "BR-DE-25-a", severity: fatal, terms: "BG-19", message: "The means of payment is a direct debit, but the mandate (BG-19) is missing.",
		ubl: at("/PaymentMeans[PaymentMeansCode=59]", has("PaymentMandate")), cii: at(meansCII+"[TypeCode=59]", debitCII)},
	{id: "BR-DE-25-b", severity: fatal, terms: "BG-17 BG-18", message: "The means of payment is a direct debit, but an account to pay to (BG-17) or a card (BG-18) is stated.",
		ubl: at("/PaymentMeans[PaymentMeansCode=59]", none("PayeeFinancialAccount", "CardAccount")),
		cii: at(meansCII+"[TypeCode=59]", none("PayeePartyCreditorFinancialAccount", "PayeeSpecifiedCreditorFinancialInstitution", "PayerSpecifiedDebtorFinancialInstitution", "ApplicableTradeSettlementFinancialCard"))},
	{id: "BR-DE-26", severity: warning, terms: "BT-3 BG-3", message: "A corrected invoice (384) names no preceding invoice (BG-3).",
		ubl: root(when(has("InvoiceTypeCode[.=384]", "CreditNoteTypeCode[.=384]"), has("BillingReference/InvoiceDocumentReference"))),
		cii: root(when(has("ExchangedDocument/TypeCode[.=384]"), has(settlement+"/InvoiceReferencedDocument")))},
	{id: "BR-DE-27", severity: warning, terms: "BT-42", message: "The telephone number of the seller's contact (BT-42) has fewer than three digits.",
		ubl: at("/"+seller+"/Contact", matching("Telephone", phonePattern)),
		cii: at("/"+sellerCII+"/DefinedTradeContact", matching("TelephoneUniversalCommunication/CompleteNumber", phonePattern))},
	{id: "BR-DE-28", severity: warning, terms: "BT-43", message: "The e-mail address of the seller's contact (BT-43) is malformed.",
		ubl: at("/"+seller+"/Contact", matching("ElectronicMail", mailPattern)),
		cii: at("/"+sellerCII+"/DefinedTradeContact", matching("EmailURIUniversalCommunication/URIID", mailPattern))},
	{id: "BR-DE-30", severity: fatal, terms: "BT-90 BG-19", message: "A direct debit (BG-19) needs the creditor identifier (BT-90).",
		ubl: root(when(has("PaymentMeans/PaymentMandate"), has(seller+"/PartyIdentification/ID[@schemeID=SEPA]", "PayeeParty/PartyIdentification/ID[@schemeID=SEPA]"))),
		cii: root(when(directDebitCII, and(has(mandateCII, meansCII+"/"+debtorCII), has(creditor))))},
	{id: "BR-DE-31", severity: fatal, terms: "BT-91 BG-19", message: "A direct debit (BG-19) needs the account to debit (BT-91).",
		ubl: root(when(has("PaymentMeans/PaymentMandate"), has("PaymentMeans/PaymentMandate/PayerFinancialAccount/ID"))),
		cii: root(when(directDebitCII, and(has(mandateCII, creditor), has(meansCII+"/"+debtorCII))))},
}

const xrTypeList = "326,380,384,389,381,875,876,877"

// xrechnungOther are the rules of XRechnung that Peppol does not have.
var xrechnungOther = []rule{
	{id: "BR-DE-21", severity: warning, terms: "BT-24", message: "The specification identifier (BT-24) is not that of XRechnung 3.0, its extension or its profile for clean vehicles.",
		ubl: root(has("CustomizationID[.=" + xrCIUS + "," + xrExtension + "," + xrCVD + "]")),
		cii: at("/ExchangedDocumentContext", has("GuidelineSpecifiedDocumentContextParameter/ID[.="+xrCIUS+","+xrExtension+","+xrCVD+"]"))},
	{id: "BR-DE-TMP-32", severity: information, terms: "BT-72 BG-14 BG-26", message: "The document names no date of delivery (BT-72), invoicing period (BG-14) or period of each line (BG-26).",
		ubl: root(or(has("Delivery/ActualDeliveryDate", "InvoicePeriod"), none("InvoiceLine[!InvoicePeriod]", "CreditNoteLine[!InvoicePeriod]"))),
		cii: at("/SupplyChainTradeTransaction", or(has("ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime", "ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod"),
			none("IncludedSupplyChainTradeLineItem[!SpecifiedLineTradeSettlement/BillingSpecifiedPeriod]")))},
	{id: "BR-TMP-2", severity: warning, terms: "BT-124", message: "The location of a supporting document (BT-124) is no absolute address.",
		ubl: at("/AdditionalDocumentReference/Attachment/ExternalReference", rawMatching("URI", urlPattern)),
		cii: at("/"+agreement+"/AdditionalReferencedDocument[TypeCode=916]", or(none("URIID"), rawMatching("URIID", urlPattern)))},
	{id: "BR-TMP-3", severity: fatal, terms: "BT-149 BT-150", message: "The gross and the net price of a line are for different quantities (BT-149, BT-150).",
		cii: at("/"+ciiLines+"/SpecifiedLineTradeAgreement", sameBasis)},
}

// rawMatching is matching without normalization of white space.
func rawMatching(selector string, pattern *regexp.Regexp) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return pattern.MatchString(s.first(d, n).text()) }
}

func ibanIn(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool { return iban(s.first(d, n).text()) }
}

const taxedCodes = "S,Z,E,AE,K,G,L,M"

var (
	taxedUBL = has("AllowanceCharge[ChargeIndicator=true,false]/TaxCategory/ID[.="+taxedCodes+"]",
		"InvoiceLine/Item/ClassifiedTaxCategory/ID[.="+taxedCodes+"]", "CreditNoteLine/Item/ClassifiedTaxCategory/ID[.="+taxedCodes+"]")
	// The CII artefact checks only lines: its condition on allowances and charges is
	// never true.
	taxedCII = and(has(ciiLines+"/SpecifiedLineTradeSettlement/ApplicableTradeTax/TypeCode[.=VAT]"),
		has(ciiLines+"/SpecifiedLineTradeSettlement/ApplicableTradeTax/CategoryCode[.="+taxedCodes+"]"))
)

// uniqueFiles reports whether all attached files of the references have different
// names.
func uniqueFiles(references, attached string) test {
	refs, files := sel(references), sel(attached)
	return func(d *document, n *node) bool {
		seen := map[string]bool{}
		return refs.each(d, n, func(ref *node) bool {
			var names []string
			fresh := files.each(d, ref, func(file *node) bool {
				if !file.hasAttr("filename") {
					return true
				}
				names = append(names, file.attr("filename"))
				return !seen[file.attr("filename")]
			})
			for _, name := range names {
				seen[name] = true
			}
			return fresh
		})
	}
}

var (
	grossBasis = sel("GrossPriceProductTradePrice/BasisQuantity")
	netBasis   = sel("NetPriceProductTradePrice/BasisQuantity")
)

func sameBasis(d *document, n *node) bool {
	gross, net := grossBasis.first(d, n), netBasis.first(d, n)
	if gross == nil || net == nil {
		return true
	}
	return gross.text() == net.text() &&
		(!gross.hasAttr("unitCode") || !net.hasAttr("unitCode") || gross.attr("unitCode") == net.attr("unitCode"))
}

var (
	discountPeppol  = regexp.MustCompile(`#(SKONTO)#TAGE=([0-9]+#PROZENT=[0-9]+\.[0-9]{2})(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)
	discountPattern = regexp.MustCompile(`(^|\r?\n)#(SKONTO)#TAGE=([0-9]+#PROZENT=[0-9]+\.[0-9]{2})(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$`)
	greedyMark      = regexp.MustCompile(`#.+#`)
	blankLine       = regexp.MustCompile(`^[\t\n\r ]*\n`)
)

// discountTerms checks the lines of the payment terms that start with a number sign,
// and that a line break follows the last one.
func discountTerms(parents, child string) test {
	return discountTermsLike(parents, child, discountPattern)
}

// discountTermsPeppol is discountTerms for Peppol, with a less strict pattern.
var discountTermsPeppol = discountTermsLike("/PaymentTerms", "Note", discountPeppol)

func discountTermsLike(parents, child string, pattern *regexp.Regexp) test {
	terms, text := sel(parents), sel(child)
	return func(d *document, n *node) bool {
		marked, tail, found := true, "", false
		terms.each(d, n, func(term *node) bool {
			note := text.first(d, term)
			if note == nil {
				return true
			}
			for line := range strings.SplitSeq(note.text(), "\n") {
				if line = normalize(line); strings.HasPrefix(line, "#") {
					found = true
					marked = marked && pattern.MatchString(line)
				}
			}
			parts := greedyMark.Split(note.text(), -1)
			tail = parts[len(parts)-1]
			return true
		})
		return !found || marked && blankLine.MatchString(tail)
	}
}
