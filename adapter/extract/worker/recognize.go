package worker

import (
	"context"
	"errors"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/ocr/raster"
	"docledger/domain/extraction"
)

// What recognizing one page may take, and the whole document.
const (
	pageCPU      = 20 * time.Second
	pageWall     = 60 * time.Second
	documentWall = 9 * time.Minute
	// renderCPU is for rendering one page, or the deadline of a document if that
	// is more. A page that is a JPEG of 600 dpi takes 0.8 s, and the largest
	// lossless JPEG 2000 of 300 dpi 4 s.
	renderCPU = 5 * time.Second
	// ocrMemory is what a child of the OCR program may fill.
	ocrMemory = 640 << 20
)

// NewRecognizing returns a pool of children of the OCR program, which finds its
// library and models in dir.
func NewRecognizing(program, dir string, size int) *Pool {
	return New(Config{Program: program, CacheDir: dir, Size: size, Deadline: pageWall, Memory: ocrMemory})
}

// Image recognizes the pages of an image file and has the other pool apply the
// rules to their words.
func (p *Pool) Image(ctx context.Context, rules *Pool, d Document) (*extraction.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, documentWall)
	defer cancel()
	a, err := p.do(ctx, p.pageBudget(), request{Operation: opCount, Path: d.Path}, true)
	if err != nil {
		return nil, lateOver(ctx, err)
	}
	pages := make([]layout.Page, a.count)
	if a.count < 1 || a.count > raster.DefaultLimits().Pages {
		return nil, errProtocol
	}
	from, to := d.indices(len(pages))
	recognition := p.recognition
	for i := from; i < to; i++ {
		page, err := p.recognize(ctx, &recognition, request{Path: d.Path, Page: i})
		if err != nil {
			return nil, lateOver(ctx, err)
		}
		pages[i] = *page
		d.recognized(page)
	}
	return rules.rules(ctx, d, pages[from:to])
}

// indices returns the range of the document's pages in a file with so many.
func (d *Document) indices(pages int) (from, to int) {
	if d.Pages == nil {
		return 0, pages
	}
	to = min(d.Pages.To, pages)
	return min(d.Pages.From-1, to), to
}

func (d *Document) recognized(page *layout.Page) {
	if d.OnPage != nil {
		d.OnPage(page)
	}
}

// Scan recognizes the pages of a PDF that are scans, or all of its pages where
// all is set, and has the other pool render them and apply the rules to the
// words of all pages.
func (p *Pool) Scan(ctx context.Context, rules *Pool, d Document, all bool) (*extraction.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, documentWall)
	defer cancel()
	most := raster.DefaultLimits().Pages
	o := TextOptions{Pages: most + 1}
	if d.Pages != nil {
		o = TextOptions{From: d.Pages.From, Pages: d.Pages.To}
	}
	b := rules.budget(d.Size)
	b.cpu = max(b.cpu, pageCPU)
	b.wall = pageWall
	a, err := rules.withEngine(ctx, b, request{Operation: opText, Path: d.Path, Text: o})
	if err != nil {
		return nil, lateOver(ctx, err)
	}
	pages := a.pages
	if len(pages) > most {
		return nil, raster.TooManyPages(most)
	}
	rendering, recognition := rules.rendering, p.recognition
	for i := range pages {
		if !all && !pages[i].Scanned {
			continue
		}
		b := rules.pageBudget()
		rendering.begin(b)
		rendered, err := rules.withEngine(ctx, b, request{Operation: opRender, Path: d.Path, Page: pages[i].Number - 1})
		rendering.end(b)
		if err != nil {
			return nil, lateOver(ctx, err)
		}
		if rendered.image == nil {
			return nil, errProtocol
		}
		page, err := p.recognize(ctx, &recognition, request{Page: pages[i].Number - 1, image: rendered.image})
		if err != nil {
			return nil, lateOver(ctx, err)
		}
		page.Width, page.Height = fitted(page, &pages[i])
		pages[i] = *page
		d.recognized(page)
	}
	return rules.rules(ctx, d, pages)
}

// fitted is the size of a recognized page in points: that of the page in the
// PDF, on its side where it was turned to be read.
func fitted(recognized, printed *layout.Page) (width, height float64) {
	if printed.Width <= 0 || printed.Height <= 0 {
		return recognized.Width, recognized.Height
	}
	if recognized.Rotation%180 == 90 {
		return printed.Height, printed.Width
	}
	return printed.Width, printed.Height
}

// recognize reads the words of one page within what its document has left.
func (p *Pool) recognize(ctx context.Context, left *allowance, q request) (*layout.Page, error) {
	q.Operation = opRecognize
	b := p.pageBudget()
	left.begin(b)
	a, err := p.do(ctx, b, q, true)
	left.end(b)
	if err != nil {
		return nil, err
	}
	if len(a.pages) != 1 {
		return nil, errProtocol
	}
	page := a.pages[0]
	page.Number = q.Page + 1
	return &page, nil
}

func (p *Pool) pageBudget() *budget {
	b := &budget{memory: p.config.Memory, wall: pageWall}
	if hardLimit {
		b.cpu = pageCPU
	}
	return b
}

// rules has a child apply the rules to words.
func (p *Pool) rules(ctx context.Context, d Document, pages []layout.Page) (*extraction.Result, error) {
	b := p.pageBudget()
	a, err := p.do(ctx, b, request{Operation: opPages, Pages: pages, Forced: d.Forced, DateOrder: d.DateOrder, Part: d.Pages}, false)
	if err != nil {
		return nil, lateOver(ctx, err)
	}
	if a.result == nil || len(a.result.Drafts) == 0 {
		return nil, errProtocol
	}
	return a.result, nil
}

// lateOver is the error of a document whose own time ended while it waited for its
// next page.
func lateOver(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return late(ctx)
	}
	return err
}

// StartEngine starts a child with its engine, which proves that it can.
func (p *Pool) StartEngine(ctx context.Context) error {
	c, err := start(ctx, p.config.Program)
	if err != nil {
		return unavailable("start a child process", err)
	}
	defer p.giveBack(c)
	return p.startEngine(ctx, c)
}
