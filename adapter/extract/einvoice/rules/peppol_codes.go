package rules

import (
	"regexp"
	"strings"

	"docledger/domain/einvoice"
)

// identifiedUBL selects the identifiers with the scheme.
func identifiedUBL(scheme string) string {
	return strings.ReplaceAll("EndpointID%s | PartyIdentification/ID%s | CompanyID%s", "%s", "[@schemeID="+scheme+"]")
}

func identifiedCII(scheme string) string {
	return strings.ReplaceAll("URIID%s | ID%s | GlobalID%s", "%s", "[@schemeID="+scheme+"]")
}

// identifierRule returns the rule that identifiers of a scheme are valid.
func identifierRule(number string, severity einvoice.Severity, scheme, name string, valid func(string) bool) rule {
	return rule{id: "PEPPOL-COMMON-" + number, severity: severity, terms: "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49",
		message: "An identifier of the scheme " + scheme + " is no valid " + name + ".",
		ubl:     at(identifiedUBL(scheme), own(valid)), cii: at(identifiedCII(scheme), own(valid))}
}

// exemptionRule returns the rule that an exemption reason requires its category.
func exemptionRule(number, code, category string) rule {
	return rule{id: "PEPPOL-EN16931-P0" + number, severity: fatal, terms: "BT-121 BT-118",
		message: "The reason of exemption " + code + " (BT-121) is for the VAT category " + category + " (BT-118).",
		ubl:     at("TaxCategory[TaxExemptionReasonCode~"+code+"]", has("ID[.="+category+"]"))}
}

// peppolCodes are the rules of Peppol on identifiers, code lists and formats.
var peppolCodes = []rule{
	identifierRule("R040", fatal, "0088", "Global Location Number", gln),
	identifierRule("R041", fatal, "0192", "Norwegian organization number", func(s string) bool { return len(s) == 9 && mod11(s) }),
	{id: "PEPPOL-COMMON-R042", severity: fatal, terms: "BT-29 BT-30 BT-34 BT-46 BT-47 BT-49", message: "An identifier of the scheme 0184 is no Danish business number.",
		ubl: at(identifiedUBL("0184"), func(_ *document, n *node) bool { return danish(n.text()) }),
		cii: at(identifiedCII("0184"), func(_ *document, n *node) bool { return danish(n.text()) })},
	identifierRule("R043", fatal, "0208", "Belgian enterprise number", belgian),
	identifierRule("R044", warning, "0201", "Italian office code (Codice Univoco Unità Organizzativa iPA)", codiceIPA.MatchString),
	identifierRule("R045", warning, "0210", "Italian tax code (Codice fiscale)", italianTaxCode),
	{id: "PEPPOL-COMMON-R046", severity: warning, terms: "BT-34 BT-49", message: "An electronic address of the scheme 9907 is no valid Italian tax code (Codice fiscale).",
		ubl: at("EndpointID[@schemeID=9907]", own(italianTaxCode)), cii: at("URIID[@schemeID=9907]", own(italianTaxCode))},
	identifierRule("R047", warning, "0211", "Italian VAT identifier (Partita IVA)", italianVAT),
	{id: "PEPPOL-COMMON-R048", severity: warning, terms: "BT-34 BT-49", message: "An electronic address of the scheme 9906 is no valid Italian VAT identifier (Partita IVA).",
		cii: at("URIID[@schemeID=9906]", own(italianVAT))},
	identifierRule("R049", fatal, "0007", "Swedish organization number", func(s string) bool { return len(s) == 10 && swedish(s) }),
	identifierRule("R050", fatal, "0151", "Australian Business Number", australian),
	{id: "PEPPOL-EN16931-CL001", severity: fatal, terms: "BT-125", message: "The media type of an attached document (BT-125) is none that Peppol allows.",
		ubl: at("EmbeddedDocumentBinaryObject[@mimeCode]", exactAttrIn("mimeCode", mimeTypes)), cii: at("AttachmentBinaryObject[@mimeCode]", exactAttrIn("mimeCode", mimeTypes))},
	{id: "PEPPOL-EN16931-CL002", severity: fatal, terms: "BT-98 BT-140", message: "The reason code of an allowance (BT-98, BT-140) is none of UNTDID 5189.",
		ubl: at("AllowanceCharge[ChargeIndicator=false]/AllowanceChargeReasonCode", inList(allowanceReasons)),
		cii: at("SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=false]/ReasonCode", inList(allowanceReasons))},
	{id: "PEPPOL-EN16931-CL003", severity: fatal, terms: "BT-105 BT-145", message: "The reason code of a charge (BT-105, BT-145) is none of UNTDID 7161.",
		ubl: at("AllowanceCharge[ChargeIndicator=true]/AllowanceChargeReasonCode", inList(chargeReasons)),
		cii: at("SpecifiedTradeAllowanceCharge[ChargeIndicator/Indicator=true]/ReasonCode", inList(chargeReasons))},
	{id: "PEPPOL-EN16931-CL006", severity: fatal, terms: "BT-8", message: "The code of the date on which VAT becomes due (BT-8) is none of UNTDID 2005.",
		ubl: at("InvoicePeriod/DescriptionCode", inList(taxPointsUBL))},
	{id: "PEPPOL-EN16931-CL007", severity: fatal, terms: "BT-5 BT-6", message: "The currency of an amount is none of ISO 4217.",
		ubl: at(amountsUBL, exactAttrIn("currencyID", peppolCurrencies)), cii: at("TaxTotalAmount[@currencyID]", exactAttrIn("currencyID", peppolCurrencies))},
	{id: "PEPPOL-EN16931-CL008", severity: fatal, terms: "BT-34 BT-49", message: "The scheme of an electronic address (BT-34, BT-49) is none that Peppol allows.",
		ubl: at("EndpointID[@schemeID]", exactAttrIn("schemeID", peppolAddressSchemes)),
		cii: at("BuyerTradeParty/URIUniversalCommunication/URIID | SellerTradeParty/URIUniversalCommunication/URIID", exactAttrIn("schemeID", peppolAddressSchemes))},
	{id: "PEPPOL-EN16931-F001", severity: fatal, message: "A date is not in the form that Peppol demands (YYYY-MM-DD in UBL, YYYYMMDD in CII).",
		ubl: at("IssueDate | DueDate | TaxPointDate | StartDate | EndDate | ActualDeliveryDate", dateForm), cii: at("DateTimeString", dateForm102)},
	{id: "PEPPOL-EN16931-P0100", severity: fatal, terms: "BT-3", message: "The document type of the invoice (BT-3) is none that Peppol allows.",
		// The scope of the CII artefact selects no element.
		ubl: at("InvoiceTypeCode", or(otherProcess, inList(peppolInvoiceTypes))), cii: at("/ExchangedDocument/TypeCode", always)},
	{id: "PEPPOL-EN16931-P0101", severity: fatal, terms: "BT-3", message: "The document type of the credit note (BT-3) is none that Peppol allows.",
		ubl: at("CreditNoteTypeCode", or(otherProcess, inList(peppolCreditNoteTypes)))},
	exemptionRule("104", "VATEX-EU-G", "G"), exemptionRule("105", "VATEX-EU-O", "O"), exemptionRule("106", "VATEX-EU-IC", "K"),
	exemptionRule("107", "VATEX-EU-AE", "AE"), exemptionRule("108", "VATEX-EU-D", "E"), exemptionRule("109", "VATEX-EU-F", "E"),
	exemptionRule("110", "VATEX-EU-I", "E"), exemptionRule("111", "VATEX-EU-J", "E"),
	{id: "PEPPOL-EN16931-P0112", severity: fatal, terms: "BT-3", message: "The document types 326 and 384 are only for invoices between parties in Germany.",
		ubl: at("InvoiceTypeCode[.=326,384]", func(d *document, _ *node) bool { return d.v().german })},
}

