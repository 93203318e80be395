package einvoice

import (
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/extraction"
)

// dialect is one family of formats.
type dialect struct {
	format      string
	read        func(root xmltree.Elem) ([]*draft, error)
	profile     func(root xmltree.Elem) string
	attachments func(root xmltree.Elem, yield func(attachment) bool)
}

var (
	ubl = dialect{FormatUBL, readUBL,
		func(root xmltree.Elem) string { return root.Child("CustomizationID").Text() }, attachmentsUBL}
	cii = dialect{FormatCII, readCII,
		func(root xmltree.Elem) string {
			return root.Path("ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID").Text()
		}, attachmentsCII}
	zugferd1 = dialect{FormatZUGFeRD1, readZUGFeRD1,
		func(root xmltree.Elem) string {
			return root.Path("SpecifiedExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID").Text()
		}, attachmentsCII}
	fatturaPA = dialect{FormatFatturaPA, readFatturaPA,
		func(root xmltree.Elem) string { return root.Attr("versione") }, attachmentsFatturaPA}
	fatturaPASimplified = dialect{FormatFatturaPA, readFatturaPASimplified,
		func(root xmltree.Elem) string { return root.Attr("versione") }, attachmentsFatturaPA}
	facturae = dialect{FormatFacturae, readFacturae,
		func(root xmltree.Elem) string { return root.Path("FileHeader", "SchemaVersion").Text() }, attachmentsFacturae}
	ksef = dialect{FormatKSeF, readKSeF,
		func(root xmltree.Elem) string { return root.Path("Naglowek", "KodFormularza").Attr("kodSystemowy") }, attachmentsNone}
)

// Namespaces, or the start or end of namespaces.
const (
	spaceUBL      = "urn:oasis:names:specification:ubl:schema:xsd:"
	spaceCEFACT   = "urn:un:unece:uncefact:data:"
	spaceZUGFeRD1 = "urn:ferd:CrossIndustryDocument:"
	spaceSBDH     = "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"
	spaceISO20022 = "urn:iso:std:iso:20022:tech:xsd:"
	spaceKSeF     = "http://crd.gov.pl/wzor/"
)

// unwrap returns the business document in a Standard Business Document, the envelope
// of the Peppol network.
func unwrap(root xmltree.Elem) xmltree.Elem {
	if root.Local() != "StandardBusinessDocument" || root.Space() != spaceSBDH {
		return root
	}
	for child := range root.All() {
		if child.Local() != "StandardBusinessDocumentHeader" {
			return child
		}
	}
	return root
}

// detect returns the dialect of the root element. For a document that is not an
// invoice, it returns a Failure with the document's kind.
func detect(root xmltree.Elem) (dialect, error) {
	space, local := root.Space(), root.Local()
	switch {
	case strings.HasPrefix(space, spaceUBL):
		if _, ok := ublDocuments[local]; ok && strings.HasSuffix(space, local+"-2") {
			return ubl, nil
		}
	case strings.HasPrefix(space, spaceCEFACT) && local == "CrossIndustryInvoice":
		return cii, nil
	case strings.HasPrefix(space, spaceZUGFeRD1) && local == "CrossIndustryDocument":
		return zugferd1, nil
	case local == "FatturaElettronica" && containsFold(space, "fattur"):
		return fatturaPA, nil
	case local == "FatturaElettronicaSemplificata" && containsFold(space, "fattur"):
		return fatturaPASimplified, nil
	case local == "Facturae" && containsFold(space, "facturae"):
		return facturae, nil
	case strings.HasPrefix(space, spaceKSeF) && local == "Faktura":
		return ksef, nil
	}
	return dialect{}, notRead(space, local)
}

// notRead returns the failure for a document with an unsupported root element.
func notRead(space, local string) error {
	for _, u := range unsupported {
		if u.local == local && containsFold(space, u.space) {
			return extraction.Fail(extraction.UnsupportedType,
				"This format of electronic invoice is not supported (%s). Upload the invoice as a PDF, or ask the sender for UBL or CII.", u.name)
		}
	}
	kind := extraction.Other
	switch {
	case strings.HasPrefix(space, spaceUBL), strings.HasPrefix(space, spaceCEFACT):
		if k, ok := kindsByRoot[local]; ok {
			kind = k
		}
	case strings.HasPrefix(space, spaceISO20022):
		kind = kindISO20022(strings.TrimPrefix(space, spaceISO20022))
	case containsFold(space, "fatturapa.gov.it/sdi/messaggi"), strings.HasPrefix(space, "http://ksef.mf.gov.pl/"):
		kind = extraction.Message
	}
	return noInvoice(kind, local)
}

