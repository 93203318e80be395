package pdftext

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/domain/invoice"
)

// texts returns a page: "|" separates segments, and a number with "@" before one is its
// position.
func texts(lines ...string) []layout.Page {
	p := layout.Page{Number: 1, Width: 595, Height: 842}
	for i, l := range lines {
		x, y := 50.0, 60+12*float64(i)
		for part := range strings.SplitSeq(l, "|") {
			if at, rest, ok := strings.Cut(part, "@"); ok {
				if n, err := strconv.ParseFloat(at, 64); err == nil {
					x, part = n, rest
				}
			}
			for w := range strings.FieldsSeq(part) {
				width := 5.5 * float64(len([]rune(w)))
				p.Words = append(p.Words, layout.Word{Text: w, Box: layout.Box{x / 595, y / 842, (x + width) / 595, (y + 7.2) / 842}})
				x += width + 2.8
			}
			x += 40
		}
	}
	return []layout.Page{p}
}

func factsOf(lines ...string) *nameFacts { return parseDocument(texts(lines...)).nameFacts() }

// at returns a candidate of a name that is printed in a line.
func (n *nameFacts) at(name string, p float64) *candidate {
	for _, seg := range n.s.segments {
		if strings.Contains(seg.text, name) {
			return &candidate{found: found{value: name, seg: seg, to: len(strings.Fields(name))}, p: p, key: invoice.FoldName(name)}
		}
	}
	return &candidate{found: found{value: name, seg: n.s.segments[0]}, p: p, key: invoice.FoldName(name)}
}

func TestFormsOfANameAreOneName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		short, long string
		same        bool
		assumed     bool
	}{
		"legal form":       {"Deschamps Barbe", "Deschamps Barbe S.A.", true, false},
		"several forms":    {"Rose", "Rose GmbH & Co. KG", true, false},
		"Spanish form":     {"Rosales", "Rosales S.A. de C.V.", true, false},
		"logo":             {"acme.", "Acme Supplies", true, true},
		"first word":       {"Rose Kunz AG", "Hotel Rose Kunz AG", true, true},
		"capital letters":  {"Acme", "Acme Supplies", false, false},
		"other name":       {"Rose AG", "Kunz AG", false, false},
		"label and a name": {"Rose Kunz AG", "Customer Rose Kunz AG", false, false},
	} {
		n := factsOf(test.short, "12 Oak Street", test.long, "5 High Road")
		values := n.complete([]*candidate{n.at(test.short, 0.5), n.at(test.long, 0.3)})
		first := values[0]
		if test.same != (first.value == test.long && first.p > 0.79) || first.assumed != test.assumed {
			t.Errorf("%s: %q with %.2f, assumed %v", name, first.value, first.p, first.assumed)
		}
	}
}

func TestANameThatIsPrintedOnceIsComplete(t *testing.T) {
	t.Parallel()
	n := factsOf("Hotel Rose Kunz AG", "5 High Road")
	part := n.at("Hotel Rose Kunz AG", 0.5)
	part.value, part.key = "Rose Kunz AG", invoice.FoldName("Rose Kunz AG")
	values := n.complete([]*candidate{part, n.at("Hotel Rose Kunz AG", 0.3)})
	if first := values[0]; first.value != "Hotel Rose Kunz AG" || first.assumed {
		t.Errorf("%q, assumed %v", first.value, first.assumed)
	}
}

func TestParticlesOfSurnamesAreNoLogo(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]bool{"acme supplies": true, "acme Supplies": true, "van dam": true, "van der Berg": false, "Acme": false} {
		if startsLower(name) != is {
			t.Errorf("%q is a logo: %v", name, !is)
		}
	}
}

