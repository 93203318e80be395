package pdftext_test

import (
	"slices"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
)

// totals are rows of totals.
func totals(net, tax, gross string) []string {
	return []string{"", "300@Net total|450@" + net, "300@VAT 20%|450@" + tax, "300@Total|450@" + gross}
}

// tableOf are the lines of a document with another table.
func tableOf(lines ...string) []string {
	at := slices.Index(simple, "Description|250@Qty|330@Unit price|450@Amount")
	return append(slices.Clone(simple[:at]), lines...)
}

// A commission, a royalty and interest are a share of an amount, as a tax is.
func TestLinesBasedOnAPercentageAreLines(t *testing.T) {
	t.Parallel()
	first := []string{"Steel bracket", "Drill"}
	for name, c := range map[string]struct{ lines, want []string }{
		"commission": {rows(append([]string{"Commission 10 %|330@1000.00|450@100.00", "Hosting|450@50.00"}, totals("250.00", "50.00", "300.00")...)...),
			append(first, "Commission 10 %", "Hosting")},
		"commission at the end": {rows(append([]string{"Commission 10 %|330@1000.00|450@100.00"}, totals("200.00", "40.00", "240.00")...)...),
			append(first, "Commission 10 %")},
		"commission before a quantity": {rows(append([]string{"Commission 15 %|330@2000.00|450@300.00", "Nails|250@2|330@25.00|450@50.00"}, totals("450.00", "90.00", "540.00")...)...),
			append(first, "Commission 15 %", "Nails")},
		"commission without a tax": {rows("Commission 10 %|330@1000.00|450@100.00", "Hosting|450@50.00", "", "300@Total|450@250.00"),
			append(first, "Commission 10 %", "Hosting")},
		"two commissions": {rows(append([]string{"Commission 10 %|330@1000.00|450@100.00", "Commission 5 %|330@400.00|450@20.00", "Hosting|450@50.00"}, totals("270.00", "54.00", "324.00")...)...),
			append(first, "Commission 10 %", "Commission 5 %", "Hosting")},
		"handling fee": {rows(append([]string{"Handling fee 5 % of|330@600.00|450@30.00"}, totals("130.00", "26.00", "156.00")...)...),
			append(first, "Handling fee 5 % of")},
		"fee on all lines": {rows(append([]string{"Management 10 %|330@100.00|450@10.00"}, totals("110.00", "22.00", "132.00")...)...),
			append(first, "Management 10 %")},
		"fee on all lines without a tax": {rows("Management 10 %|330@100.00|450@10.00", "", "300@Total|450@110.00"),
			append(first, "Management 10 %")},
		"quantity like a rate": {rows(append([]string{"Inspection|250@10.00|330@500.00|450@50.00", "Hosting|450@40.00"}, totals("190.00", "38.00", "228.00")...)...),
			append(first, "Inspection", "Hosting")},
		"royalties": {tableOf(append([]string{"Title|250@Sales|330@Rate|450@Amount", "Preparation|450@30.00", "Book A|250@4000.00|330@10 %|450@400.00", "Book B|250@1000.00|330@12 %|450@120.00"}, totals("550.00", "110.00", "660.00")...)...),
			[]string{"Preparation", "Book A", "Book B"}},
		"royalties first": {tableOf(append([]string{"Title|250@Sales|330@Rate|450@Amount", "Book A|250@4000.00|330@10 %|450@400.00", "Book B|250@1000.00|330@12 %|450@120.00", "Preparation|450@30.00"}, totals("550.00", "110.00", "660.00")...)...),
			[]string{"Book A", "Book B", "Preparation"}},
		"interest": {tableOf(append([]string{"Description|250@Base|330@Rate|450@Amount", "Licence|450@500.00", "Late payment interest|250@2000.00|330@8 %|450@160.00", "Reminder fee|450@5.00"}, totals("665.00", "133.00", "798.00")...)...),
			[]string{"Licence", "Late payment interest", "Reminder fee"}},
		"interest at three rates": {tableOf(append([]string{"Description|250@Base|330@Rate|450@Amount", "Licence|450@500.00", "Interest May|250@2000.00|330@8 %|450@160.00", "Interest June|250@1000.00|330@9 %|450@90.00", "Interest July|250@500.00|330@10 %|450@50.00"}, totals("800.00", "160.00", "960.00")...)...),
			[]string{"Licence", "Interest May", "Interest June", "Interest July"}},
		"commission and the sum of a group below": {rows("Commission 10 %|330@500.00|450@50.00", "", "300@Subtotal goods|450@100.00", "300@Subtotal services|450@50.00", "300@Net total|450@150.00", "300@VAT 20%|450@30.00", "300@Total|450@180.00"),
			append(first, "Commission 10 %")},
		"free line": {rows("Training|250@0 %|330@80.00|450@0.00", "", "300@Total|450@100.00"), append(first, "Training")},
		"fees after a partial sum": {rows(append([]string{"300@Subtotal goods|450@100.00", "", "Expenses", "Agency 10 %|330@1000.00|450@100.00", "Travel|450@20.00", "300@Subtotal expenses|450@120.00"}, totals("220.00", "44.00", "264.00")...)...),
			append(first, "Agency 10 %", "Travel")},
		"word for an account": {rows(append([]string{"IBAN verification|450@50.00", "BIC pens|450@30.00", "Hosting|450@20.00"}, totals("200.00", "40.00", "240.00")...)...),
			append(first, "IBAN verification", "BIC pens", "Hosting")},
	} {
		if got := descriptions(t, c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%s: lines %q, want %q", name, got, c.want)
		}
	}
}

