// Package extract implements the extraction of documents. It detects the type of a
// file from its bytes, and a child process computes the content. A document can
// affect only its own extraction.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"docledger/adapter/extract/container"
	"docledger/adapter/extract/content"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// EngineVersion identifies this implementation in Result.EngineVersion. Every change
// that may change a result must increase it.
const EngineVersion = "24"

// Options configure a Pipeline. The zero value is ready to use.
type Options struct {
	// Children is the maximum number of concurrent extractions. Each one uses a child
	// process; small XML uses none. 0 means 2.
	Children int
	// Deadline is the time limit of one extraction after it has a child process; 0
	// means 8 s.
	Deadline time.Duration
	// ChildMemory is the memory limit of a child in bytes; 0 means 384 MiB.
	ChildMemory int64
	// XMLBytes is the maximum size of an XML document; 0 means 64 MiB.
	XMLBytes int64
	// ComparePages compares the embedded data of a PDF with its pages (the rule
	// page_agrees). It takes about ten times as long.
	ComparePages bool
	// CacheDir stores the compiled engine that extracts the words of PDFs; "" means a
	// folder in the user's cache.
	CacheDir string
	// OCR configures text recognition; nil disables it.
	OCR *OCR
}

// OCR configures the recognition of scans.
type OCR struct {
	Program   string // the OCR program
	Dir       string // folder of its library and models
	Processes int    // maximum number of concurrent pages; 0 means 1
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
	ocr     *worker.Pool // nil: scans are not supported
}

var _ extraction.Reader = (*Pipeline)(nil)

// New returns a Pipeline. The program must call worker.ServeIfChild first in main.
// New starts no child; the first PDF does.
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

// Prewarm compiles the engine that extracts the words of PDFs, which takes some
// seconds the first time on a machine. Without Prewarm, the first PDF waits for the
// compilation in addition to its own deadline.
func (p *Pipeline) Prewarm(ctx context.Context) error { return p.pool.Prewarm(ctx) }

// Fault returns why the last attempt to start the reader failed, for a reason outside
// the document; nil if it succeeded.
func (p *Pipeline) Fault() error { return p.pool.Fault() }

// Close waits for the running extractions and ends the child processes.
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
	case sniff.XML, sniff.Signed:
		result, err = p.readXML(ctx, f, worker.Document{Path: s.Path, Size: info.Size()})
	case sniff.PDF:
		result, err = p.readPDF(ctx, s, worker.Document{Path: s.Path, Size: info.Size(), Forced: s.Forced, DateOrder: s.DateOrder, Readings: s.Readings, Compare: p.options.ComparePages, OnPage: onPage(s), Pages: s.Pages})
	case sniff.Image:
		result, err = p.readImage(ctx, f, s, worker.Document{Path: s.Path, Size: info.Size(), Forced: s.Forced, DateOrder: s.DateOrder, OnPage: onPage(s), Pages: s.Pages})
	default:
		if !container.Can(t) || s.OnFile == nil {
			return nil, unsupported(t)
		}
		result, err = p.openContainer(ctx, s, t)
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

// SmallXML is the maximum size of XML that is parsed in this process and not in a child. Any XML of this
// size takes a few milliseconds and about ten times its size of memory.
const SmallXML = 64 << 10

// readXML extracts an XML document or a signed envelope.
func (p *Pipeline) readXML(ctx context.Context, f *os.File, d worker.Document) (*extraction.Result, error) {
	if d.Size > p.options.XMLBytes {
		return nil, extraction.Fail(extraction.TooLarge,
			"The XML is larger than %d MiB. Ask the sender for the invoice without its attachments.", p.options.XMLBytes>>20)
	}
	if d.Size > SmallXML {
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

// unavailable returns the error for a file that this process cannot read. It is not a
// failure of the document.
func unavailable(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", extraction.ErrUnavailable, what, err)
}

// whatToDo is the user's next step for a file of an unsupported type.
var whatToDo = map[sniff.Kind]string{
	sniff.Archive:   "The file is an archive. Unpack it and upload the documents in it one by one.",
	sniff.Email:     "The file is an e-mail. Save its attachments and upload them one by one.",
	sniff.Office:    "The file is an office document. Export it as PDF with embedded invoice data, or upload the invoice as XML.",
	sniff.Web:       "The file is a web page. Upload the invoice itself, as XML or PDF.",
	sniff.Program:   "The file is a program, not a document.",
	sniff.EDI:       "The file is an EDI interchange (EDIFACT or X12), which is not supported. Ask the sender for the invoice as XML (UBL or CII) or PDF.",
	sniff.PlainText: "The file is plain text. Upload the invoice as XML or PDF.",
}

func unsupported(t sniff.Type) *extraction.Failure {
	message, ok := whatToDo[t.Kind]
	if !ok {
		message = "Files of this type are not supported. Upload the invoice as XML or PDF."
	}
	return extraction.Fail(extraction.UnsupportedType, "%s", message)
}
