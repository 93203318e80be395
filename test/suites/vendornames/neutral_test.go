package vendornames

import (
	"reflect"
	"testing"
)

func TestVendors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ACCOUNTING_A answered 503":                nil,
		"a striped shirt":                          {"stripe"},
		"Xero is out of reach":                     {"Xero"},
		`{"provider":"quickbooks"}`:                {"quickbooks"},
		"the header Stripe-Signature is missing":   nil,
		"Open Microsoft, then https://x.intuit.co": {"Microsoft", "intuit"},
	} {
		if got := Vendors(text); !reflect.DeepEqual(got, want) {
			t.Errorf("Vendors(%q) = %v, want %v", text, got, want)
		}
	}
}
