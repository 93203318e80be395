package worker

import (
	"context"
	"errors"
	"time"

	"docledger/domain/extraction"
)

// The processor time of one document, over all processes that read it. The
// largest honest documents of up to freeSize take less than half of minCPU.
const (
	minCPU   = 1600 * time.Millisecond
	freeSize = 1 << 20
	cpuPerKB = 1500 * time.Microsecond // beyond freeSize
	// cpuPart is the part of the deadline that is not less than minCPU: whoever
	// allows a slow machine more time allows it more processor time.
	cpuPart = 5
)

// budget is what is left of the time of one document. What the machine needs to
// start a process or the PDF engine is no part of it.
type budget struct {
	memory int64
	wall   time.Duration
	cpu    time.Duration // 0: not limited
}

// budget returns that of a document of size bytes.
func (p *Pool) budget(size int64) *budget {
	b := &budget{memory: p.config.Memory, wall: p.config.Deadline}
	if hardLimit {
		beyond := min(max(size-freeSize, 0)/1024, int64(b.wall/cpuPerKB))
		b.cpu = min(b.wall, max(minCPU, b.wall/cpuPart)+time.Duration(beyond)*cpuPerKB)
	}
	return b
}

// ask has a child answer a request about the document within what is left of the
// budget, which then shrinks by what the child took.
func (b *budget) ask(ctx context.Context, c *process, q request) (*answer, error) {
	if b.wall <= 0 || hardLimit && b.cpu <= 0 {
		return nil, errTooSlow()
	}
	q.Memory, q.CPU = b.memory, b.cpu
	limited, cancel := context.WithTimeout(ctx, b.wall)
	defer cancel()
	began := time.Now()
	a, err := c.ask(limited, q)
	b.wall -= time.Since(began)
	b.cpu -= c.took
	return a, err
}

// late is the error of a request whose context ended.
func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errTooSlow()
	}
	return ctx.Err()
}

func errTooSlow() error {
	return extraction.Fail(extraction.TimedOut,
		"Reading the document took too long. Ask the sender for a simpler file, or upload the invoice as XML.")
}

// The processor time for all pages of a scan: what a few pages may take
// together, and what each page that was read adds. A long scan of ordinary
// pages ends, and pages that are all just under the limit of one page do not.
const (
	renderingCPU    = 30 * time.Second
	renderingPage   = 2 * time.Second // an ordinary page takes 0.3 s
	recognitionCPU  = 60 * time.Second
	recognitionPage = 8 * time.Second // an ordinary page takes 1.5 to 5 s
)

// allowance is what is left of the processor time for the pages of one document.
type allowance struct {
	page    time.Duration // the most for one page
	left    time.Duration
	perPage time.Duration // what each page adds
	granted time.Duration // what the page at work may take
}

// rendering returns the allowance for rendering the pages of a document.
func (c Config) rendering() allowance {
	return allowance{page: min(pageCPU, max(renderCPU, c.Deadline)), left: c.slower(renderingCPU), perPage: c.slower(renderingPage)}
}

// recognition returns the allowance for recognizing the pages of a document.
func (c Config) recognition() allowance {
	return allowance{page: pageCPU, left: c.slower(recognitionCPU), perPage: c.slower(recognitionPage)}
}

// slower returns the time for a machine that needs more than the default deadline for a document.
func (c Config) slower(d time.Duration) time.Duration {
	return max(d, time.Duration(float64(d)*float64(c.Deadline)/float64(defaultDeadline)))
}

// begin limits the processor time of the budget of a page.
func (a *allowance) begin(b *budget) {
	if !hardLimit {
		return
	}
	a.left += a.perPage
	b.cpu = min(a.page, a.left)
	a.granted = b.cpu
}

// end subtracts what the page took.
func (a *allowance) end(b *budget) {
	if hardLimit {
		a.left -= a.granted - b.cpu
	}
}
