package pdftext

import (
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

// Two names with addresses are the parties if the document has no other address and no other company.
func TestOnlyTwoAddressesAreThoseOfTheParties(t *testing.T) {
	t.Parallel()
	const seller, buyer = "Maple Bakery", "Granite Works"
	a := []string{seller, "12 Oak Street", "Truro TR1 3QZ", "VAT no GB123456789", "", ""}
	b := []string{"Invoice to:", buyer, "5 High Road", "Leeds LS1 4AB"}
	for name, test := range map[string]struct {
		above, below []string
		others       []string
		only         bool
	}{
		"two addresses":                {append(a, b...), []string{"Account 73012345", "Sort code 20-11-43"}, nil, true},
		"the address again":            {append(a, b...), []string{seller + " · 12 Oak Street · Truro TR1 3QZ", "Truro TR1 3QZ"}, nil, true},
		"identifiers":                  {append(a, b...), []string{"NL11 ABNA 0716 7537 32", "Order no.: 75707 AB", "Offerte 2026-769", "We ask for payment of € 1.909,20 within 14 days"}, nil, true},
		"a third address":              {append(a, b...), []string{"Lane Factors, 9 Mill Lane, Bath BA2 4QZ"}, nil, false},
		"another company":              {append(a, b...), []string{"Lane Factors Ltd"}, []string{"Lane Factors Ltd"}, false},
		"a contact below the buyer":    {append(a, "Invoice to:", buyer, "M. Novak", "5 High Road", "Leeds LS1 4AB"), nil, nil, false},
		"a name above the buyer":       {append(a, "Hotel Edelweiss", buyer, "5 High Road", "Leeds LS1 4AB"), nil, nil, false},
		"a name in two texts":          {append([]string{seller + "|130@Ltd & Co", "12 Oak Street", "Truro TR1 3QZ", "", ""}, b...), nil, nil, false},
		"both in one address":          {[]string{seller, buyer, "5 High Road", "Leeds LS1 4AB"}, nil, nil, false},
		"the seller below the lines":   {b, a, nil, false},
		"a seller without its address": {append([]string{seller, "", ""}, b...), nil, nil, false},
	} {
		n, all := imprinted(test.above, test.below, append([]string{seller, buyer}, test.others...)...)
		if got := n.onlyParties(all[0], all[1], all); got != test.only {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// If no other name can be the seller, a certain buyer makes it certain.
func TestTheOnlyOtherAddressIsTheSellers(t *testing.T) {
	t.Parallel()
	confidence := func(more ...string) float64 {
		d := &draft{fields: map[string]invoice.Evidence{}}
		s := parseDocument(texts(append([]string{
			"FAKTURA", "", "Datum :|150@2024-03-21", "Fakturanr :|150@INV-06980", "", "Kund :|110@Hamnkrogen AB", "110@Hamngatan 60", "110@776 14 Kalmar", "", "", "",
			"300@Lindströms Trädgård", "300@Björkvägen 89", "300@791 64 Kalmar", "", "", "Material trä|450@99,34 kr", "Totalt :|450@124,18 kr",
		}, more...)...))
		for _, seg := range s.segments {
			seg.used = seg.text == "Material trä"
		}
		s.readParties(d)
		if d.content.Seller.Name != "Lindströms Trädgård" {
			t.Fatalf("seller %q", d.content.Seller.Name)
		}
		return d.fields["seller.name"].Confidence
	}
	alone, contested := confidence(), confidence("", "", "", "Bergets Plåt, Storgatan 5, 739 38 Växjö")
	if alone < probable || contested >= probable {
		t.Errorf("%.2f alone, %.2f with another address", alone, contested)
	}
}

// A date years after the issue date is no due date: "Sort code 20-11-43".
func TestDatesOfYearsLaterAreNoDueDates(t *testing.T) {
	t.Parallel()
	for due, want := range map[string]string{"20-11-43": "", "20-11-26": "2026-11-20", "2043-11-20": "2043-11-20"} {
		s := parseDocument(texts("Invoice", "Invoice date:|150@2 November 2026", "Due date:|150@"+due, "Invoice no.:|150@17"))
		s.issued = calendar.Of(time.Date(2026, time.November, 2, 0, 0, 0, 0, time.UTC))
		got := ""
		if f, _, ok := s.chooseDate(textrules.RoleDueDate); ok {
			got = f.date.String()
		}
		if got != want {
			t.Errorf("%s: %q", due, got)
		}
	}
}
