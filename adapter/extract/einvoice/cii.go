package einvoice

import (
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/calendar"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// readZUGFeRD1 reads ZUGFeRD 1.0, an early form of CII with other names for the same
// groups.
func readZUGFeRD1(root xmltree.Elem) ([]*draft, error) { return readCII(root) }

// readCII reads the UN/CEFACT Cross Industry Invoice in all profiles, including those
// without lines. It uses the binding of EN 16931-3-3.
func readCII(root xmltree.Elem) ([]*draft, error) {
	d := newDraft()
	doc := root.FirstOf("ExchangedDocument", "HeaderExchangedDocument")
	if code := doc.Child("TypeCode").Text(); code != "" {
		if err := d.typeCode(code); err != nil {
			return nil, err
		}
	}
	trade := root.FirstOf("SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
	agreement := trade.FirstOf("ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement")
	delivery := trade.FirstOf("ApplicableHeaderTradeDelivery", "ApplicableSupplyChainTradeDelivery")
	settlement := trade.FirstOf("ApplicableHeaderTradeSettlement", "ApplicableSupplyChainTradeSettlement")

	d.ciiHeader(doc, agreement, delivery, settlement)
	d.ciiParty("seller", &d.content.Seller, agreement.Child("SellerTradeParty"))
	d.ciiParty("buyer", &d.content.Buyer, agreement.Child("BuyerTradeParty"))
	d.ciiPayment(settlement)
	d.ciiAllowancesCharges(settlement)
	for e := range settlement.Named("ApplicableTradeTax") {
		d.ciiTax(e)
	}
	d.ciiTotals(settlement.FirstOf("SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation"))
	for _, e := range ciiLines(trade) {
		if err := d.ciiLine(e); err != nil {
			return nil, err
		}
	}
	if len(d.fields) <= 1 {
		return nil, extraction.Fail(extraction.Malformed, "The root element of the XML is an invoice, but it has no content. Ask the sender for a corrected file.")
	}
	return []*draft{d}, nil
}

func (d *draft) ciiHeader(doc, agreement, delivery, settlement xmltree.Elem) {
	c := &d.content
	d.currency("currency", &c.Currency, settlement.Child("InvoiceCurrencyCode").Text())
	d.currency("tax_currency", &c.TaxCurrency, settlement.Child("TaxCurrencyCode").Text())
	d.text("invoice_number", &c.Number, doc.Child("ID").Text())
	d.ciiDate("issue_date", &c.IssueDate, doc.Child("IssueDateTime"))
	d.ciiDate("due_date", &c.DueDate, ciiDueDate(settlement))
	d.ciiDate("delivery_date", &c.DeliveryDate, delivery.Path("ActualDeliverySupplyChainEvent", "OccurrenceDateTime"))
	period := settlement.Child("BillingSpecifiedPeriod")
	d.ciiDate("billing_period.start", &c.BillingPeriod.Start, period.Child("StartDateTime"))
	d.ciiDate("billing_period.end", &c.BillingPeriod.End, period.Child("EndDateTime"))
	d.text("purchase_order", &c.PurchaseOrder, agreement.Child("BuyerOrderReferencedDocument").FirstOf("IssuerAssignedID", "ID").Text())
	for ref := range settlement.Named("InvoiceReferencedDocument") {
		value, parse := ciiDateText(ref.FirstOf("FormattedIssueDateTime", "IssueDateTime"))
		d.preceding(ref.FirstOf("IssuerAssignedID", "ID").Text(), value, parse)
	}
	var notes []string
	for note := range doc.Named("IncludedNote") {
		notes = append(notes, texts(note.Named("Content"))...)
	}
	d.prose("note", &c.Note, notes...)
}

// ciiDueDate returns the due date (BT-9) of the payment terms. Terms with a cash
// discount state the last day of the discount, so terms without a discount have
// priority.
func ciiDueDate(settlement xmltree.Elem) xmltree.Elem {
	var discounted []xmltree.Elem
	for term := range settlement.Named("SpecifiedTradePaymentTerms") {
		due := term.Child("DueDateDateTime")
		switch {
		case !due.Exists():
		case term.Child("ApplicableTradePaymentDiscountTerms").Exists():
			discounted = append(discounted, due)
		default:
			return due
		}
	}
	if len(discounted) == 1 {
		return discounted[0]
	}
	return xmltree.Elem{}
}

func (d *draft) ciiDate(path string, to *calendar.Date, e xmltree.Elem) {
	value, parse := ciiDateText(e)
	d.date(path, to, value, parse)
}

// ciiDateText returns the text of a date and its parser. The formats are those of
// UNTDID 2379. Months and weeks (610, 616) are not days.
func ciiDateText(e xmltree.Elem) (string, func(string) (calendar.Date, error)) {
	value := e.FirstOf("DateTimeString", "DateString", "DateTime", "Date")
	if !value.Exists() {
		value = e
	}
	switch value.Attr("format") {
	case "102", "203", "204":
		return value.Text(), parseCompact
	case "":
		return value.Text(), parseAnyDate
	}
	return value.Text(), func(string) (calendar.Date, error) { return calendar.Date{}, errNotADate }
}

// parseAnyDate parses a date with an unspecified format.
func parseAnyDate(s string) (calendar.Date, error) {
	if date, err := parseDate(s); err == nil {
		return date, nil
	}
	return parseCompact(s)
}

func (d *draft) ciiParty(path string, p *invoice.Party, party xmltree.Elem) {
	legal := party.Child("SpecifiedLegalOrganization")
	trading := legal.Child("TradingBusinessName").Text()
	d.text(path+".name", &p.Name, party.Child("Name").Text())
	if p.Name != "" && oneLine(trading) != p.Name {
		p.TradingName = shorten(oneLine(trading), maxShort)
	}
	d.text(path+".name", &p.Name, trading)
	d.text(path+".registration_id", &p.RegistrationID, legal.Child("ID").Text())
	d.text(path+".tax_id", &p.TaxID, ciiTaxID(party))

	a, at := party.Child("PostalTradeAddress"), path+".address."
	d.text(at+"line1", &p.Address.Line1, a.Child("LineOne").Text())
	d.text(at+"line2", &p.Address.Line2, a.Child("LineTwo").Text())
	d.text(at+"line3", &p.Address.Line3, a.Child("LineThree").Text())
	d.text(at+"city", &p.Address.City, a.Child("CityName").Text())
	d.text(at+"postal_code", &p.Address.PostalCode, a.Child("PostcodeCode").Text())
	d.text(at+"region", &p.Address.Region, a.Child("CountrySubDivisionName").Text())
	d.country(at+"country", &p.Address.Country, a.Child("CountryID").Text())

	contact := party.Child("DefinedTradeContact")
	d.text(path+".email", &p.Email, contact.Path("EmailURIUniversalCommunication", "URIID").Text())
	d.text(path+".phone", &p.Phone, contact.Path("TelephoneUniversalCommunication", "CompleteNumber").Text())
	if uri := party.Path("URIUniversalCommunication", "URIID"); uri.Attr("schemeID") == "EM" {
		d.text(path+".email", &p.Email, uri.Text())
	}
}

// ciiTaxID returns the VAT identifier (scheme VA, BT-31), else that of another
// tax (FC, BT-32).
func ciiTaxID(party xmltree.Elem) string {
	other := ""
	for registration := range party.Named("SpecifiedTaxRegistration") {
		id := registration.Child("ID")
		if strings.HasPrefix(id.Attr("schemeID"), "VA") && id.Text() != "" {
			return id.Text()
		}
		if other == "" {
			other = id.Text()
		}
	}
	return other
}

func (d *draft) ciiPayment(settlement xmltree.Elem) {
	p := &d.content.Payment
	d.text("payment.reference", &p.Reference, settlement.Child("PaymentReference").Text())
	for e := range settlement.Named("SpecifiedTradeSettlementPaymentMeans") {
		id := e.Child("PayeePartyCreditorFinancialAccount").FirstOf("IBANID", "ProprietaryID").Text()
		if id != "" && p.IBAN == "" {
			d.text("payment.iban", &p.IBAN, id)
			d.text("payment.bic", &p.BIC, e.Path("PayeeSpecifiedCreditorFinancialInstitution", "BICID").Text())
		}
	}
	var terms []string
	for e := range settlement.Named("SpecifiedTradePaymentTerms") {
		terms = append(terms, texts(e.Named("Description"))...)
	}
	d.prose("payment.terms", &p.Terms, terms...)
}

func ciiRate(e xmltree.Elem) xmltree.Elem {
	return e.FirstOf("RateApplicablePercent", "ApplicablePercent")
}

func (d *draft) ciiAllowancesCharges(settlement xmltree.Elem) {
	for e := range settlement.Named("SpecifiedTradeAllowanceCharge") {
		indicator := strings.TrimSpace(e.Child("ChargeIndicator").Text() + e.Path("ChargeIndicator", "Indicator").Text())
		tax := e.Child("CategoryTradeTax")
		a := invoice.AllowanceCharge{
			IsCharge:    indicator == "true" || indicator == "1",
			Reason:      e.Child("Reason").Text(),
			ReasonCode:  e.Child("ReasonCode").Text(),
			TaxCategory: tax.Child("CategoryCode").Text(),
		}
		path := d.allowancePath(a.IsCharge)
		a.Amount = d.money(path, "amount", e.Child("ActualAmount"))
		a.Base = d.money(path, "base", e.Child("BasisAmount"))
		a.Percentage = d.number(path, "percentage", money.MaxPriceScale, e.Child("CalculationPercent"))
		a.TaxRate = d.number(path, "tax_rate", money.MaxPriceScale, ciiRate(tax))
		d.allowanceCharge(a, e.Child("ActualAmount").Text())
	}
	for e := range settlement.Named("SpecifiedLogisticsServiceCharge") {
		path, tax := d.allowancePath(true), e.Child("AppliedTradeTax")
		d.allowanceCharge(invoice.AllowanceCharge{
			IsCharge:    true,
			Reason:      e.Child("Description").Text(),
			Amount:      d.money(path, "amount", e.Child("AppliedAmount")),
			TaxCategory: tax.Child("CategoryCode").Text(),
			TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, ciiRate(tax)),
		}, e.Child("AppliedAmount").Text())
	}
}

func (d *draft) ciiTax(e xmltree.Elem) {
	path := d.taxPath()
	d.tax(invoice.Tax{
		Category: e.Child("CategoryCode").Text(),
		Rate:     d.number(path, "rate", money.MaxPriceScale, ciiRate(e)),
		Base:     d.money(path, "base", e.Child("BasisAmount")),
		Amount:   d.money(path, "amount", e.Child("CalculatedAmount")),
	}, e.Child("CalculatedAmount").Text())
}

func (d *draft) ciiTotals(sum xmltree.Elem) {
	c := &d.content
	for _, total := range []struct {
		path, name string
		to         **money.Decimal
	}{
		{"line_total", "LineTotalAmount", &c.LineTotal},
		{"allowance_total", "AllowanceTotalAmount", &c.AllowanceTotal},
		{"charge_total", "ChargeTotalAmount", &c.ChargeTotal},
		{"net_total", "TaxBasisTotalAmount", &c.NetTotal},
		{"tax_total", "TaxTotalAmount", &c.TaxTotal},
		{"gross_total", "GrandTotalAmount", &c.GrossTotal},
		{"prepaid_total", "TotalPrepaidAmount", &c.PrepaidTotal},
		{"payable_rounding", "RoundingAmount", &c.PayableRounding},
		{"amount_due", "DuePayableAmount", &c.AmountDue},
	} {
		own, other := d.ciiByCurrency(sum, total.name)
		d.amount(total.path, total.to, own)
		if total.name == "TaxTotalAmount" {
			d.amountElsewhere("tax_total_in_tax_currency", &c.TaxTotalInTaxCurrency, other)
			d.impliedTaxCurrency(other)
		}
	}
}

// ciiByCurrency returns the amount in the invoice's currency, which is used, and the
// amount in another currency. Both have the same element. An amount without a
// currency is in the invoice's currency. If no amount is in the invoice's currency,
// the first amount that is not in the tax currency is used.
func (d *draft) ciiByCurrency(sum xmltree.Elem, name string) (own, other xmltree.Elem) {
	c := &d.content
	var foreign []xmltree.Elem
	for e := range sum.Named(name) {
		id := strings.ToUpper(e.Attr("currencyID"))
		switch {
		case id != "" && id != c.Currency && c.Currency != "":
			if len(foreign) < 2 {
				foreign = append(foreign, e)
			}
		case !own.Exists():
			own = e
		case !other.Exists() && id == c.TaxCurrency: // both currencies are equal
			other = e
		}
	}
	for _, e := range foreign {
		switch {
		case !own.Exists() && !strings.EqualFold(e.Attr("currencyID"), c.TaxCurrency):
			own = e
		case !other.Exists():
			other = e
		}
	}
	return own, other
}

// ciiLines returns the charged lines. EXTENDED profiles nest lines: a line with the
// status GROUP repeats the sum of its sub-lines, and INFORMATION is not charged. Both
// would count the same amount twice. An item with only a note is not a line.
func ciiLines(trade xmltree.Elem) []xmltree.Elem {
	var all, charged []xmltree.Elem
	for e := range trade.Named("IncludedSupplyChainTradeLineItem") {
		if !ciiHasContent(e) {
			continue
		}
		all = append(all, e)
		switch strings.ToUpper(e.Path("AssociatedDocumentLineDocument", "LineStatusReasonCode").Text()) {
		case "GROUP", "INFORMATION":
		default:
			charged = append(charged, e)
		}
	}
	if len(charged) == 0 {
		return all
	}
	return charged
}

func ciiHasContent(e xmltree.Elem) bool {
	return e.Child("SpecifiedTradeProduct").Exists() || ciiLineTotal(e).Exists() ||
		e.FirstOf("SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery").Child("BilledQuantity").Exists()
}

func ciiLineTotal(e xmltree.Elem) xmltree.Elem {
	settlement := e.FirstOf("SpecifiedLineTradeSettlement", "SpecifiedSupplyChainTradeSettlement")
	return settlement.FirstOf("SpecifiedTradeSettlementLineMonetarySummation", "SpecifiedTradeSettlementMonetarySummation").Child("LineTotalAmount")
}

func (d *draft) ciiLine(e xmltree.Elem) error {
	path := d.linePath(0)
	agreement := e.FirstOf("SpecifiedLineTradeAgreement", "SpecifiedSupplyChainTradeAgreement")
	delivery := e.FirstOf("SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery")
	settlement := e.FirstOf("SpecifiedLineTradeSettlement", "SpecifiedSupplyChainTradeSettlement")
	price := agreement.Child("NetPriceProductTradePrice")
	if gross := agreement.Child("GrossPriceProductTradePrice"); !price.Exists() && !gross.Child("AppliedTradeAllowanceCharge").Exists() {
		price = gross
	}
	quantity, tax, total := delivery.Child("BilledQuantity"), settlement.Child("ApplicableTradeTax"), ciiLineTotal(e)
	product := e.Child("SpecifiedTradeProduct")
	l := invoice.Line{
		Description: product.Child("Name").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, quantity),
		Unit:        quantity.Attr("unitCode"),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, price.Child("ChargeAmount")),
		PriceBase:   d.number(path, "price_base", money.MaxPriceScale, price.Child("BasisQuantity")),
		NetAmount:   d.money(path, "net_amount", total),
		TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, ciiRate(tax)),
		TaxCategory: tax.Child("CategoryCode").Text(),
	}
	for _, other := range []xmltree.Elem{product.Child("Description"), e.Path("AssociatedDocumentLineDocument", "IncludedNote", "Content")} {
		if l.Description == "" {
			l.Description = other.Text()
		}
	}
	return d.line(l, total.Text())
}
