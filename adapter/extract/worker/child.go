package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"

	"docledger/adapter/extract/content"
	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
)

// growthRefused says that the engine did not get memory that the limit of this process would have
// allowed in a new one.
var growthRefused atomic.Bool

// onDocument is called before a document is read. Tests set it to misbehave.
var onDocument func(path string)

// child serves requests in a child process.
type child struct {
	out    *bufio.Writer
	engine *engine
	used   bool // for a document before
	// perform serves one request. image is what was sent before it.
	perform func(q request, image []byte) error
	// reserved is memory that may be set aside beyond the limit of a request
	// without being filled.
	reserved int64
}

// incoming is a request and the image that was sent before it.
type incoming struct{ request, image []byte }

// serve answers requests until the parent closes its end. A separate reader
// notices that even while a document is being read, and ends the process.
func (c *child) serve(in io.Reader) {
	requests := make(chan incoming)
	go func() {
		r := bufio.NewReader(in)
		for {
			kind, payload, err := readFrame(r)
			var image []byte
			if err == nil && kind == frameImage {
				image = payload
				kind, payload, err = readFrame(r)
			}
			if err != nil || kind != frameRequest {
				os.Exit(0)
			}
			requests <- incoming{payload, image}
		}
	}()
	if c.send(frameHello, []byte(version)) != nil {
		return
	}
	for next := range requests {
		var q request
		if json.Unmarshal(next.request, &q) != nil || c.answer(q, next.image) != nil {
			return
		}
	}
}

// answer serves one request. An error means that the parent can't be reached.
func (c *child) answer(q request, image []byte) error {
	limitMemory(q.Memory + c.reserved)
	growthRefused.Store(false)
	err := c.perform(q, image)
	if growthRefused.Load() && c.used {
		// The engine reports a page without words or a damaged document. The documents before can be the
		// cause, because the runtime keeps their memory.
		err = outOfMemory()
	}
	c.used = c.used || q.Path != ""
	var failure *extraction.Failure
	switch {
	case err == nil:
		return c.send(frameEnd, nil)
	case errors.As(err, &failure):
		return c.sendJSON(frameFailure, failure)
	default:
		return c.send(frameError, []byte(err.Error()))
	}
}

// read serves a request about a document that is not an image.
func (c *child) read(q request, _ []byte) error {
	switch q.Operation {
	case opPrewarm:
		return prewarm(q.CacheDir)
	case opEngine:
		return c.startEngine(q.CacheDir)
	case opPages:
		return c.pages(q)
	case opMerge:
		return c.merge(q)
	}
	f, err := os.Open(q.Path)
	if err != nil {
		return fmt.Errorf("open document: %w", err)
	}
	defer f.Close()
	if onDocument != nil {
		onDocument(q.Path)
	}
	switch q.Operation {
	case opPDF:
		return c.pdf(f, q)
	case opXML:
		return c.xml(f)
	case opCompare:
		return c.compare(f, q)
	case opText:
		return c.text(f, q)
	case opRender:
		return c.render(f, q)
	case opView:
		return c.view(f, q)
	case opShow:
		return c.show(f, q)
	case opExtract:
		return c.extract(f, q)
	case opOpen:
		return c.open(f, q)
	}
	return fmt.Errorf("unknown operation %q", q.Operation)
}

const (
	// costly is how many bytes read or written for a document make it worth
	// giving memory back thereafter, which takes longer than reading a usual
	// document.
	costly = 8 << 20
	// wordBytes is about what the characters, the text and the rules take for a
	// word while a page is read.
	wordBytes = 1 << 10
)

// errEngineWanted ends a request that needs the PDF engine where it does not run:
// starting it is no part of a document, and may fail through no fault of one.
var errEngineWanted = errors.New("the PDF engine is needed")

func (c *child) startEngine(cacheDir string) (err error) {
	if c.engine != nil {
		return nil
	}
	if !isFilled(cacheDir) {
		// Compiling here would take more than a child may.
		return fmt.Errorf("%s does not hold the compiled code any more", cacheDir)
	}
	c.engine, err = newEngine(cacheDir)
	return err
}

