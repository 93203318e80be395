package rules

import "strings"

// enSyntaxUBL are the rules of EN 16931 on the use of UBL, in addition to those of
// the data file.
var enSyntaxUBL = []rule{
	{id: "UBL-CR-002", severity: warning, message: "The version of UBL, if stated, must be 2.1.",
		ubl: root(or(none("UBLVersionID"), has("UBLVersionID[.=2.1]")))},
	{id: "UBL-CR-412", severity: warning, terms: "BT-9", message: "The due date belongs in DueDate; only a credit note may state PaymentDueDate.",
		ubl: at("/PaymentMeans/PaymentDueDate", isCreditNote)},
	{id: "UBL-CR-665", severity: warning, terms: "BT-18", message: "Only the reference of an invoiced object (BT-18, document type 130) may name a scheme.",
		ubl: at("AdditionalDocumentReference[!DocumentTypeCode]/ID[@schemeID] | AdditionalDocumentReference[DocumentTypeCode!=130]/ID[@schemeID]", never)},
	{id: "UBL-CR-666", severity: fatal, terms: "BT-18 BT-125", message: "A reference cannot be that of an invoiced object (BT-18, document type 130) and attach a document (BT-125).",
		ubl: forbidden("AdditionalDocumentReference[DocumentTypeCode=130]/Attachment")},
	{id: "UBL-CR-673", severity: fatal, terms: "BT-18 BT-123", message: "A reference cannot be that of an invoiced object (BT-18, document type 130) and describe a supporting document (BT-123).",
		ubl: forbidden("AdditionalDocumentReference[DocumentTypeCode=130]/DocumentDescription")},
	once("UBL-SR-01", "BT-12", "the contract reference", "ContractDocumentReference/ID"),
	once("UBL-SR-02", "BT-15", "the receiving advice reference", "ReceiptDocumentReference/ID"),
	once("UBL-SR-03", "BT-16", "the despatch advice reference", "DespatchDocumentReference/ID"),
	once("UBL-SR-04", "BT-18", "the invoiced object identifier", "AdditionalDocumentReference[DocumentTypeCode=130]/ID"),
	once("UBL-SR-05", "BT-20", "the payment terms", "PaymentTerms/Note"),
	onceIn("UBL-SR-06", "BG-3", "the preceding invoice", "BillingReference", "InvoiceDocumentReference"),
	{id: "UBL-SR-07", severity: fatal, terms: "BT-25", message: "A preceding invoice needs a number (BT-25).",
		ubl: at("BillingReference", has("InvoiceDocumentReference/ID"))},
	once("UBL-SR-08", "BG-14", "the invoicing period", "InvoicePeriod"),
	once("UBL-SR-09", "BT-27", "the name of the seller", seller+"/PartyLegalEntity/RegistrationName"),
	once("UBL-SR-10", "BT-28", "the trading name of the seller", seller+"/PartyName/Name"),
	once("UBL-SR-11", "BT-30", "the legal registration identifier of the seller", seller+"/PartyLegalEntity/CompanyID"),
	once("UBL-SR-12", "BT-31", "the VAT identifier of the seller", seller+"/PartyTaxScheme[TaxScheme/ID~VAT]/CompanyID"),
	once("UBL-SR-13", "BT-32", "the tax registration identifier of the seller", seller+"/PartyTaxScheme[TaxScheme/ID!~VAT]/CompanyID"),
	once("UBL-SR-14", "BT-33", "the additional legal information of the seller", seller+"/PartyLegalEntity/CompanyLegalForm"),
	once("UBL-SR-15", "BT-44", "the name of the buyer", buyer+"/PartyLegalEntity/RegistrationName"),
	once("UBL-SR-16", "BT-46", "the identifier of the buyer", buyer+"/PartyIdentification/ID"),
	once("UBL-SR-17", "BT-47", "the legal registration identifier of the buyer", buyer+"/PartyLegalEntity/CompanyID"),
	once("UBL-SR-18", "BT-48", "the VAT identifier of the buyer", buyer+"/PartyTaxScheme[TaxScheme/ID~VAT]/CompanyID"),
	{id: "UBL-SR-19", severity: fatal, terms: "BT-59", message: "The name of the payee (BT-59) must occur once and differ from that of the seller.",
		ubl: at("PayeeParty", and(atMost(1, "PartyName/Name"), payeeIsNotSeller))},
	{id: "UBL-SR-20", severity: fatal, terms: "BT-60", message: "The identifier of the payee (BT-60) must occur once, for a payee other than the seller.",
		ubl: at("PayeeParty", and(payeeIDs, payeeIsNotSeller))},
	{id: "UBL-SR-21", severity: fatal, terms: "BT-61", message: "The legal registration identifier of the payee (BT-61) must occur once, for a payee other than the seller.",
		ubl: at("PayeeParty", and(atMost(1, "PartyLegalEntity/CompanyID"), payeeIsNotSeller))},
	onceIn("UBL-SR-22", "BT-62", "the name of the tax representative", "TaxRepresentativeParty", "PartyName/Name"),
	onceIn("UBL-SR-23", "BT-63", "the VAT identifier of the tax representative", "TaxRepresentativeParty", "PartyTaxScheme/CompanyID"),
	once("UBL-SR-24", "BG-13", "the delivery", "Delivery"),
	onceIn("UBL-SR-25", "BT-70", "the name of the party that receives the delivery", "Delivery", "DeliveryParty/PartyName/Name"),
	onceIn("UBL-SR-26", "BT-83", "the remittance information", "PaymentMeans", "PaymentID"),
	onceIn("UBL-SR-27", "BT-81", "the means of payment", "PaymentMeans", "PaymentMeansCode"),
	onceIn("UBL-SR-28", "BT-89", "the mandate reference", "PaymentMeans", "PaymentMandate/ID"),
	once("UBL-SR-29", "BT-90", "the creditor identifier", "//PartyIdentification/ID[@schemeID~SEPA]"),
	onceIn("UBL-SR-30", "BT-97", "the reason of an allowance", "AllowanceCharge[ChargeIndicator=false,0]", "AllowanceChargeReason"),
	onceIn("UBL-SR-31", "BT-104", "the reason of a charge", "AllowanceCharge[ChargeIndicator=true,1]", "AllowanceChargeReason"),
	onceIn("UBL-SR-32", "BT-120", "the reason of exemption", "TaxSubtotal", "TaxCategory/TaxExemptionReason"),
	onceIn("UBL-SR-33", "BT-123", "the description of a supporting document", "AdditionalDocumentReference", "DocumentDescription"),
	onceIn("UBL-SR-34", "BT-127", "the note of a line", linesUBL, "Note"),
	onceIn("UBL-SR-35", "BT-132", "the order line reference", linesUBL, "OrderLineReference/LineID"),
	onceIn("UBL-SR-36", "BG-26", "the period of a line", linesUBL, "InvoicePeriod"),
	onceIn("UBL-SR-37", "BT-147", "the discount of a price", linesUBL, "Price/AllowanceCharge/Amount"),
	once("UBL-SR-39", "BT-11", "the project reference", "ProjectReference/ID"),
	once("UBL-SR-40", "BT-45", "the trading name of the buyer", buyer+"/PartyName/Name"),
	{id: "UBL-SR-42", severity: fatal, terms: "BT-31 BT-32", message: "The seller has more than two tax registrations; EN 16931 uses a VAT identifier (BT-31) and one other (BT-32).",
		ubl: at(seller, atMost(2, "PartyTaxScheme"))},
	{id: "UBL-SR-43", severity: fatal, terms: "BT-18 BT-122", message: "A supporting document (BG-24) must not name a scheme or document type; type 130 is for invoiced objects (BT-18), type 50 for project references of credit notes.",
		ubl: at("AdditionalDocumentReference", documentReferenceUBL)},
	{id: "UBL-SR-44", severity: fatal, terms: "BT-83", message: "All payment instructions must state the same remittance information (BT-83).",
		ubl: root(sameEverywhere("//PaymentID"))},
	once("UBL-SR-45", "BT-9", "the due date", "PaymentMeans/PaymentDueDate"),
	once("UBL-SR-46", "BT-82", "the text of the means of payment", "PaymentMeans/PaymentMeansCode[@name]"),
	{id: "UBL-SR-47", severity: fatal, terms: "BT-81", message: "All payment instructions must state the same means of payment (BT-81).",
		ubl: root(sameEverywhere("//PaymentMeansCode"))},
	{id: "UBL-SR-48", severity: fatal, terms: "BG-30", message: "A line must state exactly one VAT category (BG-30).",
		ubl: at(linesUBL, exactly(1, "Item/ClassifiedTaxCategory"))},
	once("UBL-SR-49", "BT-8", "the code of the date on which VAT becomes due", "InvoicePeriod/DescriptionCode"),
	onceIn("UBL-SR-50", "BT-154", "the description of an item", linesUBL, "Item/Description"),
	onceIn("UBL-SR-51", "BT-162 BT-163 BT-164", "the third line of an address", "PostalAddress | Address", "AddressLine"),
	onceIn("UBL-SR-52", "BT-128", "the object identifier of a line", linesUBL, "DocumentReference"),
	{id: "UBL-SR-53", severity: fatal, terms: "BT-31 BT-32 BT-48 BT-63", message: "A tax registration needs an identifier and the tax that it is for.",
		ubl: at("PartyTaxScheme", and(has("TaxScheme/ID"), has("CompanyID")))},
	once("UBL-SR-54", "BG-18", "the card", "PaymentMeans/CardAccount"),
	once("UBL-SR-55", "BG-19", "the mandate", "PaymentMeans/PaymentMandate"),
	once("UBL-SR-56", "BT-17", "the tender or lot reference", "OriginatorDocumentReference/ID"),
	{id: "UBL-DT-01", severity: fatal, message: "An amount has more than two decimals.",
		ubl: at("*Amount", amountDecimals)},
	{id: "UBL-DT-06", severity: fatal, terms: "BT-125", message: "An attached document (BT-125) states no media type.",
		ubl: at("*BinaryObject", withAttr("mimeCode"))},
	{id: "UBL-DT-07", severity: fatal, terms: "BT-125", message: "An attached document (BT-125) states no file name.",
		ubl: at("*BinaryObject", withAttr("filename"))},
	{id: "UBL-DT-18", severity: warning, message: "EN 16931 uses the attribute name only for the means of payment (BT-82).",
		ubl: at("*[@name]", func(_ *document, n *node) bool { return n.name == "PaymentMeansCode" })},
}