// otherProcess reports whether the business process of the document differs from
// billing (01).
func otherProcess(d *document, _ *node) bool { return d.v().process != "01" }

func dateForm(_ *document, n *node) bool {
	_, ok := date(n.text())
	return ok
}

var day102 = regexp.MustCompile(`20[0-9]{6}`)

func dateForm102(_ *document, n *node) bool {
	return normalize(n.attr("format")) == "102" && len([]rune(n.text())) == 8 && day102.MatchString(n.value())
}

// germanRules returns the rules of Peppol for invoices between parties in Germany.
// They are the rules of XRechnung with other ids.
func germanRules() []rule {
	german := func(v *variables) bool { return v.german }
	renamed := strings.NewReplacer("-23-a", "-23-1", "-23-b", "-23-2", "-24-a", "-24-1", "-24-b", "-24-2", "-25-a", "-25-1", "-25-b", "-25-2")
	var out []rule
	for _, r := range xrechnungCore {
		number := renamed.Replace(strings.TrimPrefix(r.id, "BR-DE"))
		digits, part, _ := strings.Cut(number[1:], "-")
		id := "DE-R-" + strings.Repeat("0", 3-len(digits)) + digits
		if part != "" {
			id += "-" + part
		}
		r.id, r.cii = id, nil
		switch id {
		case "DE-R-018":
			r.ubl = root(discountTermsPeppol)
		case "DE-R-028":
			r.ubl = at("/"+seller+"/Contact", matching("ElectronicMail", mailPatternPeppol))
		}
		r.ubl = r.ubl.where(german)
		out = append(out, r)
	}
	return out
}

var mailPatternPeppol = regexp.MustCompile("^[a-zA-Z0-9!#$%&\"*+/=?^_`{|}~-]+(\\.[a-zA-Z0-9!#$%&\"*+/=?^_`{|}~-]+)*@([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?\\.)+[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$")
