package pdftext

import (
	"strings"
	"testing"
)

// imprinted returns the facts of an invoice with a letterhead above its lines and an imprint
// below them, and a candidate for each name.
func imprinted(above, below []string, names ...string) (*nameFacts, []*candidate) {
	s := parseDocument(texts(append(append(above, "Drill|250@1|330@80.00|450@80.00"), below...)...))
	for _, seg := range s.segments {
		seg.used = strings.HasPrefix(seg.text, "Drill")
	}
	n := s.nameFacts()
	var out []*candidate
	for i, name := range names {
		c := n.at(name, 0.9)
		if i > 0 {
			c.p = 0.01
		}
		out = append(out, c)
	}
	return n, out
}

func TestOthersInTheImprintContestTheSeller(t *testing.T) {
	t.Parallel()
	const buyer = "Granite Works"
	to := []string{buyer, "5 High Road", "Leeds LS1 4AB"}
	own := func(name, domain string) []string {
		return []string{name + "|300@Tel 01632 960112", "12 Oak Street|300@www." + domain + ".example", "Truro TR1 3QZ|300@VAT no GB123456789"}
	}
	line := func(text, domain string) string {
		return text + " · 9 Mill Lane · Bath BA2 4QZ · www." + domain + ".example · VAT no GB987654321"
	}
	for name, test := range map[string]struct {
		above, below []string
		seller       string
		others       []string
		contested    bool
	}{
		"the only company":                   {to, own("Maple Tools Ltd", "mapletools"), "Maple Tools Ltd", nil, false},
		"a name without a legal form":        {to, own("Maple Bakery", "maplebakery"), "Maple Bakery", nil, false},
		"its own street":                     {to, own("Maple Bakery", "maplebakery"), "Maple Bakery", []string{"12 Oak Street", "Truro"}, false},
		"a bank":                             {to, append(own("Maple Tools Ltd", "mapletools"), "Barlow Bank|Account 73012345"), "Maple Tools Ltd", []string{"Barlow Bank"}, false},
		"the maker of software":              {to, append([]string{line("Ledgerly Software Ltd", "ledgerly")}, own("Maple Bakery", "maplebakery")...), "Ledgerly Software Ltd", []string{"Maple Bakery"}, true},
		"with words before its name":         {to, append([]string{line("Powered by Ledgerly Software Ltd", "ledgerly")}, own("Maple Bakery", "maplebakery")...), "Powered by Ledgerly Software Ltd", []string{"Maple Bakery"}, true},
		"a factoring company":                {to, append(own("Maple Tools Ltd", "mapletools"), line("Lane Factors Ltd", "lanefactors")), "Lane Factors Ltd", []string{"Maple Tools Ltd"}, true},
		"the group of the company":           {to, append(own("Maple Tools Ltd", "mapletools"), line("Halvorsen Group plc", "halvorsen")), "Maple Tools Ltd", []string{"Halvorsen Group plc"}, true},
		"a letterhead with an address":       {append([]string{"Maple Bakery", "12 Oak Street", "Truro TR1 3QZ", "", ""}, to...), []string{line("Quick Print Forms Ltd", "quickprint")}, "Quick Print Forms Ltd", []string{"Maple Bakery"}, true},
		"a seller with a label":              {append([]string{"Seller:|110@Maple Bakery", ""}, to...), []string{line("Quick Print Forms Ltd", "quickprint")}, "Quick Print Forms Ltd", []string{"Maple Bakery"}, true},
		"the recipient in the imprint":       {to, append(own(buyer, "granite"), line("Quick Print Forms Ltd", "quickprint")), "Quick Print Forms Ltd", nil, true},
		"a brand and a company":              {append([]string{"Tasteful", ""}, to...), own("Maple Tools Ltd", "mapletools"), "Tasteful", []string{"Maple Tools Ltd"}, true},
		"a brand and a name":                 {append([]string{"Tasteful", ""}, to...), own("Maple Bakery", "maplebakery"), "Tasteful", []string{"Maple Bakery"}, true},
		"a company with a label above":       {append([]string{"Seller:|110@Maple Tools", ""}, to...), []string{line("Quick Print Forms Ltd", "quickprint")}, "Maple Tools", []string{"Quick Print Forms Ltd"}, false},
		"the company of the recipient":       {[]string{"Maple Tools Ltd", buyer, "5 High Road", "Leeds LS1 4AB"}, []string{line("Quick Print Forms Ltd", "quickprint")}, "Maple Tools Ltd", nil, true},
		"a letterhead without an address":    {append([]string{"Maple Bakery", ""}, to...), []string{line("Quick Print Forms Ltd", "quickprint")}, "Quick Print Forms Ltd", []string{"Maple Bakery"}, true},
		"the title of a column":              {append(to, "", "Hours|300@Price", ""), own("Maple Tools Ltd", "mapletools"), "Maple Tools Ltd", nil, false},
		"a brand above a company":            {append([]string{"Maple Bakery", ""}, to...), []string{"Quick Print Forms Ltd", "Tel 01632 960112", "VAT no GB987654321", "Bath BA2 4QZ"}, "Maple Bakery", []string{"Quick Print Forms Ltd"}, true},
		"a name that the imprint names also": {append([]string{"Maple Bakery", ""}, to...), own("Maple Bakery", "maplebakery"), "Maple Bakery", nil, false},
	} {
		n, all := imprinted(test.above, test.below, append([]string{test.seller, buyer}, test.others...)...)
		if got := n.contestsSeller(all[0], all[1], all); got != test.contested {
			t.Errorf("%s: contested %v", name, got)
		}
	}
}

