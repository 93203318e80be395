package pdftext

import (
	"testing"

	"docledger/domain/money"
)

// totalsOf returns the solver of a document and the sum with a value.
func totalsOf(lines string, printed ...string) (*solver, func(value string) *sum) {
	s := parseDocument(texts(printed...))
	s.readAmounts()
	total := money.MustParse(lines)
	v := &solver{s: s, d: &draft{}, rows: s.findTotals().rows, lines: &total}
	v.taxes = v.taxRows()
	all := s.sums()
	return v, func(value string) *sum {
		for _, x := range all {
			if x.value.Equal(money.MustParse(value)) {
				return x
			}
		}
		return nil
	}
}

func TestTwoEquationsProveTotals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines           string
		printed         []string
		net, tax, gross string
		proved          bool
	}{
		"lines and rate":       {"100.00", []string{"Net|450@100.00", "VAT 20%|450@20.00", "Total|450@120.00"}, "100.00", "20.00", "120.00", true},
		"charge, no net total": {"100.00", []string{"Sub total|450@100.00", "Delivery|450@10.00", "VAT 20%|450@22.00", "Total due|450@132.00"}, "", "22.00", "132.00", true},
		"prices with tax":      {"120.00", []string{"Sum|450@120.00", "including VAT 20%|450@20.00"}, "", "20.00", "120.00", true},
		"other rate":           {"100.00", []string{"Net|450@100.00", "VAT 19%|450@20.00", "Total|450@120.00"}, "100.00", "20.00", "120.00", false},
		"lines do not add up":  {"90.00", []string{"Net|450@100.00", "VAT 20%|450@20.00", "Total|450@120.00"}, "100.00", "20.00", "120.00", false},
		"no tax":               {"100.00", []string{"Net|450@100.00", "Discount 20%|450@20.00", "Total|450@100.00"}, "", "", "100.00", false},
		"unlabelled zero":      {"100.00", []string{"Net|450@100.00", "0%|450@0.00", "Total|450@100.00"}, "100.00", "0.00", "100.00", false},
		"labelled tax of zero": {"100.00", []string{"Net|450@100.00", "VAT 0%|450@0.00", "Total|450@100.00"}, "100.00", "0.00", "100.00", true},
		"taxes at several rates": {"300.00", []string{
			"VAT %|200@Net|300@VAT|400@Gross", "10 %|200@100.00|300@10.00|400@110.00", "20 %|200@200.00|300@40.00|400@240.00",
			"Total|200@300.00|300@50.00|400@350.00",
		}, "300.00", "50.00", "350.00", true},
	} {
		v, at := totalsOf(test.lines, test.printed...)
		c := &combination{gross: at(test.gross)}
		if test.net != "" {
			c.net = at(test.net)
		}
		if test.tax != "" {
			c.tax = at(test.tax)
		}
		if got := v.proved(c); got != test.proved {
			t.Errorf("%s: proved %v", name, got)
		}
	}
}

func TestLabelAtTheLeftOfABox(t *testing.T) {
	t.Parallel()
	_, at := totalsOf("1.00",
		"30@SUBTOTAL|130@FREIGHT|230@DISCOUNT|330@TOTAL AMOUNT",
		"95@1.00|190@0.50|290@0.20|450@200.00")
	if got := at("200.00").labels[moneyTotal][sideAbove] + at("200.00").labels[moneyGross][sideAbove]; got == 0 {
		t.Errorf("labels = %v", at("200.00").labels)
	}
	_, at = totalsOf("1.00", "30@TOTAL AMOUNT", "450@200.00")
	if got := at("200.00").labels; got != [moneyGroups][sides]float64{} {
		t.Errorf("a label without neighbours is that of an amount far from it: %v", got)
	}
}

func TestSentencesMentionAmounts(t *testing.T) {
	t.Parallel()
	for text, prose := range map[string]bool{
		"Former total 9320.28. Credits are valid.":              true,
		"Total amount to pay 9320.28.":                          false,
		"Total incl. VAT 9320.28":                               false,
		"We charge interest of 1.50 a month on overdue amounts": true,
	} {
		s := parseDocument(texts(text))
		if got := s.segments[0].isProse(); got != prose {
			t.Errorf("%q: prose %v", text, got)
		}
	}
}
