package pdftext

import "testing"

func TestALineBeginsWithAWordForANumber(t *testing.T) {
	t.Parallel()
	for text, is := range map[string]bool{
		"Project 4711": true, "Project no. 4711": true, "Project": true, "Project plan basic 20 GB": false, "Steel bracket 20 mm": false,
	} {
		if s := parseDocument(texts(text)); numbersPage(s.lines[0]) != is {
			t.Errorf("%q is a number with its label: %v", text, !is)
		}
	}
	s := parseDocument(texts("50@Item|330@Hours|400@Rate|500@Amount", "50@Project|330@2.00|400@10.00|500@20.00"))
	s.readAmounts()
	if table := s.findTable(false, len(s.lines)); len(table.items) != 1 {
		t.Errorf("%d lines of a quantity with its price", len(table.items))
	}
}

func TestTheLastGroupOfLinesIsKept(t *testing.T) {
	t.Parallel()
	s := parseDocument(texts("50@Description|330@Quantity|400@Price|500@Amount", "50@Nails|330@2.00|400@10.00|500@20.00", "50@Screws|330@1.00|400@80.00|500@80.00",
		"400@Subtotal|500@100.00", "50@Paint|330@5.00|400@6.00|500@30.00", "400@Subtotal|500@30.00", "400@Everything|500@130.00"))
	s.readAmounts()
	table := s.findTable(false, len(s.lines))
	if s.trim(table, s.targets()); len(table.items) != 3 {
		t.Errorf("%d of 3 lines are kept", len(table.items))
	}
}

func TestATableThatAddsOnlySums(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rows []string
		only bool
	}{
		"commission": {[]string{"50@Commission 10 %|400@1000.00|500@100.00", "", "400@Net total|500@200.00", "400@Total|500@240.00"}, false},
		"tax":        {[]string{"50@Standard 20 %|400@100.00|500@20.00", "", "400@Net total|500@100.00", "400@Total|500@120.00"}, true},
		"two taxes":  {[]string{"50@Reduced 5 %|400@20.00|500@1.00", "50@Standard 20 %|400@80.00|500@16.00", "", "400@Total|500@117.00"}, true},
		"service":    {[]string{"50@IBAN verification|400@5555.00|500@55.00", "", "400@Net total|500@155.00", "400@Total|500@186.00"}, false},
	} {
		s := parseDocument(texts(append([]string{"50@Description|330@Quantity|400@Price|500@Amount", "50@Nails|330@2.00|400@10.00|500@20.00", "50@Screws|330@1.00|400@80.00|500@80.00"}, test.rows...)...))
		s.readAmounts()
		all := s.findTable(false, len(s.lines))
		complete := &table{items: all.items[:2], start: all.start}
		if only := s.addsOnlySums(all, complete, s.targets()); only != test.only {
			t.Errorf("%s: adds only sums: %v", name, only)
		}
	}
}
