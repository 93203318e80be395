package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// Config says how a Pool works. The zero value is ready for use.
type Config struct {
	// Size is how many children read at once; 0 means 2.
	Size int
	// Deadline is how long the children may take over one document; 0 means 8 s.
	// Of their processor time a document gets a fifth of that, at least 1.6 s;
	// one of more than 1 MiB gets 1.5 ms more for each kB, at most Deadline.
	Deadline time.Duration
	// Memory is how many bytes a child may fill; 0 means 384 MiB.
	Memory int64
	// CacheDir keeps the compiled PDF engine, 21 MB; "" means a folder of the
	// user's cache, or of the system's temporary files where there is none.
	CacheDir string
	// Program is the file of another program that serves requests, which starts
	// its engine from CacheDir; "" means the own one.
	Program string
	// Limits bound the walk through a document; the zero value means
	// pdf.DefaultLimits.
	Limits pdf.Limits
}

const (
	defaultSize     = 2
	defaultDeadline = 8 * time.Second
	defaultMemory   = 384 << 20
	// prewarmMemory and prewarmDeadline are for compiling the PDF engine, once
	// on a machine.
	prewarmMemory   = 480 << 20
	prewarmDeadline = 2 * time.Minute
	// retryPrewarm is how long a failure to compile the engine is taken as known:
	// a backlog of documents does not try once for each.
	retryPrewarm = 5 * time.Second
	// documentsAChild is after how many documents a child is replaced, so that
	// nothing can pile up in it.
	documentsAChild = 500
)

func (c Config) withDefaults() Config {
	if c.Size <= 0 {
		c.Size = defaultSize
	}
	if c.Deadline <= 0 {
		c.Deadline = defaultDeadline
	}
	if c.Memory <= 0 {
		c.Memory = defaultMemory
	}
	if c.Limits == (pdf.Limits{}) {
		c.Limits = pdf.DefaultLimits()
	}
	return c
}

// Pool keeps child processes that read documents. They are started when they are
// first needed and stay; one that failed, was too slow or too big is replaced.
// A Pool is safe for concurrent use.
type Pool struct {
	config Config
	slots  chan struct{} // one for each child that may be at work
	// What rendering and recognizing the pages of one document may take.
	rendering, recognition allowance

	mu     sync.Mutex
	idle   []*process // the one used last is the last
	closed chan struct{}

	// Why the reader is unavailable: no child starts, or no PDF engine in one.
	faultStart, faultEngine error

	warming  sync.Mutex
	cache    string // of the compiled engine; "": not known to be there
	failed   error  // of the last Prewarm
	failedAt time.Time
}

// compiled holds the folders with an engine that a child of this process has compiled or loaded.
var compiled sync.Map

// errRaceDetector says that pages can't be read by this build.
var errRaceDetector = errors.New("the PDF engine does not compile in a binary built with the race detector")

// errClosed says that the pool was closed.
var errClosed = errors.New("the pool of readers is closed")

// New returns a Pool. No child runs before the first document.
func New(c Config) *Pool {
	c = c.withDefaults()
	p := &Pool{config: c, slots: make(chan struct{}, c.Size), closed: make(chan struct{}), rendering: c.rendering(), recognition: c.recognition()}
	if c.Program != "" {
		p.cache = c.CacheDir
	}
	return p
}

// Document is a document to read. Its bytes stay as they are while it is read.
type Document struct {
	Path string
	Size int64
	// Forced says that a person holds it to be an invoice.
	Forced bool
	// DateOrder is how the entity's documents write ambiguous dates.
	DateOrder extraction.DateOrder
	// Readings requests the printed texts that can be values (extraction.Draft).
	Readings bool
	// Compare says that embedded data is compared with the pages.
	Compare bool
	// Pages are those of one invoice; nil: the whole file.
	Pages *document.Pages
	// OnPage, unless it is nil, receives each page on which words were recognized.
	OnPage func(*layout.Page)
}