func noInvoice(kind extraction.Kind, what string) error {
	names := map[extraction.Kind]string{
		extraction.Proforma:      "a pro forma invoice, which asks for no payment",
		extraction.Reminder:      "a reminder",
		extraction.Statement:     "a statement of account",
		extraction.Quote:         "a quotation",
		extraction.Order:         "an order",
		extraction.DeliveryNote:  "a delivery note",
		extraction.PaymentAdvice: "a payment advice",
		extraction.Message:       "a message about a document",
	}
	name, ok := names[kind]
	if !ok {
		name = "XML of another kind"
	}
	return extraction.NoInvoice(kind, "This is %s (%s), not an invoice. Upload the invoice itself.", name, shorten(what, 60))
}

// unsupported lists invoice formats without a parser.
var unsupported = []struct{ local, space, name string }{
	{"Invoice", "urn:oasis:names:specification:ubl:schema:xsd:Invoice-1", "UBL 1.0"},
	{"Invoice", "urn:sfti:documents:BasicInvoice", "Svefaktura"},
	{"Invoice", "ebinterface.at", "ebInterface"},
	{"Finvoice", "", "Finvoice"},
	{"cXML", "", "cXML"},
	{"CFDI", "sat.gob.mx/cfd", "CFDI"},
	{"Comprobante", "sat.gob.mx/cfd", "CFDI"},
}

// kindsByRoot maps UBL and UN/CEFACT documents that are not invoices to their kinds.
var kindsByRoot = map[string]extraction.Kind{
	"Order": extraction.Order, "OrderChange": extraction.Order, "OrderCancellation": extraction.Order,
	"OrderResponse": extraction.Order, "OrderResponseSimple": extraction.Order,
	"CrossIndustryOrder": extraction.Order, "CrossIndustryOrderChange": extraction.Order, "CrossIndustryOrderResponse": extraction.Order,
	"SCRDMCCBDACIOMessageStructure": extraction.Order, // Order-X
	"Quotation":                     extraction.Quote, "RequestForQuotation": extraction.Quote, "CrossIndustryQuotation": extraction.Quote,
	"DespatchAdvice": extraction.DeliveryNote, "ReceiptAdvice": extraction.DeliveryNote, "Waybill": extraction.DeliveryNote,
	"CrossIndustryDespatchAdvice": extraction.DeliveryNote, "SCRDMCCBDACIDAMessageStructure": extraction.DeliveryNote,
	"Reminder": extraction.Reminder, "Statement": extraction.Statement, "UtilityStatement": extraction.Statement,
	"RemittanceAdvice": extraction.PaymentAdvice, "CrossIndustryRemittanceAdvice": extraction.PaymentAdvice,
	"ApplicationResponse": extraction.Message, "DocumentStatus": extraction.Message, "InvoiceResponse": extraction.Message,
	"CrossDomainAcknowledgementAndResponse": extraction.Message, // CDAR
}

func kindISO20022(message string) extraction.Kind {
	switch {
	case strings.HasPrefix(message, "camt.052"), strings.HasPrefix(message, "camt.053"), strings.HasPrefix(message, "camt.054"):
		return extraction.Statement
	case strings.HasPrefix(message, "remt."), strings.HasPrefix(message, "pain.001"):
		return extraction.PaymentAdvice
	}
	return extraction.Message
}

// creditNoteCodes are the codes of UNTDID 1001 that EN 16931 allows for credit
// notes.
var creditNoteCodes = map[string]bool{
	"81": true, "83": true, "261": true, "262": true, "296": true, "308": true, "381": true, "396": true,
	"420": true, "458": true, "502": true, "503": true, "532": true,
}

// kindsByCode maps the codes of UNTDID 1001 that are not a request for payment.
var kindsByCode = map[string]extraction.Kind{
	"325": extraction.Proforma,
	"105": extraction.Order, "220": extraction.Order, "221": extraction.Order, "224": extraction.Order, "226": extraction.Order,
	"227": extraction.Order, "230": extraction.Order, "231": extraction.Order,
	"310": extraction.Quote, "315": extraction.Quote,
	"270": extraction.DeliveryNote, "351": extraction.DeliveryNote,
	"481": extraction.PaymentAdvice,
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
