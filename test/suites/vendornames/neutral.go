// Package vendornames finds vendors' names in what callers read. The contract has
// codes for providers (section 2.2), so that a caller depends on none of them.
package vendornames

import (
	"regexp"
	"slices"
	"strings"
)

var names = []string{"xero", "quickbooks", "intuit", "sharepoint", "onedrive", "google", "dropbox", "clerk", "stripe", "microsoft"}

var vendors = regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `)`)

// headers have the names that the senders of webhooks give them.
var headers = strings.NewReplacer("Stripe-Signature", "", "stripe-signature", "")

// Vendors are the vendors' names in a text.
func Vendors(text string) []string {
	// Most texts name none, and a search for plain strings is much faster.
	lower := strings.ToLower(text)
	if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(lower, name) }) {
		return nil
	}
	return vendors.FindAllString(headers.Replace(text), -1)
}
