package pdftext

import (
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

func TestUnknownRowsBetweenTotalsAreCharges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		printed    []string
		net        string
		charge, is string
	}{
		"a charge":                {[]string{"Sum|450@100.00", "Botengang:|450@10.00", "Net|450@110.00"}, "110.00", "10.00 Botengang", "charge"},
		"an allowance":            {[]string{"Sum|450@100.00", "Treue|446@-10.00", "Net|450@90.00"}, "90.00", "10.00 Treue", "allowance"},
		"in a row":                {[]string{"50@Sum|150@Botengang|250@Net", "50@100.00|150@10.00|250@110.00"}, "110.00", "10.00 Botengang", "charge"},
		"a sum carried over":      {[]string{"Sum|450@100.00", "Transport|450@10.00", "Net|450@110.00"}, "110.00", "10.00 Transport", "charge"},
		"with a tax between":      {[]string{"Sum|450@100.00", "Botengang|450@10.00", "VAT 20%|450@22.00", "Total|450@132.00"}, "132.00", "", ""},
		"another column":          {[]string{"Sum|450@100.00", "Botengang|250@10.00", "Net|450@110.00"}, "110.00", "", ""},
		"a total between":         {[]string{"Sum|450@100.00", "Grand total|450@10.00", "Net|450@110.00"}, "110.00", "", ""},
		"the amounts do not add":  {[]string{"Sum|450@100.00", "Botengang|450@11.00", "Net|450@110.00"}, "110.00", "", ""},
		"without the lines above": {[]string{"Botengang|450@10.00", "Net|450@110.00"}, "110.00", "", ""},
	} {
		v, _ := totalsOf("100.00", test.printed...)
		v.sums = v.s.sums()
		got, kind := "", ""
		if found := v.reach(money.MustParse("100.00"), money.MustParse(test.net)); len(found) == 1 {
			got, kind = found[0].value.Abs().String()+" "+found[0].reason(), "allowance"
			if found[0].charges() {
				kind = "charge"
			}
		}
		if got != test.charge || kind != test.is {
			t.Errorf("%s: %q %q", name, kind, got)
		}
	}
}

// An amount with a label above it is counted once, although the text in its row is unknown.
func TestChargesBetweenTotalsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for net, most := range map[string]int{"110.00": 1, "120.00": 0} {
		v, _ := totalsOf("100.00", "Sum|450@100.00", "440@Freight", "Botengang|450@10.00", "Net|450@"+net)
		v.sums = v.s.sums()
		if found := v.reach(money.MustParse("100.00"), money.MustParse(net)); len(found) != most {
			t.Errorf("%s: %d charges, want %d", net, len(found), most)
		}
	}
}

// The time of a search for charges does not grow with the square of the number of rows that have
// the total.
func TestChargesBetweenManyTotalsAreNotSearched(t *testing.T) {
	t.Parallel()
	for rows, want := range map[int]int{10: 1, 300: 0} {
		printed := append(slices.Repeat([]string{"450@110.00"}, rows), "Sum|450@100.00", "Botengang|450@10.00", "Net|450@110.00")
		v, _ := totalsOf("100.00", printed...)
		v.sums = v.s.sums()
		if found := v.reach(money.MustParse("100.00"), money.MustParse("110.00")); len(found) != want {
			t.Errorf("%d rows: %d charges, want %d", rows, len(found), want)
		}
	}
}

