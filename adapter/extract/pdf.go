package extract

import (
	"bytes"
	"context"

	"docledger/adapter/extract/pdf"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// readPDF reads the invoice embedded in a PDF.
func (p *Pipeline) readPDF(ctx context.Context, path string) (*extraction.Result, error) {
	if err := p.places.Acquire(ctx, 1); err != nil {
		return nil, err // the wait ended, not the document
	}
	defer p.places.Release(1)
	ctx, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	report, err := p.pool.Inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	picked, err := p.pick(ctx, report.Files)
	if err != nil {
		return nil, err
	}
	switch {
	case picked.best != nil:
	case picked.failure != nil:
		return nil, picked.failure
	default:
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The PDF carries no invoice data, and printed or scanned pages can't be read yet. "+
				"Ask the sender for an e-invoice: XML, or a PDF with embedded data (Factur-X, ZUGFeRD).")
	}
	return &extraction.Result{
		Method:        invoice.Structured,
		EngineVersion: EngineVersion,
		Drafts:        picked.best.found.Drafts,
		MediaType:     "application/pdf",
		PageCount:     report.Pages,
		Attachments:   append(attachments(report.Files), picked.best.found.Attachments...),
		Checks:        picked.checks(),
	}, nil
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
