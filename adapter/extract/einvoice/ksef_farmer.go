package einvoice

import (
	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// plFarmer reads FA_RR, the invoice that a buyer issues for the goods of a
// farmer who is taxed at a flat rate. The farmer (Podmiot1) is the seller; the
// tax is the flat-rate refund.
func (d *draft) plFarmer(rr xmltree.Elem) ([]*draft, error) {
	c := &d.content
	c.TypeCode = shorten(oneLine(rr.Child("RodzajFaktury").Text()), maxSource)
	d.recordEvidence("document_type", c.TypeCode)
	d.currency("currency", &c.Currency, rr.Child("KodWaluty").Text())
	d.date("issue_date", &c.IssueDate, rr.Child("P_4B").Text(), parseDate)
	d.text("invoice_number", &c.Number, rr.Child("P_4C").Text())
	d.date("delivery_date", &c.DeliveryDate, rr.Child("P_4A").Text(), parseDate)
	for ref := range rr.Named("DaneFaKorygowanej") {
		d.preceding(ref.Child("NrFaKorygowanej").Text(), ref.Child("DataWystFaKorygowanej").Text(), parseDate)
	}
	d.amount("net_total", &c.NetTotal, rr.Child("P_11_1"))
	d.amount("tax_total", &c.TaxTotal, rr.Child("P_11_2"))
	if d.amount("tax_total_in_tax_currency", &c.TaxTotalInTaxCurrency, rr.Child("P_11_2W")); c.TaxTotalInTaxCurrency != nil {
		c.TaxCurrency = "PLN"
		d.derived("tax_currency", "PLN")
	}
	d.amount("gross_total", &c.GrossTotal, rr.Child("P_12_1"))
	d.plSettlement(rr.Child("Rozliczenie"))
	d.amount("amount_due", &c.AmountDue, rr.Child("P_12_1"))
	d.plNotes(rr)
	taxes := map[string]*invoice.Tax{}
	var rates []string
	for e := range rr.Named("FakturaRRWiersz") {
		line, refund, err := d.plFarmerLine(e)
		if err != nil {
			return nil, err
		}
		rate := invoice.Show(line.TaxRate)
		if taxes[rate] == nil {
			if len(rates) == maxRows {
				continue
			}
			taxes[rate] = &invoice.Tax{Rate: line.TaxRate}
			rates = append(rates, rate)
		}
		t := taxes[rate]
		t.Base, t.Amount = plus(t.Base, line.NetAmount), plus(t.Amount, refund)
	}
	for _, rate := range rates {
		d.tax(*taxes[rate], rate)
	}
	payment := rr.Child("Platnosc")
	account := payment.FirstOf("RachunekBankowy1", "RachunekBankowy")
	d.text("payment.iban", &c.Payment.IBAN, plIBAN(account.Child("NrRB").Text()))
	d.text("payment.bic", &c.Payment.BIC, account.Child("SWIFT").Text())
	d.plCorrection()
	return []*draft{d}, nil
}

// plFarmerLine reads a line and its flat-rate refund. In a correction, lines with the
// previous state are subtracted.
func (d *draft) plFarmerLine(e xmltree.Elem) (invoice.Line, *money.Decimal, error) {
	path := d.linePath(0)
	l := invoice.Line{
		Description: e.Child("P_5").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, e.Child("P_6B")),
		Unit:        e.Child("P_6A").Text(),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, e.Child("P_7")),
		NetAmount:   d.money(path, "net_amount", e.Child("P_8")),
		TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, e.Child("P_9")),
	}
	refund := d.money(path, "tax_amount", e.Child("P_10"))
	if e.Child("StanPrzed").Text() == "1" {
		l.NetAmount, l.Quantity, refund = money.Negated(l.NetAmount), money.Negated(l.Quantity), money.Negated(refund)
	}
	return l, refund, d.line(l, e.Child("P_8").Text())
}

// plus adds two optional amounts.
func plus(a, b *money.Decimal) *money.Decimal {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	sum := a.Add(*b)
	return &sum
}
