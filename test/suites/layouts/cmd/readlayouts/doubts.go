package main

import (
	"fmt"

	"docledger/domain/invoice"
)

// doubt counts the values of a field with a confidence that requires a review.
type doubt struct {
	right, wrong int
	alone        int // correct values that are the only reason for the review of their document
}

// threshold is the confidence that a value needs without a review.
const threshold = 0.8

// addDoubts counts the doubtful values of a document.
func (s *score) addDoubts(o outcome) {
	if o.invoice == nil {
		return
	}
	low := map[string]string{}
	for _, v := range verdicts(o) {
		if v.evidence && v.confidence < threshold && v.field != "seller_tax_id" && v.field != "document_type" {
			low[v.field] = v.verdict
			if s.doubts[v.field] == nil {
				s.doubts[v.field] = &doubt{}
			}
			if v.verdict == "right" || v.verdict == "empty" {
				s.doubts[v.field].right++
			} else {
				s.doubts[v.field].wrong++
			}
			s.notes = append(s.notes, fmt.Sprintf("DOUBT %s %s %s | got %q | %.2f", o.record.File, v.field, v.verdict, v.got, v.confidence))
		}
	}
	failed := 0
	for _, c := range o.invoice.Checks {
		if !c.Passed && c.Severity == invoice.Blocking && c.Rule != invoice.RuleConfidence {
			failed++
			s.notes = append(s.notes, fmt.Sprintf("FAILED %s | %s %s expected %s found %s", o.record.File, c.Rule, c.Path, c.Expected, c.Found))
		}
	}
	totals := 0
	for f := range low {
		if f == "net_total" || f == "tax_total" || f == "gross_total" {
			totals++
		}
	}
	for f, v := range low {
		if failed == 0 && (v == "right" || v == "empty") && (len(low) == 1 || totals == len(low)) {
			s.doubts[f].alone++
		}
	}
}