// once returns the rule that an element occurs at most once in the document.
func once(id, terms, what, selector string) rule {
	return rule{id: id, severity: fatal, terms: terms, message: "EN 16931 allows " + what + " (" + strings.Fields(terms)[0] + ") once.",
		ubl: root(atMost(1, selector))}
}

// onceIn returns the rule that an element occurs at most once in each element of the
// scope.
func onceIn(id, terms, what, in, selector string) rule {
	r := once(id, terms, what, selector)
	r.ubl = at(in, atMost(1, selector))
	return r
}

func isCreditNote(d *document, _ *node) bool { return d.root.name == "CreditNote" }

var sellerLegalName = sel("../" + seller + "/PartyLegalEntity/RegistrationName")

// payeeIsNotSeller reports whether a name of the payee differs from a name of the
// seller. If one is missing, it is false, as in the artefact.
func payeeIsNotSeller(d *document, n *node) bool {
	return !payeeName.each(d, n, func(a *node) bool {
		return sellerLegalName.each(d, n, func(b *node) bool { return a.text() == b.text() })
	})
}

// payeeIDs reports whether the payee has at most one identifier in addition to the
// creditor identifier. It ignores identifiers without a scheme.
func payeeIDs(d *document, n *node) bool {
	count := 0
	payeeID.each(d, n, func(id *node) bool {
		if id.hasAttr("schemeID") && !strings.EqualFold(id.attr("schemeID"), "SEPA") {
			count++
		}
		return true
	})
	return count <= 1
}

var documentReferenceUBL = or(has("DocumentTypeCode[.=130]"),
	and(isCreditNote, has("DocumentTypeCode[.=50]")),
	none("ID[@schemeID]", "DocumentTypeCode"))

// sameEverywhere reports whether all selected elements have the same text.
func sameEverywhere(selector string) test {
	s := sel(selector)
	return func(d *document, n *node) bool {
		var first *node
		return s.each(d, n, func(m *node) bool {
			if first == nil {
				first = m
			}
			return m.text() == first.text()
		})
	}
}

// amountDecimals checks all amounts except prices and their discounts.
func amountDecimals(_ *document, n *node) bool {
	if strings.HasSuffix(n.name, "PriceAmount") || n.under("AllowanceCharge") && priceDiscount(n) {
		return true
	}
	return decimalsOf(n.text()) <= 2
}

func priceDiscount(n *node) bool {
	for p := n.parent; p != nil && p.parent != nil; p = p.parent {
		if p.name == "AllowanceCharge" && p.parent.name == "Price" {
			return true
		}
	}
	return false
}
