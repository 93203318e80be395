package einvoice

import (
	"slices"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// ublDocument describes the differences between the UBL documents that are invoices.
type ublDocument struct {
	docType  invoice.Type
	typeCode string // element of BT-3
	line     string
	quantity string
	total    string
}

// ublDocuments maps root elements to the UBL documents that request or return money.
var ublDocuments = map[string]ublDocument{
	"Invoice":              {invoice.TypeInvoice, "InvoiceTypeCode", "InvoiceLine", "InvoicedQuantity", "LegalMonetaryTotal"},
	"SelfBilledInvoice":    {invoice.TypeInvoice, "InvoiceTypeCode", "InvoiceLine", "InvoicedQuantity", "LegalMonetaryTotal"},
	"FreightInvoice":       {invoice.TypeInvoice, "InvoiceTypeCode", "InvoiceLine", "InvoicedQuantity", "LegalMonetaryTotal"},
	"DebitNote":            {invoice.TypeInvoice, "DebitNoteTypeCode", "DebitNoteLine", "DebitedQuantity", "RequestedMonetaryTotal"},
	"CreditNote":           {invoice.TypeCreditNote, "CreditNoteTypeCode", "CreditNoteLine", "CreditedQuantity", "LegalMonetaryTotal"},
	"SelfBilledCreditNote": {invoice.TypeCreditNote, "CreditNoteTypeCode", "CreditNoteLine", "CreditedQuantity", "LegalMonetaryTotal"},
}

// readUBL reads UBL 2.0 to 2.4: Peppol BIS Billing 3, XRechnung, plain EN 16931 and
// national profiles. It uses the binding of EN 16931-3-2.
func readUBL(root xmltree.Elem) ([]*draft, error) {
	d, doc := newDraft(), ublDocuments[root.Local()]
	d.content.Type = doc.docType
	if code := root.Child(doc.typeCode).Text(); code != "" {
		if err := d.typeCode(code); err != nil {
			return nil, err
		}
	}
	d.ublHeader(root, doc)
	d.ublParty("seller", &d.content.Seller, root.FirstOf("AccountingSupplierParty", "SellerSupplierParty").Child("Party"))
	d.ublParty("buyer", &d.content.Buyer, root.FirstOf("AccountingCustomerParty", "BuyerCustomerParty").Child("Party"))
	d.ublPayment(root)
	for e := range root.Named("AllowanceCharge") {
		d.ublAllowanceCharge(e)
	}
	d.ublTaxes(root)
	d.ublWithheld(root)
	d.ublTotals(root.Child(doc.total), strings.HasPrefix(root.Child("CustomizationID").Text(), "OIOUBL"))
	for e := range root.Named(doc.line) {
		if err := d.ublLine(e, doc); err != nil {
			return nil, err
		}
	}
	return []*draft{d}, nil
}

func (d *draft) ublHeader(root xmltree.Elem, doc ublDocument) {
	c := &d.content
	d.currency("currency", &c.Currency, root.Child("DocumentCurrencyCode").Text())
	if c.Currency == "" {
		d.ublCurrencyOfAmounts(root.Child(doc.total))
	}
	d.currency("tax_currency", &c.TaxCurrency, root.Child("TaxCurrencyCode").Text())
	d.text("invoice_number", &c.Number, root.Child("ID").Text())
	d.date("issue_date", &c.IssueDate, root.Child("IssueDate").Text(), parseDate)
	d.date("due_date", &c.DueDate, root.Child("DueDate").Text(), parseDate)
	for e := range root.Named("PaymentMeans", "PaymentTerms") {
		d.date("due_date", &c.DueDate, e.Child("PaymentDueDate").Text(), parseDate)
	}
	for e := range root.Named("Delivery") {
		d.date("delivery_date", &c.DeliveryDate, e.Child("ActualDeliveryDate").Text(), parseDate)
	}
	for e := range root.Named("InvoicePeriod") {
		d.date("billing_period.start", &c.BillingPeriod.Start, e.Child("StartDate").Text(), parseDate)
		d.date("billing_period.end", &c.BillingPeriod.End, e.Child("EndDate").Text(), parseDate)
	}
	d.text("purchase_order", &c.PurchaseOrder, root.Path("OrderReference", "ID").Text())
	for e := range root.Named("BillingReference") {
		ref := e.FirstOf("InvoiceDocumentReference", "SelfBilledInvoiceDocumentReference", "CreditNoteDocumentReference")
		d.preceding(ref.Child("ID").Text(), ref.Child("IssueDate").Text(), parseDate)
	}
	d.prose("note", &c.Note, texts(root.Named("Note"))...)
}

// ublCurrencyOfAmounts uses the currency of the totals if the document states none,
// as UBL 2.0 allows.
func (d *draft) ublCurrencyOfAmounts(total xmltree.Elem) {
	for _, name := range []string{"PayableAmount", "TaxInclusiveAmount", "TaxExclusiveAmount", "LineExtensionAmount"} {
		if id := strings.ToUpper(total.Child(name).Attr("currencyID")); isCode(id, 3) {
			d.content.Currency = id
			d.derived("currency", id)
			return
		}
	}
}

func (d *draft) ublPayment(root xmltree.Elem) {
	p := &d.content.Payment
	for e := range root.Named("PaymentMeans") {
		account := e.Child("PayeeFinancialAccount")
		d.text("payment.reference", &p.Reference, e.Child("PaymentID").Text())
		if id := account.Child("ID").Text(); id != "" && p.IBAN == "" {
			d.text("payment.iban", &p.IBAN, id)
			branch := account.Child("FinancialInstitutionBranch")
			d.text("payment.bic", &p.BIC, branch.Path("FinancialInstitution", "ID").Text())
			d.text("payment.bic", &p.BIC, branch.Child("ID").Text())
		}
	}
	var terms []string
	for e := range root.Named("PaymentTerms") {
		terms = append(terms, texts(e.Named("Note"))...)
	}
	d.prose("payment.terms", &p.Terms, terms...)
}

func (d *draft) ublAllowanceCharge(e xmltree.Elem) {
	a := invoice.AllowanceCharge{
		IsCharge:    e.Child("ChargeIndicator").Text() == "true" || e.Child("ChargeIndicator").Text() == "1",
		Reason:      e.Child("AllowanceChargeReason").Text(),
		ReasonCode:  e.Child("AllowanceChargeReasonCode").Text(),
		TaxCategory: e.Path("TaxCategory", "ID").Text(),
	}
	path := d.allowancePath(a.IsCharge)
	a.Amount = d.money(path, "amount", e.Child("Amount"))
	a.Base = d.money(path, "base", e.Child("BaseAmount"))
	a.Percentage = d.number(path, "percentage", money.MaxPriceScale, e.Child("MultiplierFactorNumeric"))
	a.TaxRate = d.number(path, "tax_rate", money.MaxPriceScale, e.Path("TaxCategory", "Percent"))
	d.allowanceCharge(a, e.Child("Amount").Text())
}

// ublTaxes reads the VAT breakdown and the tax totals. EN 16931 has one total in the
// invoice's currency, with a breakdown, and one in the tax currency, without a
// breakdown. General UBL has one total for each kind of tax.
func (d *draft) ublTaxes(root xmltree.Elem) {
	c := &d.content
	own := d.ublOwnTaxTotals(root)
	broken := slices.ContainsFunc(own, hasBreakdown)
	var amounts []*money.Decimal
	for _, e := range own {
		if broken && !hasBreakdown(e) {
			if c.TaxCurrency != "" { // both currencies are equal
				d.amountElsewhere("tax_total_in_tax_currency", &c.TaxTotalInTaxCurrency, e.Child("TaxAmount"))
			}
			continue
		}
		for sub := range e.Named("TaxSubtotal") {
			d.ublTax(sub)
		}
		var amount *money.Decimal
		d.amount("tax_total", &amount, e.Child("TaxAmount"))
		amounts = append(amounts, amount)
		if !broken {
			break
		}
	}
	if len(amounts) == 1 {
		c.TaxTotal = amounts[0]
	} else {
		d.sum("tax_total", &c.TaxTotal, amounts...)
	}
}

func hasBreakdown(taxTotal xmltree.Elem) bool { return taxTotal.Child("TaxSubtotal").Exists() }

// ublOwnTaxTotals returns the tax totals in the invoice's currency and reads the
// total in the tax currency. If no total is in the invoice's currency, it returns
// those in an unknown currency.
func (d *draft) ublOwnTaxTotals(root xmltree.Elem) (own []xmltree.Elem) {
	c := &d.content
	var foreign []xmltree.Elem
	for e := range root.Named("TaxTotal") {
		if id := strings.ToUpper(e.Child("TaxAmount").Attr("currencyID")); id == "" || c.Currency == "" || id == c.Currency {
			own = append(own, e)
		} else {
			foreign = append(foreign, e)
		}
	}
	for _, e := range foreign {
		if len(own) == 0 && !strings.EqualFold(e.Child("TaxAmount").Attr("currencyID"), c.TaxCurrency) {
			own = append(own, e)
			continue
		}
		d.amountElsewhere("tax_total_in_tax_currency", &c.TaxTotalInTaxCurrency, e.Child("TaxAmount"))
		d.impliedTaxCurrency(e.Child("TaxAmount"))
	}
	return own
}

// impliedTaxCurrency derives a missing tax currency (BT-6) from the tax total in a
// currency other than the invoice's.
func (d *draft) impliedTaxCurrency(total xmltree.Elem) {
	c := &d.content
	id := strings.ToUpper(total.Attr("currencyID"))
	if c.TaxCurrency == "" && c.TaxTotalInTaxCurrency != nil && id != c.Currency && isCode(id, 3) {
		c.TaxCurrency = id
		d.derived("tax_currency", id)
	}
}

func (d *draft) ublWithheld(root xmltree.Elem) {
	var amounts []*money.Decimal
	for e := range root.Named("WithholdingTaxTotal") {
		var amount *money.Decimal
		d.amount("withheld_total", &amount, e.Child("TaxAmount"))
		amounts = append(amounts, amount)
	}
	d.sum("withheld_total", &d.content.WithheldTotal, amounts...)
}

// amountElsewhere reads an amount that may have another currency.
func (d *draft) amountElsewhere(path string, to **money.Decimal, e xmltree.Elem) {
	reported := d.foreign
	d.foreign = true
	d.amount(path, to, e)
	d.foreign = reported
}

func (d *draft) ublTax(e xmltree.Elem) {
	category, path := e.Child("TaxCategory"), d.taxPath()
	rate := category.Child("Percent")
	if !rate.Exists() {
		rate = e.Child("Percent")
	}
	d.tax(invoice.Tax{
		Category: category.Child("ID").Text(),
		Rate:     d.number(path, "rate", money.MaxPriceScale, rate),
		Base:     d.money(path, "base", e.Child("TaxableAmount")),
		Amount:   d.money(path, "amount", e.Child("TaxAmount")),
	}, e.Child("TaxAmount").Text())
}

// ublTotals reads the totals. The Danish profile OIOUBL states the tax in the element
// of the net total, so the net total is derived from the parts.
func (d *draft) ublTotals(total xmltree.Elem, danish bool) {
	c := &d.content
	d.amount("line_total", &c.LineTotal, total.Child("LineExtensionAmount"))
	d.amount("allowance_total", &c.AllowanceTotal, total.Child("AllowanceTotalAmount"))
	d.amount("charge_total", &c.ChargeTotal, total.Child("ChargeTotalAmount"))
	if danish {
		d.sum("net_total", &c.NetTotal, c.LineTotal, money.Negated(c.AllowanceTotal), c.ChargeTotal)
	} else {
		d.amount("net_total", &c.NetTotal, total.Child("TaxExclusiveAmount"))
	}
	d.amount("gross_total", &c.GrossTotal, total.Child("TaxInclusiveAmount"))
	d.amount("prepaid_total", &c.PrepaidTotal, total.Child("PrepaidAmount"))
	d.amount("payable_rounding", &c.PayableRounding, total.Child("PayableRoundingAmount"))
	d.amount("amount_due", &c.AmountDue, total.Child("PayableAmount"))
}

func (d *draft) ublLine(e xmltree.Elem, doc ublDocument) error {
	item, price, path := e.Child("Item"), e.Child("Price"), d.linePath(0)
	quantity := e.FirstOf(doc.quantity, "InvoicedQuantity", "CreditedQuantity", "DebitedQuantity")
	category := item.Child("ClassifiedTaxCategory")
	if !category.Exists() {
		category = e.Path("TaxTotal", "TaxSubtotal", "TaxCategory")
	}
	l := invoice.Line{
		Description: item.Child("Name").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, quantity),
		Unit:        quantity.Attr("unitCode"),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, price.Child("PriceAmount")),
		PriceBase:   d.number(path, "price_base", money.MaxPriceScale, price.Child("BaseQuantity")),
		NetAmount:   d.money(path, "net_amount", e.Child("LineExtensionAmount")),
		TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, category.Child("Percent")),
		TaxCategory: category.Child("ID").Text(),
	}
	for _, other := range []xmltree.Elem{item.Child("Description"), e.Child("Note")} {
		if l.Description == "" {
			l.Description = other.Text()
		}
	}
	return d.line(l, e.Child("LineExtensionAmount").Text())
}
