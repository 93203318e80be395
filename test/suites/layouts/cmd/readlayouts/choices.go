package main

import (
	"bufio"
	"encoding/json"
	"fmt"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/test/lib/generator"
	"docledger/test/suites/layouts/known"
)

// expectedOf maps the field of a ranker to the field of expected.json.
var expectedOf = map[string]string{
	"number": "invoice_number", "issue_date": "issue_date", "due_date": "due_date", "seller": "seller_name", "buyer": "buyer_name",
	"tax_id": "seller_tax_id", "amount_due": "amount_due",
}

// example contains the candidates of one field of one document, for training.
type example struct {
	Group  string      `json:"group"`
	File   string      `json:"file"`
	Field  string      `json:"field"`
	Names  []string    `json:"names"`
	Stated bool        `json:"stated"` // the document states a value
	Masked bool        `json:"masked"` // some labels are not recognized
	Right  []int       `json:"right"`
	Values []string    `json:"values"`
	Rows   [][]float64 `json:"rows"`
}

// maskedCopies is the number of copies of a document without some of its labels.
const maskedCopies = 2

// writeChoices writes the candidates of a document with the correct values, then those
// of its masked copies.
func writeChoices(w *bufio.Writer, r known.Record, pages []layout.Page) error {
	if err := writeCopy(w, r, pages, ""); err != nil {
		return err
	}
	for n := range maskedCopies {
		if err := writeCopy(w, r, pages, fmt.Sprintf("%s %d", r.File, n)); err != nil {
			return err
		}
	}
	return nil
}

func writeCopy(w *bufio.Writer, r known.Record, pages []layout.Page, seed string) error {
	byField := map[string]*example{}
	var order []string
	for _, c := range pdftext.Choices(pages, seed) {
		e := byField[c.Field]
		if e == nil {
			e = &example{Group: r.Category, File: r.File, Field: c.Field, Names: c.Names, Stated: true, Masked: seed != ""}
			byField[c.Field] = e
			order = append(order, c.Field)
		}
		right := 0
		if c.Field == "totals" {
			right = totalsRight(r, c.Value)
		} else {
			f := expectedOf[c.Field]
			if v := known.Judge(f, known.Wanted(r, f), c.Value, false); v == "right" {
				right = 1
			}
			e.Stated = r.Expected[f] != nil
		}
		e.Right, e.Values, e.Rows = append(e.Right, right), append(e.Values, c.Value), append(e.Rows, c.Features)
	}
	for _, f := range order {
		raw, err := json.Marshal(byField[f])
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, string(raw)); err != nil {
			return err
		}
	}
	return nil
}

// totalsRight reports whether the net, tax and gross total of a combination are
// correct, or empty if the document states none.
func totalsRight(r known.Record, value string) int {
	var parts [3]string
	if err := json.Unmarshal([]byte(value), &parts); err != nil {
		return 0
	}
	free, _ := r.Expected["amount_sign_free"].(bool)
	for i, f := range []string{"net_total", "tax_total", "gross_total"} {
		if _, stated := r.Expected[f]; !stated {
			continue
		}
		if v := known.Judge(f, known.Wanted(r, f), parts[i], free); v != "right" && v != "empty" {
			return 0
		}
	}
	return 1
}

// generated returns the record of a generated document.
func generated(d *generator.Document) known.Record {
	amount := func(s string, print bool) any {
		if !print {
			return nil
		}
		return s
	}
	t := &d.Truth
	expected := map[string]any{
		"invoice_number": t.Number, "issue_date": t.IssueDate.String(), "due_date": t.DueDate.String(), "seller_name": t.Seller.Name,
		"buyer_name": t.Buyer.Name, "seller_tax_id": t.Seller.TaxID, "gross_total": t.Gross.String(), "amount_sign_free": true,
		"net_total": amount(t.Net.String(), !t.Twists.Gross), "tax_total": amount(t.Tax.String(), !t.Twists.Gross && !t.Twists.NoTax),
		"tax_total_alternatives": []any{nil, "0.00"}, "amount_due": t.Due.String(),
	}
	if !t.Twists.NoTax {
		delete(expected, "tax_total_alternatives")
	}
	if t.DueDate.IsZero() || t.Terms != "" {
		expected["due_date"] = nil
	}
	return known.Record{File: fmt.Sprintf("generated-%d", d.Seed), Category: fmt.Sprintf("generated/%s", d.Layout), Outcome: "extract", Expected: expected}
}
