package xero

import (
	"context"
	"fmt"
	"slices"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/integration"
)

// counted are the statuses of bills that show how a supplier is coded.
var counted = []string{"DRAFT", "SUBMITTED", "AUTHORISED", "PAID"}

// BillCodings implements accounting.HistoryReader.
func (c *Connector) BillCodings(ctx context.Context, a integration.Access, since calendar.Date) ([]accounting.BillCoding, error) {
	at, err := tenant(a)
	if err != nil {
		return nil, err
	}
	where := fmt.Sprintf(`Date>=DateTime(%d,%02d,%02d)`, since.Year, int(since.Month), since.Day)
	list, err := c.client.Documents(ctx, at, client.Bills, where)
	if err != nil {
		return nil, translate(err)
	}
	out := []accounting.BillCoding{}
	for _, d := range list {
		if !slices.Contains(counted, d.Status) {
			continue
		}
		for _, l := range d.Lines {
			coding := accounting.BillCoding{Bill: d.ID, Contact: d.Contact.ID, Account: l.AccountID, TaxRate: l.TaxType}
			if coding.TaxRate == noTax {
				coding.TaxRate = ""
			}
			if coding.Account != "" || coding.TaxRate != "" {
				out = append(out, coding)
			}
		}
	}
	return out, nil
}
