package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/domain/extraction"
)

// Config says how a Pool works. The zero value is ready for use.
type Config struct {
	// Size is how many children read at once; 0 means 2.
	Size int
	// Deadline is how long a child may take over one document; 0 means 8 s.
	Deadline time.Duration
	// Memory is how many bytes a child may fill; 0 means 384 MiB.
	Memory int64
	// CacheDir keeps the compiled PDF engine, 21 MB; "" means a folder of the
	// user's cache, or of the system's temporary files where there is none.
	CacheDir string
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

// Pool keeps child processes that read PDFs. They are started when they are
// first needed and stay; one that failed, was too slow or too big is replaced.
// A Pool is safe for concurrent use.
type Pool struct {
	config Config
	slots  chan struct{} // one for each child that may be at work

	mu     sync.Mutex
	idle   []*process // the one used last is the last
	closed chan struct{}

	warming sync.Mutex
	warm    bool
	cache   string
}

// errRaceDetector says that pages can't be read by this build.
var errRaceDetector = errors.New("the PDF engine does not compile in a binary built with the race detector")

// errClosed says that the pool was closed.
var errClosed = errors.New("the pool of PDF readers is closed")

// New returns a Pool. No child runs before the first document.
func New(c Config) *Pool {
	c = c.withDefaults()
	return &Pool{config: c, slots: make(chan struct{}, c.Size), closed: make(chan struct{})}
}

// Inspect finds the pages and embedded files of a PDF. The data of files that
// look like XML is included. A document at fault gives an *extraction.Failure.
func (p *Pool) Inspect(ctx context.Context, path string) (*pdf.Report, error) {
	a, err := p.do(ctx, request{Operation: opInspect, Path: path, Limits: p.config.Limits})
	if err != nil {
		return nil, err
	}
	if a.report == nil {
		return nil, errProtocol
	}
	return a.report, nil
}

// Text reads the words of a PDF, page by page. The first call of all on a
// machine waits until the PDF engine is compiled (see Prewarm), which counts
// towards no deadline but that of ctx.
func (p *Pool) Text(ctx context.Context, path string, o TextOptions) ([]layout.Page, error) {
	if err := p.Prewarm(ctx); err != nil {
		return nil, err
	}
	a, err := p.do(ctx, request{Operation: opText, Path: path, Text: o, CacheDir: p.cache})
	if err != nil {
		return nil, err
	}
	pages := make([]layout.Page, len(a.pages))
	for i, raw := range a.pages {
		if err := json.Unmarshal(raw, &pages[i]); err != nil {
			return nil, errProtocol
		}
	}
	return pages, nil
}

// Prewarm compiles the PDF engine into the cache, in a process of its own that
// ends thereafter: some seconds the first time on a machine, a tenth of one
// later. A service calls it at its start; documents with embedded invoices
// never need it. Calls after a success return at once.
func (p *Pool) Prewarm(ctx context.Context) error {
	p.warming.Lock()
	defer p.warming.Unlock()
	if p.warm {
		return nil
	}
	if !engineCompiles {
		return errRaceDetector
	}
	dir, err := cacheDir(p.config.CacheDir)
	if err != nil {
		return fmt.Errorf("keep the compiled PDF engine: %w", err)
	}
	c, err := start(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	ctx, cancel := context.WithTimeout(ctx, prewarmDeadline)
	defer cancel()
	if _, err := c.ask(ctx, request{Operation: opPrewarm, CacheDir: dir, Memory: prewarmMemory}); err != nil {
		// Whatever it is, it is not the fault of a document.
		return fmt.Errorf("compile the PDF engine: %s", err)
	}
	p.cache, p.warm = dir, true
	return nil
}

// do has a child answer a request.
func (p *Pool) do(ctx context.Context, q request) (*answer, error) {
	path, err := filepath.Abs(q.Path)
	if err != nil {
		return nil, err
	}
	q.Path, q.Memory = path, p.config.Memory
	select {
	case <-p.closed:
		return nil, errClosed
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, late(ctx)
	}
	// An idle child may have ended just now.
	for c := p.take(); c != nil; c = p.take() {
		if a, err := p.ask(ctx, c, q); !errors.Is(err, errUnasked) {
			return a, err
		}
	}
	c, err := start(ctx)
	if err != nil {
		return nil, err
	}
	return p.ask(ctx, c, q)
}

func (p *Pool) ask(ctx context.Context, c *process, q request) (*answer, error) {
	defer p.giveBack(c)
	ctx, cancel := context.WithTimeout(ctx, p.config.Deadline)
	defer cancel()
	return c.ask(ctx, q)
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

// late is the error of a request whose context ended.
func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return extraction.Fail(extraction.TimedOut, "Reading the PDF took too long. Export it again, or upload the invoice as XML.")
	}
	return ctx.Err()
}
