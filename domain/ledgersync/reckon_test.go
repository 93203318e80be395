package ledgersync

import (
	"math/rand/v2"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// worth returns the total of a bill's lines including tax.
func worth(b accounting.Bill) (total money.Decimal) {
	for _, l := range b.Lines {
		total = total.Add(l.Amount)
		if b.Tax == accounting.TaxExclusive {
			total = total.Add(l.TaxAmount)
		}
	}
	return total
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Order)
		kind   accounting.BillKind
		tax    accounting.TaxTreatment
		total  string
		lines  int
		code   accounting.Code
	}{
		"plain": {func(*Order) {}, accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 1, ""},
		"rounded per line while the document rounds the sum": {func(o *Order) {
			o.Invoice.Lines = []invoice.Line{line("0.33", "20"), line("0.33", "20"), line("0.33", "20")}
			o.Invoice.NetTotal, o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("0.99"), opt("0.20"), opt("1.19")
		}, accounting.PurchaseBill, accounting.TaxExclusive, "1.19", 3, ""},
		"lines a cent short": {func(o *Order) { o.Invoice.Lines[0].NetAmount = opt("99.99") },
			accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 2, ""},
		"lines with more decimals": {func(o *Order) {
			o.Invoice.Lines = []invoice.Line{line("33.3333", "20"), line("33.3333", "20"), line("33.3334", "20")}
		}, accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 4, ""},
		"a line is missing": {func(o *Order) { o.Invoice.NetTotal, o.Invoice.GrossTotal = opt("150.00"), opt("170.00") }, "", "", "", 0, accounting.CodeTotalsDiffer},
		"tax is off":        {func(o *Order) { o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("21.00"), opt("121.00") }, "", "", "", 0, accounting.CodeTotalsDiffer},
		"gross is off":      {func(o *Order) { o.Invoice.GrossTotal = opt("125.00") }, "", "", "", 0, accounting.CodeTotalsDiffer},
		"cash rounding": {func(o *Order) { o.Invoice.PayableRounding = opt("-0.03") },
			accounting.PurchaseBill, accounting.TaxExclusive, "119.97", 2, ""},
		"allowance and charge": {func(o *Order) {
			o.Invoice.AllowancesCharges = []invoice.AllowanceCharge{
				{Amount: opt("10.00"), TaxRate: opt("20"), TaxCategory: "S", Reason: "Discount"},
				{IsCharge: true, Amount: opt("5.00"), TaxRate: opt("20"), TaxCategory: "S"},
			}
			o.Invoice.NetTotal, o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("95.00"), opt("19.00"), opt("114.00")
		}, accounting.PurchaseBill, accounting.TaxExclusive, "114.00", 3, ""},
		"no lines, one row of tax": {func(o *Order) {
			o.Invoice.Lines = nil
			o.Invoice.Taxes = []invoice.Tax{{Category: "S", Rate: opt("20"), Base: opt("100.00"), Amount: opt("20.00")}}
		}, accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 1, ""},
		"lines without rates, one row of tax": {func(o *Order) {
			o.Invoice.Lines[0].TaxRate, o.Invoice.Lines[0].TaxCategory = nil, ""
			o.Invoice.Taxes = []invoice.Tax{{Category: "S", Rate: opt("20.00"), Base: opt("100.00"), Amount: opt("20.00")}}
		}, accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 1, ""},
		"reverse charge with a stated rate": {func(o *Order) {
			o.Invoice.Lines[0].TaxCategory = "AE"
			o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("0.00"), opt("100.00")
		}, accounting.PurchaseBill, accounting.TaxExclusive, "100.00", 1, ""},
		"credit note": {func(o *Order) { o.Invoice.Type = invoice.TypeCreditNote },
			accounting.SupplierCredit, accounting.TaxExclusive, "120.00", 1, ""},
		"negative invoice":     {negative(invoice.TypeInvoice), accounting.SupplierCredit, accounting.TaxExclusive, "120.00", 1, ""},
		"negative credit note": {negative(invoice.TypeCreditNote), accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 1, ""},
		"pays no tax":          {func(o *Order) { o.PaysTax = false }, accounting.PurchaseBill, accounting.TaxInclusive, "120.00", 1, ""},
		"pays no tax, rates unknown": {func(o *Order) {
			o.PaysTax = false
			o.Invoice.Lines = []invoice.Line{line("33.33", ""), line("66.67", "")}
		}, accounting.PurchaseBill, accounting.TaxInclusive, "120.00", 2, ""},
		"ledger without tax": {func(o *Order) { o.Ledger.Rules.HasTax = false }, accounting.PurchaseBill, accounting.NoTax, "120.00", 1, ""},
		"nothing but gross": {func(o *Order) {
			o.PaysTax, o.Invoice.Lines, o.Invoice.NetTotal, o.Invoice.TaxTotal = false, nil, nil, nil
		}, accounting.PurchaseBill, accounting.TaxInclusive, "120.00", 1, ""},
		"withheld tax stays owed to the office": {func(o *Order) { o.Invoice.WithheldTotal = opt("20.00") },
			accounting.PurchaseBill, accounting.TaxExclusive, "120.00", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := order()
			tt.change(&o)
			b, err := o.Bill()
			wantCode(t, err, tt.code)
			if err != nil {
				return
			}
			if b.Kind != tt.kind || b.Tax != tt.tax || len(b.Lines) != tt.lines {
				t.Errorf("%s, tax %s, %d lines; want %s, %s, %d: %+v", b.Kind, b.Tax, len(b.Lines), tt.kind, tt.tax, tt.lines, b.Lines)
			}
			if got := worth(b); !got.Equal(dec(tt.total)) || !b.Total.Equal(got) {
				t.Errorf("the lines total %s, the bill %s, want %s", got, b.Total, tt.total)
			}
			var stated money.Decimal
			for _, tax := range b.Taxes {
				stated = stated.Add(tax.Amount)
			}
			if b.Tax == accounting.TaxExclusive {
				if tax := o.Invoice.TaxTotal; tax != nil && !stated.Equal(tax.Abs()) {
					t.Errorf("tax %s, the invoice says %s", stated, tax)
				}
			}
		})
	}
}

