package readable_test

import (
	"strings"
	"testing"

	"docledger/adapter/extract/readable"
	"docledger/domain/invoice"
	"docledger/test/lib/cputime"
)

// FuzzTime checks that the time for the rendering of invoices with any text is
// proportional to their size.
func FuzzTime(f *testing.F) {
	f.Add("Article", uint16(1), uint16(2500), uint8(1))
	f.Add("W", uint16(2500), uint16(300), uint8(1))
	f.Add("word ", uint16(400), uint16(300), uint8(1))
	f.Add("請求書 ", uint16(400), uint16(200), uint8(2))
	f.Add("<&>\"'", uint16(400), uint16(200), uint8(2))
	f.Add("\u202e\u200b", uint16(1000), uint16(500), uint8(1))
	f.Add("x\n", uint16(200), uint16(10), uint8(60))
	f.Fuzz(func(t *testing.T, piece string, times, lines uint16, invoices uint8) {
		const most = 16 << 10 // bytes of all descriptions
		if len(piece) == 0 || len(piece) > 500 {
			return
		}
		text := strings.Repeat(piece, min(int(times), most/len(piece)))
		lines = min(lines, uint16(most/(len(text)*int(max(invoices, 1))+1)+1), 10_000)
		c := invoice.Content{
			Number: text, Note: text, Currency: text, TaxCurrency: text, TypeCode: text, PurchaseOrder: text,
			Seller: invoice.Party{Name: text, TradingName: text, TaxID: text, Address: invoice.Address{Line1: text, City: text}}, Buyer: invoice.Party{Name: text, Email: text},
			Payment: invoice.Payment{IBAN: text, Reference: text, Terms: text},
		}
		for range lines {
			c.Lines = append(c.Lines, invoice.Line{Description: text, Unit: text})
			c.Taxes = append(c.Taxes, invoice.Tax{Category: text})
			c.AllowancesCharges = append(c.AllowancesCharges, invoice.AllowanceCharge{Reason: text})
			c.PrecedingInvoices = append(c.PrecedingInvoices, invoice.Reference{Number: text})
		}
		d := readable.Document{Format: text}
		for range max(invoices, 1) {
			d.Invoices = append(d.Invoices, c)
		}
		const element = 50 // bytes of XML around a value
		size := len(d.Invoices) * (int(lines)*5 + 15) * (len(text) + element)
		for _, render := range []func(readable.Document) ([]byte, error){readable.HTML, readable.PDF} {
			cputime.Within(t, size, func() {
				if _, err := render(d); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
