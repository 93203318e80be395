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

// Recognizes reports whether scans can be processed now, because the OCR program and
// its files are installed. They may be installed while the service runs.
func (p *Pipeline) Recognizes() bool {
	return p.ocr != nil && install.Missing(p.options.OCR.Program, p.options.OCR.Dir) == ""
}

// readPDF extracts a PDF from its embedded data, or else from its text, or else from
// the recognized text of its images.
func (p *Pipeline) readPDF(ctx context.Context, s extraction.Source, d worker.Document) (*extraction.Result, error) {
	result, err := p.pool.PDF(ctx, d)
	var failure *extraction.Failure
	noText := errors.As(err, &failure) && failure.Reason == extraction.NoTextLayer
	// A scanned page may have a text layer of another program with unknown quality.
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

// better reports whether a result has at least as many values as another one. It
// counts the values that a person would otherwise type.
func better(a, b *extraction.Result) bool { return stated(a) >= stated(b) }

func stated(r *extraction.Result) (n int) {
	for i := range r.Drafts {
		n += statedBy(&r.Drafts[i].Content)
	}
	return n
}

func statedBy(c *invoice.Content) (n int) {
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

// readImage extracts an image from its recognized text.
func (p *Pipeline) readImage(ctx context.Context, f *os.File, s extraction.Source, d worker.Document) (*extraction.Result, error) {
	if failure := tooManyPixels(f, d.Size); failure != nil {
		return nil, failure
	}
	switch {
	case p.ocr == nil:
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The file is an image without text, and this installation does not support images. Upload the invoice as XML or as a PDF with text.")
	case !p.Recognizes():
		return nil, extraction.Fail(extraction.NoTextLayer,
			"The file is an image without text, and text recognition is not installed. Upload the invoice as XML or as a PDF with text, or ask the operator to run docledger ocr install.")
	case !s.Recognize:
		return nil, extraction.ErrNeedsOCR
	}
	result, err := p.ocr.Image(ctx, p.pool, d)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// tooManyPixels refuses an image for the size in its header. It decodes nothing.
func tooManyPixels(f *os.File, size int64) *extraction.Failure {
	width, height, err := sniff.Size(f, size)
	if err == nil && (width <= 0 || height <= 0 || width > sniff.MaxPixels/height) {
		return extraction.Fail(extraction.ExpandsTooFar,
			"The image is %d by %d pixels, more than is accepted. Scan the document at 300 dots per inch.", width, height)
	}
	return nil
}
