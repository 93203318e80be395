package einvoice_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"docledger/adapter/extract/einvoice"
	verdict "docledger/domain/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

func parsed(t *testing.T, doc string) *einvoice.Found {
	t.Helper()
	found, err := einvoice.Parse(context.Background(), []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func failedChecks(d *extraction.Draft) (out []string) {
	for _, c := range append(invoice.RunChecks(d.Content, d.Fields, invoice.CheckContext{}), d.Checks...) {
		if !c.Passed && c.Severity == invoice.Blocking {
			out = append(out, c.Rule+" "+c.Found)
		}
	}
	return out
}

const simplified = `<p:FatturaElettronicaSemplificata versione="FSM10" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0">
  <FatturaElettronicaHeader>
    <CedentePrestatore>
      <IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567897</IdCodice></IdFiscaleIVA><CodiceFiscale>01234567897</CodiceFiscale>
      <Denominazione>Bar Centrale S.r.l.</Denominazione>
      <Sede><Indirizzo>Via Roma</Indirizzo><NumeroCivico>1</NumeroCivico><CAP>20121</CAP><Comune>Milano</Comune><Provincia>MI</Provincia><Nazione>IT</Nazione></Sede>
      <RegimeFiscale>RF01</RegimeFiscale>
    </CedentePrestatore>
    <CessionarioCommittente>
      <IdentificativiFiscali><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>07973780013</IdCodice></IdFiscaleIVA></IdentificativiFiscali>
      <AltriDatiIdentificativi><Denominazione>Cliente S.p.A.</Denominazione><Sede><Indirizzo>Corso Duca 3</Indirizzo><CAP>10121</CAP><Comune>Torino</Comune><Nazione>IT</Nazione></Sede></AltriDatiIdentificativi>
    </CessionarioCommittente>
  </FatturaElettronicaHeader>
  <FatturaElettronicaBody>
    <DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD07</TipoDocumento><Divisa>EUR</Divisa><Data>2026-05-04</Data><Numero>S/12</Numero></DatiGeneraliDocumento></DatiGenerali>
    <DatiBeniServizi><Descrizione>Pranzo</Descrizione><Importo>110.00</Importo><DatiIVA><Imposta>10.00</Imposta><Aliquota>10.00</Aliquota></DatiIVA></DatiBeniServizi>
    <DatiBeniServizi><Descrizione>Vino</Descrizione><Importo>24.40</Importo><DatiIVA><Aliquota>22.00</Aliquota></DatiIVA></DatiBeniServizi>
    <DatiBeniServizi><Descrizione>Cauzione</Descrizione><Importo>5.00</Importo><DatiIVA><Aliquota>0.00</Aliquota></DatiIVA><Natura>N1</Natura></DatiBeniServizi>
  </FatturaElettronicaBody>
</p:FatturaElettronicaSemplificata>`

func TestSimplifiedFatturaPA(t *testing.T) {
	t.Parallel()
	found := parsed(t, simplified)
	d := &found.Drafts[0]
	c := &d.Content
	if found.Format != einvoice.FormatFatturaPA || found.Profile != "FSM10" || c.Type != invoice.TypeInvoice || c.Number != "S/12" ||
		c.Seller.Name != "Bar Centrale S.r.l." || c.Seller.TaxID != "IT01234567897" || c.Seller.Address.City != "Milano" ||
		c.Buyer.Name != "Cliente S.p.A." || c.Buyer.TaxID != "IT07973780013" || c.Buyer.Address.City != "Torino" {
		t.Errorf("%+v", c)
	}
	if invoice.Show(c.GrossTotal) != "139.40" || invoice.Show(c.TaxTotal) != "14.40" || invoice.Show(c.NetTotal) != "125.00" {
		t.Errorf("totals %s %s %s", invoice.Show(c.NetTotal), invoice.Show(c.TaxTotal), invoice.Show(c.GrossTotal))
	}
	if len(c.Lines) != 3 || invoice.Show(c.Lines[1].NetAmount) != "20.00" || c.Lines[2].TaxCategory != "N1" {
		t.Errorf("lines %+v", c.Lines)
	}
	if failed := failedChecks(d); failed != nil {
		t.Errorf("checks %v", failed)
	}
	credit := parsed(t, strings.Replace(simplified, "TD07", "TD08", 1))
	if credit.Drafts[0].Content.Type != invoice.TypeCreditNote {
		t.Error("TD08 must be a credit note")
	}
}

const farmer = `<Faktura xmlns="http://crd.gov.pl/wzor/2026/03/06/14189/">
  <Naglowek><KodFormularza kodSystemowy="FA_RR (1)" wersjaSchemy="1-1E">FA_RR</KodFormularza></Naglowek>
  <Podmiot1><DaneIdentyfikacyjne><NIP>8567346215</NIP><Nazwa>Jan Rolnik</Nazwa></DaneIdentyfikacyjne><Adres><KodKraju>PL</KodKraju><AdresL1>Polna 1</AdresL1></Adres></Podmiot1>
  <Podmiot2><DaneIdentyfikacyjne><NIP>1234563218</NIP><Nazwa>Młyn Sp. z o.o.</Nazwa></DaneIdentyfikacyjne></Podmiot2>
  <FakturaRR>
    <KodWaluty>PLN</KodWaluty><P_4A>2026-05-02</P_4A><P_4B>2026-05-04</P_4B><P_4C>RR/2026/05/001</P_4C>
    <P_11_1>2800.00</P_11_1><P_11_2>191.00</P_11_2><P_12_1>2991.00</P_12_1><P_12_2>dwa tysiące</P_12_2>
    <RodzajFaktury>VAT_RR</RodzajFaktury>
    <FakturaRRWiersz><NrWierszaFa>1</NrWierszaFa><P_5>Pszenica</P_5><P_6A>kg</P_6A><P_6B>1500</P_6B><P_6C>A</P_6C><P_7>1.20</P_7><P_8>1800.00</P_8><P_9>7</P_9><P_10>126.00</P_10><P_11>1926.00</P_11></FakturaRRWiersz>
    <FakturaRRWiersz><NrWierszaFa>2</NrWierszaFa><P_5>Jaja</P_5><P_6A>szt</P_6A><P_6B>1000</P_6B><P_6C>L</P_6C><P_7>1.00</P_7><P_8>1000.00</P_8><P_9>6.5</P_9><P_10>65.00</P_10><P_11>1065.00</P_11></FakturaRRWiersz>
    <Platnosc><FormaPlatnosci>1</FormaPlatnosci><RachunekBankowy1><NrRB>61109010140000071219812874</NrRB></RachunekBankowy1><RachunekBankowy2><NrRB>1</NrRB></RachunekBankowy2></Platnosc>
  </FakturaRR>
</Faktura>`

func TestFarmersInvoice(t *testing.T) {
	t.Parallel()
	found := parsed(t, farmer)
	d := &found.Drafts[0]
	c := &d.Content
	if c.Type != invoice.TypeInvoice || c.Number != "RR/2026/05/001" || c.IssueDate.String() != "2026-05-04" || c.Seller.Name != "Jan Rolnik" ||
		c.Buyer.Name != "Młyn Sp. z o.o." || c.Payment.IBAN != "PL61109010140000071219812874" || len(c.Lines) != 2 || len(c.Taxes) != 2 ||
		invoice.Show(c.NetTotal) != "2800.00" || invoice.Show(c.TaxTotal) != "191.00" || invoice.Show(c.GrossTotal) != "2991.00" {
		t.Errorf("%+v", c)
	}
	if failed := failedChecks(d); failed != nil {
		t.Errorf("checks %v", failed)
	}
}

// TestFarmersInvoiceInAnotherCurrency checks that the refund in złoty and the additional
// descriptions are read.
func TestFarmersInvoiceInAnotherCurrency(t *testing.T) {
	t.Parallel()
	d := parsed(t, strings.NewReplacer("<KodWaluty>PLN<", "<KodWaluty>EUR<", "</P_11_2>", "</P_11_2><P_11_2W>812.44</P_11_2W>",
		"</RodzajFaktury>", "</RodzajFaktury><DodatkowyOpis><Klucz>Umowa</Klucz><Wartosc>U-7</Wartosc></DodatkowyOpis>").Replace(farmer)).Drafts[0]
	c := &d.Content
	if c.Currency != "EUR" || c.TaxCurrency != "PLN" || invoice.Show(c.TaxTotalInTaxCurrency) != "812.44" || invoice.Show(c.TaxTotal) != "191.00" || c.Note != "Umowa: U-7" {
		t.Errorf("%+v", c)
	}
	if failed := failedChecks(&d); failed != nil {
		t.Errorf("checks %v", failed)
	}
}

// TestCorrectionsOfFarmersInvoices checks that the difference determines the type,
// where the lines state the goods before and after the correction.
func TestCorrectionsOfFarmersInvoices(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(farmer, "<FakturaRRWiersz>")
	_, tail, _ := strings.Cut(farmer, "<Platnosc>")
	line := func(quantity, net, refund, extra string) string {
		return "<FakturaRRWiersz><P_5>Pszenica</P_5><P_6A>kg</P_6A><P_6B>" + quantity + "</P_6B><P_7>1.20</P_7><P_8>" + net + "</P_8><P_9>7</P_9><P_10>" + refund + "</P_10>" + extra + "</FakturaRRWiersz>"
	}
	before := line("1500", "1800.00", "126.00", "<StanPrzed>1</StanPrzed>")
	for name, c := range map[string]struct {
		net, tax, gross string
		after           string
		want            invoice.Type
		stated          string
	}{
		"less":  {"-600.00", "-42.00", "-642.00", line("1000", "1200.00", "84.00", ""), invoice.TypeCreditNote, "642.00"},
		"equal": {"0.00", "0.00", "0.00", line("1500", "1800.00", "126.00", ""), invoice.TypeCorrection, "0.00"},
		"more":  {"600.00", "42.00", "642.00", line("2000", "2400.00", "168.00", ""), invoice.TypeCorrection, "642.00"},
	} {
		doc := strings.NewReplacer("2800.00", c.net, "191.00", c.tax, "2991.00", c.gross, ">VAT_RR<", ">KOR_VAT_RR<").Replace(head) + before + c.after + "<Platnosc>" + tail
		d := parsed(t, doc).Drafts[0]
		if d.Content.Type != c.want || invoice.Show(d.Content.GrossTotal) != c.stated {
			t.Errorf("%s: %s of %s", name, d.Content.Type, invoice.Show(d.Content.GrossTotal))
		}
		if failed := failedChecks(&d); failed != nil {
			t.Errorf("%s: checks %v", name, failed)
		}
	}
}

// TestCorrectionsOfKSeF checks that the difference determines the type of a
// correction.
func TestCorrectionsOfKSeF(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/ksef-fa3-correction.xml")
	if err != nil {
		t.Fatal(err)
	}
	less := string(data)
	none := strings.NewReplacer("<P_13_1>-50.00</P_13_1><P_14_1>-11.50</P_14_1><P_15>-61.50</P_15>", "<P_13_1>0.00</P_13_1><P_14_1>0.00</P_14_1><P_15>0.00</P_15>",
		"<P_8B>2</P_8B><P_9A>50.00</P_9A><P_11>100.00</P_11>", "<P_8B>3</P_8B><P_9A>50.00</P_9A><P_11>150.00</P_11>").Replace(less)
	more := strings.NewReplacer("<P_13_1>-50.00</P_13_1><P_14_1>-11.50</P_14_1><P_15>-61.50</P_15>", "<P_13_1>50.00</P_13_1><P_14_1>11.50</P_14_1><P_15>61.50</P_15>",
		"<P_8B>2</P_8B><P_9A>50.00</P_9A><P_11>100.00</P_11>", "<P_8B>4</P_8B><P_9A>50.00</P_9A><P_11>200.00</P_11>").Replace(less)
	corrected := strings.Replace(farmer, "VAT_RR</RodzajFaktury>", "KOR_VAT_RR</RodzajFaktury>", 1)
	for name, c := range map[string]struct {
		doc  string
		want invoice.Type
	}{
		"less": {less, invoice.TypeCreditNote}, "none": {none, invoice.TypeCorrection}, "more": {more, invoice.TypeCorrection},
		"advance": {strings.Replace(more, ">KOR<", ">KOR_ZAL<", 1), invoice.TypeCorrection}, "farmer": {corrected, invoice.TypeCorrection},
		"plain": {strings.Replace(more, ">KOR<", ">VAT<", 1), invoice.TypeInvoice},
	} {
		d := parsed(t, c.doc).Drafts[0]
		if d.Content.Type != c.want {
			t.Errorf("%s: %s, want %s", name, d.Content.Type, c.want)
		}
		if failed := failedChecks(&d); failed != nil {
			t.Errorf("%s: checks %v", name, failed)
		}
	}
}

// TestTaxTotalsInTwoCurrencies checks that the total in the invoice's currency is
// used, in any order and without a tax currency (BT-6).
func TestTaxTotalsInTwoCurrencies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cii", "ubl-invoice"} {
		data, err := os.ReadFile("rules/testdata/" + name + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		doc := strings.NewReplacer("<ram:TaxCurrencyCode>SEK</ram:TaxCurrencyCode>", "", "<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>", "").Replace(string(data))
		swapped := strings.NewReplacer(
			`<ram:TaxTotalAmount currencyID="EUR">39.90</ram:TaxTotalAmount>`, `<ram:TaxTotalAmount currencyID="SEK">430.92</ram:TaxTotalAmount>`,
			`<ram:TaxTotalAmount currencyID="SEK">430.92</ram:TaxTotalAmount>`, `<ram:TaxTotalAmount currencyID="EUR">39.90</ram:TaxTotalAmount>`,
		).Replace(doc)
		for _, doc := range []string{string(data), doc, swapped} {
			d := parsed(t, doc).Drafts[0]
			c := &d.Content
			if invoice.Show(c.TaxTotal) != "39.90" || c.TaxCurrency != "SEK" || invoice.Show(c.TaxTotalInTaxCurrency) != "430.92" {
				t.Errorf("%s: %s, %s %s", name, invoice.Show(c.TaxTotal), c.TaxCurrency, invoice.Show(c.TaxTotalInTaxCurrency))
			}
			if failed := failedChecks(&d); failed != nil {
				t.Errorf("%s: checks %v", name, failed)
			}
		}
	}
}

// TestUnknownCustomizationHasANote checks that documents with unknown specifications
// are parsed and that the result has a note.
func TestUnknownCustomizationHasANote(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cii", "ubl-invoice"} {
		data, err := os.ReadFile("rules/testdata/" + name + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		for claim, want := range map[string]verdict.Outcome{
			"urn:example:own": verdict.NotJudged, "urn:cen.eu:en16931:2017#compliant#urn:example:cius": verdict.Valid,
		} {
			found := parsed(t, strings.Replace(string(data), "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0", claim, 1))
			if found.Drafts[0].Content.Number != "F-2026-0815" || found.Profile != claim || found.Verdict.Outcome != want || found.Verdict.Note == "" {
				t.Errorf("%s: %+v", claim, found.Verdict)
			}
		}
	}
}
