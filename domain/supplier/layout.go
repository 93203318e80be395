package supplier

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// MaxLearned is the maximum number of approved invoices from which the layout of a supplier is
// learned.
const MaxLearned = 3

// confirmedPlace is the confidence of a value that is printed where a person approved the value of
// an earlier invoice.
const confirmedPlace = 0.95

// ambiguous is the confidence at and below which a text has several readings, which its place does
// not decide.
const ambiguous = 0.4

// The distances, as parts of the page, within which two values have the same place. The lines above
// a value can be one more or one less.
const (
	sameColumn = 0.02
	sameHeight = 0.04
)

// totals move with the number of lines. Their place is their column.
var totals = []string{"net_total", "tax_total", "gross_total", "amount_due"}

// placed are the values that have a place.
var placed = append([]string{"invoice_number", "issue_date", "due_date", "seller.name", "seller.tax_id", "buyer.name"}, totals...)

// Learn raises the confidence of values that are printed where invoices of the supplier print them
// that a person approved, newest first. printed contains the texts at which corrected values are
// found; without it a value that a person had to correct on the newest of them teaches nothing. A
// place where arithmetic or check digits contradict the value teaches nothing either. A learned
// value has the source SUPPLIER.
func Learn(inv *invoice.Invoice, approved []invoice.Invoice, printed Printed) {
	if len(approved) == 0 {
		return
	}
	learnPlaces(inv, approved, printed)
	for _, path := range placed {
		ev, ok := inv.Fields[path]
		if !ok || ev.Confidence >= confirmedPlace || ev.Source != invoice.FromText && ev.Source != invoice.Computed {
			continue
		}
		value := invoice.Fields[path].Get(inv)
		if value == "" || ev.Confidence <= ambiguous && !slices.Contains(totals, path) || contradicted(inv, path, value) ||
			slices.ContainsFunc(ev.Alternatives, func(o string) bool { return sameDigits(o, value) }) {
			continue
		}
		for i := range approved {
			old, known := approved[i].Fields[path]
			if known && old.Source == invoice.ByHuman {
				break
			}
			if known && sameOrigin(path, &old, &ev) {
				confirm(inv, path)
				break
			}
		}
	}
	learnBuyer(inv, approved, printed)
	learnCurrency(inv, approved)
}

func confirm(inv *invoice.Invoice, path string) {
	ev := inv.Fields[path]
	ev.Source, ev.Confidence = invoice.FromSupplier, max(ev.Confidence, confirmedPlace)
	inv.Fields[path] = ev
}

// sameOrigin reports whether two values have the same place, or were computed from the same label.
func sameOrigin(path string, old, now *invoice.Evidence) bool {
	if now.Source == invoice.Computed {
		return old.Source == invoice.Computed && words(old.SourceText) == words(now.SourceText)
	}
	return old.Box != nil && now.Box != nil && samePlace(path, old, now)
}

// samePlace reports whether two values have the same place and the same words around them.
func samePlace(path string, old, now *invoice.Evidence) bool {
	a, b := old.Box, now.Box
	column := math.Abs(a[0]-b[0]) <= sameColumn || math.Abs(a[2]-b[2]) <= sameColumn
	if slices.Contains(totals, path) {
		// Many amounts without a label are in one column.
		return column && words(now.SourceText) != "" && words(old.SourceText) == words(now.SourceText)
	}
	if old.Page != now.Page || !column || math.Abs(a[1]-b[1]) > sameHeight {
		return false
	}
	switch path {
	case "seller.name", "buyer.name":
		return true // the name itself differs
	}
	return words(old.SourceText) == words(now.SourceText)
}

// words returns the words of a text that contain no digits, without case: the label of a value.
func words(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(w string) bool {
		return strings.ContainsFunc(w, unicode.IsDigit)
	}), " ")
}

