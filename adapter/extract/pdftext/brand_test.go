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
		"another address":   {append(append([]string{"Maple"}, address...), "", "", "", "Maple Finance Ltd, 4 Bank Road, Leeds LS1 4AP"), []string{"Maple Finance Ltd"}, "Maple Finance Ltd", true},
		"without address":   {append(append([]string{"Maple"}, address...), "", "", "", "A member of", "Maple Holdings plc"), []string{"Maple Holdings plc"}, "Maple Holdings plc", true},
		"its own address":   {append(append([]string{"Maple"}, address...), "", "", "", "Maple Bakery Ltd, 12 Oak Street, Truro TR1 3QZ"), []string{"Maple Bakery Ltd"}, "Maple Bakery Ltd", false},
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

// A name above or below the buyer's can be the buyer as well, also with a word for goods or a form of
// address. A person with a form of address below a company is its contact.
func TestOtherNamesInTheAddressOfTheBuyer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ above, chosen, below, want string }{
		"a word for goods":          {"Oak Transport", "Tom Ashby", "", "Oak Transport"},
		"a form of address":         {"Mrs Helen Ward", "Tom Ashby", "", "Mrs Helen Ward"},
		"a label":                   {"Delivery address", "Tom Ashby", "", ""},
		"a contact":                 {"", "Oak Joinery", "Mrs Helen Ward", ""},
		"a letter":                  {"", "Tom Ashby", "D Print", "D Print"},
		"initials":                  {"", "Tom Ashby", "DL Painting", "DL Painting"},
		"a sign":                    {"", "Tom Ashby", "M & S Clothing", "M & S Clothing"},
		"a letter with a full stop": {"", "Oak Joinery", "M. Helen Ward", ""},
		"capital letters":           {"", "OAK JOINERY", "MRS HELEN WARD", ""},
		"one word after the form":   {"", "Tom Ashby", "Dr Martens", "Dr Martens"},
		"another name":              {"", "Oak Joinery", "Helen Ward", "Helen Ward"},
		"a company like an address": {"", "Oak Joinery", "Dr Oak Ltd", "Dr Oak Ltd"},
		"two persons":               {"", "Mr Tom Ashby", "Mrs Helen Ward", "Mrs Helen Ward"},
	} {
		var lines []string
		for _, l := range []string{test.above, test.chosen, test.below, "12 Mill Lane", "Leeds LS1 4AP"} {
			if l != "" {
				lines = append(lines, l)
			}
		}
		n := factsOf(lines...)
		c := n.at(test.chosen, 0.9)
		if got := n.nameAbove(c) + n.nameBelow(c); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
