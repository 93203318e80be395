package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docledger/adapter/extract/einvoice"
	"docledger/adapter/extract/pdf"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// maxCandidates is how many embedded XML files of one PDF are read.
const maxCandidates = 50

// candidate is an embedded file that was read as an invoice.
type candidate struct {
	name  string
	rank  [3]int // the smaller comes first
	found *einvoice.Found
}

// pick is what the embedded files of a PDF hold.
type pick struct {
	best    *candidate // nil: no invoice
	others  []*candidate
	failure *extraction.Failure // why there is none, where the files tell
}

// standardNames are what the standards call the invoice in a PDF (Factur-X
// 1.0 and ZUGFeRD 2, 6.2; ZUGFeRD 1 spells the second with capitals).
var standardNames = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"}

// relations ranks AFRelationship: an alternative of the page first, then the
// data it was made from. Other files are additions.
var relations = []string{"Alternative", "Data", "Source"}

func standardName(name string) bool {
	return slices.Contains(standardNames, strings.ToLower(name))
}

// choose reads the files that look like XML and picks the invoice: by the
// standards' names, then ZUGFeRD 2 before 1, then by relationship, then in the
// document's order.
func choose(ctx context.Context, files []pdf.File) (*pick, error) {
	out := &pick{}
	var read []*candidate
	var reasons []*extraction.Failure // of the files, the standards' names first
	for _, f := range inOrder(files) {
		c, failure, err := try(ctx, f)
		if err != nil {
			return nil, err
		}
		if c != nil {
			read = append(read, c)
		}
		if failure != nil {
			reasons = append(reasons, failure)
		}
	}
	if len(read) == 0 {
		if len(reasons) > 0 {
			out.failure = reasons[0]
		}
		return out, nil
	}
	slices.SortStableFunc(read, func(a, b *candidate) int { return slices.Compare(a.rank[:], b.rank[:]) })
	out.best, out.others = read[0], read[1:]
	return out, nil
}

// inOrder returns the files to read, those with standard names first.
func inOrder(files []pdf.File) []pdf.File {
	var out []pdf.File
	for _, f := range files {
		if f.Data != nil || f.Problem != "" {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b pdf.File) int {
		return cmp.Compare(nameRank(a), nameRank(b))
	})
	return out[:min(len(out), maxCandidates)]
}

func nameRank(f pdf.File) int {
	if standardName(safeName(f.Name)) {
		return 0
	}
	return 1
}

// try reads one file. Its failure counts for the document only where the file
// is surely meant as the invoice, or surely another kind of business document:
// any PDF may carry some other XML.
func try(ctx context.Context, f pdf.File) (*candidate, *extraction.Failure, error) {
	if f.Problem == extraction.ExpandsTooFar {
		return nil, extraction.Fail(f.Problem, "A file embedded in the PDF expands beyond what is accepted."), nil
	}
	if f.Data == nil {
		return nil, nil, nil
	}
	found, err := parse(ctx, f.Data)
	var failure *extraction.Failure
	switch {
	case err == nil:
	case !errors.As(err, &failure):
		return nil, nil, err
	case failure.Reason == extraction.TimedOut:
		return nil, nil, failure
	case failure.Reason == extraction.NotAnInvoice && failure.Kind != extraction.Other:
		return nil, failure, nil
	case failure.Reason != extraction.NotAnInvoice && nameRank(f) == 0:
		told := *failure
		told.Message = "The invoice data embedded in the PDF can't be used. " + failure.Message
		return nil, &told, nil
	default:
		return nil, nil, nil
	}
	c := &candidate{name: safeName(f.Name), found: found}
	c.rank = [3]int{nameRank(f), formatRank(found.Format), relationRank(f.Relationship)}
	return c, nil, nil
}

func formatRank(format string) int {
	if format == einvoice.FormatZUGFeRD1 {
		return 1
	}
	return 0
}

func relationRank(relation string) int {
	if i := slices.Index(relations, relation); i >= 0 {
		return i
	}
	return len(relations)
}

// checks tells of other invoices in the same file: a warning for each that
// differs, or that all agree.
func (p *pick) checks() []invoice.Check {
	var out []invoice.Check
	for _, other := range p.others {
		for i := range other.found.Drafts {
			if !p.holds(&other.found.Drafts[i].Content) {
				out = append(out, invoice.Check{
					Rule:     invoice.RuleSingleInvoice,
					Severity: invoice.Warning,
					Expected: describe(p.best.name, &p.best.found.Drafts[0].Content),
					Found:    describe(other.name, &other.found.Drafts[i].Content),
				})
			}
		}
	}
	if len(out) == 0 && len(p.others) > 0 {
		out = append(out, invoice.Check{Rule: invoice.RuleSingleInvoice, Severity: invoice.Warning, Passed: true})
	}
	return out[:min(len(out), maxCandidates)]
}

// holds says whether the picked file states an invoice of the same number and
// total.
func (p *pick) holds(c *invoice.Content) bool {
	for i := range p.best.found.Drafts {
		mine := &p.best.found.Drafts[i].Content
		if mine.Number == c.Number && sameAmount(mine.GrossTotal, c.GrossTotal) {
			return true
		}
	}
	return false
}

func sameAmount(a, b *money.Decimal) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

func describe(name string, c *invoice.Content) string {
	gross := "no total"
	if c.GrossTotal != nil {
		gross = c.GrossTotal.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s, %s %s", name, cmp.Or(c.Number, "no number"), gross, c.Currency))
}
