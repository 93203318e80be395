package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"docledger/domain/extraction"
)

const (
	startDeadline = 10 * time.Second
	// watchEvery is how often the memory of a child at work is looked at.
	watchEvery = 20 * time.Millisecond
	// watchSlack is what a child may exceed its limit by before its parent
	// kills it: its own limit should have ended it before.
	watchSlack = 32 << 20
	// wordsBytes limits the stored part of a child's last output: the beginning, which contains
	// the reason.
	wordsBytes = 4 << 10
)

// process is a child. One request at a time.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   io.Closer // what out reads from
	words  lastWords
	gone   chan struct{} // closed when the process has ended
	killed atomic.Bool
	big    atomic.Bool // killed for its memory
	slow   atomic.Bool // killed for its processor time
	broken bool        // not to be used again
	served int
	engine bool          // the PDF engine runs in it
	took   time.Duration // processor time of the last request
}

// start starts a child and waits until it is ready. program is its file; "" means
// the own one.
func start(ctx context.Context, program string) (*process, error) {
	if os.Getenv(childVariable) != "" {
		return nil, errNested
	}
	path, err := program, error(nil)
	if path == "" {
		path, err = executable()
	}
	if err != nil {
		return nil, fmt.Errorf("find the own program: %w", err)
	}
	c := &process{cmd: exec.Command(path, childArgument), gone: make(chan struct{})}
	c.cmd.Env = []string{childVariable + "=1", "GOMAXPROCS=2", "GOTRACEBACK=none", "GOGC=400",
		// The library of OCR takes and gives back large blocks: several arenas of
		// the C library would each keep their own.
		"MALLOC_ARENA_MAX=1"}
	c.cmd.Dir = string(filepath.Separator)
	c.cmd.Stderr = &c.words
	c.cmd.WaitDelay = time.Second
	detach(c.cmd)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: waiting for the process must not take away what it wrote.
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = theirs
	c.out, c.pipe = bufio.NewReaderSize(ours, 64<<10), ours
	err = c.run()
	theirs.Close() //nolint:errcheck // the child holds its own
	if err != nil {
		ours.Close() //nolint:errcheck // nothing was read
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if err := c.greet(ctx); err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

// run starts the process from a thread of its own, which lives as long as the
// process: Linux ties a child that dies with its parent to the thread that
// started it, not to the whole parent.
func (c *process) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		c.cmd.Wait() //nolint:errcheck // its output shows how it ended
		close(c.gone)
	}()
	return <-started
}

func (c *process) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	kind, payload, err := readFrame(c.out)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("start a reader: %w", ctx.Err())
	case err != nil || kind != frameHello || string(payload) != version:
		return errors.New("start a reader: the program did not answer as one; it must call worker.ServeIfChild first in main")
	}
	return nil
}

// errUnasked reports that a child ended before it received a document. Therefore the document did
// not cause it.
var errUnasked = errors.New("the reader ended before it was asked")

// ask sends a request and waits for the answer, at most until ctx ends; the
// child is dead then. It is errUnasked where the request did not reach it. The
// answer may hold what arrived before an error.
func (c *process) ask(ctx context.Context, q request) (*answer, error) {
	c.served++
	stop := context.AfterFunc(ctx, c.kill)
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { c.took = c.watch(done, q.Memory+watchSlack, q.CPU) })

	unasked := c.send(q)
	err := unasked
	a := &answer{}
	if err == nil {
		a, err = readAnswer(c.out)
	}
	if !stop() {
		c.broken = true
	}
	close(done)
	watcher.Wait()

	var failure *extraction.Failure
	var refused *refusal
	if err == nil || errors.As(err, &failure) || errors.As(err, &refused) {
		if failure != nil && failure.Reason == extraction.OutOfMemory {
			c.broken = true
		}
		return a, err
	}
	c.broken = true
	c.kill()
	<-c.gone
	if unasked != nil && ctx.Err() == nil {
		return nil, errors.Join(errUnasked, unasked)
	}
	return a, c.cause(ctx, err)
}

// send sends a request, after the image that belongs to it.
func (c *process) send(q request) error {
	if q.image != nil {
		if err := writeFrame(c.in, frameImage, q.image); err != nil {
			return err
		}
	}
	return writeJSON(c.in, frameRequest, q)
}

// cause says why a child did not answer.
func (c *process) cause(ctx context.Context, err error) error {
	switch {
	case c.big.Load() || c.words.speakOfMemory():
		return outOfMemory()
	case c.slow.Load():
		return errTooSlow()
	case ctx.Err() != nil:
		return late(ctx)
	case errors.Is(err, errProtocol):
		return extraction.Fail(extraction.Crashed, "Reading the document ended in an answer that makes no sense. Export the document again, or upload the invoice as XML.")
	}
	failure := extraction.Fail(extraction.Crashed, "The reader crashed on this document. Export it again, or upload the invoice as XML.")
	return fmt.Errorf("%w (%v: %s)", failure, c.cmd.ProcessState, c.words.first())
}

func outOfMemory() *extraction.Failure {
	return extraction.Fail(extraction.OutOfMemory, "Reading the document takes more memory than is allowed. Ask the sender for a simpler file, or upload the invoice as XML.")
}

// watch kills the child when it fills more memory or takes more processor time
// than it may. It returns the processor time that the child took.
func (c *process) watch(done <-chan struct{}, memory int64, cpu time.Duration) time.Duration {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	pid := c.cmd.Process.Pid
	before := processorTime(pid)
	took := time.Duration(0)
	look := func() { took = max(took, processorTime(pid)-before) } // none is known of a process that is gone
	for {
		select {
		case <-done:
			look()
			return took
		case <-tick.C:
			look()
			switch {
			case resident(pid) > memory:
				c.big.Store(true)
			case cpu > 0 && took > cpu:
				c.slow.Store(true)
			default:
				continue
			}
			c.kill()
			return took
		}
	}
}

func (c *process) kill() {
	c.killed.Store(true)
	c.cmd.Process.Kill() //nolint:errcheck // it may have ended already
}

// alive says whether the child can take another request.
func (c *process) alive() bool {
	if c.broken || c.killed.Load() {
		return false
	}
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// end ends the child and waits for its end. An idle child ends automatically when its input ends,
// within a short time.
func (c *process) end() {
	c.in.Close() //nolint:errcheck // it may have ended already
	late := time.AfterFunc(time.Second, c.kill)
	defer late.Stop()
	<-c.gone
	c.pipe.Close() //nolint:errcheck // it has no reader any more
}

// lastWords keeps the beginning of what a child writes to its standard error.
type lastWords struct {
	mu sync.Mutex
	b  []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p[:min(len(p), wordsBytes-len(w.b))]...)
	return len(p), nil
}

// speakOfMemory recognizes what the Go runtime says when it gets no more
// memory, or none for the stack of one more thread.
func (w *lastWords) speakOfMemory() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, phrase := range []string{"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread"} {
		if bytes.Contains(w.b, []byte(phrase)) {
			return true
		}
	}
	return false
}

// first returns the first line.
func (w *lastWords) first() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	line, _, _ := bytes.Cut(w.b, []byte("\n"))
	return string(bytes.ToValidUTF8(line, nil))
}
