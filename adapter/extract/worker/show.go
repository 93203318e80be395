package worker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"docledger/adapter/extract/content"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/readable"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// Shown says how the data of an electronic invoice is shown.
type Shown struct {
	Part int  // which of several invoices, from 1; 0: all
	PDF  bool // as PDF, not as HTML
}

// Show renders the data of an electronic invoice. Its errors are those of
// extraction.PageViewer.
func (p *Pool) Show(ctx context.Context, path string, s Shown) ([]byte, error) {
	a, err := p.do(ctx, p.viewBudget(), request{Operation: opShow, Path: path, Shown: s}, false)
	if err != nil {
		return nil, err
	}
	if a.file == nil {
		return nil, errProtocol
	}
	return a.file, nil
}

// Attachment returns a file embedded in a document, which the extraction listed as
// wanted; nth selects one of several equal ones, from 0. Its errors are those of
// extraction.PageViewer.
func (p *Pool) Attachment(ctx context.Context, path string, wanted document.Attachment, nth int) ([]byte, error) {
	a, err := p.do(ctx, p.viewBudget(), request{Operation: opExtract, Path: path, Wanted: wanted, Nth: nth}, false)
	if err != nil {
		return nil, err
	}
	if a.file == nil {
		return nil, extraction.ErrNoPage
	}
	return a.file, nil
}

// show sends the data of an electronic invoice as a file for people.
func (c *child) show(f *os.File, q request) error {
	data, err := shownOf(f, q)
	if err != nil {
		return err
	}
	return c.sendFile(data)
}

// shownOf renders the data of an electronic invoice.
func shownOf(f *os.File, q request) ([]byte, error) {
	data, release, err := mapFile(f)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	defer release()
	defer freeAfter(costly + 1)
	result, err := content.Structured(context.Background(), data, pdf.DefaultLimits())
	if err != nil {
		return nil, err
	}
	drafts := result.Drafts
	if q.Shown.Part > len(drafts) {
		return nil, extraction.Fail(extraction.Malformed, "The file has no invoice with the number %d.", q.Shown.Part)
	}
	if q.Shown.Part > 0 {
		drafts = drafts[q.Shown.Part-1 : q.Shown.Part]
	}
	d := readable.Document{}
	for i := range drafts {
		d.Format = drafts[i].Format
		d.Invoices = append(d.Invoices, drafts[i].Content)
	}
	if q.Shown.PDF {
		return readable.PDF(d)
	}
	return readable.HTML(d)
}

// extract sends an embedded file.
func (c *child) extract(f *os.File, q request) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	defer freeAfter(costly + 1)
	file, err := content.Attachment(context.Background(), data, q.Wanted, q.Nth, pdf.DefaultLimits())
	if errors.Is(err, extraction.ErrNoPage) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.sendFile(file)
}

// sendFile sends a file in as many frames as it takes.
func (c *child) sendFile(data []byte) error {
	if len(data) > maxAnswer {
		return extraction.Fail(extraction.TooLarge, "The file is larger than is accepted. Download the original.")
	}
	for first := true; first || len(data) > 0; first = false {
		n := min(len(data), maxFrame)
		if err := writeFrame(c.out, frameFile, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