// A recipient that only the imprint names is the seller.
func TestABuyerInTheImprintContestsTheSeller(t *testing.T) {
	t.Parallel()
	above := []string{"Granite Works Ltd", "5 High Road", "Leeds LS1 4AB"}
	n, all := imprinted(above, []string{"Maple Tools plc · 9 Mill Lane · Bath BA2 4QZ · VAT no GB987654321"}, "Granite Works Ltd", "Maple Tools plc")
	all[1].p = 0.9
	if !n.contestsSeller(all[0], all[1], all) {
		t.Error("the recipient is the seller")
	}
}

// A tax identifier in the imprint belongs to the name next to it.
func TestTaxIdentifiersOfOthersInTheImprint(t *testing.T) {
	t.Parallel()
	const seller, buyer = "Maple Tools Ltd", "Granite Works Ltd"
	for name, test := range map[string]struct {
		above, below []string
		other        bool
	}{
		"the seller's":             {nil, []string{"Maple Tools Ltd|250@12 Oak Street|400@VAT no GB987654321"}, false},
		"below the seller":         {nil, []string{"Quick Print Forms Ltd|250@Bath", "Maple Tools Ltd|250@12 Oak Street", "Truro TR1 3QZ|400@VAT no GB987654321"}, false},
		"a part of the name":       {nil, []string{"MAPLE TOOLS · VAT no GB987654321 · Quick Print Forms Ltd"}, false},
		"of a company":             {nil, []string{"Printed by Quick Print Forms Ltd · Bath · VAT no GB987654321"}, true},
		"of a company above":       {nil, []string{"Quick Print Forms Ltd|250@Tel 01632 960112", "9 Mill Lane|250@Bath", "VAT no GB987654321"}, true},
		"next to the recipient":    {nil, []string{"Granite Works Ltd|400@VAT no GB987654321"}, false},
		"next to a bank":           {nil, []string{"Barlow Bank plc|400@VAT no GB987654321"}, false},
		"next to a page":           {nil, []string{"www.quickprint.ltd Ltd|400@VAT no GB987654321"}, false},
		"of a name without a form": {nil, []string{"Maple Bakery|400@VAT no GB987654321"}, false},
		"above the lines":          {[]string{"Quick Print Forms Ltd|400@VAT no GB987654321"}, nil, false},
	} {
		n, _ := imprinted(test.above, test.below)
		for _, seg := range n.s.segments {
			if strings.Contains(seg.text, "GB987654321") && n.s.ownedByOther(seg, seller, buyer) != test.other {
				t.Errorf("%s: %v", name, !test.other)
			}
		}
	}
}

// Without a likely buyer, the seller can be the recipient.
func TestTheImprintContestsARecipient(t *testing.T) {
	t.Parallel()
	above := []string{"Granite Works Ltd", "5 High Road", "Leeds LS1 4AB"}
	n, all := imprinted(above, []string{"Maple Tools plc · 9 Mill Lane · Bath BA2 4QZ · VAT no GB987654321"}, "Granite Works Ltd", "Leeds", "Maple Tools plc")
	all[1].p = 0.2
	if !n.contestsSeller(all[0], all[1], all) {
		t.Error("not contested without a buyer")
	}
	all[1].p = 0.9
	if n.contestsSeller(all[0], all[1], all) {
		t.Error("contested with a buyer")
	}
}

func TestDomainsOmitLettersAndEndsOfNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		domain, name string
		is           bool
	}{
		{"mapletools", "Maple Tools Ltd", true}, {"lindstrmst", "Lindströms Trädgård", true}, {"maple", "Royal Maple Tools", true},
		{"ledgerly", "Maple Tools Ltd", false}, {"gmail", "Granite GmbH", false},
		{"shopservice", "Lindström Service AB", false}, {"primemedia", "Granite Media Ltd", false}, {"graniteworks", "Works of Granite", true},
		{"tonline", "Meyerhof Online Handel", false}, {"hofmeyer", "Meyer AG", true},
	} {
		if isDomainOf(test.domain, test.name) != test.is {
			t.Errorf("%s of %s: %v", test.domain, test.name, !test.is)
		}
	}
}

func TestLabelsOfNumbersAreNoNames(t *testing.T) {
	t.Parallel()
	n := factsOf("Kundrefnr", "37085", "Besteldref", "45008295")
	if !n.headsNumber(n.at("Kundrefnr", 1)) {
		t.Error("a label of a number is a name")
	}
	n = factsOf("Granite Works", "5 High Road", "Leeds LS1 4AB")
	if n.headsNumber(n.at("Granite Works", 1)) {
		t.Error("a street is a number")
	}
}

// Something other than its place must show that a name is the seller's.
func TestSellersNeedSupport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		is    bool
	}{
		"nothing":       {[]string{"Maple Bakery", "", "", "", "", "", "", "Granite Works", "5 High Road"}, false},
		"a legal form":  {[]string{"Maple Bakery Ltd", "", "", "", "", "", "", "Granite Works"}, true},
		"a domain":      {[]string{"Maple Bakery", "", "", "", "", "", "", "Granite Works", "www.maplebakery.example"}, true},
		"its tax id":    {[]string{"Maple Bakery", "VAT no GB123456789", "", "", "", "", "Granite Works"}, true},
		"its address":   {[]string{"Maple Bakery", "12 Oak Street", "Truro TR1 3QZ"}, true},
		"printed twice": {[]string{"Maple Bakery", "", "", "", "", "", "", "Granite Works", "Maple Bakery"}, true},
	} {
		n := factsOf(test.lines...)
		c := n.at(strings.TrimSpace(test.lines[0]), 1)
		c.to = len(c.seg.words)
		if n.supported(c) != test.is {
			t.Errorf("%s: %v", name, !test.is)
		}
	}
}
