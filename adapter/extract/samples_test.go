package extract_test

import (
	"fmt"
	"strings"

	"docledger/adapter/extract/pdf/pdftest"
)

// ubl is a small UBL invoice.
func ubl(number, gross string) []byte {
	return []byte(fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:ID>%s</cbc:ID><cbc:IssueDate>2026-05-04</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
 <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount currencyID="EUR">%s</cbc:TaxInclusiveAmount>
 <cbc:PayableAmount currencyID="EUR">%[2]s</cbc:PayableAmount></cac:LegalMonetaryTotal>
</Invoice>`, number, gross))
}

// cii is a small Factur-X invoice, profile MINIMUM.
func cii(number, gross string) []byte {
	return []byte(fmt.Sprintf(`<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
 <rsm:ExchangedDocument><ram:ID>%s</ram:ID><ram:TypeCode>380</ram:TypeCode>
 <ram:IssueDateTime><udt:DateTimeString format="102">20260504</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
 <rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
 <ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:GrandTotalAmount>%s</ram:GrandTotalAmount>
 <ram:DuePayableAmount>%[2]s</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
 </ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`, number, gross))
}

// zugferd1 is a small ZUGFeRD 1 invoice.
func zugferd1(number, gross string) []byte {
	return []byte(fmt.Sprintf(`<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:12"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:15">
 <rsm:HeaderExchangedDocument><ram:ID>%s</ram:ID><ram:TypeCode>380</ram:TypeCode>
 <ram:IssueDateTime><udt:DateTimeString format="102">20260504</udt:DateTimeString></ram:IssueDateTime></rsm:HeaderExchangedDocument>
 <rsm:SpecifiedSupplyChainTradeTransaction><ram:ApplicableSupplyChainTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
 <ram:SpecifiedTradeSettlementMonetarySummation><ram:GrandTotalAmount currencyID="EUR">%s</ram:GrandTotalAmount>
 </ram:SpecifiedTradeSettlementMonetarySummation></ram:ApplicableSupplyChainTradeSettlement></rsm:SpecifiedSupplyChainTradeTransaction>
</rsm:CrossIndustryDocument>`, number, gross))
}

// orderX is an order in the format of Factur-X.
func orderX() []byte {
	return []byte(`<rsm:SCRDMCCBDACIOMessageStructure xmlns:rsm="urn:un:unece:uncefact:data:SCRDMCCBDACIOMessageStructure:100"/>`)
}

// xxe is an XML document with an external entity that refers to a local file.
func xxe() []byte {
	return []byte(strings.Replace(string(ubl("&file;", "1.00")), "<Invoice",
		`<!DOCTYPE Invoice [<!ENTITY file SYSTEM "file:///etc/hostname">]><Invoice`, 1))
}

// pdfSample is a hybrid PDF.
func pdfSample() []byte {
	return pdftest.Hybrid("Invoice FX-7", []string{"factur-x.xml"}, cii("FX-7", "119.00"))
}
