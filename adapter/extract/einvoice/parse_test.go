package einvoice_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"

	"golang.org/x/text/encoding/charmap"
)

const ublSpaces = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"`

// ublWith returns a small UBL invoice for 119.00 EUR; each pair replaces one text by
// another.
func ublWith(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`<Invoice ` + ublSpaces + `>
<cbc:ID>N-1</cbc:ID><cbc:IssueDate>2026-02-01</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>Seller GmbH</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
</Invoice>`)
}

func read(t *testing.T, doc string) extraction.Draft {
	t.Helper()
	found, err := einvoice.Parse(t.Context(), []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return found.Drafts[0]
}

func codeOf(t *testing.T, data []byte) string {
	t.Helper()
	_, err := einvoice.Parse(t.Context(), data)
	if err == nil {
		return ""
	}
	var f *extraction.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is not a failure of the document", err)
	}
	if f.Message == "" || f.Passing {
		t.Errorf("failure %q: message %q, passing %v", f.Code(), f.Message, f.Passing)
	}
	return f.Code()
}

func TestParseReportsOtherKinds(t *testing.T) {
	t.Parallel()
	const oasis, cefact = "urn:oasis:names:specification:ubl:schema:xsd:", "urn:un:unece:uncefact:data:standard:"
	for _, c := range []struct{ space, local, want string }{
		{oasis + "Order-2", "Order", "order"},
		{oasis + "OrderResponse-2", "OrderResponse", "order"},
		{oasis + "DespatchAdvice-2", "DespatchAdvice", "delivery_note"},
		{oasis + "ApplicationResponse-2", "ApplicationResponse", "message"},
		{oasis + "Reminder-2", "Reminder", "reminder"},
		{oasis + "Quotation-2", "Quotation", "quote"},
		{oasis + "Statement-2", "Statement", "statement"},
		{oasis + "RemittanceAdvice-2", "RemittanceAdvice", "payment_advice"},
		{oasis + "Catalogue-2", "Catalogue", "other"},
		{"urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:100", "SCRDMCCBDACIOMessageStructure", "order"},
		{cefact + "CrossDomainAcknowledgementAndResponse:100", "CrossDomainAcknowledgementAndResponse", "message"},
		{"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02", "Document", "statement"},
		{"urn:iso:std:iso:20022:tech:xsd:pain.001.001.03", "Document", "payment_advice"},
		{"http://www.w3.org/2000/svg", "svg", "other"},
		{"", "Invoice", "other"},
		{"urn:example", "CrossIndustryInvoice", "other"},
		{"http://www.fatturapa.gov.it/sdi/messaggi/v1.0", "RicevutaConsegna", "message"},
		{oasis + "Invoice-1.0", "Invoice", "unsupported_type"},
	} {
		doc := fmt.Sprintf(`<n:%s xmlns:n=%q><n:ID>1</n:ID></n:%s>`, c.local, c.space, c.local)
		if got := codeOf(t, []byte(doc)); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.local, c.space, got, c.want)
		}
	}
}

func TestParseReadsTheTypeCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"325": "proforma", "220": "order", "351": "delivery_note", "380": "", "389": "", "326": ""} {
		if got := codeOf(t, []byte(ublWith(">380<", ">"+code+"<"))); got != want {
			t.Errorf("type code %s: %q, want %q", code, got, want)
		}
	}
	for code, want := range map[string]invoice.Type{"380": invoice.TypeInvoice, "384": invoice.TypeInvoice, "381": invoice.TypeCreditNote, "261": invoice.TypeCreditNote, "396": invoice.TypeCreditNote} {
		if got := read(t, ublWith(">380<", ">"+code+"<")).Content.Type; got != want {
			t.Errorf("type code %s: %s, want %s", code, got, want)
		}
	}
}

