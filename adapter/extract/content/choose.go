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

// maxCandidates is the maximum number of embedded XML files of one PDF that are
// parsed.
const maxCandidates = 50

// candidate is an embedded file that was parsed as an invoice.
type candidate struct {
	name  string
	rank  [3]int // lower ranks come first
	found *einvoice.Found
	data  []byte // the XML
}

// pick is the result of the embedded files of a PDF.
type pick struct {
	best    *candidate // nil: no invoice
	others  []*candidate
	failure *extraction.Failure // why a file is no invoice: the failure that matters most
	certain bool                // the failed file has a name of a standard
	named   *extraction.Failure // the same for files with a name of a standard only
	kind    *extraction.Failure // a file is another kind of business document
	refused bool                // that file has a name of a standard: the PDF is such a document
}

// standardNames are the file names that the standards define for the invoice in a PDF
// (Factur-X 1.0 and ZUGFeRD 2, section 6.2; ZUGFeRD 1 uses capitals in the second).
var standardNames = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"}

// otherNames are the file names that the standards define for other documents in a PDF:
// orders (Order-X 1.0) and delivery notes (Deliver-X).
var otherNames = []string{"order-x.xml", "deliver-x.xml"}

// relations ranks AFRelationship: an alternative to the page first, then the source
// data of the page. Other files are additions.
var relations = []string{"Alternative", "Data", "Source"}

// choose parses the files that look like XML and selects the invoice: by the names of
// the standards, then ZUGFeRD 2 before 1, then by relationship, then in document
// order.
func choose(ctx context.Context, files []pdf.File) (*pick, error) {
	out := &pick{}
	var read []*candidate
	for _, f := range inOrder(files) {
		c, failure, err := try(ctx, f)
		if err != nil {
			return nil, err
		}
		if c != nil {
			read = append(read, c)
		}
		if failure != nil {
			out.note(f, failure)
		}
	}
	if len(read) == 0 {
		return out, nil
	}
	slices.SortStableFunc(read, func(a, b *candidate) int { return slices.Compare(a.rank[:], b.rank[:]) })
	out.best, out.others = read[0], read[1:]
	return out, nil
}

// note keeps the failure of a file. inOrder returns the files with names of standards
// first, so that their failures count before equal ones.
func (p *pick) note(f pdf.File, failure *extraction.Failure) {
	if p.failure == nil || weight(failure) > weight(p.failure) {
		p.failure, p.certain = failure, nameRank(f) == 0
	}
	if nameRank(f) == 0 && (p.named == nil || weight(failure) > weight(p.named)) {
		p.named = failure
	}
	if refused := nameRank(f) == 0 || slices.Contains(otherNames, lowerName(f)); isKind(failure) && (p.kind == nil || refused && !p.refused) {
		p.kind, p.refused = failure, refused
	}
}

// isKind reports whether a failure states that a file is another kind of business
// document.
func isKind(f *extraction.Failure) bool {
	return f.Reason == extraction.NotAnInvoice && f.Kind != extraction.Other
}

// weight ranks failures: damaged data, then another kind of document, then unknown XML.
func weight(f *extraction.Failure) int {
	switch {
	case f.Reason != extraction.NotAnInvoice:
		return 2
	case isKind(f):
		return 1
	}
	return 0
}

// inOrder returns the files to parse, those with standard names first.
func inOrder(files []pdf.File) []pdf.File {
	var out []pdf.File
	for _, f := range files {
		if pdf.IsPDF(f.Head) {
			continue // cover of a portfolio
		}
		if f.Data != nil || f.Problem != "" || namedXML(f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b pdf.File) int {
		return cmp.Compare(nameRank(a), nameRank(b))
	})
	return out[:min(len(out), maxCandidates)]
}

func nameRank(f pdf.File) int {
	if slices.Contains(standardNames, lowerName(f)) {
		return 0
	}
	return 1
}

func lowerName(f pdf.File) string { return strings.ToLower(safeName(f.Name)) }

// namedXML reports whether the name or the declared type of a file indicates XML.
func namedXML(f pdf.File) bool {
	return strings.HasSuffix(strings.ToLower(f.Name), ".xml") || strings.HasSuffix(strings.ToLower(f.MediaType), "/xml")
}

// unusable returns the failure of embedded XML that cannot be used.
func unusable(name string, f *extraction.Failure) *extraction.Failure {
	unusableFailure := *f
	unusableFailure.Message = fmt.Sprintf("The data embedded in the PDF as “%s” cannot be used. %s", name, f.Message)
	return &unusableFailure
}

// try parses one file with any name. Another kind of business document is a failure.
// Damaged or unknown XML is reported, and the pages are extracted instead.
func try(ctx context.Context, f pdf.File) (*candidate, *extraction.Failure, error) {
	if f.Problem == extraction.ExpandsTooFar {
		return nil, extraction.Fail(f.Problem, "A file embedded in the PDF expands beyond the limit."), nil
	}
	if f.Data == nil {
		return nil, unusable(safeName(f.Name), extraction.Fail(extraction.Malformed, "It is not XML, or its compressed data is damaged.")), nil
	}
	found, err := parse(ctx, f.Data)
	var failure *extraction.Failure
	switch {
	case err == nil:
	case !errors.As(err, &failure):
		return nil, nil, err
	case failure.Reason == extraction.TimedOut:
		return nil, nil, failure
	case isKind(failure):
		return nil, failure, nil
	default:
		return nil, unusable(safeName(f.Name), failure), nil
	}
	c := &candidate{name: safeName(f.Name), found: found, data: f.Data}
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

// checks reports other invoices in the same file: one warning for each different
// invoice, or one passed check if all agree. It also reports a file with a name of a
// standard that is no invoice: the sender declared it to be the invoice.
func (p *pick) checks() []invoice.Check {
	var out []invoice.Check
	for _, other := range p.others {
		for i := range other.found.Drafts {
			if !p.contains(&other.found.Drafts[i].Content) {
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
	out = out[:min(len(out), maxCandidates)]
	if p.named != nil {
		out = append(out, embeddedUnreadable(p.named))
	}
	return out
}

// contains reports whether the picked file has an invoice with the same number and
// total.
func (p *pick) contains(c *invoice.Content) bool {
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
