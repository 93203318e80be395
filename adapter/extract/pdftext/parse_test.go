package pdftext

import (
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

// printed is a word at a position in points, with the height of its characters.
type printed struct {
	text         string
	x, y, height float64
}

// parsed parses a page of words that are printed with a width of 0.55 heights for
// each character.
func parsed(words ...printed) *parsedDocument {
	p := layout.Page{Number: 1, Width: 595, Height: 842}
	for _, w := range words {
		width := 0.55 * w.height * float64(len([]rune(w.text)))
		p.Words = append(p.Words, layout.Word{Text: w.text, Box: layout.Box{w.x / 595, w.y / 842, (w.x + width) / 595, (w.y + w.height) / 842}})
	}
	s := parseDocument([]layout.Page{p})
	s.readAmounts()
	return s
}

func (s *parsedDocument) texts() []string {
	var out []string
	for _, seg := range s.segments {
		out = append(out, seg.text)
	}
	return out
}

func TestRaisedCentsBelongToTheirAmount(t *testing.T) {
	t.Parallel()
	s := parsed(printed{"Total", 50, 100, 8}, printed{"$21,176", 300, 100, 8}, printed{"34", 332, 99.5, 4.2},
		printed{"Summe", 50, 120, 8}, printed{"1.588", 300, 120, 8}, printed{"05", 323, 119.5, 4.2})
	for _, want := range []string{"$21,176.34", "1.588,05"} {
		if !slices.Contains(s.texts(), want) {
			t.Errorf("%q is not in %q", want, s.texts())
		}
	}
}

func TestColumnOfCentsBelongsToTheAmounts(t *testing.T) {
	t.Parallel()
	var words []printed
	for i, row := range [][2]string{{"295", "53"}, {"43", "89"}, {"1.889", "00"}, {"10.428", "42"}} {
		y, left := 100+20*float64(i), 400-0.55*8*float64(len(row[0]))
		words = append(words, printed{"Werkzeug", 50, y, 8}, printed{row[0], left, y, 8}, printed{row[1], 412, y, 8})
	}
	s := parsed(words...)
	if !slices.Contains(s.texts(), "10.428,42") || !slices.Contains(s.texts(), "43,89") {
		t.Errorf("segments = %q", s.texts())
	}
}

func TestColumnOfEqualRatesIsNoColumnOfCents(t *testing.T) {
	t.Parallel()
	var words []printed
	for i, quantity := range []string{"2", "14", "3", "8"} {
		y := 100 + 20*float64(i)
		words = append(words, printed{"Werkzeug", 50, y, 8}, printed{quantity, 400 - 0.55*8*float64(len(quantity)), y, 8}, printed{"19", 412, y, 8})
	}
	if s := parsed(words...); slices.ContainsFunc(s.texts(), func(text string) bool { return strings.Contains(text, ".19") }) {
		t.Errorf("segments = %q", s.texts())
	}
}

func TestWordsOfALetterheadStayTogether(t *testing.T) {
	t.Parallel()
	// The words of the name differ in height, and two small lines are printed next to them.
	s := parsed(printed{"Diaz", 40, 20, 14}, printed{"Group", 75, 22, 16}, printed{"565.399.2094", 250, 17, 7}, printed{"Canada", 250, 30, 7},
		printed{"Invoice", 40, 100, 7}, printed{"Date", 40, 120, 7}, printed{"Total", 40, 140, 7})
	if !slices.Contains(s.texts(), "Diaz Group") {
		t.Errorf("segments = %q", s.texts())
	}
}

func TestSignsJoinNoWordsOfTwoLines(t *testing.T) {
	t.Parallel()
	s := parsed(printed{"INVOICE", 40, 100, 7}, printed{"NO.", 40, 109, 7}, printed{"528/2026", 40, 117, 7})
	if slices.ContainsFunc(s.texts(), func(text string) bool { return strings.Contains(text, "2026NO") || strings.Contains(text, "NO.528") }) {
		t.Errorf("segments = %q", s.texts())
	}
}

func TestNamesWithCommasStayWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Wade, Martin and Bernard":             "Wade, Martin and Bernard",
		"Rivero, Valles y León, Calle Mayor 5": "Rivero, Valles y León",
		"Granite plc, 9 High Road":             "Granite plc",
		"Kessler, Hauptstrasse 4":              "Kessler",
	} {
		if got := trimName(text); got != want {
			t.Errorf("trimName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNamesInForms(t *testing.T) {
	t.Parallel()
	s := parsed(printed{"PRESTADOR", 230, 100, 8}, printed{"DE", 278, 100, 8}, printed{"SERVIÇOS", 291, 100, 8},
		printed{"Nome/Razão", 40, 115, 8}, printed{"Social:", 88, 115, 8}, printed{"Mendonça", 124, 115, 8}, printed{"Filhos", 163, 115, 8},
		printed{"TOMADOR", 230, 150, 8}, printed{"DE", 268, 150, 8}, printed{"SERVIÇOS", 281, 150, 8},
		printed{"Nome/Razão", 40, 165, 8}, printed{"Social:", 88, 165, 8}, printed{"Guerra", 124, 165, 8})
	p := s.findParties()
	named := func(all []naming, name string) bool {
		return slices.ContainsFunc(all, func(n naming) bool { return n.labelled && n.name == name })
	}
	if !named(p.seller, "Mendonça Filhos") || !named(p.buyer, "Guerra") {
		t.Errorf("seller %+v, buyer %+v", p.seller, p.buyer)
	}
}

func TestSumsOfGroupsAreNoLines(t *testing.T) {
	t.Parallel()
	value := func(text string) *amount { return &amount{value: money.MustParse(text)} }
	it := func(text string, numbers int) item {
		return item{cells: map[textrules.Column]*amount{textrules.ColumnAmount: value(text)}, numbers: numbers}
	}
	tb := &table{items: []item{it("25.36", 1), it("25.36", 4), it("72.81", 1), it("34.92", 4), it("37.89", 4), it("4.99", 1)}}
	if rest := tb.withoutGroups(); len(rest) != 4 {
		t.Errorf("%d lines are left, want 4", len(rest))
	}
}

func TestTriangleIsAMinus(t *testing.T) {
	t.Parallel()
	s := parsed(printed{"値引き", 50, 100, 8}, printed{"▲34,663", 300, 100, 8})
	for _, seg := range s.segments {
		for _, a := range seg.amounts {
			if a.value.String() == "-34663" {
				return
			}
		}
	}
	t.Errorf("no amount of -34663 in %q", s.texts())
}

func TestNoCandidateIsBothParties(t *testing.T) {
	t.Parallel()
	sellers, buyers := exclude(
		[]*candidate{{key: "a", p: 0.55}, {key: "b", p: 0.45}},
		[]*candidate{{key: "b", p: 0.9}, {key: "a", p: 0.05}})
	if sellers[0].key != "a" || sellers[0].p < 0.9 || sellers[1].p > 0.1 || buyers[0].key != "b" || buyers[0].p < 0.85 {
		t.Errorf("sellers %v %v, buyers %v %v", sellers[0].p, sellers[1].p, buyers[0].p, buyers[1].p)
	}
}

func TestNumberAndDateInOneWord(t *testing.T) {
	t.Parallel()
	s := parsed(printed{"Belegnummer/Datum", 50, 100, 8}, printed{"90012345/26.06.2026", 300, 100, 8}, printed{"7/04/2025", 50, 120, 8})
	dated := slices.ContainsFunc(s.segments, func(seg *segment) bool {
		return strings.HasPrefix(seg.text, "90012345 ") && len(seg.dates) == 1
	})
	if !dated {
		t.Errorf("segments = %q", s.texts())
	}
}

func TestTwoTaxIdentifiersAreNotOne(t *testing.T) {
	t.Parallel()
	if id, _ := idAt("558767249 910300278"); id != "558767249" {
		t.Errorf("the identifier is %q", id)
	}
	if id, _ := idAt("962 121 841"); id != "962 121 841" {
		t.Errorf("the identifier in groups is %q", id)
	}
}

func TestCandidatesOfOneValueAddUp(t *testing.T) {
	t.Parallel()
	var m *model
	all := []candidate{{found: found{value: "Acme"}}, {found: found{value: "ACME"}}, {found: found{value: "Other"}}}
	values := m.values(all, strings.ToLower)
	if len(values) != 2 || values[0].key != "acme" || values[0].p != 0.5 || values[1].p != 0.25 {
		t.Errorf("%d values, the first %q with %v", len(values), values[0].key, values[0].p)
	}
}
