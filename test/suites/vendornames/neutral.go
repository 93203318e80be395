// Package vendornames finds vendors' names in what callers read. The contract has
// codes for providers (section 2.2), so that a caller depends on none of them.
package vendornames

import (
	"regexp"
	"strings"
)

var vendors = regexp.MustCompile(`(?i)\b(xero|quickbooks|intuit|sharepoint|onedrive|google|dropbox|clerk|stripe|microsoft)`)

// headers have the names that the senders of webhooks give them.
var headers = strings.NewReplacer("Stripe-Signature", "", "stripe-signature", "")

// Vendors are the vendors' names in a text.
func Vendors(text string) []string {
	return vendors.FindAllString(headers.Replace(text), -1)
}