func TestParseRefusesHostileDocuments(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<a>", 60_000) + strings.Repeat("</a>", 60_000)
	attributes := "<a"
	for i := range 200 {
		attributes += fmt.Sprintf(` a%d="1"`, i)
	}
	line := `<cac:InvoiceLine><cbc:ID>1</cbc:ID></cac:InvoiceLine>`
	for name, c := range map[string]struct{ doc, want string }{
		"external entity":      {`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`, "entity_declaration"},
		"parameter entity":     {`<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;]><a/>`, "entity_declaration"},
		"entity bomb":          {`<!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y "&x;&x;">]><a>&y;</a>`, "entity_declaration"},
		"attribute defaults":   {`<!DOCTYPE a [<!ATTLIST a b CDATA "x">]><a/>`, "entity_declaration"},
		"quoted bracket":       {`<!DOCTYPE a SYSTEM "[" [<!ENTITY x "y">]><a/>`, "entity_declaration"},
		"external subset only": {strings.Replace(ublWith(), "<Invoice", `<!DOCTYPE Invoice SYSTEM "http://127.0.0.1:9/x.dtd"><Invoice`, 1), ""},
		"undeclared entity":    {ublWith("N-1", "&x;"), "malformed"},
		"deep nesting":         {deep, "nesting_too_deep"},
		"many attributes":      {attributes + "/>", "too_large"},
		"too many lines":       {ublWith("</Invoice>", strings.Repeat(line, invoice.MaxLines+1)+"</Invoice>"), "too_large"},
		"empty":                {" \n", "empty"},
		"cut off":              {ublWith()[:700], "truncated"},
		"cut in a tag":         {`<Invoice xmlns="urn`, "truncated"},
		"wrong end tag":        {`<a><b></a></b>`, "malformed"},
		"not XML":              {"%PDF-1.7", "malformed"},
		"control character":    {ublWith("N-1", "N\x011"), "malformed"},
		"invalid UTF-8":        {ublWith("N-1", "N\xff1"), "malformed"},
		"unknown encoding":     {`<?xml version="1.0" encoding="x-unknown"?>` + ublWith(), "malformed"},
		"empty FatturaPA":      {`<p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"/>`, "malformed"},
		"empty CII":            {`<r:CrossIndustryInvoice xmlns:r="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>`, "malformed"},
		"empty Facturae":       {`<f:Facturae xmlns:f="http://www.facturae.es/Facturae/2009/v3.2/Facturae"/>`, "malformed"},
		"empty KSeF":           {`<Faktura xmlns="http://crd.gov.pl/wzor/2023/06/29/12648/"/>`, "malformed"},
	} {
		if got := codeOf(t, []byte(c.doc)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestParseIncludesNothing(t *testing.T) {
	t.Parallel()
	d := read(t, ublWith("N-1", `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/hostname" parse="text"/>`))
	if d.Content.Number != "" {
		t.Errorf("number %q", d.Content.Number)
	}
}

func TestParseReadsEncodings(t *testing.T) {
	t.Parallel()
	doc := ublWith("Seller GmbH", "Größe & Söhne")
	doc = strings.Replace(doc, "& S", "&amp; S", 1)
	declared := func(label string) string { return `<?xml version="1.0" encoding="` + label + `"?>` + "\r\n" + doc }
	latin1, err := charmap.Windows1252.NewEncoder().String(declared("ISO-8859-1"))
	if err != nil {
		t.Fatal(err)
	}
	latin9, err := charmap.ISO8859_15.NewEncoder().String(declared("iso-8859-15"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"UTF-8":                      []byte(doc),
		"UTF-8 with mark":            []byte("\xEF\xBB\xBF" + declared("utf-8")),
		"UTF-16LE with mark":         encode16("\uFEFF"+declared("UTF-16"), binary.LittleEndian),
		"UTF-16BE with mark":         encode16("\uFEFF"+declared("UTF-16"), binary.BigEndian),
		"UTF-16LE without mark":      encode16(declared("UTF-16LE"), binary.LittleEndian),
		"UTF-16BE without mark":      encode16(declared("UTF-16BE"), binary.BigEndian),
		"UTF-8 that declares UTF-16": []byte(declared("utf-16")),
		"Latin-1":                    []byte(latin1),
		"Latin-9":                    []byte(latin9),
		"padded with zeros":          append([]byte(doc), 0, 0, 0),
	} {
		if got := read(t, string(data)).Content.Seller.Name; got != "Größe & Söhne" {
			t.Errorf("%s: seller %q", name, got)
		}
	}
}

func encode16(s string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// TestParseNeverGuesses checks that an unreadable value stays empty, with the text as
// evidence and a failed check.
func TestParseNeverGuesses(t *testing.T) {
	t.Parallel()
	d := read(t, ublWith(">2026-02-01<", ">2026-02-30<", `EUR">119.00</cbc:TaxInclusive`, `EUR">1.119,00</cbc:TaxInclusive`, `EUR">19.00<`, `EUR">1.9E1<`))
	c := d.Content
	if !c.IssueDate.IsZero() || c.GrossTotal != nil || c.TaxTotal != nil {
		t.Errorf("date %s, gross %s, tax %s", c.IssueDate, invoice.Show(c.GrossTotal), invoice.Show(c.TaxTotal))
	}
	checks := checked(d)
	for path, source := range map[string]string{"issue_date": "2026-02-30", "gross_total": "1.119,00", "tax_total": "1.9E1"} {
		e := d.Fields[path]
		if e.SourceText != source || !e.Unreadable() {
			t.Errorf("evidence of %s: %+v", path, e)
		}
		if !slices.ContainsFunc(checks, func(c invoice.Check) bool {
			return c.Rule == invoice.RuleValuesReadable && c.Path == path && c.Severity == invoice.Blocking && !c.Passed
		}) {
			t.Errorf("no failed check about %s in %+v", path, checks)
		}
	}
	if got := invoice.StatusAfter(checks); got != invoice.NeedsReview {
		t.Errorf("status %s", got)
	}
}

func TestParseFindsForeignCurrency(t *testing.T) {
	t.Parallel()
	d := read(t, ublWith(`"EUR">100.00`, `"USD">100.00`))
	if len(d.Checks) != 1 || d.Checks[0].Rule != invoice.RuleSingleCurrency || d.Checks[0].Passed || d.Checks[0].Found != "USD" {
		t.Errorf("checks %+v", d.Checks)
	}
	if got := invoice.StatusAfter(checked(d)); got != invoice.NeedsReview {
		t.Errorf("status %s", got)
	}
	d = read(t, ublWith("<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>", ""))
	if d.Content.Currency != "EUR" || d.Fields["currency"].Source != invoice.Computed || len(d.Checks) > 0 {
		t.Errorf("currency %q from %+v, checks %+v", d.Content.Currency, d.Fields["currency"], d.Checks)
	}
}

// TestParseAddsTaxesOfSeveralKinds checks UBL that does not follow EN 16931, with one
// total for each kind of tax.
func TestParseAddsTaxesOfSeveralKinds(t *testing.T) {
	t.Parallel()
	total := func(amount, scheme string) string {
		return `<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">` + amount + `</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxAmount currencyID="EUR">` + amount +
			`</cbc:TaxAmount><cac:TaxCategory><cac:TaxScheme><cbc:ID>` + scheme + `</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>`
	}
	d := read(t, ublWith(`<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>`, total("15.00", "IVA")+total("4.00", "ICA")))
	if invoice.Show(d.Content.TaxTotal) != "19.00" || len(d.Content.Taxes) != 2 || d.Fields["tax_total"].Source != invoice.Computed {
		t.Errorf("tax %s in %d rows, %+v", invoice.Show(d.Content.TaxTotal), len(d.Content.Taxes), d.Fields["tax_total"])
	}
}

// TestParseSeparatesTaxTotalsByCurrency checks that the order of the two totals and
// the declaration of the second currency do not matter.
func TestParseSeparatesTaxTotalsByCurrency(t *testing.T) {
	t.Parallel()
	const own, other = `<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>`, `<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">200.00</cbc:TaxAmount></cac:TaxTotal>`
	const announced = `<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>`
	for _, c := range []struct{ totals, tax, inTaxCurrency string }{
		{announced + own + other, "19.00", "200.00"},
		{announced + other + own, "19.00", "200.00"},
		{other + own, "19.00", "200.00"},
		{announced + other, "", "200.00"},
		{own, "19.00", ""},
		{"", "", ""},
	} {
		d := read(t, ublWith(own, c.totals))
		if got := invoice.Show(d.Content.TaxTotal); got != c.tax {
			t.Errorf("%s: tax %q, want %q", c.totals, got, c.tax)
		}
		if got := invoice.Show(d.Content.TaxTotalInTaxCurrency); got != c.inTaxCurrency {
			t.Errorf("%s: tax in its currency %q, want %q", c.totals, got, c.inTaxCurrency)
		}
		if len(d.Checks) > 0 {
			t.Errorf("%s: checks %+v", c.totals, d.Checks)
		}
	}
}

func TestParseReadsOIOUBL(t *testing.T) {
	t.Parallel()
	d := read(t, ublWith("<cbc:ID>", "<cbc:CustomizationID>OIOUBL-2.02</cbc:CustomizationID><cbc:ID>",
		`<cbc:TaxExclusiveAmount currencyID="EUR">100.00`, `<cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount currencyID="EUR">19.00`))
	if got := invoice.Show(d.Content.NetTotal); got != "100.00" || d.Fields["net_total"].Source != invoice.Computed {
		t.Errorf("net total %q from %+v", got, d.Fields["net_total"])
	}
}

func TestParseReadsWithholding(t *testing.T) {
	t.Parallel()
	d := read(t, ublWith("<cac:LegalMonetaryTotal>", `<cac:WithholdingTaxTotal><cbc:TaxAmount currencyID="EUR">15.00</cbc:TaxAmount></cac:WithholdingTaxTotal><cac:LegalMonetaryTotal>`,
		`PayableAmount currencyID="EUR">119.00`, `PayableAmount currencyID="EUR">104.00`))
	if got := invoice.Show(d.Content.WithheldTotal); got != "15.00" || invoice.StatusAfter(checked(d)) != invoice.Extracted {
		t.Errorf("withheld %q, checks %+v", got, checked(d))
	}
}

// TestParseDerivesGrossTotalFromAmountDue checks UBL 2.0, where the gross total is
// optional. Net and tax confirm it.
func TestParseDerivesGrossTotalFromAmountDue(t *testing.T) {
	t.Parallel()
	const gross = `<cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount>`
	d := read(t, ublWith(gross, ""))
	if got := invoice.Show(d.Content.GrossTotal); got != "119.00" || d.Fields["gross_total"].Source != invoice.Computed {
		t.Errorf("gross total %q from %+v", got, d.Fields["gross_total"])
	}
	for _, change := range [][2]string{{`PayableAmount currencyID="EUR">119.00`, `PayableAmount currencyID="EUR">118.00`}, {`"EUR">19.00`, `"EUR">x`}} {
		d = read(t, ublWith(gross, "", change[0], change[1]))
		if d.Content.GrossTotal != nil {
			t.Errorf("%s: gross total %s", change[1], d.Content.GrossTotal)
		}
	}
}

func TestParseOpensTheEnvelope(t *testing.T) {
	t.Parallel()
	d := read(t, `<s:StandardBusinessDocument xmlns:s="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"><s:StandardBusinessDocumentHeader/>`+
		ublWith()+`</s:StandardBusinessDocument>`)
	if d.Content.Number != "N-1" {
		t.Errorf("number %q", d.Content.Number)
	}
}

func TestParseStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data, err := os.ReadFile("testdata/ubl-invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := einvoice.Parse(ctx, data); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
