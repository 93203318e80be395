package worker

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/ocr/raster"
)

// Recognizer reads the words of an image.
type Recognizer interface {
	Page(img *image.Gray, number int) (*layout.Page, error)
}

// ServeRecognizer serves the requests of a pool whose Program this program is,
// until its parent is gone. open starts the engine, from the CacheDir of the
// pool's Config.
func ServeRecognizer(open func(dir string) (Recognizer, error)) {
	debug.SetGCPercent(50) // most of the memory is the library's
	c := &recognizing{child: newChild(os.Stdout), open: open}
	c.child.perform, c.child.reserved = c.perform, reservedMemory
	c.serve(os.Stdin)
}

// IsChild says whether this process was started by a pool.
func IsChild() bool {
	return len(os.Args) == 2 && os.Args[1] == childArgument && os.Getenv(childVariable) != ""
}

func newChild(out io.Writer) *child { return &child{out: bufio.NewWriterSize(out, 64<<10)} }

// reservedMemory is what the two allocators of the OCR program, ours and that of
// the library, keep for later after they gave it back to the system, which still
// counts it. The parent watches what is filled.
const reservedMemory = 1 << 30

// recognizing is the child of the OCR program.
type recognizing struct {
	*child
	open   func(dir string) (Recognizer, error)
	engine Recognizer
}

func (c *recognizing) perform(q request, sent []byte) (err error) {
	switch q.Operation {
	case opEngine:
		if c.engine == nil {
			c.engine, err = c.open(q.CacheDir)
		}
		return err
	case opCount, opRecognize:
	default:
		return fmt.Errorf("unknown operation %q", q.Operation)
	}
	if c.engine == nil {
		return errEngineWanted
	}
	if onDocument != nil {
		onDocument(q.Path)
	}
	if sent != nil {
		img, ok := decodeImage(sent)
		if !ok {
			return errors.New("the image that was sent has not the size that it states")
		}
		return c.page(img, q.Page)
	}
	f, err := os.Open(q.Path)
	if err != nil {
		return fmt.Errorf("open document: %w", err)
	}
	defer f.Close()
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	pages, err := raster.Open(data, raster.DefaultLimits())
	if err != nil {
		return err
	}
	if q.Operation == opCount {
		return writeJSON(c.out, frameCount, pages.Pages())
	}
	if q.Page < 0 || q.Page >= pages.Pages() {
		return fmt.Errorf("the file has no page %d", q.Page+1)
	}
	img, err := pages.Page(q.Page)
	if err != nil {
		return err
	}
	return c.page(img, q.Page)
}

func (c *recognizing) page(img *image.Gray, index int) error {
	defer freeAfter(costly + 1)
	page, err := c.engine.Page(img, index+1)
	if err != nil && strings.Contains(err.Error(), "bad_alloc") {
		// The library got no memory. A new process has more.
		fmt.Fprintln(os.Stderr, "out of memory:", err)
		os.Exit(1)
	}
	if err != nil {
		return err
	}
	page.Scanned = true
	return writeJSON(c.out, framePage, page)
}
