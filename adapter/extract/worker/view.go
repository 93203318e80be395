package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/ocr/raster"
	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// Limits of one page that people look at. A printed page takes some 200 ms.
const (
	viewWall = 20 * time.Second
	viewCPU  = 8 * time.Second
	// viewMemory is what decoding the largest accepted photo takes.
	viewMemory = 640 << 20
	// viewPixels bounds an image: 2,000 pixels wide and the height of a long
	// receipt.
	viewPixels = 12_000_000
)

// NewViewing returns a pool of children that render pages for people.
func NewViewing(size int, cacheDir string) *Pool {
	return New(Config{Size: size, Deadline: viewWall, Memory: viewMemory, CacheDir: cacheDir})
}

// View is a rendered page.
type View struct {
	Width, Height int
	PNG           []byte
}

// View renders the page with the given number, from 1, at most width pixels
// wide. An image is never enlarged. Its errors are those of extraction.PageViewer.
func (p *Pool) View(ctx context.Context, path string, number, width int, s Shown) (*View, error) {
	a, err := p.withEngine(ctx, p.viewBudget(), request{Operation: opView, Path: path, Page: number - 1, Width: width, Shown: s})
	if err != nil {
		return nil, err
	}
	if a.file == nil {
		return nil, extraction.ErrNoPage
	}
	// The child may have been taken over. The header is read again here.
	c, err := png.DecodeConfig(bytes.NewReader(a.file))
	if err != nil || c.Width > width || c.Width*c.Height > viewPixels {
		return nil, errProtocol
	}
	return &View{Width: c.Width, Height: c.Height, PNG: a.file}, nil
}

// PageText returns the words of the page with the given number, from 1, of a PDF,
// or of the data of an electronic invoice if s.PDF is set.
// Its errors are those of extraction.PageViewer.
func (p *Pool) PageText(ctx context.Context, path string, number, words int, s Shown) (*layout.Page, error) {
	a, err := p.withEngine(ctx, p.viewBudget(), request{Operation: opText, Path: path, Shown: s, Text: TextOptions{From: number, Pages: number, Words: words}})
	if err != nil {
		return nil, err
	}
	if len(a.pages) != 1 {
		return nil, extraction.ErrNoPage
	}
	return &a.pages[0], nil
}

func (p *Pool) viewBudget() *budget {
	b := &budget{memory: p.config.Memory, wall: viewWall}
	if hardLimit {
		b.cpu = viewCPU
	}
	return b
}

// view sends the image of a page of a PDF or of an image file. It sends none if
// the file has no such page.
func (c *child) view(f *os.File, q request) error {
	head, err := io.ReadAll(io.NewSectionReader(f, 0, sniff.HeadBytes))
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	var img image.Image
	switch t := sniff.Detect(head); t.Kind {
	case sniff.PDF, sniff.XML, sniff.Signed:
		if c.engine == nil {
			return c.send(frameEngine, nil)
		}
		img, err = c.viewPDF(f, t.Kind, q)
	case sniff.Image:
		img, err = viewImage(f, q.Page, q.Width)
	default:
		return extraction.Fail(extraction.UnsupportedType, "Files of this type have no pages that can be shown.")
	}
	defer freeAfter(costly + 1)
	if errors.Is(err, extraction.ErrNoPage) {
		return nil
	}
	if err != nil {
		return err
	}
	var encoded bytes.Buffer
	if err := viewEncoder.Encode(&encoded, smallest(img)); err != nil {
		return fmt.Errorf("encode the page: %w", err)
	}
	if encoded.Len() > maxFrame {
		return extraction.Fail(extraction.ExpandsTooFar, "The image of page %d is too large. Request a smaller width.", q.Page+1)
	}
	return writeFrame(c.out, frameFile, encoded.Bytes())
}

// viewEncoder writes images in a third of the time of the default compression.
var viewEncoder = &png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &pngBuffers{}}

