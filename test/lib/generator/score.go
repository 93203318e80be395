package generator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docledger/adapter/extract/pdftext"
	"docledger/domain/entity"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/review"

	"github.com/google/uuid"
)

// Tally counts the results of a field.
type Tally struct{ Right, Flagged, SureWrong int }

// Score is the result of a set of documents.
type Score struct {
	Documents, Clean int // Clean ones required no review
	Fields           map[string]*Tally
	// Said counts the values with a confidence of at least 0.95, and Held counts the
	// correct ones among them.
	Said, Held int
	Wrong      []string // descriptions of wrong values with high confidence
	Missed     []string // descriptions of flagged values
	Alarms     []string // descriptions of failed checks of correct documents
}

// NewScore returns an empty Score.
func NewScore() *Score { return &Score{Fields: map[string]*Tally{}} }

// String formats the score as a table.
func (s *Score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "documents %d, without review %d, high confidence %d, of these right %d, false alarms %d\n", s.Documents, s.Clean, s.Said, s.Held, len(s.Alarms))
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		t := s.Fields[name]
		fmt.Fprintf(&b, "  %-16s right %5d  flagged %4d  sure and wrong %3d\n", name, t.Right, t.Flagged, t.SureWrong)
	}
	return b.String()
}

// Now is the time of the extraction, after all dates of the documents.
var Now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// Judge extracts a document and evaluates it for the entity of the buyer.
func Judge(d *Document) (*invoice.Invoice, error) {
	draft, err := pdftext.Read(d.Words(), pdftext.Options{})
	if err != nil {
		return nil, err
	}
	return judged(d, draft), nil
}

func judged(d *Document, draft *extraction.Draft) *invoice.Invoice {
	inv := &invoice.Invoice{Status: invoice.Extracted, Content: draft.Content, Fields: draft.Fields}
	settings := entity.DefaultSettings(uuid.Nil, uuid.Nil)
	owner := &entity.Entity{Name: d.Truth.Buyer.Name}
	review.Evaluate(inv, owner, &settings, draft.Checks, Now, 0)
	return inv
}

// Add counts a document without errors.
func (s *Score) Add(d *Document, inv *invoice.Invoice) {
	s.Documents++
	claims := inv.Status == invoice.Extracted
	if claims {
		s.Clean++
	}
	for _, c := range inv.Checks {
		// Low confidence is not a false alarm, and the tax identifiers are generated.
		if !c.Passed && c.Rule != invoice.RuleConfidence && c.Rule != invoice.RuleTaxIDChecksum {
			s.Alarms = append(s.Alarms, fmt.Sprintf("seed %d %s %s: %s at %s: %s, expected %s", d.Seed, d.Locale.Name, d.Layout, c.Rule, c.Path, c.Found, c.Expected))
		}
	}
	for path, want := range d.Truth.values() {
		t := s.Fields[path]
		if t == nil {
			t = &Tally{}
			s.Fields[path] = t
		}
		got := invoice.Fields[path].Get(inv)
		right := same(want, got)
		confidence := inv.Fields[path].Confidence
		if got != "" && confidence >= 0.95 {
			s.Said++
			if right {
				s.Held++
			}
		}
		note := fmt.Sprintf("seed %d %s %s: %s is %q, not %q (%.2f)", d.Seed, d.Locale.Name, d.Layout, path, got, want, confidence)
		switch {
		case right:
			t.Right++
		case claims || got != "" && confidence >= 0.95:
			t.SureWrong++
			s.Wrong = append(s.Wrong, note)
		default:
			t.Flagged++
			s.Missed = append(s.Missed, note)
		}
	}
}

// values returns the values of a truth by path.
func (t *Truth) values() map[string]string {
	out := map[string]string{
		"document_type": string(invoice.TypeInvoice), "invoice_number": t.Number, "issue_date": t.IssueDate.String(), "due_date": t.DueDate.String(),
		"currency": t.Currency, "seller.name": t.Seller.Name, "seller.tax_id": t.Seller.TaxID, "buyer.name": t.Buyer.Name,
		"net_total": t.Net.String(), "tax_total": t.Tax.String(), "gross_total": t.Gross.String(),
	}
	if t.Twists.Credit {
		out["document_type"] = string(invoice.TypeCreditNote)
		for _, total := range []string{"net_total", "tax_total", "gross_total"} {
			out[total] = strings.TrimPrefix(out[total], "-") // domain D13
		}
	}
	if t.Twists.Gross {
		out["net_total"], out["tax_total"] = "", ""
	}
	if t.Twists.NoTax {
		out["tax_total"] = ""
	}
	if t.Prepaid != nil {
		out["amount_due"] = t.Due.String()
	}
	return out
}

func same(want, got string) bool {
	if a, err := money.Parse(want); err == nil {
		if b, err := money.Parse(got); err == nil {
			return a.Equal(b)
		}
	}
	return invoice.FoldName(want) == invoice.FoldName(got)
}

// Caught reports whether a planted error is detected: the invoice needs review,
// or a check fails.
func Caught(inv *invoice.Invoice, err error) bool {
	if err != nil || inv.Status != invoice.Extracted {
		return true
	}
	blocking, warning := inv.Failed()
	return blocking+warning > 0
}
