// Package content computes the result of an extraction from the bytes of a document
// and the words of its pages. It opens no file and starts no process.
//
// Its time and memory depend on content that may be hostile. The child processes of
// adapter/extract/worker therefore run it with limits. Only XML of at most
// extract.SmallXML bytes is parsed in the service itself.
package content

import (
	"context"
	"errors"
	"strings"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/pdftext"
	"docledger/adapter/extract/sniff"
	einvoicerules "docledger/domain/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// Limits for a PDF without embedded data. The longest invoices have some hundred
// pages.
const (
	MaxPages = 300
	MaxWords = 100_000
)

// ComparedPages is the number of pages that are compared with embedded data.
const ComparedPages = 8

// XML returns the invoices of an XML document, which may be in a signed envelope.
func XML(ctx context.Context, data []byte) (*extraction.Result, error) {
	text, signatures, err := unsigned(data)
	if err != nil {
		return nil, err
	}
	found, err := parse(ctx, text)
	if err != nil {
		return nil, err
	}
	return &extraction.Result{
		Method:      invoice.Structured,
		Drafts:      found.Drafts,
		MediaType:   sniff.Detect(data).MediaType,
		Attachments: found.Attachments,
		Signatures:  signatures,
		Verdict:     found.Verdict,
		Checks:      ruleChecks(found.Verdict),
	}, nil
}

// PDF is a PDF to extract.
type PDF struct {
	Data   []byte
	Limits pdf.Limits
	// Forced reports that a user declared the document to be an invoice.
	Forced bool
	// DateOrder is the order of ambiguous dates in the entity's documents.
	DateOrder extraction.DateOrder
	// Readings requests the printed texts that can be values.
	Readings bool
	// Part reports that Words returns the pages of one invoice of the file. Embedded
	// data is ignored then.
	Part bool
	// Words returns the words of at most MaxPages pages. It is called only for
	// a document without usable embedded data.
	Words func() ([]layout.Page, error)
	// Inner returns the words of a PDF that a portfolio embeds.
	Inner  func(data []byte) ([]layout.Page, error)
	nested bool // the PDF is a file of a portfolio
	// Unusable is called before Words if embedded invoice data cannot be used.
	Unusable func(*extraction.Failure)
}

// Read returns the invoice embedded in the PDF or, if there is none, the invoice on
// its pages.
func (p PDF) Read(ctx context.Context) (*extraction.Result, error) {
	report, err := pdf.Inspect(p.Data, sniff.LooksLikeXML, p.Limits)
	if err != nil {
		return nil, err
	}
	if p.Part {
		drafts, scanned, pages, err := p.printed()
		if err != nil {
			return nil, err
		}
		return &extraction.Result{MediaType: "application/pdf", Method: invoice.Text, PageCount: pages, Drafts: drafts, ScannedPages: scanned}, nil
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
	case picked.refused:
		return nil, picked.kind
	}
	var inside *extraction.Failure // why no file of a portfolio is an invoice
	if report.Portfolio && !p.nested {
		inner, why, err := p.portfolio(ctx, report.Files)
		if inner != nil && picked.failure != nil {
			inner.Checks = append(inner.Checks, embeddedUnreadable(picked.failure))
		}
		if inner != nil || err != nil {
			return inner, err
		}
		inside = why
	}
	if picked.failure != nil {
		result.Checks = []invoice.Check{embeddedUnreadable(picked.failure)}
		if picked.certain && picked.failure.Reason != extraction.NotAnInvoice {
			p.Unusable(picked.failure)
		}
	}
	drafts, scanned, _, err := p.printed()
	var failure *extraction.Failure
	switch {
	case err == nil:
	case picked.kind != nil && errors.As(err, &failure):
		return nil, picked.kind // this is more specific than that the pages have no invoice
	case inside != nil && errors.As(err, &failure):
		return nil, inside // this is more specific than the failure of the cover
	default:
		return nil, err
	}
	result.Method = invoice.Text
	result.Drafts = drafts
	result.ScannedPages = scanned
	return result, nil
}

// printed extracts the invoices from the pages and counts the pages and the scanned
// ones. A file of a portfolio has one invoice.
func (p PDF) printed() (drafts []extraction.Draft, scanned, count int, err error) {
	pages, err := p.Words()
	if err != nil {
		return nil, 0, 0, err
	}
	for i := range pages {
		if pages[i].Scanned {
			scanned++
		}
	}
	read := func(pages []layout.Page) (*extraction.Draft, error) {
		return pdftext.Read(pages, pdftext.Options{Forced: p.Forced, DateOrder: p.DateOrder, Readings: p.Readings})
	}
	if !p.Part && !p.nested {
		drafts, err = several(pages, read)
		return drafts, scanned, len(pages), err
	}
	draft, err := read(renumbered(pages))
	if err != nil {
		return nil, 0, 0, err
	}
	return []extraction.Draft{*draft}, scanned, len(pages), nil
}

// ruleChecks returns the check of the official rules for an electronic invoice that
// claims a profile with rules. The entity's settings define its severity.
func ruleChecks(v *einvoicerules.Verdict) []invoice.Check {
	if v == nil || v.Outcome == einvoicerules.NotJudged && len(v.Unjudged) == 0 {
		return nil
	}
	c := invoice.Check{Rule: invoice.RuleEInvoice, Severity: invoice.Warning, Passed: v.Outcome == einvoicerules.Valid, Detail: v.ByProfile()}
	if !c.Passed {
		c.Expected, c.Found = invoice.NoViolatedRule, strings.Join(v.Violated(einvoicerules.Profiles()...), ", ")
	}
	if v.Outcome == einvoicerules.NotJudged {
		c.Found = invoice.NotJudged
	}
	return []invoice.Check{c}
}

// maxInner is the maximum number of PDFs in a portfolio that are extracted.
const maxInner = 20

// portfolio extracts the PDFs in a portfolio and returns the first invoice. Other
// files are attachments. If there is no invoice, it returns the failure of the first
// PDF, and the portfolio's own pages are extracted.
func (p PDF) portfolio(ctx context.Context, files []pdf.File) (*extraction.Result, *extraction.Failure, error) {
	read := 0
	var why *extraction.Failure
	for _, f := range files {
		if f.Data == nil || !pdf.IsPDF(f.Head) || read == maxInner {
			continue
		}
		read++
		inner := PDF{
			Data: f.Data, Limits: p.Limits, Forced: p.Forced, DateOrder: p.DateOrder, Readings: p.Readings, nested: true,
			Words:    func() ([]layout.Page, error) { return p.Inner(f.Data) },
			Unusable: func(*extraction.Failure) {},
		}
		result, err := inner.Read(ctx)
		var failure *extraction.Failure
		switch {
		case err == nil:
			result.Attachments = append(attachments(files), result.Attachments...)
			return result, nil, nil
		case !errors.As(err, &failure):
			return nil, nil, err
		case why == nil:
			why = failure
		}
	}
	return nil, why, nil
}

// embeddedUnreadable returns the check of a PDF with unusable invoice data. Other XML
// may be unrelated to the invoice.
func embeddedUnreadable(f *extraction.Failure) invoice.Check {
	severity := invoice.Blocking
	if f.Reason == extraction.NotAnInvoice {
		severity = invoice.Warning
	}
	return invoice.Check{
		Rule: invoice.RuleEmbeddedReadable, Severity: severity,
		Expected: "readable embedded invoice data", Found: f.Message,
	}
}