// pngBuffers implements png.EncoderBufferPool.
type pngBuffers struct{ pool sync.Pool }

func (p *pngBuffers) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *pngBuffers) Put(b *png.EncoderBuffer) { p.pool.Put(b) }

// smallest returns the image in gray if it has no color, which takes a quarter of
// the bytes.
func smallest(img image.Image) image.Image {
	rgba, ok := img.(*image.RGBA)
	if !ok {
		return img
	}
	width, height := rgba.Rect.Dx(), rgba.Rect.Dy()
	for y := range height {
		row := rgba.Pix[y*rgba.Stride : y*rgba.Stride+4*width]
		for i := 0; i < len(row); i += 4 {
			if row[i] != row[i+1] || row[i] != row[i+2] || row[i+3] != 255 {
				return img
			}
		}
	}
	out := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		row := rgba.Pix[y*rgba.Stride : y*rgba.Stride+4*width]
		for x := range width {
			out.Pix[y*out.Stride+x] = row[4*x]
		}
	}
	return out
}

// viewPDF renders a page of a PDF, or of the PDF that shows the data of an
// electronic invoice.
func (c *child) viewPDF(f *os.File, kind sniff.Kind, q request) (image.Image, error) {
	if kind == sniff.PDF {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		return c.engine.view(f, info.Size(), q.Page, q.Width)
	}
	q.Shown.PDF = true
	shown, err := shownOf(f, q)
	if err != nil {
		return nil, err
	}
	return c.engine.view(bytes.NewReader(shown), int64(len(shown)), q.Page, q.Width)
}

// viewImage decodes a page of an image file.
func viewImage(f *os.File, index, width int) (image.Image, error) {
	data, release, err := mapFile(f)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	defer release()
	pages, err := raster.Open(data, raster.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= pages.Pages() {
		return nil, extraction.ErrNoPage
	}
	return pages.View(index, width, viewPixels)
}

// view renders a page of a PDF as it is seen, with form fields and annotations.
func (e *engine) view(r io.ReadSeeker, size int64, index, width int) (image.Image, error) {
	instance, err := e.start()
	if err != nil {
		return nil, err
	}
	defer instance.Close() //nolint:errcheck // it is thrown away
	opened, err := instance.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: size})
	if err != nil {
		return nil, refused(err)
	}
	count, err := pageCount(instance, opened.Document)
	if err != nil {
		return nil, refused(err)
	}
	if index < 0 || index >= min(count, defaultPages) {
		return nil, extraction.ErrNoPage
	}
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: opened.Document, Index: index}}
	seen, err := instance.GetPageSize(&requests.GetPageSize{Page: page})
	if err != nil || !(seen.Width > 0 && seen.Height > 0) {
		return nil, notShown(index)
	}
	w, h := viewSizeOf(seen.Width, seen.Height, float64(width))
	rendered, err := instance.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: page, Width: w, Height: h, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, RenderForm: true, Document: &opened.Document,
	})
	if err != nil {
		return nil, notShown(index)
	}
	defer rendered.Cleanup()
	rgba, ok := rendered.Result.RenderedImage.(*image.RGBA)
	if !ok || rgba.Rect.Dx() > width {
		return nil, notShown(index)
	}
	// The image lies in the memory of the engine, which the next call may move.
	out := *rgba
	out.Pix = bytes.Clone(rgba.Pix)
	return &out, nil
}

// viewSizeOf returns the size of the image of a page that is width wide, or less
// where the page is very long.
func viewSizeOf(width, height, wanted float64) (w, h int) {
	scale := wanted / width
	if pixels := width * height * scale * scale; pixels > viewPixels {
		scale *= math.Sqrt(viewPixels / pixels)
	}
	return max(1, int(width*scale+0.001)), max(1, int(height*scale+0.001))
}

func notShown(index int) *extraction.Failure {
	return extraction.Fail(extraction.Malformed, "Page %d of the PDF can't be shown. Export the PDF again and upload the new file.", index+1)
}
