package main

import (
	"fmt"
	"regexp"
	"strings"

	"docledger/domain/invoice"
	"docledger/domain/money"
)

var fieldNames = []string{
	"document_type", "invoice_number", "issue_date", "due_date", "currency", "seller_name", "seller_tax_id",
	"buyer_name", "net_total", "tax_total", "gross_total", "amount_due", "line_count",
}

var paths = map[string]string{"seller_name": "seller.name", "seller_tax_id": "seller.tax_id", "buyer_name": "buyer.name"}

type verdict struct {
	field, got, verdict string
	confidence          float64
	evidence            bool
}

// verdicts evaluates the values of a document like score-extraction.
func verdicts(o outcome) []verdict {
	var out []verdict
	for _, f := range fieldNames {
		_, stated := o.record.Expected[f]
		if !stated {
			continue
		}
		v := verdict{field: f}
		path := f
		if p, ok := paths[f]; ok {
			path = p
		}
		if o.invoice != nil {
			if f == "line_count" {
				v.got = fmt.Sprint(len(o.invoice.Lines))
			} else {
				v.got = invoice.Fields[path].Get(o.invoice)
			}
			if e, ok := o.invoice.Fields[path]; ok {
				v.confidence, v.evidence = e.Confidence, true
			}
		}
		free, _ := o.record.Expected["amount_sign_free"].(bool)
		v.verdict = judge(f, wanted(o.record, f), v.got, free)
		out = append(out, v)
	}
	return out
}

func judge(field string, wanted []any, got string, signFree bool) string {
	if got == "" {
		for _, w := range wanted {
			if w == nil {
				return "empty"
			}
		}
		return "missing"
	}
	for _, w := range wanted {
		if w != nil && same(field, fmt.Sprint(w), got, signFree) {
			return "right"
		}
	}
	return "wrong"
}

var drops = map[string]*regexp.Regexp{
	"seller_tax_id": regexp.MustCompile(`[\s.\-/]`), "invoice_number": regexp.MustCompile(`[\s#]`), "document_type": regexp.MustCompile(`[\s_]`),
	"seller_name": regexp.MustCompile(`[^\p{L}\p{N}_]`), "buyer_name": regexp.MustCompile(`[^\p{L}\p{N}_]`),
}

var spaces = regexp.MustCompile(`\s+`)

func same(field, want, got string, signFree bool) bool {
	switch field {
	case "net_total", "tax_total", "gross_total", "amount_due", "line_count":
		a, errA := money.Parse(want)
		b, errB := money.Parse(got)
		if errA != nil || errB != nil {
			return false
		}
		tolerance := money.MustParse("0.005")
		return a.Within(b, tolerance) || signFree && a.Abs().Within(b.Abs(), tolerance)
	}
	drop := drops[field]
	if drop == nil {
		drop = spaces
	}
	fold := func(s string) string { return strings.ToLower(drop.ReplaceAllString(s, "")) }
	return fold(want) == fold(got)
}
