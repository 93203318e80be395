package extract

import (
	"context"
	"errors"
	"os"

	"docledger/adapter/extract/ocr/install"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/extract/worker"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// Recognizes says whether scans can be read now: the OCR program and its files
// are there. They may be installed while the service runs.
func (p *Pipeline) Recognizes() bool {
	return p.ocr != nil && install.Missing(p.options.OCR.Program, p.options.OCR.Dir) == ""
}

// readPDF reads a PDF by its embedded data, else by its text, else by what is
// recognized in its images.
func (p *Pipeline) readPDF(ctx context.Context, s extraction.Source, d worker.Document) (*extraction.Result, error) {
	result, err := p.pool.PDF(ctx, d)
	var failure *extraction.Failure
	noText := errors.As(err, &failure) && failure.Reason == extraction.NoTextLayer
	// A page that is an image has the text of another program under it, of which
	// it is not known how well it was read.
	overlaid := err == nil && result.Method == invoice.Text && 2*result.ScannedPages > result.PageCount
	if !noText && !overlaid || !p.Recognizes() {
		return result, err
	}
	if !s.Recognize {
		return nil, extraction.ErrNeedsOCR
	}
	recognized, again := p.ocr.Scan(ctx, p.pool, d, noText)
	switch {
	case again == nil && (noText || better(recognized, result)):
		recognized.Attachments = attachmentsOf(result)
		return recognized, nil
	case again != nil && noText:
		return nil, again
	case errors.Is(again, extraction.ErrUnavailable) || ctx.Err() != nil:
		return nil, again
	}
	return result, nil
}

func attachmentsOf(r *extraction.Result) []document.Attachment {
	if r == nil {
		return nil
	}
	return r.Attachments
}

// better says whether one reading states at least as much as another one: the
// values that a person would have to type.
func better(a, b *extraction.Result) bool { return stated(a) >= stated(b) }

func stated(r *extraction.Result) (n int) {
	c := &r.Drafts[0].Content
	for _, has := range []bool{
		c.Number != "", !c.IssueDate.IsZero(), c.Currency != "", c.Seller.Name != "", c.Buyer.Name != "",
		c.GrossTotal != nil, c.NetTotal != nil, c.TaxTotal != nil, c.AmountDue != nil, len(c.Lines) > 0,
	} {
		if has {
			n++
		}
	}
	return n
}

// readImage reads an image by what is recognized in it.
func (p *Pipeline) readImage(ctx context.Context, f *os.File, s extraction.Source, d worker.Document) (*extraction.Result, error) {
	if failure := tooManyPixels(f, d.Size); failure != nil {
		return nil, failure
	}
	switch {
	case p.ocr == nil:
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The file is an image without text, and this installation does not read images. Upload the invoice as XML or as a PDF with text.")
	case !p.Recognizes():
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The file is an image without text, and the reading of images is not installed. Upload the invoice as XML or as a PDF with text, or ask the operator to run docledger ocr install.")
	case !s.Recognize:
		return nil, extraction.ErrNeedsOCR
	}
	result, err := p.ocr.Image(ctx, p.pool, d)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// tooManyPixels refuses an image by the size in its header; nothing is decoded.
func tooManyPixels(f *os.File, size int64) *extraction.Failure {
	width, height, err := sniff.Size(f, size)
	if err == nil && (width <= 0 || height <= 0 || width > sniff.MaxPixels/height) {
		return extraction.Fail(extraction.ExpandsTooFar,
			"The image is %d by %d pixels, more than is accepted. Scan the document at 300 dots per inch.", width, height)
	}
	return nil
}