func TestBanksAreNoParties(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		bank  bool
	}{
		"word for a bank":          {[]string{"Kunz Kantonalbank AG", "Account 12345"}, true},
		"above an account":         {[]string{"Credit Institute AG", "IBAN CH22 3971 6597 9375 7941 6"}, true},
		"account holder":           {[]string{"Rose AG", "IBAN CH22 3971 6597 9375 7941 6", "Invoice of Rose AG"}, false},
		"a name with a first part": {[]string{"Bankside Joinery Ltd", "12 Oak Street"}, false},
	} {
		n := factsOf(test.lines...)
		if c := n.at(test.lines[0], 0.8); n.isBank(c) != test.bank {
			t.Errorf("%s: bank %v", name, !test.bank)
		}
	}
	n := factsOf("Kunz Bank", "Rose Ltd", "12 Oak Street")
	values := n.complete([]*candidate{n.at("Kunz Bank", 0.5), n.at("Rose Ltd", 0.4)})
	if values[0].value != "Rose Ltd" || values[0].p < 0.7 || values[1].p > 0.1 {
		t.Errorf("%q with %.2f before %.2f", values[0].value, values[0].p, values[1].p)
	}
}

func TestLinesOfAnAddressAreNoOtherNames(t *testing.T) {
	t.Parallel()
	n := factsOf("Valentine Jacquot", "chemin de Guillaume", "77268 Dubois", "", "", "", "Dubois", "Rose SARL", "12 rue Haute")
	if got := n.nameBelow(n.at("Valentine Jacquot", 1)); got != "" {
		t.Errorf("a street is another name: %q", got)
	}
	if got := n.nameAbove(n.at("Rose SARL", 1)); got != "" {
		t.Errorf("a town is another name: %q", got)
	}
	n = factsOf("Valentine Jacquot", "Granit Concept", "77268 Dubois")
	if got := n.nameBelow(n.at("Valentine Jacquot", 1)); got != "Granit Concept" {
		t.Errorf("a company below a person is %q", got)
	}
	n = factsOf("Para", "Jacobo Almagro", "12 Calle Mayor")
	if got := n.nameAbove(n.at("Jacobo Almagro", 1)); got != "" {
		t.Errorf("a particle is another name: %q", got)
	}
}

func TestOtherNameWithAnAddress(t *testing.T) {
	t.Parallel()
	n := factsOf("Ann Rose", "", "", "", "Kunz Ltd", "9 High Road", "70565 Stuttgart", "", "", "", "Number", "70565 7")
	buyer, seller := n.at("Ann Rose", 0.8), &candidate{found: found{value: "Maple Tools"}, key: "maple tools"}
	unplaced := &candidate{found: found{value: "Somebody"}, p: 0.1} // a name above the buyer's
	if got := n.addressed(buyer, seller, []*candidate{buyer, unplaced, n.at("Kunz Ltd", 0.05)}); got == nil || got.value != "Kunz Ltd" {
		t.Errorf("the other name is %+v", got)
	}
	if got := n.addressed(buyer, seller, []*candidate{buyer, unplaced, n.at("Number", 0.05)}); got != nil {
		t.Errorf("the label %q is another name", got.value)
	}
}

func TestTownsOfAddressesElsewhere(t *testing.T) {
	t.Parallel()
	n := factsOf("Acme", "Bern", "3011 Bern", "Leeds LS1 4AB", "LEEDS", "Springfield, IL 62701", "3011 Bern")
	for text, want := range map[string]bool{"Acme": false, "Bern": true, "LEEDS": true, "Leeds LS1 4AB": false, "Springfield, IL 62701": false} {
		i := slices.IndexFunc(n.s.segments, func(seg *segment) bool { return seg.text == text })
		if i < 0 {
			t.Fatalf("the document has no text %q", text)
		}
		if got := n.isTown(n.s.segments[i]); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The name above the number of an account is a bank, except in the imprint of a company.
func TestCompaniesAboveTheirAccountsAreNoBanks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"Kreditkasse Nord": true,
		"Maple Werkzeug GmbH · Industriestr. 4 · 70565 Stuttgart": false,
	} {
		n := factsOf("Rechnung", "", "", line, "IBAN DE89 3704 0044 0532 0130 00")
		name := "Kreditkasse Nord"
		if !want {
			name = "Maple Werkzeug GmbH"
		}
		if got := n.isBank(n.at(name, 0.5)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	n := factsOf("Rechnung", "", "", "Maple Werkzeug GmbH", "USt-IdNr. DE136695976 · IBAN DE89 3704 0044 0532 0130 00")
	if n.isBank(n.at("Maple Werkzeug GmbH", 0.5)) {
		t.Error("a company above its tax identifier and account is a bank")
	}
}
