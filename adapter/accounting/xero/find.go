package xero

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
)

// Find implements accounting.BillCreator with the contact's documents of the number and those of
// the date. The provider does not state creation times, so documents are ordered by last change,
// oldest first.
func (c *Connector) Find(ctx context.Context, a integration.Access, w accounting.BillQuery) ([]accounting.LedgerBill, error) {
	at, err := tenant(a)
	if err != nil {
		return nil, err
	}
	if !client.IsID(w.Contact) {
		return []accounting.LedgerBill{}, nil
	}
	k := kindOf(w.Kind)
	wanted := number(w.Number)
	found := []client.Document{}
	seen := map[string]bool{}
	ours := false
	for _, where := range filters(k, w.Contact, wanted, w) {
		if ours {
			break // a document with the reference has kept its number
		}
		list, err := c.client.Documents(ctx, at, k, where)
		if err != nil {
			return nil, translate(err)
		}
		for _, d := range list {
			if !seen[d.ID] && (d.Number == wanted && wanted != "" || w.Reference != "" && reference(d) == w.Reference) {
				seen[d.ID] = true
				found = append(found, d)
				ours = ours || w.Reference != "" && reference(d) == w.Reference
			}
		}
	}
	slices.SortStableFunc(found, func(x, y client.Document) int { return x.Updated.Compare(y.Updated.Time) })
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

// filters returns the filters of the search. A number that needs quoting is not used, because the
// provider does not document quoting. All documents of the contact are listed instead.
func filters(k *client.Kind, contact, number string, w accounting.BillQuery) []string {
	of := fmt.Sprintf(`Contact.ContactID==guid("%s")`, contact)
	if strings.ContainsAny(number, `"\`) {
		return []string{of}
	}
	out := []string{}
	if number != "" {
		out = append(out, fmt.Sprintf(`%s AND %s=="%s"`, of, k.Number(), number))
	}
	if w.Reference != "" && !w.Date.IsZero() {
		out = append(out, fmt.Sprintf(`%s AND Date==DateTime(%d,%02d,%02d)`, of, w.Date.Year, int(w.Date.Month), w.Date.Day))
	}
	return out
}

// Read implements accounting.BillCreator.
func (c *Connector) Read(ctx context.Context, a integration.Access, kind accounting.BillKind, id string) (accounting.LedgerBill, error) {
	at, err := tenant(a)
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
	if !d.Kind.Holds(d) {
		return accounting.LedgerBill{}, notFound("bill", errors.New("the document is for a customer"))
	}
	return c.booked(d)
}
