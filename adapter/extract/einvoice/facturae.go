package einvoice

import (
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// readFacturae reads the Spanish Facturae (versions 3.0 to 3.2.2). A batch contains
// several invoices of the same parties.
func readFacturae(root xmltree.Elem) ([]*draft, error) {
	var drafts []*draft
	shared, parties := newDraft(), root.Child("Parties")
	shared.esParty("seller", &shared.content.Seller, parties.Child("SellerParty"))
	shared.esParty("buyer", &shared.content.Buyer, parties.Child("BuyerParty"))
	for e := range root.Child("Invoices").Named("Invoice") {
		if len(drafts) == maxDrafts {
			return nil, extraction.Fail(extraction.TooLarge, "The file contains more than %d invoices. Ask the sender to split it.", maxDrafts)
		}
		d := shared.copied()
		d.esHeader(e)
		d.esAllowancesCharges(e.Child("InvoiceTotals"))
		d.esTaxes(e.Child("TaxesOutputs"))
		d.esTotals(e.Child("InvoiceTotals"))
		for line := range e.Child("Items").Named("InvoiceLine") {
			if err := d.esLine(line); err != nil {
				return nil, err
			}
		}
		d.esPayment(e)
		// A corrective invoice (OR) with a negative amount is a credit note.
		if class := e.Path("InvoiceHeader", "InvoiceClass").Text(); (class == "OR" || class == "CR") && d.content.Negative() {
			d.content.Type = invoice.TypeCreditNote
		}
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil, extraction.Fail(extraction.Malformed, "The root element of the XML is an invoice, but it contains no invoice. Ask the sender for a corrected file.")
	}
	return drafts, nil
}

func (d *draft) esParty(path string, p *invoice.Party, e xmltree.Elem) {
	d.text(path+".tax_id", &p.TaxID, e.Path("TaxIdentification", "TaxIdentificationNumber").Text())
	who := e.FirstOf("LegalEntity", "Individual")
	d.text(path+".name", &p.Name, who.Child("CorporateName").Text())
	d.text(path+".name", &p.Name, strings.Join([]string{
		who.Child("Name").Text(), who.Child("FirstSurname").Text(), who.Child("SecondSurname").Text()}, " "))
	p.TradingName = shorten(oneLine(who.Child("TradeName").Text()), maxShort)
	d.text(path+".registration_id", &p.RegistrationID, who.Path("RegistrationData", "RegisterOfCompaniesLocation").Text())

	a, at := who.FirstOf("AddressInSpain", "OverseasAddress"), path+".address."
	d.text(at+"line1", &p.Address.Line1, a.Child("Address").Text())
	d.text(at+"postal_code", &p.Address.PostalCode, a.Child("PostCode").Text())
	d.text(at+"city", &p.Address.City, a.FirstOf("Town", "PostCodeAndTown").Text())
	d.text(at+"region", &p.Address.Region, a.Child("Province").Text())
	d.country(at+"country", &p.Address.Country, a.Child("CountryCode").Text())
	d.text(path+".email", &p.Email, who.Path("ContactDetails", "ElectronicMail").Text())
	d.text(path+".phone", &p.Phone, who.Path("ContactDetails", "Telephone").Text())
}

func (d *draft) esHeader(e xmltree.Elem) {
	c := &d.content
	head, issue := e.Child("InvoiceHeader"), e.Child("InvoiceIssueData")
	c.TypeCode = shorten(oneLine(head.Child("InvoiceDocumentType").Text()+"/"+head.Child("InvoiceClass").Text()), maxSource)
	d.recordEvidence("document_type", c.TypeCode)
	// Numbers are unique only within a series, so the tax office identifies an
	// invoice by both.
	number, series := head.Child("InvoiceNumber").Text(), head.Child("InvoiceSeriesCode").Text()
	if number != "" && !strings.HasPrefix(number, series) {
		number = series + number
	}
	d.text("invoice_number", &c.Number, number)
	d.currency("currency", &c.Currency, issue.Child("InvoiceCurrencyCode").Text())
	if tax := issue.Child("TaxCurrencyCode").Text(); tax != issue.Child("InvoiceCurrencyCode").Text() {
		d.currency("tax_currency", &c.TaxCurrency, tax)
	}
	d.date("issue_date", &c.IssueDate, issue.Child("IssueDate").Text(), parseDate)
	d.date("delivery_date", &c.DeliveryDate, issue.Child("OperationDate").Text(), parseDate)
	period := issue.Child("InvoicingPeriod")
	d.date("billing_period.start", &c.BillingPeriod.Start, period.Child("StartDate").Text(), parseDate)
	d.date("billing_period.end", &c.BillingPeriod.End, period.Child("EndDate").Text(), parseDate)
	if corrective := head.Child("Corrective"); corrective.Exists() {
		d.preceding(corrective.Child("InvoiceSeriesCode").Text()+corrective.Child("InvoiceNumber").Text(), "", parseDate)
	}
	for line := range e.Child("Items").Named("InvoiceLine") {
		d.text("purchase_order", &c.PurchaseOrder, line.Child("ReceiverTransactionReference").Text())
	}
	d.prose("note", &c.Note, append(texts(e.Child("LegalLiterals").Named("LegalReference")),
		e.Path("AdditionalData", "InvoiceAdditionalInformation").Text())...)
}

func (d *draft) esAllowancesCharges(totals xmltree.Elem) {
	for e := range totals.Child("GeneralDiscounts").Named("Discount") {
		path := d.allowancePath(false)
		d.allowanceCharge(invoice.AllowanceCharge{
			Reason:     e.Child("DiscountReason").Text(),
			Amount:     d.money(path, "amount", e.Child("DiscountAmount")),
			Percentage: d.number(path, "percentage", money.MaxPriceScale, e.Child("DiscountRate")),
		}, e.Child("DiscountAmount").Text())
	}
	for e := range totals.Child("GeneralSurcharges").Named("Charge") {
		path := d.allowancePath(true)
		d.allowanceCharge(invoice.AllowanceCharge{
			IsCharge:   true,
			Reason:     e.Child("ChargeReason").Text(),
			Amount:     d.money(path, "amount", e.Child("ChargeAmount")),
			Percentage: d.number(path, "percentage", money.MaxPriceScale, e.Child("ChargeRate")),
		}, e.Child("ChargeAmount").Text())
	}
}

// esTaxes reads the charged taxes. The equivalence surcharge of retailers is an
// additional tax on the same base as VAT, so it gets a row without a base.
func (d *draft) esTaxes(taxes xmltree.Elem) {
	for e := range taxes.Named("Tax") {
		path := d.taxPath()
		d.tax(invoice.Tax{
			Rate:   d.number(path, "rate", money.MaxPriceScale, e.Child("TaxRate")),
			Base:   d.money(path, "base", e.Path("TaxableBase", "TotalAmount")),
			Amount: d.money(path, "amount", e.Path("TaxAmount", "TotalAmount")),
		}, e.Path("TaxAmount", "TotalAmount").Text())
		surcharge := e.Path("EquivalenceSurchargeAmount", "TotalAmount")
		if !surcharge.Exists() {
			continue
		}
		path = d.taxPath()
		d.tax(invoice.Tax{
			Category: "RE",
			Rate:     d.number(path, "rate", money.MaxPriceScale, e.Child("EquivalenceSurcharge")),
			Amount:   d.money(path, "amount", surcharge),
		}, surcharge.Text())
	}
}

func (d *draft) esTotals(t xmltree.Elem) {
	c := &d.content
	d.amount("line_total", &c.LineTotal, t.Child("TotalGrossAmount"))
	d.amount("allowance_total", &c.AllowanceTotal, t.Child("TotalGeneralDiscounts"))
	d.amount("charge_total", &c.ChargeTotal, t.Child("TotalGeneralSurcharges"))
	d.amount("net_total", &c.NetTotal, t.Child("TotalGrossAmountBeforeTaxes"))
	d.amount("tax_total", &c.TaxTotal, t.Child("TotalTaxOutputs"))
	d.amount("withheld_total", &c.WithheldTotal, t.Child("TotalTaxesWithheld"))
	d.amount("gross_total", &c.GrossTotal, t.Child("InvoiceTotal"))
	d.amount("prepaid_total", &c.PrepaidTotal, t.Child("TotalPaymentsOnAccount"))
	d.amount("amount_due", &c.AmountDue, t.Child("TotalExecutableAmount"))
	d.amount("amount_due", &c.AmountDue, t.Child("TotalOutstandingAmount"))
}

func (d *draft) esLine(e xmltree.Elem) error {
	path := d.linePath(0)
	net := e.FirstOf("GrossAmount", "TotalCost")
	return d.line(invoice.Line{
		Description: e.Child("ItemDescription").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, e.Child("Quantity")),
		Unit:        e.Child("UnitOfMeasure").Text(),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, e.Child("UnitPriceWithoutTax")),
		NetAmount:   d.money(path, "net_amount", net),
		TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, e.Path("TaxesOutputs", "Tax", "TaxRate")),
	}, net.Text())
}

func (d *draft) esPayment(e xmltree.Elem) {
	c := &d.content
	for part := range e.Child("PaymentDetails").Named("Installment") {
		d.date("due_date", &c.DueDate, part.Child("InstallmentDueDate").Text(), parseDate)
		account := part.Child("AccountToBeCredited")
		d.text("payment.iban", &c.Payment.IBAN, account.FirstOf("IBAN", "AccountNumber").Text())
		d.text("payment.bic", &c.Payment.BIC, account.Child("BIC").Text())
		d.text("payment.reference", &c.Payment.Reference, part.Child("PaymentReconciliationReference").Text())
		d.prose("payment.terms", &c.Payment.Terms, part.Child("CollectionAdditionalInformation").Text())
	}
}
