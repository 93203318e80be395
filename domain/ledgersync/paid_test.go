package ledgersync

import "testing"

// TestBillStatesPayment checks that the bill of a paid invoice says so, and still has the whole
// amount, because docledger records no payments.
func TestBillStatesPayment(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Order)
		memo   string
	}{
		"open": {func(*Order) {}, ""},
		"paid": {func(o *Order) {
			o.Invoice.PrepaidTotal, o.Invoice.AmountDue = opt("120.00"), opt("0.00")
		}, "Already paid according to the invoice"},
		"paid by text": {func(o *Order) { o.Invoice.Payment.Terms = "Paid in cash" }, "Already paid according to the invoice"},
		"paid in part, with an order": {func(o *Order) {
			o.Invoice.PurchaseOrder, o.Invoice.PrepaidTotal, o.Invoice.AmountDue = "4711", opt("20.00"), opt("100.00")
		}, "Purchase order 4711; EUR 20.00 already paid according to the invoice"},
	} {
		o := order()
		tt.change(&o)
		b, err := o.Bill()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b.Memo != tt.memo || !b.Total.Equal(dec("120.00")) {
			t.Errorf("%s: memo %q, total %s", name, b.Memo, b.Total)
		}
	}
}
