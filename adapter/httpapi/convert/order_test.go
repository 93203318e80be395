package convert

import (
	"encoding/json"
	"strings"
	"testing"

	"docledger/gen/backend"
)

// TestKeysOfAnInvoiceAreInAReadableOrder verifies that a person who reads the
// JSON of an invoice sees its status, number and totals before its lines, and
// the long lists of checks and evidence last.
func TestKeysOfAnInvoiceAreInAReadableOrder(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(backend.Invoice{})
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, key := range []string{"id", "status", "invoice_number", "seller", "buyer", "gross_total", "amount_due", "lines", "taxes", "checks", "fields"} {
		next := strings.Index(string(data), `"`+key+`":`)
		if next <= at {
			t.Errorf("%s is not after the key before it", key)
		}
		at = next
	}
}