func TestLinesRatesAndLabelsAssureTotals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		printed    []string
		tax, gross string
		assured    bool
	}{
		"one rate":            {[]string{"Net|450@100.00", "VAT 20%|450@20.00", "Total|450@120.00"}, "20.00", "120.00", true},
		"without a net total": {[]string{"VAT 20%|450@20.00", "Total|450@120.00"}, "20.00", "120.00", true},
		"an unknown charge":   {[]string{"Sum|450@100.00", "Botengang|450@10.00", "Net|450@110.00", "VAT 20%|450@22.00", "Total|450@132.00"}, "22.00", "132.00", true},
		"the charge as a tax": {[]string{"Sum|450@100.00", "Botengang|450@10.00", "Net|450@110.00", "VAT 20%|450@22.00", "Total|450@132.00"}, "10.00", "110.00", false},
		"another rate":        {[]string{"Net|450@100.00", "VAT 19%|450@20.00", "Total|450@120.00"}, "20.00", "120.00", false},
		"no label of a total": {[]string{"Net|450@100.00", "VAT 20%|450@20.00", "Botengang|450@120.00"}, "20.00", "120.00", false},
	} {
		v, at := totalsOf("100.00", test.printed...)
		v.sums = v.s.sums()
		if got := v.assures(&combination{tax: at(test.tax), gross: at(test.gross)}); got != test.assured {
			t.Errorf("%s: assured %v", name, got)
		}
	}
	v, at := totalsOf("100.00", "Sum|450@100.00", "Botengang|450@10.00", "Net|450@110.00", "VAT 20%|450@22.00", "Total|450@132.00")
	v.sums = v.s.sums()
	combos := []combination{{net: at("100.00"), tax: at("10.00"), gross: at("110.00")}, {net: at("110.00"), tax: at("22.00"), gross: at("132.00")}}
	for _, test := range []struct {
		ranked, chosen int
		p, confidence  float64
	}{{1, 1, 0.3, probable}, {1, 1, 0.95, 0.95}, {0, 1, 0.3, probable}, {0, 1, 0.97, contestedConfidence}} {
		if c, p := v.agreed(combos, test.ranked, test.p); c != &combos[test.chosen] || p != test.confidence {
			t.Errorf("%+v: %s with %v", test, c.key(), p)
		}
	}
}

func TestGroupsOfLargerTypeAreOneAmount(t *testing.T) {
	t.Parallel()
	page := texts("Net 10 000,00", "Tax 1 900,00")
	for _, w := range texts("", "", "", "Total 11 900,00")[0].Words {
		for i := range w.Box {
			w.Box[i] *= 1.6
		}
		page[0].Words = append(page[0].Words, w)
	}
	s := parseDocument(page)
	s.readAmounts()
	var got []string
	for _, seg := range s.segments {
		for _, a := range seg.amounts {
			got = append(got, a.value.String())
		}
	}
	if text := strings.Join(got, " "); text != "10000.00 1900.00 11900.00" {
		t.Error(text)
	}
}

func TestNamesKeepTheirFirstWordAndStreetsAreNoSellers(t *testing.T) {
	t.Parallel()
	n := &nameFacts{lower: "hoteledelweiss\nmapletools\ntools\n"}
	if !n.isTail("Edelweiss", "Hotel Edelweiss", "Hotel") || n.isTail("Tools", "Maple Tools", "Maple") {
		t.Error("a word that is printed alone is a name of its own, another one is not")
	}
	street, all := imprinted([]string{"C/ Mayor, 44", "28001 Madrid", "", "Hotel Edelweiss"}, nil, "C/ Mayor", "Hotel Edelweiss")
	if !street.contestsSeller(all[0], all[1], all) {
		t.Error("a street is certainly the seller")
	}
	if all[1].p = 0.5; street.complete(slices.Clone(all))[0] != all[1] {
		t.Error("a street is more likely than a name")
	}
	for text, is := range map[string]bool{"Rua do Carmo, 28": true, "C/ Mayor, 44": true, "Mill Lane 3": true, "Casa Mayor, 44": false} {
		name := strings.Trim(text, ", 0123456789")
		if got := isStreet(&candidate{found: found{value: name, seg: parseDocument(texts(text)).segments[0]}}); got != is {
			t.Errorf("%s: a street %v", text, got)
		}
	}
}

func TestTheNameAboveAContactIsSeen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ label, above, seen string }{
		{"Customer:", "Comune di Montefiore", "Comune di Montefiore"},
		{"Customer:", "As Oy Rantatie 4", "As Oy Rantatie 4"},
		{"", "As Oy Rantatie 4", "As Oy Rantatie 4"},
		{"Customer:", "Granite plc · High Road 9 · 70565 Stuttgart", ""},
		{"Customer:", "9 High Road", ""},
	} {
		lines := []string{test.above, "M. Novak", "Long Lane 56", "73489 Rauma"}
		if test.label != "" {
			lines = append([]string{test.label}, lines...)
		}
		s := parseDocument(texts(lines...))
		n := s.nameFacts()
		seg := s.segments[len(s.segments)-3]
		if got := n.nameAbove(&candidate{found: found{value: "M. Novak", seg: seg, to: len(seg.words)}}); got != test.seen {
			t.Errorf("%q %q: %q in %v", test.label, test.above, got, seg.text)
		}
	}
}

