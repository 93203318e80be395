package xero

import (
	"net/url"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
)

// These constants mark docledger's reference in a bill: in the fragment of the link to the invoice,
// or in a separate line of text. Both contain the product name, so ids of other applications are
// not treated as references.
const (
	linkMark = "#docledger-"
	lineMark = "docledger "
)

// mark returns the link of a bill with the reference as its fragment. It reports false for a credit
// note, which has no link, and keeps a link that already has a fragment.
func mark(b accounting.Bill) (link string, marked bool) {
	if b.Kind == accounting.SupplierCredit {
		return "", false
	}
	u, err := url.Parse(b.Link)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", false
	}
	if strings.Contains(b.Link, "#") {
		return b.Link, false
	}
	return b.Link + linkMark + b.Reference, true
}

func textMark(reference string) string { return lineMark + reference }

// reference returns docledger's reference in a document, or "" if there is none.
func reference(d client.Document) string {
	if _, id, found := strings.Cut(d.Link, linkMark); found && client.IsID(id) {
		return id
	}
	for _, l := range d.Lines {
		if id, found := strings.CutPrefix(strings.TrimSpace(l.Description), lineMark); found && client.IsID(id) {
			return id
		}
	}
	return ""
}
