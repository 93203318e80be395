package pdftext

import (
	"testing"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
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

// The lines state another rate than the tax: either they or the tax were read wrong.
func TestATaxOfAnotherRateThanTheLines(t *testing.T) {
	t.Parallel()
	amountOf := func(value string) *amount { return &amount{value: money.MustParse(value), to: 1} }
	s := parseDocument(texts("Tax"))
	for name, test := range map[string]struct {
		net, base, rate, tax, lines string
		doubted                     bool
	}{
		"of the net total":                      {"100.00", "", "20", "20.00", "25", false},
		"of its base":                           {"100.00", "50.00", "20", "10.00", "25", false},
		"of no amount":                          {"100.00", "", "20", "25.00", "25", true},
		"of the net total and not of its base":  {"100.00", "50.00", "20", "20.00", "25", true},
		"without a net total":                   {"", "", "20", "20.00", "25", true},
		"of its base, without a net total":      {"", "100.00", "20", "20.00", "25", false},
		"with a rounding difference":            {"100.05", "", "20", "20.02", "25", false},
		"of no amount, with the lines' rate":    {"100.00", "", "20", "25.00", "20", false},
		"of no amount, and lines without rates": {"100.00", "", "20", "25.00", "", false},
	} {
		total, rate, tax := money.MustParse("100.00"), money.MustParse(test.rate), money.MustParse(test.tax)
		row := stated{role: textrules.RoleTax, rate: &rate, amount: amountOf(test.tax), seg: s.segments[0]}
		if test.base != "" {
			row.base = amountOf(test.base)
		}
		line := invoice.Line{NetAmount: &total}
		if test.lines != "" {
			line.TaxRate = &amountOf(test.lines).value
		}
		d := &draft{fields: map[string]invoice.Evidence{"tax_total": {Confidence: sure}}}
		d.content.TaxTotal, d.content.Lines = &tax, []invoice.Line{line}
		if test.net != "" {
			d.content.NetTotal = &amountOf(test.net).value
		}
		v := &solver{s: s, d: d, taxes: []stated{row}}
		v.breakdown()
		if doubted := d.fields["tax_total"].Confidence < sure; doubted != test.doubted {
			t.Errorf("%s: the tax total is doubted: %v", name, doubted)
		}
	}
}

// Lines, labelled charges and taxes with rates prove a gross total without a net total.
func TestClosedSumsProveTheGrossTotal(t *testing.T) {
	t.Parallel()
	taxes := []string{"Sum|450@300.00", "Delivery|450@10.00", "VAT 20%|450@42.00", "VAT 10%|450@10.00"}
	for name, test := range map[string]struct {
		lines   string
		printed []string
		tax     string
		gross   string
		closed  bool
	}{
		"taxes at two rates":         {"300.00", append(taxes, "Total due|450@362.00"), "", "362.00", true},
		"one of the taxes":           {"300.00", append(taxes, "Total due|450@362.00"), "42.00", "362.00", false},
		"another total":              {"300.00", append(taxes, "Total due|450@363.00"), "", "363.00", false},
		"no label of the total":      {"300.00", append(taxes, "Botengang|450@362.00"), "", "362.00", false},
		"another rate":               {"300.00", []string{"Delivery|450@10.00", "VAT 19%|450@42.00", "VAT 10%|450@10.00", "Total due|450@362.00"}, "", "362.00", false},
		"a charge without a tax":     {"300.00", []string{"Sum|450@300.00", "Delivery|450@10.00", "Total due|450@310.00"}, "", "310.00", true},
		"no charge":                  {"300.00", []string{"Total due|450@300.00"}, "", "300.00", false},
		"a tax without an amount":    {"300.00", []string{"Sum|450@300.00", "Delivery|450@10.00", "VAT 20%", "Total due|450@310.00"}, "", "310.00", false},
		"a tax without a known rate": {"300.00", []string{"Sum|450@300.00", "VAT|450@60.00", "Total due|450@360.00"}, "", "360.00", false},
	} {
		v, at := totalsOf(test.lines, test.printed...)
		c := &combination{gross: at(test.gross)}
		if test.tax != "" {
			c.tax = at(test.tax)
		}
		if got := v.closes(c); got != test.closed {
			t.Errorf("%s: %v", name, got)
		}
	}
	v, at := totalsOf("300.00", append(taxes, "Total due|450@362.00")...)
	if c := v.withTaxes(&combination{gross: at("362.00")}); c.tax == nil || c.tax.value.String() != "52.00" {
		t.Errorf("the sum of the taxes is %+v", c.tax)
	}
	with := &combination{gross: at("362.00"), tax: at("42.00")}
	if v.withTaxes(with) != with {
		t.Error("a printed tax total was replaced")
	}
}

// The sum of the taxes by rate is stated if it closes the sum of a document without a net total.
func TestClosedSumsStateTheTaxTotal(t *testing.T) {
	t.Parallel()
	printed := func(total string) []string {
		return []string{
			"Maple Tools Ltd", "12 Oak Street", "Leeds LS1 4AB", "", "INVOICE 2026-17", "Date|150@2 May 2026", "", "Bill to", "Granite plc", "5 High Road", "Bath BA2 4QZ", "",
			"Description|250@Qty|330@Price|450@Amount", "Drill|250@2|330@80.00|450@160.00", "Saw|250@1|330@100.00|450@100.00", "Hammer|250@4|330@10.00|450@40.00", "",
			"Sum|450@300.00", "Delivery|450@10.00", "VAT 20%|450@42.00", "VAT 10%|450@10.00", "Total|450@" + total, "Amount due|450@" + total,
		}
	}
	for total, closed := range map[string]bool{"362.00": true, "372.00": false} {
		d, err := Read(texts(printed(total)...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		gross, tax := d.Fields["gross_total"].Confidence, d.Content.TaxTotal
		if d.Content.GrossTotal.String() != total || gross >= probable != closed || closed && (tax == nil || tax.String() != "52.00") {
			t.Errorf("%s: gross %s %.2f, tax %v", total, d.Content.GrossTotal, gross, tax)
		}
	}
}
