// Package content computes what a document holds from its bytes and from the
// words of its pages. It opens no file and starts no process.
//
// Its time and memory depend on content that may be hostile. The child
// processes of adapter/extract/worker therefore run it, under limits; only XML
// of at most extract.smallXML bytes is read in the service itself.
package content

import (
	"context"
	"strings"

	"docledger/adapter/extract/einvoice"
	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/pdftext"
	"docledger/adapter/extract/sniff"
	einvoicerules "docledger/domain/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// What is read of a PDF without embedded data: the longest invoices have some
// hundred pages.
const (
	MaxPages = 300
	MaxWords = 100_000
)

// ComparedPages is how many pages are compared with embedded data.
const ComparedPages = 8

// XML returns the invoices of a document that is XML as a whole.
func XML(ctx context.Context, data []byte) (*extraction.Result, error) {
	found, err := parse(ctx, data)
	if err != nil {
		return nil, err
	}
	return &extraction.Result{
		Method:      invoice.Structured,
		Drafts:      found.Drafts,
		MediaType:   einvoice.MediaType,
		Attachments: found.Attachments,
		Verdict:     found.Verdict,
		Checks:      ruleChecks(found.Verdict),
	}, nil
}

// PDF is a PDF to read.
type PDF struct {
	Data   []byte
	Limits pdf.Limits
	// Forced says that a person holds the document to be an invoice.
	Forced bool
	// DateOrder is how the entity's documents write ambiguous dates.
	DateOrder extraction.DateOrder
	// Words returns the words of at most MaxPages pages. It is called only for
	// a document without usable embedded data.
	Words func() ([]layout.Page, error)
	// Unusable is called before Words if embedded invoice data cannot be used.
	Unusable func(*extraction.Failure)
}

// Read returns the invoice embedded in the PDF or, where there is none, the one
// that its pages show.
func (p PDF) Read(ctx context.Context) (*extraction.Result, error) {
	report, err := pdf.Inspect(p.Data, sniff.LooksLikeXML, p.Limits)
	if err != nil {
		return nil, err
	}
	picked, err := choose(ctx, report.Files)
	if err != nil {
		return nil, err
	}
	result := &extraction.Result{
		MediaType:   "application/pdf",
		PageCount:   report.Pages,
		Attachments: attachments(report.Files),
	}
	switch {
	case picked.best != nil:
		result.Method = invoice.Structured
		result.Drafts = picked.best.found.Drafts
		result.Attachments = append(result.Attachments, picked.best.found.Attachments...)
		result.Verdict = picked.best.found.Verdict
		result.Checks = append(picked.checks(), ruleChecks(result.Verdict)...)
		return result, nil
	case picked.failure != nil && picked.failure.Reason == extraction.NotAnInvoice:
		return nil, picked.failure
	case picked.failure != nil:
		result.Checks = []invoice.Check{embeddedUnreadable(picked.failure)}
		p.Unusable(picked.failure)
	}
	pages, err := p.Words()
	if err != nil {
		return nil, err
	}
	draft, err := pdftext.Read(pages, pdftext.Options{Forced: p.Forced, DateOrder: p.DateOrder})
	if err != nil {
		return nil, err
	}
	result.Method = invoice.Text
	result.Drafts = []extraction.Draft{*draft}
	return result, nil
}

// ruleChecks is the check of the official rules on an electronic invoice that
// claims a profile with rules. The entity's settings decide its severity.
func ruleChecks(v *einvoicerules.Verdict) []invoice.Check {
	if v == nil || v.Outcome == einvoicerules.NotJudged {
		return nil
	}
	c := invoice.Check{Rule: invoice.RuleEInvoice, Severity: invoice.Warning, Passed: v.Outcome == einvoicerules.Valid}
	if !c.Passed {
		c.Expected, c.Found = "no violated rule", strings.Join(v.Violated(einvoicerules.Profiles()...), ", ")
	}
	return []invoice.Check{c}
}

// embeddedUnreadable is the check of a PDF that carries invoice data that cannot
// be used, so that the pages were read instead.
func embeddedUnreadable(f *extraction.Failure) invoice.Check {
	return invoice.Check{
		Rule: invoice.RuleEmbeddedReadable, Severity: invoice.Blocking,
		Expected: "embedded invoice data that can be read", Found: f.Message,
	}
}
