// Package known reads the known values of test documents, and compares values with them.
package known

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"docledger/domain/money"
)

// Record describes a document with known values.
type Record struct {
	File     string         `json:"file"`
	Category string         `json:"category"`
	Outcome  string         `json:"outcome"`
	Type     string         `json:"content_type"`
	Expected map[string]any `json:"expected"`
}

// LeftOut reports whether the documents of a category are excluded from the
// development of rules.
func LeftOut(category string) bool {
	sum := sha256.Sum256([]byte(category))
	return sum[len(sum)-1]%2 == 0
}

// Folds is the number of parts of the layouts in train.py.
const Folds = 5

// FoldOf returns the part of a category, like train.py.
func FoldOf(category string) int {
	sum := sha256.Sum256([]byte("fold " + category))
	var rest big.Int
	return int(rest.Mod(rest.SetBytes(sum[:]), big.NewInt(Folds)).Int64())
}

// Load reads the records of a folder.
func Load(dir string) ([]Record, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		return nil, err
	}
	var all struct{ Files []Record }
	return all.Files, json.Unmarshal(raw, &all)
}

// FieldNames are the fields that are compared.
var FieldNames = []string{
	"document_type", "invoice_number", "issue_date", "due_date", "currency", "seller_name", "seller_tax_id",
	"buyer_name", "net_total", "tax_total", "gross_total", "amount_due", "line_count",
}

// Paths are the paths of fields that have another name in an invoice.
var Paths = map[string]string{"seller_name": "seller.name", "seller_tax_id": "seller.tax_id", "buyer_name": "buyer.name"}

// Wanted returns the values of a field that count as correct; nil is no value.
func Wanted(r Record, field string) []any {
	out := []any{r.Expected[field]}
	if more, ok := r.Expected[field+"_alternatives"].([]any); ok {
		out = append(out, more...)
	}
	return out
}

// Judge returns right, empty (correctly), wrong or missing.
func Judge(field string, wanted []any, got string, signFree bool) string {
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