func TestTaxesWithoutLabelsAreNoLines(t *testing.T) {
	t.Parallel()
	first := []string{"Steel bracket", "Drill"}
	for name, c := range map[string]struct{ lines, want []string }{
		"one rate":                      {rows(append([]string{"Standard|250@20 %|330@100.00|450@20.00"}, totals("100.00", "20.00", "120.00")...)...), first},
		"without a space":               {rows("Standard|250@20 %|330@100.00|450@20.00", "300@Net total|450@100.00", "300@VAT|450@20.00", "300@Total|450@120.00"), first},
		"two rates":                     {rows(append([]string{"Reduced|250@5 %|330@20.00|450@1.00", "Standard|250@20 %|330@80.00|450@16.00"}, "", "300@Net total|450@100.00", "300@VAT|450@17.00", "300@Total|450@117.00")...), first},
		"two rates without a net total": {rows("Reduced|250@5 %|330@20.00|450@1.00", "Standard|250@20 %|330@80.00|450@16.00", "", "300@Total|450@117.00"), first},
		"one rate without a net total":  {rows("Standard|250@20 %|330@100.00|450@20.00", "", "300@VAT|450@20.00", "300@Total|450@120.00"), first},
		"three rates":                   {rows("Zero|250@0 %|330@30.00|450@0.00", "Reduced|250@5 %|330@20.00|450@1.00", "Standard|250@20 %|330@50.00|450@10.00", "300@Net total|450@100.00", "300@VAT|450@11.00", "300@Total|450@111.00"), first},
		"base like a rate":              {rows("Standard|250@20 %|330@20.00|450@4.00", "Zero|250@0 %|330@80.00|450@0.00", "300@Net total|450@100.00", "300@VAT|450@4.00", "300@Total|450@104.00"), first},
		"zero, without a net total":     {rows("Zero|250@0 %|330@80.00|450@0.00", "Standard|250@20 %|330@20.00|450@4.00", "", "300@Total|450@104.00"), first},
		"label within the row":          {rows(append([]string{"Standard rate of VAT 20 %|330@100.00|450@20.00"}, totals("100.00", "20.00", "120.00")...)...), first},
		"after a commission": {rows(append([]string{"Commission 10 %|330@1000.00|450@100.00", "Hosting|450@50.00", "Standard|250@20 %|330@250.00|450@50.00"}, totals("250.00", "50.00", "300.00")...)...),
			append(first, "Commission 10 %", "Hosting")},
		"directly after a commission": {rows(append([]string{"Commission 10 %|330@1000.00|450@100.00", "Standard|250@20 %|330@200.00|450@40.00"}, totals("200.00", "40.00", "240.00")...)...),
			append(first, "Commission 10 %")},
		"after royalties": {tableOf(append([]string{"Title|250@Sales|330@Rate|450@Amount", "Book A|250@4000.00|330@10 %|450@400.00", "Book B|250@1000.00|330@12 %|450@120.00", "Standard|250@520.00|330@20 %|450@104.00"}, totals("520.00", "104.00", "624.00")...)...),
			[]string{"Book A", "Book B"}},
		"account": {rows(append([]string{"Bank|250@IBAN GB33 BUKB 2020 1555|330@5555.00|450@55.00"}, totals("100.00", "20.00", "120.00")...)...), first},
		"account of an imprint": {tableOf("Details|450@Amount", "Steel bracket|450@60.00", "Drill|450@40.00", "", "100@Net total|250@VAT|450@Total", "100@100.00|250@20.00|450@120.00", "",
			"Maple Tools Ltd|250@Tel 01632 960112|420@A/c 5020001245954", "12 Oak Street|250@Truro TR1 3QZ"), []string{"Steel bracket", "Drill"}},
		"sums in a row": {rows("150@40.00|200@60.00|250@100.00|330@20.00|450@120.00"), first},
	} {
		if got := descriptions(t, c.lines); !slices.Equal(got, c.want) {
			t.Errorf("%s: lines %q, want %q", name, got, c.want)
		}
	}
}

func TestAnAccountAtTheFootOfAPageDoesNotEndTheTable(t *testing.T) {
	t.Parallel()
	first := page(rows("", "Bank|250@IBAN GB33 BUKB 2020 1555|330@5555.00|450@55.00")...)
	second := page(append([]string{"Support|450@30.00", "Hosting|450@20.00"}, totals("150.00", "30.00", "180.00")...)...)
	second.Number = 2
	d, err := pdftext.Read([]layout.Page{first, second}, pdftext.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range d.Content.Lines {
		got = append(got, l.Description)
	}
	if want := []string{"Steel bracket", "Drill", "Support", "Hosting"}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
}
