package extract

import (
	"bytes"
	"context"
	"errors"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/pdftext"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// maxPages and maxWords bound what is read of a PDF without embedded data: the
// longest invoices have some hundred pages.
const (
	maxPages = 300
	maxWords = 100_000
)

// readPDF reads the invoice embedded in a PDF or, where there is none, the one
// its pages show.
func (p *Pipeline) readPDF(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	if err := p.places.Acquire(ctx, 1); err != nil {
		return nil, err // the wait ended, not the document
	}
	defer p.places.Release(1)
	limited, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	report, err := p.pool.Inspect(limited, s.Path)
	if err != nil {
		return nil, err
	}
	picked, err := p.pick(limited, report.Files)
	if err != nil {
		return nil, err
	}
	result := &extraction.Result{
		EngineVersion: EngineVersion,
		MediaType:     "application/pdf",
		PageCount:     report.Pages,
		Attachments:   attachments(report.Files),
	}
	switch {
	case picked.best != nil:
		result.Method = invoice.Structured
		result.Drafts = picked.best.found.Drafts
		result.Attachments = append(result.Attachments, picked.best.found.Attachments...)
		result.Checks = append(picked.checks(), p.compare(ctx, s, result.Drafts)...)
		return result, nil
	case picked.failure != nil && picked.failure.Reason == extraction.NotAnInvoice:
		return nil, picked.failure
	}
	draft, err := p.readText(ctx, s)
	if err != nil {
		if picked.failure != nil {
			return nil, picked.failure
		}
		return nil, err
	}
	result.Method = invoice.Text
	result.Drafts = []extraction.Draft{*draft}
	if picked.failure != nil {
		result.Checks = []invoice.Check{embeddedUnreadable(picked.failure)}
	}
	return result, nil
}

// comparedPages is how many pages are looked at for the number, date and total
// of embedded data.
const comparedPages = 8

// compare holds embedded data against the pages. Where they can't be read
// nothing is said: the data are what counts.
func (p *Pipeline) compare(ctx context.Context, s extraction.Source, drafts []extraction.Draft) []invoice.Check {
	if !p.options.ComparePages || len(drafts) != 1 || p.pool.Prewarm(ctx) != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	pages, err := p.pool.Text(ctx, s.Path, worker.TextOptions{Pages: comparedPages, Words: maxWords})
	if err != nil {
		return nil
	}
	check, ok := pdftext.Compare(pages, &drafts[0].Content)
	if !ok {
		return nil
	}
	return []invoice.Check{check}
}

// readText reads what the pages show. Compiling the engine counts towards no
// document's deadline.
func (p *Pipeline) readText(ctx context.Context, s extraction.Source) (*extraction.Draft, error) {
	if err := p.pool.Prewarm(ctx); err != nil {
		return nil, err // again the wait
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	pages, err := p.text(ctx, s.Path)
	if err != nil {
		return nil, late(err)
	}
	return pdftext.Read(pages, pdftext.Options{Forced: s.Forced})
}

// textTries is how often the words of a document are asked for.
const textTries = 3

// text reads the words of the pages. What other documents left behind in a
// child may cost it the memory for this one, so a document that seems to be
// too much for one is tried in others, within the same deadline.
func (p *Pipeline) text(ctx context.Context, path string) (pages []layout.Page, err error) {
	for range textTries {
		pages, err = p.pool.Text(ctx, path, worker.TextOptions{Pages: maxPages, Words: maxWords})
		var failure *extraction.Failure
		if !errors.As(err, &failure) || failure.Reason != extraction.OutOfMemory && failure.Reason != extraction.Crashed {
			break
		}
	}
	return pages, err
}

// embeddedUnreadable tells that a PDF carries invoice data that can't be used,
// so that what its pages show was read instead.
func embeddedUnreadable(f *extraction.Failure) invoice.Check {
	return invoice.Check{
		Rule: invoice.RuleEmbeddedReadable, Severity: invoice.Blocking,
		Expected: "embedded invoice data that can be read", Found: f.Message,
	}
}

// pick reads the embedded files once there is room for their XML.
func (p *Pipeline) pick(ctx context.Context, files []pdf.File) (*pick, error) {
	total := int64(0)
	for _, f := range files {
		weight, err := weigh(bytes.NewReader(f.Data))
		if err != nil {
			return nil, err
		}
		total += weight
	}
	release, err := p.hold(ctx, total)
	if err != nil {
		return nil, err
	}
	defer release()
	return choose(ctx, files)
}
