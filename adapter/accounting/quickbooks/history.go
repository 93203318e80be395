package quickbooks

import (
	"context"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/integration"
)

// BillCodings implements accounting.HistoryReader. The provider does not list deleted bills; a voided
// bill has no amount.
func (c *Connector) BillCodings(ctx context.Context, a integration.Access, since calendar.Date) ([]accounting.BillCoding, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	out := []accounting.BillCoding{}
	// A company can have more bills than fit into memory, but only their codings are needed.
	_, err = c.client.Documents(ctx, at, client.Bills, func(d *client.Document) bool {
		out = append(out, codings(d)...)
		return false
	}, client.AtLeast("TxnDate", since.String()))
	if err != nil {
		return nil, translate(err)
	}
	return out, nil
}

// codings returns those of the lines of a bill.
func codings(d *client.Document) (out []accounting.BillCoding) {
	for _, l := range d.Lines {
		if l.DetailType != client.LineType {
			continue
		}
		coding := accounting.BillCoding{Bill: d.ID, Contact: d.VendorRef.Value, Account: l.Detail.AccountRef.Value}
		if l.Detail.TaxCodeRef != nil {
			coding.TaxRate = l.Detail.TaxCodeRef.Value
		}
		if coding.Account != "" || coding.TaxRate != "" {
			out = append(out, coding)
		}
	}
	return out
}
