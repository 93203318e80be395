// Package extract reads documents: it tells from the bytes what a file is and has
// a child process compute what it holds. Nothing a document does reaches beyond
// its own reading.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"docledger/adapter/extract/content"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// EngineVersion names this reader in Result.EngineVersion. It rises with every
// change that may read a document differently.
const EngineVersion = "6"

// Options say how a Pipeline works. The zero value is ready for use.
type Options struct {
	// Children is how many documents are read at once, each in a process of its
	// own; small XML needs none. 0 means 2.
	Children int
	// Deadline is how long the reading of one document may take once its turn
	// has come; 0 means 8 s.
	Deadline time.Duration
	// ChildMemory is how many bytes a child may fill; 0 means 384 MiB.
	ChildMemory int64
	// XMLBytes is the largest XML document that is read; 0 means 64 MiB.
	XMLBytes int64
	// ComparePages says that what is embedded in a PDF is held against what its
	// pages show (the rule page_agrees), which takes some ten times as long.
	ComparePages bool
	// CacheDir keeps the compiled engine that reads the words of PDFs; "" means
	// a folder of the user's cache.
	CacheDir string
	// OCR says how scans are read; nil: not at all.
	OCR *OCR
}

// OCR is the reading of scans.
type OCR struct {
	Program   string // the OCR program
	Dir       string // of its library and models
	Processes int    // how many pages are read at once; 0 means 1
}

const (
	defaultChildren = 2
	defaultDeadline = 8 * time.Second
	defaultXMLBytes = 64 << 20
)

// Pipeline implements extraction.Reader. It is safe for concurrent use.
type Pipeline struct {
	options Options
	pool    *worker.Pool
	ocr     *worker.Pool // nil: scans are not read
}

var _ extraction.Reader = (*Pipeline)(nil)

// New returns a Pipeline. Its program must call worker.ServeIfChild first in
// main. No child runs before the first PDF.
func New(o Options) *Pipeline {
	if o.Children <= 0 {
		o.Children = defaultChildren
	}
	if o.Deadline <= 0 {
		o.Deadline = defaultDeadline
	}
	if o.XMLBytes <= 0 {
		o.XMLBytes = defaultXMLBytes
	}
	p := &Pipeline{
		options: o,
		pool: worker.New(worker.Config{
			Size:     o.Children,
			Deadline: o.Deadline,
			Memory:   o.ChildMemory,
			CacheDir: o.CacheDir,
		}),
	}
	if o.OCR != nil {
		p.ocr = worker.NewRecognizing(o.OCR.Program, o.OCR.Dir, max(1, o.OCR.Processes))
	}
	return p
}

// Prewarm compiles the engine that reads the words of PDFs: some seconds the
// first time on a machine. Without it the first PDF that needs the engine waits
// for it, on top of its own deadline.
func (p *Pipeline) Prewarm(ctx context.Context) error { return p.pool.Prewarm(ctx) }

// Fault returns why documents could not be read when the reader was last needed,
// through no fault of theirs; nil: they could.
func (p *Pipeline) Fault() error { return p.pool.Fault() }

// Close ends the child processes after the documents that are being read.
func (p *Pipeline) Close() error {
	if p.ocr == nil {
		return p.pool.Close()
	}
	return errors.Join(p.ocr.Close(), p.pool.Close())
}

// Read implements extraction.Reader.
func (p *Pipeline) Read(ctx context.Context, s extraction.Source) (result *extraction.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			result = nil
			err = fmt.Errorf("%w (%v)\n%s", extraction.Fail(extraction.Crashed,
				"The reader crashed on this document. Ask the sender for the invoice in another format."), r, debug.Stack())
		}
	}()
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, unavailable("open document", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unavailable("open document", err)
	}
	if info.Size() == 0 {
		return nil, extraction.Fail(extraction.Empty, "The file is empty. Upload it again, or ask the sender for it.")
	}
	head, err := io.ReadAll(io.NewSectionReader(f, 0, sniff.HeadBytes))
	if err != nil {
		return nil, unavailable("read document", err)
	}
	switch t := sniff.Detect(head); t.Kind {
	case sniff.XML:
		result, err = p.readXML(ctx, f, worker.Document{Path: s.Path, Size: info.Size()})
	case sniff.PDF:
		result, err = p.readPDF(ctx, s, worker.Document{Path: s.Path, Size: info.Size(), Forced: s.Forced, DateOrder: s.DateOrder, Compare: p.options.ComparePages, OnPage: onPage(s)})
	case sniff.Image:
		result, err = p.readImage(ctx, f, s, worker.Document{Path: s.Path, Size: info.Size(), Forced: s.Forced, DateOrder: s.DateOrder, OnPage: onPage(s)})
	default:
		return nil, unsupported(t)
	}
	if err != nil {
		return nil, err
	}
	result.EngineVersion = EngineVersion
	if result.MediaType == "" {
		result.MediaType = sniff.Detect(head).MediaType
	}
	return result, nil
}

// smallXML is the size up to which XML is read in this process: it takes a few
// milliseconds and some ten times its size of memory, however it is made.
const smallXML = 64 << 10

// readXML reads a document that is XML as a whole.
func (p *Pipeline) readXML(ctx context.Context, f *os.File, d worker.Document) (*extraction.Result, error) {
	if d.Size > p.options.XMLBytes {
		return nil, extraction.Fail(extraction.TooLarge,
			"The XML is larger than %d MiB. Ask the sender for the invoice without its attachments.", p.options.XMLBytes>>20)
	}
	if d.Size > smallXML {
		return p.pool.XML(ctx, d)
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	data := make([]byte, d.Size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, d.Size), data); err != nil {
		return nil, unavailable("read document", err)
	}
	return content.XML(ctx, data)
}

// unavailable is the error of a file that the system does not let this process
// read: that is no fault of the document.
func unavailable(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", extraction.ErrUnavailable, what, err)
}

// whatToDo completes the message about a file of a kind that isn't read.
var whatToDo = map[sniff.Kind]string{
	sniff.Archive:   "The file is an archive. Unpack it and upload the documents in it one by one.",
	sniff.Email:     "The file is an e-mail. Save its attachments and upload them one by one.",
	sniff.Signed:    "The file is a signed envelope. Take the XML invoice out of it and upload that.",
	sniff.Office:    "The file is an office document. Export it as PDF with embedded invoice data, or upload the invoice as XML.",
	sniff.Web:       "The file is a web page. Upload the invoice itself, as XML or PDF.",
	sniff.Program:   "The file is a program, not a document.",
	sniff.EDI:       "The file is an EDI interchange (EDIFACT or X12), which is not supported. Ask the sender for the invoice as XML (UBL or CII) or PDF.",
	sniff.PlainText: "The file is plain text. Upload the invoice as XML or PDF.",
}

func unsupported(t sniff.Type) *extraction.Failure {
	message, ok := whatToDo[t.Kind]
	if !ok {
		message = "Files of this type can't be read. Upload the invoice as XML or PDF."
	}
	return extraction.Fail(extraction.UnsupportedType, "%s", message)
}
