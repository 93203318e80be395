package pdftext_test

import (
	"slices"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
)

func TestMaskedCopiesOfADocument(t *testing.T) {
	t.Parallel()
	pages := []layout.Page{page(withTotals("", "300@Net total|450@100.00", "300@VAT 20%|450@20.00", "300@Total|450@120.00")...)}
	features := func(seed string) [][]float64 {
		var out [][]float64
		for _, c := range pdftext.Choices(pages, seed) {
			out = append(out, c.Features)
		}
		return out
	}
	same := func(a, b [][]float64) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }
	whole := features("")
	if !same(features("a 1"), features("a 1")) {
		t.Error("a seed gives two copies")
	}
	if same(whole, features("a 1")) && same(whole, features("a 2")) && same(whole, features("a 3")) {
		t.Error("no copy lacks a label")
	}
}
