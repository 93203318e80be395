package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	// wasmPages caps the memory of one document inside the engine: 256 MiB, which
	// the image of a page scanned at 600 dots an inch takes.
	wasmPages = 4096
	// maxChars is how many characters of one page are read; the densest real
	// page has some 20,000.
	maxChars = 200_000
)

// engine reads and renders PDFs with pdfium, compiled to WebAssembly: it sees
// no file but the document and no network.
type engine struct {
	pool pdfium.Pool
	text *instance // kept between documents; nil: none
}

// newEngine starts pdfium from the compiled code in the cache.
func newEngine(cacheDir string) (*engine, error) {
	code, err := engineCode(cacheDir)
	if err != nil {
		return nil, err
	}
	return startEngine(cacheDir, code)
}

func startEngine(cacheDir string, code []byte) (*engine, error) {
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, err
	}
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling
	pool, err := webassembly.InitWithWASM(webassembly.Config{
		Context:  withPages(context.Background()),
		WASM:     code,
		MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(),
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCoreFeatures(features).
			WithMemoryLimitPages(wasmPages).
			WithCompilationCache(cache),
	})
	if err != nil {
		return nil, err
	}
	return &engine{pool: pool}, nil
}

// prewarm fills the cache of compiled code.
func prewarm(cacheDir string) error {
	code, err := engineCode(cacheDir)
	if err != nil {
		return err
	}
	e, err := startEngine(cacheDir, code)
	if err != nil {
		return err
	}
	storeCode(cacheDir, code) //nolint:errcheck // without the file, children decompress the code
	return e.pool.Close()
}

// instance returns the kept instance for reading text, or a new one.
func (e *engine) instance() (*instance, error) {
	if e.text != nil {
		return e.text, nil
	}
	owner, err := e.pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start an instance of the PDF engine: %w", err)
	}
	if e.text, err = newInstance(owner); err != nil {
		owner.Close() //nolint:errcheck // it is discarded
		return nil, fmt.Errorf("start an instance of the PDF engine: %w", err)
	}
	return e.text, nil
}

// discard ends the kept instance. The pool has room for one.
func (e *engine) discard() {
	if e.text != nil {
		e.text.owner.Close() //nolint:errcheck // it is discarded
		e.text = nil
	}
}

// start returns a new instance for rendering.
func (e *engine) start() (pdfium.Pdfium, error) {
	e.discard()
	started, err := e.pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start an instance of the PDF engine: %w", err)
	}
	return started, nil
}

// read yields the pages of a document. No document finds anything of the one
// before it: the instance returns to its state before the document, or ends.
func (e *engine) read(r io.ReadSeeker, size int64, o TextOptions, yield func(*layout.Page) error) error {
	i, err := e.instance()
	if err != nil {
		return err
	}
	defer func() {
		if !i.reset() {
			e.discard()
		}
	}()
	if err := i.open(r, size); err != nil {
		return err
	}
	limit := o.Pages
	if limit <= 0 || limit > defaultPages {
		limit = defaultPages
	}
	count, err := i.pageCount()
	if err != nil {
		return refused(err)
	}
	words := 0
	end := min(count, limit)
	for index := max(o.From-1, 0); index < end; index++ {
		page := &layout.Page{Number: index + 1, Words: []layout.Word{}}
		// The reset takes the memory of the last page back in less time than the engine.
		if err := i.read(page, index+1 == end); err != nil {
			if err := i.survived(page.Number, err); err != nil {
				return err
			}
		}
		if err := yield(page); err != nil {
			return err
		}
		if words += len(page.Words); o.Words > 0 && words >= o.Words {
			break
		}
	}
	return nil
}

// survived decides what an error in a page means. A page that can't be read
// has no words and the others may; but where the engine itself broke down, all
// that followed would be without words.
func (i *instance) survived(number int, err error) error {
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		return failure
	}
	if _, err := i.pageCount(); err != nil {
		return extraction.Fail(extraction.Malformed, "Page %d of the PDF can't be read. Export the PDF again and upload the new file.", number)
	}
	return nil
}

func pageCount(instance pdfium.Pdfium, document references.FPDF_DOCUMENT) (int, error) {
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: document})
	if err != nil {
		return 0, err
	}
	return count.PageCount, nil
}

// refused turns an error of pdfium into a failure of the document.
func refused(err error) error {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return extraction.Fail(extraction.Encrypted, "The PDF needs a password to open. Remove the password and upload it again.")
	default:
		return extraction.Fail(extraction.Malformed, "The PDF is damaged and can't be opened. Export it again and upload the new file.")
	}
}
