package invoice_test

import (
	"testing"

	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/test/lib/cputime"
)

// TestChecksOfAVastInvoice guards the cost of the checks. They run in the service, so their time
// must not grow with the product of lines and taxes.
func TestChecksOfAVastInvoice(t *testing.T) {
	t.Parallel()
	one, rate := money.MustParse("1.00"), money.MustParse("19")
	var c invoice.Content
	for range invoice.MaxLines {
		c.Lines = append(c.Lines, invoice.Line{NetAmount: &one, TaxRate: &rate})
	}
	for range 20_000 {
		c.Taxes = append(c.Taxes, invoice.Tax{Rate: &rate, Base: &one, Amount: &one})
	}
	cputime.Within(t, 0, func() { invoice.RunChecks(c, nil, invoice.CheckContext{}) })
}
