package storetest

import (
	"fmt"
	"testing"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// testInvoiceSums compares sums with those of the same invoices in Go, over amounts
// that no binary number holds.
func testInvoiceSums(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	e := b.entity(t, s, newID()) // restricted to another member
	open := b.invoice(t, b.document(t, b.entity(t, s)), func(inv *invoice.Invoice) { inv.Currency = "GBP" })
	b.invoice(t, b.document(t, b.entity(t, other)))
	amount := func(text string) *money.Decimal { d := money.MustParse(text); return &d }
	add := func(change func(*invoice.Invoice)) {
		b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
			inv.Status, inv.Type, inv.Currency, inv.IssueDate = invoice.Extracted, invoice.TypeInvoice, "EUR", calendar.Date{Year: 2026, Month: 3, Day: 31}
			inv.Seller.Name, inv.Seller.TaxID = "Acme", "DE1"
			inv.NetTotal, inv.TaxTotal, inv.GrossTotal, inv.AmountDue = amount("0.10"), amount("0.019"), amount("0.119"), amount("0.1190")
			inv.Taxes = []invoice.Tax{{Category: "S", Rate: amount("19.00"), Base: amount("0.10"), Amount: amount("0.019")}}
			inv.Lines = []invoice.Line{{AccountID: "400", NetAmount: amount("0.04"), TaxCategory: "S", TaxRate: amount("19")}, {AccountID: "500", NetAmount: amount("0.06"), TaxCategory: "S", TaxRate: amount("19.0")}}
			change(inv)
		})
	}
	add(func(*invoice.Invoice) {})
	add(func(inv *invoice.Invoice) { inv.Seller.Name, inv.Taxes[0].Rate = "ACME Ltd", amount("19") })
	add(func(inv *invoice.Invoice) {
		inv.Type, inv.IssueDate = invoice.TypeCreditNote, calendar.Date{Year: 2026, Month: 4, Day: 1}
	})
	add(func(inv *invoice.Invoice) { inv.Status = invoice.Rejected })
	add(func(inv *invoice.Invoice) { inv.Currency, inv.Seller.TaxID, inv.Lines, inv.Taxes = "USD", "", nil, nil })
	for name, test := range map[string]struct {
		keys []invoice.SumKey
		want string
	}{
		"currency":        {[]invoice.SumKey{invoice.SumByCurrency}, "EUR 3 0.10 0.019 0.119 0.119; USD 1 0.10 0.019 0.119 0.119; "},
		"supplier":        {[]invoice.SumKey{invoice.SumBySupplier}, "EUR DE1 3 0.10 0.019 0.119 0.119; USD 1 0.10 0.019 0.119 0.119; "},
		"month":           {[]invoice.SumKey{invoice.SumByMonth}, "EUR 2026-03 2 0.20 0.038 0.238 0.238; EUR 2026-04 1 -0.10 -0.019 -0.119 -0.119; USD 2026-03 1 0.10 0.019 0.119 0.119; "},
		"tax":             {[]invoice.SumKey{invoice.SumByTax}, "EUR S 19 3 0.10 0.019 0.119 -; "},
		"account":         {[]invoice.SumKey{invoice.SumByAccount}, "EUR 400 3 0.04 - - -; EUR 500 3 0.06 - - -; "},
		"account and tax": {[]invoice.SumKey{invoice.SumByAccount, invoice.SumByTax}, "EUR S 19 400 3 0.04 - - -; EUR S 19 500 3 0.06 - - -; "},
		"status and type": {[]invoice.SumKey{invoice.SumByStatus, invoice.SumByType}, "EUR EXTRACTED CREDIT_NOTE 1 -0.10 -0.019 -0.119 -0.119; EUR EXTRACTED INVOICE 2 0.20 0.038 0.238 0.238; USD EXTRACTED INVOICE 1 0.10 0.019 0.119 0.119; "},
	} {
		sums, err := b.Invoices().Sum(b.ctx, s, invoice.Filter{EntityID: e.ID}, test.keys)
		must(t, err)
		got := ""
		for _, sum := range sums {
			for _, value := range []string{sum.Currency, sum.SellerTaxID, string(sum.Status), string(sum.Type), sum.Month, sum.TaxCategory, invoice.Show(sum.TaxRate), sum.AccountID, fmt.Sprint(sum.Count)} {
				if value != "" {
					got += value + " "
				}
			}
			for _, d := range []*money.Decimal{sum.Net, sum.Tax, sum.Gross, sum.Due} {
				if d == nil {
					got += "- "
					continue
				}
				got += d.String() + " "
			}
			got = got[:len(got)-1] + "; "
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	outsider := identity.Scope{OrganizationID: s.OrganizationID, Member: newID()}
	sums, err := b.Invoices().Sum(b.ctx, outsider, invoice.Filter{}, []invoice.SumKey{invoice.SumByEntity})
	must(t, err)
	if len(sums) != 1 || sums[0].EntityID != open.EntityID || sums[0].Currency != "GBP" {
		t.Errorf("a member reads the sums of other entities: %+v", sums)
	}
}
