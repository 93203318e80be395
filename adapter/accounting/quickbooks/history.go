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
	list, err := c.client.Documents(ctx, at, client.Bills, client.AtLeast("TxnDate", since.String()))
	if err != nil {
		return nil, translate(err)
	}
	out := []accounting.BillCoding{}
	for _, d := range list {
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
	}
	return out, nil
}
