package main

import (
	"fmt"

	"docledger/domain/invoice"
	"docledger/test/suites/layouts/known"
)

type verdict struct {
	field, got, verdict string
	confidence          float64
	evidence            bool
}

// verdicts evaluates the values of a document like score-extraction.
func verdicts(o outcome) []verdict {
	var out []verdict
	for _, f := range known.FieldNames {
		_, stated := o.record.Expected[f]
		if !stated {
			continue
		}
		v := verdict{field: f}
		path := f
		if p, ok := known.Paths[f]; ok {
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
		v.verdict = known.Judge(f, known.Wanted(o.record, f), v.got, free)
		out = append(out, v)
	}
	return out
}
