package einvoice

import (
	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// readFatturaPASimplified reads the simplified Italian e-invoice (FSM10) for small
// amounts. It states gross amounts and the VAT amount or rate included in them.
func readFatturaPASimplified(root xmltree.Elem) ([]*draft, error) {
	var drafts []*draft
	shared, header := newDraft(), root.Child("FatturaElettronicaHeader")
	shared.itSimpleParty("seller", &shared.content.Seller, header.Child("CedentePrestatore"))
	shared.itSimpleParty("buyer", &shared.content.Buyer, header.Child("CessionarioCommittente"))
	for body := range root.Named("FatturaElettronicaBody") {
		if len(drafts) == maxDrafts {
			return nil, extraction.Fail(extraction.TooLarge, "The file contains more than %d invoices. Ask the sender to split it.", maxDrafts)
		}
		d := shared.copied()
		if err := d.itSimpleBody(body); err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil, extraction.Fail(extraction.Malformed, "The root element of the XML is an invoice, but it has no body. Ask the sender for a corrected file.")
	}
	return drafts, nil
}

func (d *draft) itSimpleParty(path string, p *invoice.Party, e xmltree.Elem) {
	ids, data := e.Child("IdentificativiFiscali"), e.Child("AltriDatiIdentificativi")
	if !ids.Exists() {
		ids = e // the seller
	}
	if !data.Exists() {
		data = e
	}
	d.text(path+".name", &p.Name, data.Child("Denominazione").Text())
	d.text(path+".name", &p.Name, data.Child("Nome").Text()+" "+data.Child("Cognome").Text())
	vat := ids.Child("IdFiscaleIVA")
	if id := vat.Child("IdCodice").Text(); id != "" {
		d.text(path+".tax_id", &p.TaxID, vat.Child("IdPaese").Text()+id)
		d.text(path+".registration_id", &p.RegistrationID, ids.Child("CodiceFiscale").Text())
	}
	d.text(path+".tax_id", &p.TaxID, ids.Child("CodiceFiscale").Text())
	d.itAddress(path, p, data.Child("Sede"))
}

func (d *draft) itSimpleBody(body xmltree.Elem) error {
	c := &d.content
	general := body.Child("DatiGenerali")
	doc := general.Child("DatiGeneraliDocumento")
	c.TypeCode = shorten(oneLine(doc.Child("TipoDocumento").Text()), maxSource)
	if c.TypeCode == "TD08" {
		c.Type = invoice.TypeCreditNote
	}
	d.recordEvidence("document_type", c.TypeCode)
	d.currency("currency", &c.Currency, doc.Child("Divisa").Text())
	d.text("invoice_number", &c.Number, doc.Child("Numero").Text())
	d.date("issue_date", &c.IssueDate, doc.Child("Data").Text(), parseDate)
	for ref := range general.Named("DatiFatturaRettificata") {
		d.preceding(ref.Child("NumeroFR").Text(), ref.Child("DataFR").Text(), parseDate)
	}
	var gross, net, vat []*money.Decimal
	for e := range body.Named("DatiBeniServizi") {
		total, base, tax, err := d.itSimpleLine(e)
		if err != nil {
			return err
		}
		gross, net, vat = append(gross, total), append(net, base), append(vat, tax)
	}
	d.sum("gross_total", &c.GrossTotal, gross...)
	d.sum("net_total", &c.NetTotal, net...)
	d.sum("tax_total", &c.TaxTotal, vat...)
	return nil
}

// itSimpleLine reads the gross amount, net amount and VAT of a line. The amount of a
// line with only a rate includes the VAT at that rate. A line with a nature (Natura)
// has no VAT.
func (d *draft) itSimpleLine(e xmltree.Elem) (gross, net, tax *money.Decimal, err error) {
	path := d.linePath(0)
	iva := e.Child("DatiIVA")
	gross = d.money(path, "gross_amount", e.Child("Importo"))
	tax = d.money(path, "tax_amount", iva.Child("Imposta"))
	rate := d.number(path, "tax_rate", money.MaxPriceScale, iva.Child("Aliquota"))
	if tax == nil && gross != nil {
		included := money.FromInt(0)
		if rate != nil && rate.Sign() > 0 {
			included = gross.Mul(*rate).Div(rate.Add(money.FromInt(100))).Round(2)
		}
		tax = &included
	}
	if gross != nil && tax != nil {
		base := gross.Sub(*tax)
		net = &base
	}
	err = d.line(invoice.Line{
		Description: e.Child("Descrizione").Text(), NetAmount: net, TaxRate: rate, TaxCategory: e.Child("Natura").Text(),
	}, e.Child("Importo").Text())
	return gross, net, tax, err
}
