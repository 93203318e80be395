package harness

import (
	"fmt"
	"strings"
)

// UBL returns a valid UBL invoice of one line.
func UBL(number string) []byte { return UBLOf(number, "100.00", "19.00", "119.00") }

// UBLOf returns a UBL invoice of one line with the totals given.
func UBLOf(number, net, tax, gross string) []byte {
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:ID>%[1]s</cbc:ID><cbc:IssueDate>2026-01-15</cbc:IssueDate><cbc:DueDate>2026-02-14</cbc:DueDate>
 <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:OrderReference><cbc:ID>PO-77</cbc:ID></cac:OrderReference>
 <cac:AccountingSupplierParty><cac:Party>
  <cac:PostalAddress><cbc:StreetName>Quai 3</cbc:StreetName><cbc:CityName>Lyon</cbc:CityName><cac:Country><cbc:IdentificationCode>FR</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
  <cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
  <cac:PartyLegalEntity><cbc:RegistrationName>Société Générique</cbc:RegistrationName></cac:PartyLegalEntity>
 </cac:Party></cac:AccountingSupplierParty>
 <cac:AccountingCustomerParty><cac:Party>
  <cac:PartyLegalEntity><cbc:RegistrationName>Buyer Ltd</cbc:RegistrationName></cac:PartyLegalEntity>
 </cac:Party></cac:AccountingCustomerParty>
 <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">%[3]s</cbc:TaxAmount>
  <cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">%[2]s</cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">%[3]s</cbc:TaxAmount>
   <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
 <cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">%[2]s</cbc:LineExtensionAmount>
  <cbc:TaxExclusiveAmount currencyID="EUR">%[2]s</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">%[4]s</cbc:TaxInclusiveAmount>
  <cbc:PayableAmount currencyID="EUR">%[4]s</cbc:PayableAmount></cac:LegalMonetaryTotal>
 <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">2</cbc:InvoicedQuantity>
  <cbc:LineExtensionAmount currencyID="EUR">%[2]s</cbc:LineExtensionAmount>
  <cac:Item><cbc:Name>Widget</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item>
  <cac:Price><cbc:PriceAmount currencyID="EUR">50.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>`, number, net, tax, gross)
}

// UBLFrom returns a UBL invoice with a net total of 100.00 and a tax rate in
// whole percent. It states only the name of the supplier.
func UBLFrom(supplier, number, currency, percent string) []byte {
	gross := "1" + fmt.Sprintf("%02s", percent) + ".00"
	const taxID = `<cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`
	return []byte(strings.NewReplacer(
		taxID, "", "Société Générique", supplier, "EUR", currency, "<cbc:Percent>19<", "<cbc:Percent>"+percent+"<",
	).Replace(string(UBLOf(number, "100.00", percent+".00", gross))))
}

// UBLLines returns a UBL invoice of n lines of 1.00 each.
func UBLLines(number string, n int) []byte {
	one := `<cac:InvoiceLine><cbc:ID>%d</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">1.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Item %d</cbc:Name></cac:Item><cac:Price><cbc:PriceAmount currencyID="EUR">1.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`
	var lines strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&lines, one, i, i)
	}
	net := fmt.Sprintf("%d.00", n)
	tax := fmt.Sprintf("%d.%02d", n*19/100, n*19%100)
	gross := fmt.Sprintf("%d.%02d", n*119/100, n*119%100)
	whole := string(UBLOf(number, net, tax, gross))
	from, to := strings.Index(whole, "<cac:InvoiceLine>"), strings.Index(whole, "</Invoice>")
	return []byte(whole[:from] + lines.String() + whole[to:])
}

const (
	fatturaParty = `<DatiAnagrafici><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>%s</IdCodice></IdFiscaleIVA><Anagrafica><Denominazione>%s</Denominazione></Anagrafica></DatiAnagrafici>`
	fatturaBody  = `<FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>2026-01-10</Data><Numero>%s</Numero><ImportoTotaleDocumento>122.00</ImportoTotaleDocumento></DatiGeneraliDocumento></DatiGenerali><DatiBeniServizi><DettaglioLinee><NumeroLinea>1</NumeroLinea><Descrizione>Servizio</Descrizione><Quantita>1.00</Quantita><PrezzoUnitario>100.00</PrezzoUnitario><PrezzoTotale>100.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA></DettaglioLinee><DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo></DatiBeniServizi></FatturaElettronicaBody>`
)

// TwoInvoices returns a FatturaPA file with two invoices, numbered number-1 and
// number-2.
func TwoInvoices(number string) []byte {
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?><p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2" versione="FPR12"><FatturaElettronicaHeader><CedentePrestatore>%s</CedentePrestatore><CessionarioCommittente>%s</CessionarioCommittente></FatturaElettronicaHeader>%s%s</p:FatturaElettronica>`,
		fmt.Sprintf(fatturaParty, "01234567890", "Uno Srl"), fmt.Sprintf(fatturaParty, "09876543210", "Due Srl"),
		fmt.Sprintf(fatturaBody, number+"-1"), fmt.Sprintf(fatturaBody, number+"-2"))
}