// PDF reads the invoice of a PDF, embedded or printed. A document at fault gives
// an *extraction.Failure, and a reader that cannot start
// extraction.ErrUnavailable. The first document of all on a machine that needs
// the PDF engine waits until it is compiled (see Prewarm), which counts towards
// no deadline except that of ctx.
func (p *Pool) PDF(ctx context.Context, d Document) (*extraction.Result, error) {
	b := p.budget(d.Size)
	a, err := p.withEngine(ctx, b, request{Operation: opPDF, Path: d.Path, Limits: p.config.Limits, Forced: d.Forced, DateOrder: d.DateOrder, Readings: d.Readings, Part: d.Pages})
	switch {
	case err != nil && a != nil && a.unusable != nil && isFailure(err):
		return nil, a.unusable // it is more specific than an error without an invoice
	case err != nil:
		return nil, err
	case a.result == nil || len(a.result.Drafts) == 0:
		return nil, errProtocol
	}
	if d.Compare && a.result.Method == invoice.Structured && len(a.result.Drafts) == 1 {
		a.result.Checks = append(a.result.Checks, p.compare(ctx, b, d.Path, &a.result.Drafts[0].Content)...)
	}
	return a.result, nil
}

// compare compares embedded data with the pages, within what is left of the
// document's budget. It returns no check for pages that cannot be read: the data
// counts.
func (p *Pool) compare(ctx context.Context, b *budget, path string, c *invoice.Content) []invoice.Check {
	a, err := p.withEngine(ctx, b, request{Operation: opCompare, Path: path, Stated: invoice.Content{
		Number: c.Number, IssueDate: c.IssueDate, GrossTotal: c.GrossTotal, AmountDue: c.AmountDue,
	}})
	if err != nil || a.check == nil {
		return nil
	}
	return []invoice.Check{*a.check}
}

// XML reads the invoices of a document that is XML as a whole.
func (p *Pool) XML(ctx context.Context, d Document) (*extraction.Result, error) {
	a, err := p.do(ctx, p.budget(d.Size), request{Operation: opXML, Path: d.Path}, false)
	if err != nil {
		return nil, err
	}
	if a.result == nil || len(a.result.Drafts) == 0 {
		return nil, errProtocol
	}
	return a.result, nil
}

// Text returns the words of a PDF, page by page, for tools that measure the
// rules. The service itself has no use for them: PDF applies the rules in the
// child.
func (p *Pool) Text(ctx context.Context, path string, o TextOptions) ([]layout.Page, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	a, err := p.withEngine(ctx, p.budget(info.Size()), request{Operation: opText, Path: path, Text: o})
	if err != nil {
		return nil, err
	}
	return a.pages, nil
}

// withEngine has a child answer a request that may need the PDF engine.
func (p *Pool) withEngine(ctx context.Context, b *budget, q request) (*answer, error) {
	a, err := p.do(ctx, b, q, false)
	if err != nil || !a.engine {
		return a, err
	}
	if err := p.Prewarm(ctx); err != nil {
		return nil, err
	}
	if a, err = p.do(ctx, b, q, true); err == nil && a.engine {
		return nil, errProtocol
	}
	return a, err
}

func isFailure(err error) bool {
	var failure *extraction.Failure
	return errors.As(err, &failure)
}

// Prewarm compiles the PDF engine into the cache, in a process of its own that
// ends thereafter: some seconds the first time on a machine, a tenth of one
// later. A service calls it at its start; documents with embedded invoices
// never need it. Calls after a success return at once while Fault is nil, also
// those of another Pool with the same folder; for retryPrewarm after a failure
// they return that failure.
func (p *Pool) Prewarm(ctx context.Context) error {
	p.warming.Lock()
	defer p.warming.Unlock()
	switch {
	case p.cache != "" && p.Fault() == nil:
		return nil
	case p.failed != nil && time.Since(p.failedAt) < retryPrewarm:
		return p.failed
	}
	dir, err := p.prewarm(ctx)
	if ctx.Err() != nil && err != nil {
		return err
	}
	if err != nil {
		// Whatever it is, it is not the fault of a document.
		p.failed, p.failedAt = unavailable("compile the PDF engine", err), time.Now()
		p.report(&p.faultEngine, p.failed)
		return p.failed
	}
	p.cache, p.failed = dir, nil
	p.report(&p.faultStart, nil)
	p.report(&p.faultEngine, nil)
	return nil
}

