package worker

import (
	"context"
	"fmt"
	"image"
	"os"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// renderDPI is the resolution at which pages are rendered for OCR;
	// renderLongest bounds the longer side, and renderShortest is what a small
	// receipt is enlarged to.
	renderDPI      = 200
	renderLongest  = 3300
	renderShortest = 1400
	pointsPerInch  = 72
	// coveringPart is which part of a page its images cover on a scan.
	coveringPart = 0.6
	// scanObjects and scanTexts bound what is looked at to tell a scan: the
	// first images and texts.
	scanObjects = 400
	scanTexts   = 40
)

// render sends the image of a page.
func (c *child) render(f *os.File, q request) error {
	if c.engine == nil {
		return c.send(frameEngine, nil)
	}
	defer freeAfter(costly + 1)
	img, err := c.engine.render(f, q.Page)
	if err != nil {
		return err
	}
	sent := encodeImage(img)
	if sent == nil {
		return extraction.Fail(extraction.ExpandsTooFar, "Page %d of the PDF is too large to be read. Export it in a usual size.", q.Page+1)
	}
	return writeFrame(c.out, frameImage, sent)
}

// render returns the image of the page with the given index.
func (e *engine) render(f *os.File, index int) (*image.Gray, error) {
	instance, err := e.pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start an instance of the PDF engine: %w", err)
	}
	defer instance.Close() //nolint:errcheck // it is thrown away
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	opened, err := instance.OpenDocument(&requests.OpenDocument{FileReader: f, FileReaderSize: info.Size()})
	if err != nil {
		return nil, refused(err)
	}
	damaged := extraction.Fail(extraction.Malformed, "Page %d of the PDF can't be shown. Export the PDF again and upload the new file.", index+1)
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: opened.Document, Index: index}}
	size, err := instance.GetPageSize(&requests.GetPageSize{Page: page})
	if err != nil || !(size.Width > 0 && size.Height > 0) {
		return nil, damaged
	}
	scale := renderScale(size.Width, size.Height)
	rendered, err := instance.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: page, Width: max(1, int(size.Width*scale)), Height: max(1, int(size.Height*scale)),
		ImageFormat: requests.RenderImageFormatGrayscale, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return nil, damaged
	}
	defer rendered.Cleanup()
	gray, ok := rendered.Result.RenderedImage.(*image.Gray)
	if !ok {
		return nil, damaged
	}
	out := image.NewGray(image.Rect(0, 0, gray.Rect.Dx(), gray.Rect.Dy()))
	for y := range out.Rect.Dy() {
		copy(out.Pix[y*out.Stride:], gray.Pix[y*gray.Stride:y*gray.Stride+out.Rect.Dx()])
	}
	return out, nil
}

// renderScale is how many pixels a point is rendered with.
func renderScale(width, height float64) float64 {
	longest := max(width, height)
	return min(max(renderDPI/float64(pointsPerInch), renderShortest/longest), renderLongest/longest)
}

// scanned says whether a page is a scan: images cover it, and what text it has
// is not shown, as that of a program that read the scan.
func scanned(instance pdfium.Pdfium, page requests.Page, p *layout.Page) bool {
	counted, err := instance.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil || p.Width <= 0 || p.Height <= 0 {
		return false
	}
	covered, texts := 0.0, 0
	for i := range min(counted.Count, scanObjects) {
		object, err := instance.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return false
		}
		kind, err := instance.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil {
			return false
		}
		switch {
		case kind.Type == enums.FPDF_PAGEOBJ_IMAGE:
			covered += areaOf(instance, object.PageObject)
		case kind.Type == enums.FPDF_PAGEOBJ_TEXT && texts < scanTexts:
			texts++
			mode, err := instance.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: object.PageObject})
			if err != nil || mode.TextRenderMode != enums.FPDF_TEXTRENDERMODE_INVISIBLE {
				return false
			}
		}
	}
	return covered >= coveringPart*p.Width*p.Height
}

func areaOf(instance pdfium.Pdfium, object references.FPDF_PAGEOBJECT) float64 {
	b, err := instance.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object})
	if err != nil {
		return 0
	}
	return max(0, float64(b.Right-b.Left)) * max(0, float64(b.Top-b.Bottom))
}
