package worker

import (
	"bytes"
	"os"
	"time"

	"docledger/adapter/extract/layout"
)

// Engine is the PDF engine in this process.
type Engine struct{ e *engine }

// OpenEngine starts the engine from a cache.
func OpenEngine(dir string) (*Engine, error) {
	dir, err := cacheDir(dir)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(dir)
	return &Engine{e}, err
}

// Text returns the words of the pages of a file.
func (e *Engine) Text(path string, o TextOptions) (pages []layout.Page, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	err = e.e.read(f, info.Size(), o, func(p *layout.Page) error { pages = append(pages, *p); return nil })
	return pages, err
}

// Holds reports whether the kept instance has the text anywhere in its memory, and
// whether there is a kept instance.
func (e *Engine) Holds(text string) (found, kept bool) {
	if e.e.text == nil {
		return false, false
	}
	all, ok := e.e.text.memory.Read(0, e.e.text.memory.Size())
	return bytes.Contains(all, []byte(text)), ok
}

// Kept reports whether this system keeps an instance between documents.
const Kept = canZero

// Render renders the first page of a file.
func (e *Engine) Render(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	_, err = e.e.render(f, 0)
	return err
}

// Close ends the engine.
func (e *Engine) Close() error { return e.e.pool.Close() }

// OnDocument sets what a child does before it reads a document.
func OnDocument(f func(path string)) { onDocument = f }

// Children returns the process ids of the children that are idle.
func (p *Pool) Children() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []int
	for _, c := range p.idle {
		out = append(out, c.cmd.Process.Pid)
	}
	return out
}

// ProcessorTime returns the process id of the idle child of a pool with one child, and
// the processor time that it has taken; 0 if none is idle.
func (p *Pool) ProcessorTime() (pid int, taken time.Duration) {
	for _, pid := range p.Children() {
		return pid, processorTime(pid)
	}
	return 0, 0
}

// CacheDir returns the folder of the compiled engine.
func CacheDir() (string, error) { return cacheDir("") }

// UseUp takes the processor time for rendering the pages of each document, except d.
func (p *Pool) UseUp(d time.Duration) { p.rendering.left, p.rendering.perPage = d, 0 }

// RenderCPU is the most processor time for rendering one page.
func (p *Pool) RenderCPU() time.Duration { return p.rendering.page }

// Pages returns how many pages that take so much processor time are rendered or
// recognized before a document fails, at most 100, and what they took together.
func (p *Pool) Pages(render, recognize time.Duration) (pages int, took time.Duration) {
	rendering, recognition := p.rendering, p.recognition
	spend := func(a *allowance, d time.Duration) bool {
		var b budget
		a.begin(&b)
		d = min(d, max(b.cpu, 0))
		b.cpu -= d
		a.end(&b)
		took += d
		return b.cpu > 0
	}
	for pages < 100 && spend(&rendering, render) && spend(&recognition, recognize) {
		pages++
	}
	return pages, took
}

// RetryNow makes the next Prewarm try again, however recently one failed.
func (p *Pool) RetryNow() {
	p.warming.Lock()
	defer p.warming.Unlock()
	p.failed = nil
}
