package einvoice

import (
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// readKSeF reads the Polish structured invoices FA(1) to FA(3) and FA_RR(1).
func readKSeF(root xmltree.Elem) ([]*draft, error) {
	d, fa := newDraft(), root.Child("Fa")
	d.plParty("seller", &d.content.Seller, root.Child("Podmiot1"))
	d.plParty("buyer", &d.content.Buyer, root.Child("Podmiot2"))
	if rr := root.Child("FakturaRR"); !fa.Exists() && rr.Exists() {
		return d.plFarmer(rr)
	}
	if !fa.Exists() {
		return nil, extraction.Fail(extraction.Malformed, "The root element of the XML is an invoice, but it has no element “Fa”. Ask the sender for a corrected file.")
	}
	d.plHeader(fa)
	d.plTotals(fa)
	for e := range fa.Named("FaWiersz") {
		if err := d.plLine(e); err != nil {
			return nil, err
		}
	}
	d.plPayment(fa)
	d.plCorrection()
	return []*draft{d}, nil
}

// plCorrection sets the type of a correction (KOR, KOR_ZAL, KOR_ROZ, KOR_VAT_RR). A
// correction states the difference. If it is negative, the correction is a credit
// note.
func (d *draft) plCorrection() {
	switch c := &d.content; {
	case !strings.HasPrefix(c.TypeCode, "KOR"):
	case c.Negative():
		c.Type = invoice.TypeCreditNote
	default:
		c.Type = invoice.TypeCorrection
	}
}

func (d *draft) plParty(path string, p *invoice.Party, e xmltree.Elem) {
	data := e.Child("DaneIdentyfikacyjne")
	d.text(path+".name", &p.Name, data.FirstOf("Nazwa", "PelnaNazwa").Text())
	d.text(path+".name", &p.Name, data.Child("ImiePierwsze").Text()+" "+data.Child("Nazwisko").Text())
	d.text(path+".tax_id", &p.TaxID, data.Child("NIP").Text())
	if id := data.Child("NrVatUE").Text(); id != "" {
		d.text(path+".tax_id", &p.TaxID, data.Child("KodUE").Text()+id)
	}
	d.text(path+".tax_id", &p.TaxID, data.Child("NrID").Text())

	a, at := e.Child("Adres"), path+".address."
	if inner := a.FirstOf("AdresPol", "AdresZagr"); inner.Exists() { // FA(1)
		a = inner
		street := strings.TrimSpace(a.Child("Ulica").Text() + " " + a.Child("NrDomu").Text())
		if flat := a.Child("NrLokalu").Text(); flat != "" {
			street += "/" + flat
		}
		d.text(at+"line1", &p.Address.Line1, street)
		d.text(at+"city", &p.Address.City, a.Child("Miejscowosc").Text())
		d.text(at+"postal_code", &p.Address.PostalCode, a.Child("KodPocztowy").Text())
	}
	d.text(at+"line1", &p.Address.Line1, a.Child("AdresL1").Text())
	d.text(at+"line2", &p.Address.Line2, a.Child("AdresL2").Text())
	d.country(at+"country", &p.Address.Country, a.Child("KodKraju").Text())
	contact := e.Child("DaneKontaktowe")
	if !contact.Exists() {
		contact = e // FA(1)
	}
	d.text(path+".email", &p.Email, contact.Child("Email").Text())
	d.text(path+".phone", &p.Phone, contact.Child("Telefon").Text())
}

func (d *draft) plHeader(fa xmltree.Elem) {
	c := &d.content
	c.TypeCode = shorten(oneLine(fa.Child("RodzajFaktury").Text()), maxSource)
	d.recordEvidence("document_type", c.TypeCode)
	d.currency("currency", &c.Currency, fa.Child("KodWaluty").Text())
	d.date("issue_date", &c.IssueDate, fa.Child("P_1").Text(), parseDate)
	d.text("invoice_number", &c.Number, fa.Child("P_2").Text())
	d.date("delivery_date", &c.DeliveryDate, fa.Child("P_6").Text(), parseDate)
	period := fa.Child("OkresFa")
	d.date("billing_period.start", &c.BillingPeriod.Start, period.Child("P_6_Od").Text(), parseDate)
	d.date("billing_period.end", &c.BillingPeriod.End, period.Child("P_6_Do").Text(), parseDate)
	for ref := range fa.Named("DaneFaKorygowanej") {
		d.preceding(ref.Child("NrFaKorygowanej").Text(), ref.Child("DataWystFaKorygowanej").Text(), parseDate)
	}
	d.text("purchase_order", &c.PurchaseOrder, fa.Path("WarunkiTransakcji", "Zamowienia", "NrZamowienia").Text())
	d.plNotes(fa)
}

// plNotes reads the additional descriptions.
func (d *draft) plNotes(fa xmltree.Elem) {
	var notes []string
	for e := range fa.Named("DodatkowyOpis") {
		notes = append(notes, e.Child("Klucz").Text()+": "+e.Child("Wartosc").Text())
	}
	d.prose("note", &d.content.Note, notes...)
}

// plRates are the fields of the totals by rate: base, tax, tax in złoty, and the
// possible rates.
var plRates = []struct {
	base, tax, taxPLN string
	rates             []string
	category          string
}{
	{"P_13_1", "P_14_1", "P_14_1W", []string{"23", "22"}, ""},
	{"P_13_2", "P_14_2", "P_14_2W", []string{"8", "7"}, ""},
	{"P_13_3", "P_14_3", "P_14_3W", []string{"5"}, ""},
	{"P_13_4", "P_14_4", "P_14_4W", []string{"4", "3"}, ""},
	{"P_13_5", "P_14_5", "", nil, ""},
	{"P_13_6", "", "", []string{"0"}, "0"}, // FA(1)
	{"P_13_6_1", "", "", []string{"0"}, "0 KR"},
	{"P_13_6_2", "", "", []string{"0"}, "0 WDT"},
	{"P_13_6_3", "", "", []string{"0"}, "0 EX"},
	{"P_13_7", "", "", nil, "zw"},
	{"P_13_8", "", "", nil, "np I"},
	{"P_13_9", "", "", nil, "np II"},
	{"P_13_10", "", "", nil, "oo"},
	{"P_13_11", "", "", nil, "marża"},
}

// plTotals reads the totals by rate and the gross total (P_15). Net and tax are the
// sums of the totals by rate.
func (d *draft) plTotals(fa xmltree.Elem) {
	c := &d.content
	var bases, amounts, inPLN []*money.Decimal
	for _, r := range plRates {
		base := fa.Child(r.base)
		if !base.Exists() {
			continue
		}
		path := d.taxPath()
		t := invoice.Tax{Category: r.category, Base: d.money(path, "base", base)}
		if r.tax != "" {
			t.Amount = d.money(path, "amount", fa.Child(r.tax))
		} else {
			zero := money.FromInt(0)
			t.Amount = &zero
		}
		t.Rate = plRate(r.rates, t)
		if r.taxPLN != "" {
			inPLN = append(inPLN, d.money(path, "amount_in_tax_currency", fa.Child(r.taxPLN)))
		}
		bases, amounts = append(bases, t.Base), append(amounts, t.Amount)
		d.tax(t, base.Text())
	}
	d.sum("net_total", &c.NetTotal, bases...)
	d.sum("tax_total", &c.TaxTotal, amounts...)
	if d.sum("tax_total_in_tax_currency", &c.TaxTotalInTaxCurrency, inPLN...); c.TaxTotalInTaxCurrency != nil {
		c.TaxCurrency = "PLN"
		d.derived("tax_currency", "PLN")
	}
	d.amount("gross_total", &c.GrossTotal, fa.Child("P_15"))
	d.plSettlement(fa.Child("Rozliczenie"))
	d.amount("amount_due", &c.AmountDue, fa.Child("P_15"))
}

// plSettlement reads additional settlements of the parties. Deductions, usually
// advances, and charges are treated as amounts paid before.
func (d *draft) plSettlement(e xmltree.Elem) {
	c := &d.content
	d.amount("amount_due", &c.AmountDue, e.Child("DoZaplaty"))
	deducted := d.money("prepaid_total", "deductions", e.Child("SumaOdliczen"))
	charged := d.money("prepaid_total", "charges", e.Child("SumaObciazen"))
	d.sum("prepaid_total", &c.PrepaidTotal, deducted, money.Negated(charged))
}

// plRate returns the rate of the field that results in the stated tax.
func plRate(rates []string, t invoice.Tax) *money.Decimal {
	tolerance := money.MustParse("0.05")
	for _, text := range rates {
		rate := money.MustParse(text)
		if len(rates) == 1 {
			return &rate
		}
		if t.Base == nil || t.Amount == nil {
			return nil
		}
		tax := t.Base.Mul(rate).Div(money.FromInt(100))
		if tax.Within(*t.Amount, tolerance) {
			return &rate
		}
	}
	return nil
}

// plLine reads a line. In a correction, lines with the previous state are subtracted.
func (d *draft) plLine(e xmltree.Elem) error {
	path := d.linePath(0)
	l := invoice.Line{
		Description: e.Child("P_7").Text(),
		Quantity:    d.number(path, "quantity", money.MaxPriceScale, e.Child("P_8B")),
		Unit:        e.Child("P_8A").Text(),
		UnitPrice:   d.number(path, "unit_price", money.MaxPriceScale, e.Child("P_9A")),
		NetAmount:   d.money(path, "net_amount", e.Child("P_11")),
	}
	rate := oneLine(e.Child("P_12").Text())
	number, rest, _ := strings.Cut(rate, " ")
	if v, err := parseNumber(number, money.MaxPriceScale); err == nil {
		l.TaxRate = &v
		if rest != "" {
			l.TaxCategory = rate
		}
	} else {
		l.TaxCategory = rate
	}
	if e.Child("StanPrzed").Text() == "1" {
		l.NetAmount, l.Quantity = money.Negated(l.NetAmount), money.Negated(l.Quantity)
	}
	return d.line(l, e.FirstOf("P_11", "P_11A").Text())
}

func (d *draft) plPayment(fa xmltree.Elem) {
	c, p := &d.content, fa.Child("Platnosc")
	for e := range p.Named("TerminPlatnosci", "TerminyPlatnosci") {
		term := e.Child("Termin")
		if !term.Exists() {
			term = e.Child("TerminPlatnosci")
		}
		d.date("due_date", &c.DueDate, term.Text(), parseDate)
		d.prose("payment.terms", &c.Payment.Terms, e.Child("TerminPlatnosciOpis").Text())
	}
	for account := range p.Named("RachunekBankowy") {
		d.text("payment.iban", &c.Payment.IBAN, plIBAN(account.FirstOf("NrRB", "NrRBPL", "NrRBZagr").Text()))
		d.text("payment.bic", &c.Payment.BIC, account.Child("SWIFT").Text())
	}
}

// plIBAN adds the missing country code to the national form of an IBAN.
func plIBAN(number string) string {
	number = strings.ReplaceAll(number, " ", "")
	if len(number) == 26 && strings.Trim(number, "0123456789") == "" {
		return "PL" + number
	}
	return number
}
