package einvoice

import (
	"strconv"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// readFatturaPA reads the Italian e-invoice (versions 1.0 to 1.2). Each body is a
// separate invoice.
func readFatturaPA(root xmltree.Elem) ([]*draft, error) {
	var drafts []*draft
	shared, header := newDraft(), root.Child("FatturaElettronicaHeader")
	shared.itParty("seller", &shared.content.Seller, header.Child("CedentePrestatore"))
	shared.itParty("buyer", &shared.content.Buyer, header.Child("CessionarioCommittente"))
	for body := range root.Named("FatturaElettronicaBody") {
		if len(drafts) == maxDrafts {
			return nil, extraction.Fail(extraction.TooLarge, "The file contains more than %d invoices. Ask the sender to split it.", maxDrafts)
		}
		d := shared.copied()
		if err := d.itBody(body); err != nil {
			return nil, err
		}
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil, extraction.Fail(extraction.Malformed, "The root element of the XML is an invoice, but it has no body. Ask the sender for a corrected file.")
	}
	return drafts, nil
}

func (d *draft) itParty(path string, p *invoice.Party, e xmltree.Elem) {
	data := e.Child("DatiAnagrafici")
	if !data.Exists() {
		data = e // the buyer in versions before 1.1
	}
	name := data.Child("Anagrafica")
	d.text(path+".name", &p.Name, name.Child("Denominazione").Text())
	d.text(path+".name", &p.Name, name.Child("Nome").Text()+" "+name.Child("Cognome").Text())
	vat := data.Child("IdFiscaleIVA")
	if id := vat.Child("IdCodice").Text(); id != "" {
		d.text(path+".tax_id", &p.TaxID, vat.Child("IdPaese").Text()+id)
		d.text(path+".registration_id", &p.RegistrationID, data.Child("CodiceFiscale").Text())
	}
	d.text(path+".tax_id", &p.TaxID, data.Child("CodiceFiscale").Text())

	d.itAddress(path, p, e.Child("Sede"))
	d.text(path+".email", &p.Email, e.Path("Contatti", "Email").Text())
	d.text(path+".phone", &p.Phone, e.Path("Contatti", "Telefono").Text())
}

func (d *draft) itAddress(path string, p *invoice.Party, a xmltree.Elem) {
	at := path + ".address."
	street := a.Child("Indirizzo").Text()
	if number := a.Child("NumeroCivico").Text(); number != "" {
		street += ", " + number
	}
	d.text(at+"line1", &p.Address.Line1, street)
	d.text(at+"city", &p.Address.City, a.Child("Comune").Text())
	d.text(at+"postal_code", &p.Address.PostalCode, a.Child("CAP").Text())
	d.text(at+"region", &p.Address.Region, a.Child("Provincia").Text())
	d.country(at+"country", &p.Address.Country, a.Child("Nazione").Text())
}

func (d *draft) itBody(body xmltree.Elem) error {
	c := &d.content
	general := body.Child("DatiGenerali")
	doc := general.Child("DatiGeneraliDocumento")
	c.TypeCode = shorten(oneLine(doc.Child("TipoDocumento").Text()), maxSource)
	if c.TypeCode == "TD04" || c.TypeCode == "TD08" {
		c.Type = invoice.TypeCreditNote
	}
	d.recordEvidence("document_type", c.TypeCode)
	d.currency("currency", &c.Currency, doc.Child("Divisa").Text())
	d.text("invoice_number", &c.Number, doc.Child("Numero").Text())
	d.date("issue_date", &c.IssueDate, doc.Child("Data").Text(), parseDate)
	d.date("delivery_date", &c.DeliveryDate, general.Path("DatiTrasporto", "DataOraConsegna").Text(), parseDate)
	d.text("purchase_order", &c.PurchaseOrder, general.Path("DatiOrdineAcquisto", "IdDocumento").Text())
	for ref := range general.Named("DatiFattureCollegate") {
		d.preceding(ref.Child("IdDocumento").Text(), ref.Child("Data").Text(), parseDate)
	}
	d.prose("note", &c.Note, texts(doc.Named("Causale"))...)

	goods := body.Child("DatiBeniServizi")
	for e := range goods.Named("DettaglioLinee") {
		if err := d.itLine(e); err != nil {
			return err
		}
	}
	d.itAllowancesCharges(doc)
	d.itTotals(doc, goods)
	d.itPayment(body)
	return nil
}

func (d *draft) itLine(e xmltree.Elem) error {
	path := d.linePath(0)
	return d.line(invoice.Line{
		Description: e.Child("Descrizione").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, e.Child("Quantita")),
		Unit:        e.Child("UnitaMisura").Text(),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, e.Child("PrezzoUnitario")),
		NetAmount:   d.money(path, "net_amount", e.Child("PrezzoTotale")),
		TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, e.Child("AliquotaIVA")),
		TaxCategory: e.Child("Natura").Text(),
	}, e.Child("PrezzoTotale").Text())
}

