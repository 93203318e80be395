package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Allocate applies an amount of a credit note to a bill. Both must be approved.
func (c *Client) Allocate(ctx context.Context, a Access, note, bill string, amount json.Number, date, key string) error {
	const plural = "Allocations"
	out := c.accounting("allocate", http.MethodPut, a, CreditNotes.plural, note, plural)
	_, err := c.write(ctx, out, plural, map[string]any{
		"Invoice": map[string]string{"InvoiceID": bill}, "Amount": amount, "Date": date,
	}, key)
	return err
}