func TestLettersOfLargeTypeAreOneSegment(t *testing.T) {
	t.Parallel()
	page := texts("Net 10 000,00", "Tax 1 900,00", "Sum 11 900,00")
	y := 0.3
	for i, x := range []float64{0.1, 0.26, 0.42} {
		page[0].Words = append(page[0].Words, layout.Word{Text: []string{"MAPLE", "TOOLS", "LTD"}[i], Box: layout.Box{x, y, x + 0.13, y + 0.021}})
	}
	s := parseDocument(page)
	if got := s.segments[len(s.segments)-1].text; got != "MAPLE TOOLS LTD" {
		t.Errorf("%q", got)
	}
}

// The gap between the groups of a number grows with the width of the digits.
func TestGroupsOfWideDigitsAreOneAmount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		width, gap float64
		wide       bool
		amounts    int
	}{{6, 8, true, 1}, {6, 8, false, 2}, {9, 8, false, 1}, {9, 14, true, 2}} {
		x := 9.0 + 2*test.width
		seg := newSegment(1, 0, []word{{text: "10", x0: 9, x1: x, y1: 8}, {text: "000,00", x0: x + test.gap, x1: x + test.gap + 6*test.width, y1: 8}}, false)
		if got := len(scan(seg, 8, notation{wide: test.wide})); got != test.amounts {
			t.Errorf("%+v: %d amounts", test, got)
		}
	}
	of := func(text string, height float64) *word { return &word{text: text, y1: height} }
	for _, test := range []struct {
		a, b *word
		gap  float64
	}{{of("10", 8), of("000", 8), 10}, {of("10", 20), of("000", 20), 22}, {of("MAPLE", 20), of("TOOLS", 20), 26}, {of("Maple", 8), of("Tools", 8), 10}} {
		if got := cellGap(test.a, test.b, 10); got != test.gap {
			t.Errorf("%s %s: %v", test.a.text, test.b.text, got)
		}
	}
}

// Many digits behind a word are no amount of a line if the other amounts have cents.
func TestNumbersOfAccountsAreNoAmountsOfLines(t *testing.T) {
	t.Parallel()
	of := func(text string) item {
		s := parseDocument(texts(text))
		s.readAmounts()
		seg := s.segments[0]
		return item{at: seg, cells: map[textrules.Column]*amount{textrules.ColumnAmount: &seg.amounts[len(seg.amounts)-1]}}
	}
	for text, account := range map[string]bool{"A/c 5020001245954": true, "Drill 5020": false, "Drill 50200012.45": false, "5020001245954": false} {
		it := of(text)
		if it.showsAccount(&table{items: []item{of("Saw 60.00")}}) != account {
			t.Errorf("%s: an account %v", text, !account)
		}
		if it.showsAccount(&table{items: []item{of("Saw 60")}}) {
			t.Errorf("%s: an account in a table without cents", text)
		}
	}
}

// A subtotal is no gross total if another amount has the label of a total.
func TestTotalsContestASubtotal(t *testing.T) {
	t.Parallel()
	of := func(units int64, g moneyGroup) *sum {
		x := &sum{units: units, seg: &segment{}}
		x.labels[g][sideLeft] = 1
		return x
	}
	subtotal, total, off := of(1_000_000, moneySubtotal), of(900_000, moneyTotal), of(100_000, moneyDue)
	s := &parsedDocument{}
	for name, test := range map[string]struct {
		chosen combination
		most   float64
	}{
		"a subtotal":              {combination{gross: subtotal, net: subtotal}, doubtful},
		"a total":                 {combination{gross: total, net: subtotal}, 1},
		"a total and another sum": {combination{gross: of(700_000, moneyTotal)}, doubtful},
	} {
		if got := s.contradicted([]*sum{subtotal, total, off}, &test.chosen); got != test.most {
			t.Errorf("%s: %.2f", name, got)
		}
	}
}
