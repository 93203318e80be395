package pdftext

import "testing"

// A brand is a form of the complete name that begins with it. The complete name has a legal form or an
// address.
func TestBrandsBeginCompleteNames(t *testing.T) {
	t.Parallel()
	address := []string{"12 Oak Street", "Truro TR1 3QZ"}
	for name, test := range map[string]struct {
		lines   []string
		others  []string
		want    string
		assumed bool
	}{
		"legal form":        {[]string{"Maple", "", "", "", "", "Maple Bakery Ltd"}, []string{"Maple Bakery Ltd"}, "Maple Bakery Ltd", false},
		"address":           {append([]string{"Maple", "Maple Bakery"}, address...), []string{"Maple Bakery"}, "Maple Bakery", false},
		"two words":         {[]string{"Maple Bakery", "", "", "", "Maple Bakery Truro Ltd · 12 Oak Street · Truro TR1 3QZ"}, []string{"Maple Bakery Truro Ltd"}, "Maple Bakery Truro Ltd", false},
		"another form":      {[]string{"Maple", "", "", "", "Maple Bakery Ltd", "", "", "", "Maple Bakery Ltd Truro"}, []string{"Maple Bakery Ltd Truro", "Maple Bakery Ltd"}, "Maple Bakery Ltd", false},
		"several companies": {[]string{"Maple", "", "", "", "Maple Bakery Ltd", "", "", "", "Maple Factors plc"}, []string{"Maple Bakery Ltd", "Maple Factors plc"}, "Maple Bakery Ltd", true},
		"a slogan":          {append([]string{"Maple", "", "", "", "Maple bakes for all"}, address...)[:5], []string{"Maple bakes for all"}, "Maple", false},
		"the buyer":         {[]string{"Maple", "", "", "", "Invoice to:", "Maple Bakery Ltd"}, []string{"Maple Bakery Ltd"}, "Maple", false},
		"a part of a word":  {[]string{"Map", "", "", "", "Maple Bakery Ltd"}, []string{"Maple Bakery Ltd"}, "Map", false},
	} {
		n := factsOf(test.lines...)
		sellers := []*candidate{n.at(test.lines[0], 0.6)}
		for _, o := range test.others {
			sellers = append(sellers, n.at(o, 0.1))
		}
		n.completeBrands(sellers)
		if got := sellers[0]; got.value != test.want || got.assumed != test.assumed {
			t.Errorf("%s: %q, assumed %v", name, got.value, got.assumed)
		}
	}
}

// A logo in lower case needs no person if the complete name has a legal form.
func TestLogosOfCompanies(t *testing.T) {
	t.Parallel()
	n := factsOf("acme.", "", "", "", "Acme Supplies Ltd")
	if got := n.complete([]*candidate{n.at("acme.", 0.5), n.at("Acme Supplies Ltd", 0.3)})[0]; got.value != "Acme Supplies Ltd" || got.assumed {
		t.Errorf("%q, assumed %v", got.value, got.assumed)
	}
}