func negative(kind invoice.Type) func(*Order) {
	return func(o *Order) {
		o.Invoice.Type = kind
		o.Invoice.Lines[0].NetAmount, o.Invoice.Lines[0].Quantity, o.Invoice.Lines[0].UnitPrice = opt("-100.00"), opt("-1"), opt("100.00")
		o.Invoice.NetTotal, o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("-100.00"), opt("-20.00"), opt("-120.00")
	}
}

func TestPriceAndQuantityOnlyWhereTheyMakeTheAmount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		quantity, price, base string
		kept                  bool
	}{{"4", "25", "", true}, {"4", "50", "2", true}, {"3", "33.3333", "", true}, {"3", "30", "", false}, {"", "100", "", false}, {"1", "100", "0", true}} {
		o := order()
		l := &o.Invoice.Lines[0]
		l.Quantity, l.UnitPrice, l.PriceBase = opt(tt.quantity), opt(tt.price), opt(tt.base)
		b, err := o.Bill()
		if err != nil {
			t.Fatal(err)
		}
		if kept := b.Lines[0].Quantity != nil; kept != tt.kept || kept != (b.Lines[0].UnitPrice != nil) {
			t.Errorf("%+v: quantity kept %v", tt, kept)
		}
	}
}

// TestRandomInvoicesComeToTheirTotals generates invoices that round per line and per sum, with
// mixed rates.
func TestRandomInvoicesComeToTheirTotals(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	rates := []string{"20", "0", "20.0"}
	for range 2000 {
		o := order()
		o.Invoice.Lines = nil
		o.Settings.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "0", TaxRateID: "t0"}}
		bases := map[string]money.Decimal{}
		var net, byLine money.Decimal
		for range 1 + draw.IntN(20) {
			rate := rates[draw.IntN(len(rates))]
			amount := money.FromInt(draw.Int64N(1_000_000) - 100_000).Mul(dec("0.001"))
			l := line(amount.Round(2).String(), rate)
			o.Invoice.Lines = append(o.Invoice.Lines, l)
			net = net.Add(*l.NetAmount)
			bases[rate[:1]] = bases[rate[:1]].Add(*l.NetAmount)
			byLine = byLine.Add(l.NetAmount.Mul(dec(rate)).Div(dec("100")).Round(2))
		}
		tax := bases["2"].Mul(dec("0.2")).Round(2)
		if draw.IntN(2) == 0 {
			tax = byLine
		}
		gross := net.Add(tax)
		o.Invoice.NetTotal, o.Invoice.TaxTotal, o.Invoice.GrossTotal = &net, &tax, &gross
		o.PaysTax = draw.IntN(4) > 0
		b, err := o.Bill()
		if err != nil {
			t.Fatalf("%v: net %s, tax %s, by line %s", err, net, tax, byLine)
		}
		if got := worth(b); !got.Equal(gross.Abs()) || !b.Total.Equal(got) {
			t.Fatalf("lines total %s, the bill %s, the invoice %s", got, b.Total, gross)
		}
	}
}
