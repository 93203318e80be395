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
	if table := s.findTable(false); len(table.items) != 1 {
		t.Errorf("%d lines of a quantity with its price", len(table.items))
	}
}

func TestTheLastGroupOfLinesIsKept(t *testing.T) {
	t.Parallel()
	s := parseDocument(texts("50@Description|330@Quantity|400@Price|500@Amount", "50@Nails|330@2.00|400@10.00|500@20.00", "50@Screws|330@1.00|400@80.00|500@80.00",
		"400@Subtotal|500@100.00", "50@Paint|330@5.00|400@6.00|500@30.00", "400@Subtotal|500@30.00", "400@Everything|500@130.00"))
	s.readAmounts()
	table := s.findTable(false)
	if s.trim(table, s.targets()); len(table.items) != 3 {
		t.Errorf("%d of 3 lines are kept", len(table.items))
	}
}