// contradicted reports whether arithmetic or check digits contradict a value.
func contradicted(inv *invoice.Invoice, path, value string) bool {
	switch {
	case path == "seller.tax_id":
		valid, known := invoice.ValidTaxID(value, inv.Seller.Address.Country)
		return known && !valid
	case slices.Contains(totals, path):
		net, tax, gross := inv.NetTotal, inv.TaxTotal, inv.GrossTotal
		if gross == nil {
			return true // nothing confirms the total
		}
		if net != nil {
			sum := *net
			if tax != nil {
				sum = sum.Add(*tax)
			}
			if !sum.Within(*gross, money.MustParse("0.01")) {
				return true
			}
		}
		return path == "amount_due" && inv.PrepaidTotal == nil && !inv.AmountDue.Equal(*gross)
	case path == "due_date":
		return inv.DueDate.Before(inv.IssueDate)
	}
	return false
}

// sameDigits reports whether two texts consist of the same digits, as the readings of an ambiguous
// date or amount do.
func sameDigits(a, b string) bool {
	digits := func(s string) string {
		var out []rune
		for _, r := range s {
			if unicode.IsDigit(r) {
				out = append(out, r)
			}
		}
		slices.Sort(out)
		return strings.TrimLeft(string(out), "0")
	}
	return digits(a) != "" && digits(a) == digits(b)
}

// learnBuyer chooses the buyer of the approved invoices if the document prints the name.
func learnBuyer(inv *invoice.Invoice, approved []invoice.Invoice, printed Printed) {
	ev, ok := inv.Fields["buyer.name"]
	if !ok || ev.Source != invoice.FromText || ev.Confidence >= confirmedPlace {
		return
	}
	if inv.Buyer.Name == "" && !slices.ContainsFunc(approved, func(o invoice.Invoice) bool { return o.Buyer.Name != "" }) {
		confirm(inv, "buyer.name") // the supplier's documents state none
		return
	}
	known := func(name string) bool {
		folded := invoice.FoldName(name)
		return folded != "" && slices.ContainsFunc(approved, func(o invoice.Invoice) bool { return invoice.FoldName(o.Buyer.Name) == folded })
	}
	if choose(inv, "buyer.name", &inv.Buyer.Name, known); known(inv.Buyer.Name) {
		confirm(inv, "buyer.name")
		return
	}
	learnName(inv, "buyer.name", known, printed.Own)
}

// learnName replaces a name by a known one that the document prints.
func learnName(inv *invoice.Invoice, path string, known func(string) bool, own []extraction.Reading) {
	at := slices.IndexFunc(own, func(r extraction.Reading) bool {
		return r.Kind == extraction.NameReading && known(r.Values[0])
	})
	if at < 0 {
		return
	}
	r := &own[at]
	was := invoice.Fields[path].Get(inv)
	if sameName(r.Values[0], inv.Seller.Name) || sameName(r.Values[0], inv.Buyer.Name) || invoice.Fields[path].Set(inv, r.Values[0]) != nil {
		return
	}
	ev := invoice.Evidence{Source: invoice.FromSupplier, Confidence: confirmedPlace, Page: r.Page, Box: &r.Box, SourceText: r.Text}
	if was != "" {
		ev.Alternatives = []string{was}
	}
	inv.Fields[path] = ev
}

// learnCurrency chooses the currency of the approved invoices for a sign that several currencies
// share.
func learnCurrency(inv *invoice.Invoice, approved []invoice.Invoice) {
	ev, ok := inv.Fields["currency"]
	currency := approved[0].Currency
	if !ok || ev.Source == invoice.ByHuman || ev.Confidence >= confirmedPlace || currency == "" ||
		slices.ContainsFunc(approved, func(o invoice.Invoice) bool { return o.Currency != currency }) {
		return
	}
	if inv.Currency != currency && !slices.Contains(ev.Alternatives, currency) {
		return
	}
	choose(inv, "currency", &inv.Currency, func(code string) bool { return code == currency })
	confirm(inv, "currency")
}