// pdf reads the invoice of a PDF, embedded or printed.
func (c *child) pdf(f *os.File, q request) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	cost := len(data)
	defer func() { freeAfter(cost) }()
	document := content.PDF{
		Data: data, Limits: q.Limits, Forced: q.Forced, DateOrder: q.DateOrder, Readings: q.Readings, Part: q.Part != nil,
		Words: func() ([]layout.Page, error) {
			o := TextOptions{Pages: content.MaxPages, Words: content.MaxWords}
			if q.Part != nil {
				o.From, o.Pages = q.Part.From, q.Part.To
			}
			pages, words, err := c.words(f, o)
			cost += words * wordBytes
			return pages, err
		},
		Inner: func(data []byte) ([]layout.Page, error) {
			pages, words, err := c.wordsOf(bytes.NewReader(data), int64(len(data)), TextOptions{Pages: content.MaxPages, Words: content.MaxWords})
			cost += words * wordBytes
			return pages, err
		},
		// Sent at once: what follows may end the process.
		Unusable: func(why *extraction.Failure) { c.sendJSON(frameUnusable, why) }, //nolint:errcheck // the next frame fails too
	}
	result, err := document.Read(context.Background())
	if errors.Is(err, errEngineWanted) {
		return c.send(frameEngine, nil)
	}
	if err != nil {
		return err
	}
	return writeResult(c.out, result)
}

// xml reads the invoices of a document that is XML as a whole.
func (c *child) xml(f *os.File) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	defer freeAfter(len(data))
	result, err := content.XML(context.Background(), data)
	if err != nil {
		return err
	}
	return writeResult(c.out, result)
}

// compare checks what embedded data states against the first pages. Pages
// without text give no check.
func (c *child) compare(f *os.File, q request) error {
	pages, words, err := c.words(f, TextOptions{Pages: content.ComparedPages, Words: content.MaxWords})
	if errors.Is(err, errEngineWanted) {
		return c.send(frameEngine, nil)
	}
	if err != nil {
		return err
	}
	defer freeAfter(words * wordBytes)
	check, ok := pdftext.Compare(pages, &q.Stated)
	if !ok {
		return nil
	}
	return writeJSON(c.out, frameCheck, check)
}

// pages applies the rules to words, some of which were recognized in images.
func (c *child) pages(q request) error {
	result, err := content.Pages(q.Pages, pdftext.Options{Forced: q.Forced, DateOrder: q.DateOrder}, q.Part != nil)
	if err != nil {
		return err
	}
	return writeResult(c.out, result)
}

// text sends the words of the pages, or of those that show the data of an
// electronic invoice.
func (c *child) text(f *os.File, q request) error {
	read := func() ([]layout.Page, int, error) { return c.words(f, q.Text) }
	if q.Shown.PDF && c.engine != nil {
		shown, err := shownOf(f, q)
		if err != nil {
			return err
		}
		read = func() ([]layout.Page, int, error) {
			return c.wordsOf(bytes.NewReader(shown), int64(len(shown)), q.Text)
		}
	}
	pages, words, err := read()
	if errors.Is(err, errEngineWanted) {
		return c.send(frameEngine, nil)
	}
	if err != nil {
		return err
	}
	defer freeAfter(words * wordBytes)
	for i := range pages {
		if err := writeJSON(c.out, framePage, &pages[i]); err != nil {
			return err
		}
	}
	return nil
}

// words returns the pages of a PDF and the number of their words.
func (c *child) words(f *os.File, o TextOptions) (pages []layout.Page, words int, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	return c.wordsOf(f, info.Size(), o)
}

// wordsOf is words for a PDF of the given size.
func (c *child) wordsOf(r io.ReadSeeker, size int64, o TextOptions) (pages []layout.Page, words int, err error) {
	if c.engine == nil {
		return nil, 0, errEngineWanted
	}
	err = c.engine.read(r, size, o, func(page *layout.Page) error {
		pages = append(pages, *page)
		words += len(page.Words)
		return nil
	})
	return pages, words, err
}

// freeAfter gives memory back after a document that took much.
func freeAfter(cost int) {
	if cost > costly {
		debug.FreeOSMemory()
	}
}

func (c *child) sendJSON(kind byte, v any) error {
	if err := writeJSON(c.out, kind, v); err != nil {
		return err
	}
	return c.out.Flush()
}

func (c *child) send(kind byte, payload []byte) error {
	if err := writeFrame(c.out, kind, payload); err != nil {
		return err
	}
	return c.out.Flush()
}
