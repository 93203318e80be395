package quickbooks

import (
	"cmp"
	"context"
	"slices"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
)

// Find implements accounting.BillCreator. It queries the documents with the number and those of the
// date, and keeps the contact's. Deleted documents are not returned.
func (c *Connector) Find(ctx context.Context, a integration.Access, w accounting.BillQuery) ([]accounting.LedgerBill, error) {
	at, err := company(a)
	if err != nil {
		return nil, err
	}
	found, err := c.find(ctx, at, w)
	if err != nil {
		return nil, translate(err)
	}
	out := make([]accounting.LedgerBill, 0, len(found))
	for _, d := range found {
		b, err := c.booked(d)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func (c *Connector) find(ctx context.Context, at client.Access, w accounting.BillQuery) ([]client.Document, error) {
	var queries [][]client.Condition
	if tail, head := number(w.Number), oldNumber(w.Number); tail != "" {
		queries = append(queries, []client.Condition{client.Equal("DocNumber", tail)})
		if head != tail {
			queries = append(queries, []client.Condition{client.Equal("DocNumber", head)})
		}
	}
	if w.Reference != "" && !w.Date.IsZero() {
		conditions := []client.Condition{client.Equal("TxnDate", w.Date.String())}
		if kindOf(w.Kind) == client.Bills {
			// Many bills can have one date, but few of these are of one vendor.
			conditions = append(conditions, client.Equal("VendorRef", w.Contact))
		}
		queries = append(queries, conditions)
	}
	found := []client.Document{}
	seen := map[string]bool{}
	fits := func(d *client.Document) bool {
		same := sameNumber(*d, w.Number) || w.Reference != "" && reference(d.PrivateNote) == w.Reference
		return d.VendorRef.Value == w.Contact && same
	}
	for _, conditions := range queries {
		list, err := c.client.Documents(ctx, at, kindOf(w.Kind), fits, conditions...)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !seen[d.ID] {
				seen[d.ID] = true
				found = append(found, d)
			}
		}
	}
	slices.SortFunc(found, func(x, y client.Document) int {
		return cmp.Or(x.MetaData.CreateTime.Compare(y.MetaData.CreateTime), cmp.Compare(len(x.ID), len(y.ID)), cmp.Compare(x.ID, y.ID))
	})
	return found, nil
}

// Read implements accounting.BillCreator. It returns NotFound for a deleted document.
func (c *Connector) Read(ctx context.Context, a integration.Access, kind accounting.BillKind, id string) (accounting.LedgerBill, error) {
	at, err := company(a)
	if err != nil {
		return accounting.LedgerBill{}, err
	}
	if !client.IsID(id) {
		return accounting.LedgerBill{}, notFound("bill", connector.ErrNoSuchID)
	}
	d, err := c.client.Document(ctx, at, kindOf(kind), id)
	if err != nil {
		return accounting.LedgerBill{}, missing("bill", err)
	}
	return c.booked(d)
}
