package pdftext

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"docledger/adapter/extract/layout"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// Levels of confidence. A value below the usual review threshold of 0.8 requires a
// review.
const (
	sure     = 0.97 // confirmed by arithmetic or by an unambiguous label
	likely   = 0.9
	probable = 0.82
	doubtful = 0.6 // requires a review
	open     = 0.4 // several values are equally likely
)

const maxSource = 200 // characters of source text

// draft collects the values and their positions.
type draft struct {
	content invoice.Content
	fields  map[string]invoice.Evidence
	checks  []invoice.Check
}

// recordEvidence records evidence for the value at a path.
func (d *draft) recordEvidence(path string, confidence float64, seg *segment, from, to int, alternatives ...string) {
	e := invoice.Evidence{Source: invoice.FromText, Confidence: math.Round(confidence*100) / 100, Alternatives: alternatives}
	if seg != nil {
		e.Page, e.SourceText = seg.page, shorten(seg.text)
		box := [4]float64(seg.boxOf(from, to))
		e.Box = &box
	}
	d.fields[path] = e
}

// computed records that a value was computed from others.
func (d *draft) computed(path string, confidence float64, from string) {
	d.fields[path] = invoice.Evidence{Source: invoice.Computed, Confidence: confidence, SourceText: shorten(from)}
}

func (seg *segment) boxOf(from, to int) layout.Box {
	if from >= to {
		from, to = 0, len(seg.words)
	}
	box := seg.words[from].box
	for _, w := range seg.words[from:to] {
		box = union(box, w.box)
	}
	return box
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxSource {
		return s
	}
	return string([]rune(s)[:maxSource])
}

// recordAmount records an amount and its position.
func (d *draft) recordAmount(path string, to **money.Decimal, confidence float64, row stated) {
	v := row.amount.value
	*to = &v
	var others []string
	for _, a := range row.amount.alternatives {
		others = append(others, a.String())
	}
	if len(others) > 0 {
		confidence = min(confidence, doubtful)
	}
	d.recordEvidence(path, confidence, row.seg, row.amount.from, row.amount.to, others...)
}

// choose returns the best candidate of a text value. Candidates of other values with
// about the same weight make it uncertain.
func choose(candidates []found) (best found, confidence float64, ok bool) {
	for _, c := range candidates {
		if !ok || c.weight > best.weight {
			best, ok = c, true
		}
	}
	if !ok {
		return best, 0, false
	}
	confidence = min(sure, best.weight)
	if best.weight >= 0.9 {
		confidence = sure
	} else if best.weight >= 0.8 {
		confidence = likely
	} else if best.weight >= 0.65 {
		confidence = probable
	}
	const close = 0.12
	for _, c := range candidates {
		if !strings.EqualFold(c.value, best.value) && best.weight-c.weight < close {
			confidence = open
			best.alternatives = appendNew(best.alternatives, c.value)
		}
	}
	return best, confidence, true
}

func appendNew(list []string, v string) []string {
	const most = 5
	for _, have := range list {
		if have == v {
			return list
		}
	}
	if len(list) >= most {
		return list
	}
	return append(list, v)
}

func linePath(i int) string { return fmt.Sprintf("lines[%d]", i) }

func taxPath(i int) string { return fmt.Sprintf("taxes[%d]", i) }

func round(confidence float64) float64 { return math.Round(confidence*100) / 100 }