func (p *Pool) prewarm(ctx context.Context) (dir string, err error) {
	if !engineCompiles {
		return "", errRaceDetector
	}
	if dir, err = cacheDir(p.config.CacheDir); err != nil {
		return "", fmt.Errorf("keep the compiled code: %w", err)
	}
	if _, ok := compiled.Load(dir); ok && p.Fault() == nil && isFilled(dir) {
		return dir, nil
	}
	defer func() {
		if err == nil {
			compiled.Store(dir, nil)
		}
	}()
	c, err := start(ctx, "")
	if err != nil {
		return "", err
	}
	defer c.end()
	ctx, cancel := context.WithTimeout(ctx, prewarmDeadline)
	defer cancel()
	_, err = c.ask(ctx, request{Operation: opPrewarm, CacheDir: dir, Memory: prewarmMemory})
	return dir, err
}

// unavailable is the error of a reader that cannot start. The text of err is
// kept, and not its type: an *extraction.Failure would blame a document.
func unavailable(what string, err error) error {
	return fmt.Errorf("%w: %s: %s", extraction.ErrUnavailable, what, err)
}

// report stores in fault why a part of the reader is unavailable; nil: it is
// available.
func (p *Pool) report(fault *error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*fault = err
}

// Fault returns why the reader could not start when it was last needed; nil: it
// could, or was not needed yet.
func (p *Pool) Fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.faultStart, p.faultEngine)
}

// do has a child answer a request, with the PDF engine started in it if engine
// says so.
func (p *Pool) do(ctx context.Context, b *budget, q request, engine bool) (*answer, error) {
	path, err := filepath.Abs(q.Path)
	if err != nil {
		return nil, err
	}
	q.Path = path
	select {
	case <-p.closed:
		return nil, errClosed
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err() // the wait ended, not the document
	}
	// An idle child may have ended just now. What other documents left behind in
	// one may cost it the memory for this document, which then gets a new child.
	for c := p.take(); c != nil; c = p.take() {
		a, err := p.ask(ctx, b, c, q, engine)
		if spoilt(err) {
			break
		}
		if !errors.Is(err, errUnasked) {
			return a, err
		}
	}
	c, err := start(ctx, p.config.Program)
	if err != nil {
		if ctx.Err() == nil {
			err = unavailable("start a child process", err)
			p.report(&p.faultStart, err)
		}
		return nil, err
	}
	p.report(&p.faultStart, nil)
	return p.ask(ctx, b, c, q, engine)
}

// spoilt says that a used child ended in a way for which the documents before
// may be to blame.
func spoilt(err error) bool {
	var failure *extraction.Failure
	return errors.As(err, &failure) && (failure.Reason == extraction.OutOfMemory || failure.Reason == extraction.Crashed)
}

// ask has a child answer a request within the budget.
func (p *Pool) ask(ctx context.Context, b *budget, c *process, q request, engine bool) (*answer, error) {
	defer p.giveBack(c)
	if engine && !c.engine {
		if err := p.startEngine(ctx, c); err != nil {
			return nil, err
		}
	}
	return b.ask(ctx, c, q)
}

// startEngine starts the PDF engine in a child. That is no part of any document:
// if it fails, the compiled code is made again for the next one.
func (p *Pool) startEngine(ctx context.Context, c *process) error {
	p.warming.Lock()
	cache := p.cache
	p.warming.Unlock()
	limited, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	used := c.served > 0
	_, err := c.ask(limited, request{Operation: opEngine, CacheDir: cache, Memory: p.config.Memory})
	if err == nil {
		c.engine = true
		p.report(&p.faultEngine, nil)
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, errUnasked) || used && spoilt(err) {
		return err
	}
	what := "start the OCR engine"
	if p.config.Program == "" {
		what = "start the PDF engine"
		compiled.Delete(cache)
		p.warming.Lock()
		p.cache = ""
		p.warming.Unlock()
	}
	err = unavailable(what, err)
	p.report(&p.faultEngine, err)
	return err
}

// take returns a warm child, nil where there is none.
func (p *Pool) take() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.alive() {
			return c
		}
		c.end()
	}
	return nil
}

// giveBack keeps a child that is still good.
func (p *Pool) giveBack(c *process) {
	if c.alive() && c.served < documentsAChild && p.keep(c) {
		return
	}
	c.end()
}

func (p *Pool) keep(c *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		return false
	default:
		p.idle = append(p.idle, c)
		return true
	}
}

// Close ends the children. Documents being read meanwhile are finished first,
// or their deadline ends them. It is called once.
func (p *Pool) Close() error {
	p.mu.Lock()
	close(p.closed)
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		c.end()
	}
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	return nil
}
