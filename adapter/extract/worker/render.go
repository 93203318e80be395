package worker

import (
	"image"
	"os"

	"docledger/domain/extraction"

	"github.com/klippa-app/go-pdfium/enums"
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
	instance, err := e.start()
	if err != nil {
		return nil, err
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
