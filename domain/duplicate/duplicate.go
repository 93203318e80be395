// Package duplicate decides whether two invoices are the same invoice (domain D7). It compares
// values and does no I/O.
package duplicate

import (
	"slices"
	"strconv"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Record contains the values of an invoice that the rules compare.
type Record struct {
	InvoiceID  uuid.UUID
	EntityID   uuid.UUID
	Bytes      string // identifies the bytes and the part of the file; "" if unknown
	Type       invoice.Type
	Number     string // as stated
	IssueDate  calendar.Date
	Gross      *money.Decimal
	Currency   string
	TaxID      string // of the seller, as stated
	Country    string // of the seller
	IBAN       string
	Name       string // of the seller, as stated
	Structured bool   // read from XML
	Inexact    bool   // the number may be misread: character recognition or a person wrote it
}

// Of returns the record of an invoice. bytes identifies the bytes of its document, see BytesKey.
func Of(inv *invoice.Invoice, bytes string) Record {
	r := Record{
		InvoiceID: inv.ID, EntityID: inv.EntityID, Bytes: bytes,
		Type: inv.Type, Number: inv.Number, IssueDate: inv.IssueDate, Gross: inv.GrossTotal, Currency: inv.Currency,
		TaxID: inv.Seller.TaxID, Country: inv.Seller.Address.Country, Name: inv.Seller.Name, IBAN: inv.Payment.IBAN,
		Structured: inv.Extraction.Method == invoice.Structured,
	}
	source := inv.Fields["invoice_number"].Source
	r.Inexact = source == invoice.FromOCR || source == invoice.ByHuman
	if r.IBAN == "" {
		r.IBAN = inv.Seller.IBAN
	}
	if r.Gross == nil {
		r.Gross = inv.AmountDue
	}
	return r
}

// BytesKey identifies a document's bytes. The parts of a split file have the same bytes and
// different keys.
func BytesKey(sha256 string, part int) string {
	if sha256 == "" || part == 0 {
		return sha256
	}
	return sha256 + "#" + strconv.Itoa(part)
}

// Keys are the values by which the store finds the records that can match. Two records of the same
// number have the same Number key; other numbers can have it as well.
type Keys struct {
	Number string // "" if the record has no number
	TaxID  string
	IBAN   string
	Name   string
}

// Keys returns the keys of the record.
func (r Record) Keys() Keys {
	return Keys{Number: numberKey(r.Number), TaxID: taxKey(r.TaxID), IBAN: invoice.FoldIBAN(r.IBAN), Name: nameKey(r.Name)}
}

// HasNumber reports whether the number of the record is one of the given ones.
func (r Record) HasNumber(numbers []string) bool {
	return slices.ContainsFunc(numbers, func(n string) bool { return sameNumbers(r.Number, n) })
}

// taxKey removes the country prefix, which one of two notations may lack.
func taxKey(s string) string {
	s = invoice.FoldTaxID(s)
	if len(s) >= 8 && letter(s[0]) && letter(s[1]) {
		return s[2:]
	}
	return s
}

// shortestName is the length from which a name identifies a supplier.
const shortestName = 2

func nameKey(s string) string {
	if s = invoice.FoldName(s); len(s) < shortestName {
		return ""
	}
	return s
}

func letter(c byte) bool { return 'A' <= c && c <= 'Z' }
