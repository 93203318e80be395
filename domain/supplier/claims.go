package supplier

import (
	"slices"
	"strings"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// keeps reports whether an approved invoice does not replace a value, because the value is sure. A
// place that a person corrected replaces also a sure value. A value that a person added to an invoice
// without one does not: its document need not print the value, and another text can have it by chance.
func keeps(inv *invoice.Invoice, path string, before, now *invoice.Evidence, known bool) bool {
	if !known || now.Confidence < unsure {
		return false
	}
	if before.Source != invoice.ByHuman {
		return true
	}
	added := before.Original == nil || *before.Original == ""
	return added && invoice.Fields[path].Get(inv) != ""
}

// claimed reports whether a text of the document of an approved invoice can belong to another field:
// it has the value of another field of the same kind, or the value of any other field that was read
// there. Such a text is not the place of the path. The payment repeats values, such as the number.
// Totals are often equal, and their sum is checked.
func claimed(old *invoice.Invoice, path string, r *extraction.Reading) bool {
	for other, field := range invoice.Fields {
		value := field.Get(old)
		if value == "" || unrelated(path, other) || !slices.ContainsFunc(r.Values, func(v string) bool { return sameValue(path, v, value) }) {
			continue
		}
		if sameKind(path, other) || readAt(old, other, r.Page, &r.Box) {
			return true
		}
	}
	return false
}

// claimedPlace reports whether another field of the same kind was read in a place.
func claimedPlace(old *invoice.Invoice, path string, page int, box *[4]float64) bool {
	return slices.ContainsFunc(append([]string{"buyer.tax_id"}, placed...), func(other string) bool {
		return !unrelated(path, other) && sameKind(path, other) && readAt(old, other, page, box)
	})
}

// unrelated reports whether another path claims no texts of a path.
func unrelated(path, other string) bool {
	return path == other || slices.Contains(totals, path) || slices.Contains(totals, other) ||
		invoice.Fields[other].Coding || strings.HasPrefix(other, "payment.")
}

// readAt reports whether a value was read in a place. A value of a person has no place.
func readAt(old *invoice.Invoice, path string, page int, box *[4]float64) bool {
	ev := old.Fields[path]
	return ev.Box != nil && ev.Page == page && inside(ev.Box, box)
}

// sameKind reports whether texts of the same kind are the values of two paths.
func sameKind(a, b string) bool {
	if a == "seller.tax_id" {
		return b == "buyer.tax_id"
	}
	return kinds[a] == kinds[b]
}

// inside reports whether the middle of one box is in the other one.
func inside(a, b *[4]float64) bool {
	middle := func(a, b *[4]float64) bool {
		x, y := (a[0]+a[2])/2, (a[1]+a[3])/2
		return b[0] <= x && x <= b[2] && b[1] <= y && y <= b[3]
	}
	return middle(a, b) || middle(b, a)
}
