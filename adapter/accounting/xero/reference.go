package xero

import (
	"net/url"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
)

// How our reference stands in a bill: behind the link to the invoice, or in a
// line of text of its own. Both name us, so that another application's ids are
// not taken for ours.
const (
	linkMark = "#docledger-"
	lineMark = "docledger "
)

// mark returns the link of a bill with our reference behind it. Credit notes
// have no link, and one that has a fragment of its own keeps it.
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

// reference finds our reference in a document; "" where there is none.
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