// itAllowancesCharges reads document level discounts (SC) and surcharges (MG), and
// contributions to pension funds, which are surcharges.
func (d *draft) itAllowancesCharges(doc xmltree.Elem) {
	for e := range doc.Named("ScontoMaggiorazione") {
		a := invoice.AllowanceCharge{IsCharge: e.Child("Tipo").Text() == "MG", Reason: "Sconto"}
		if a.IsCharge {
			a.Reason = "Maggiorazione"
		}
		path := d.allowancePath(a.IsCharge)
		a.Amount = d.money(path, "amount", e.Child("Importo"))
		a.Percentage = d.number(path, "percentage", money.MaxPriceScale, e.Child("Percentuale"))
		d.allowanceCharge(a, e.Child("Importo").Text())
	}
	for e := range doc.Named("DatiCassaPrevidenziale") {
		path := d.allowancePath(true)
		d.allowanceCharge(invoice.AllowanceCharge{
			IsCharge:    true,
			Reason:      "Contributo cassa previdenziale",
			ReasonCode:  e.Child("TipoCassa").Text(),
			Amount:      d.money(path, "amount", e.Child("ImportoContributoCassa")),
			Base:        d.money(path, "base", e.Child("ImponibileCassa")),
			Percentage:  d.number(path, "percentage", money.MaxPriceScale, e.Child("AlCassa")),
			TaxCategory: e.Child("Natura").Text(),
			TaxRate:     d.number(path, "tax_rate", money.MaxPriceScale, e.Child("AliquotaIVA")),
		}, e.Child("ImportoContributoCassa").Text())
	}
}

// itTotals reads the summary by rate. The totals are its sums, because the format
// states only the gross total, which is optional.
func (d *draft) itTotals(doc, goods xmltree.Elem) {
	c := &d.content
	var bases, amounts, withheld []*money.Decimal
	for e := range goods.Named("DatiRiepilogo") {
		path := d.taxPath()
		t := invoice.Tax{
			Category: e.Child("Natura").Text(),
			Rate:     d.number(path, "rate", money.MaxPriceScale, e.Child("AliquotaIVA")),
			Base:     d.money(path, "base", e.Child("ImponibileImporto")),
			Amount:   d.money(path, "amount", e.Child("Imposta")),
		}
		bases, amounts = append(bases, t.Base), append(amounts, t.Amount)
		if e.Child("EsigibilitaIVA").Text() == "S" { // split payment: the buyer pays the VAT to the tax office
			withheld = append(withheld, t.Amount)
		}
		d.tax(t, e.Child("Imposta").Text())
	}
	d.sum("net_total", &c.NetTotal, bases...)
	d.sum("tax_total", &c.TaxTotal, amounts...)
	d.amount("gross_total", &c.GrossTotal, doc.Child("ImportoTotaleDocumento"))
	if _, stated := d.fields["gross_total"]; !stated {
		rounding := d.money("gross_total", "rounding", doc.Child("Arrotondamento"))
		d.sum("gross_total", &c.GrossTotal, c.NetTotal, c.TaxTotal, rounding)
	}
	for e := range doc.Named("DatiRitenuta") {
		var part *money.Decimal
		d.amount("withheld_total", &part, e.Child("ImportoRitenuta"))
		withheld = append(withheld, part)
	}
	d.sum("withheld_total", &c.WithheldTotal, withheld...)
}

func (d *draft) itPayment(body xmltree.Elem) {
	c := &d.content
	var due []*money.Decimal
	for block := range body.Named("DatiPagamento") {
		for e := range block.Named("DettaglioPagamento") {
			var part *money.Decimal
			d.amount("amount_due", &part, e.Child("ImportoPagamento"))
			due = append(due, part)
			d.itDueDate(e)
			d.text("payment.iban", &c.Payment.IBAN, e.Child("IBAN").Text())
			d.text("payment.bic", &c.Payment.BIC, e.Child("BIC").Text())
			d.text("payment.reference", &c.Payment.Reference, e.Child("CodicePagamento").Text())
		}
	}
	if len(due) == 1 {
		c.AmountDue = due[0]
		return
	}
	d.sum("amount_due", &c.AmountDue, due...)
}

// itDueDate reads the date of an instalment, or the number of days from a stated day.
// The first instalment is used.
func (d *draft) itDueDate(e xmltree.Elem) {
	to := &d.content.DueDate
	d.date("due_date", to, e.Child("DataScadenzaPagamento").Text(), parseDate)
	from, days := e.Child("DataRiferimentoTerminiPagamento").Text(), e.Child("GiorniTerminiPagamento").Text()
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || n > 999 || !to.IsZero() {
		return
	}
	if start, err := parseDate(from); err == nil {
		*to = start.AddDays(int(n))
		d.derived("due_date", from+" + "+days)
	}
}
