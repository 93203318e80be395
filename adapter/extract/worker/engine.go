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
	"github.com/klippa-app/go-pdfium/responses"
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

// engine reads the words of PDFs with pdfium, compiled to WebAssembly: it sees
// no file but the document and no network.
type engine struct{ pool pdfium.Pool }

// newEngine starts pdfium from the compiled code in the cache.
func newEngine(cacheDir string) (*engine, error) {
	cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
	if err != nil {
		return nil, err
	}
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling
	pool, err := webassembly.Init(webassembly.Config{
		Context:  withPages(context.Background()),
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
	return &engine{pool}, nil
}

// prewarm fills the cache of compiled code.
func prewarm(cacheDir string) error {
	e, err := newEngine(cacheDir)
	if err != nil {
		return err
	}
	return e.pool.Close()
}

// read yields the pages of a document. Each document gets an instance of its
// own: one that had met a bomb would find nothing in the next document.
func (e *engine) read(r io.ReadSeeker, size int64, o TextOptions, yield func(*layout.Page) error) error {
	instance, err := e.pool.GetInstanceWithContext(context.Background())
	if err != nil {
		return fmt.Errorf("start an instance of the PDF engine: %w", err)
	}
	defer instance.Close() //nolint:errcheck // it is thrown away
	opened, err := instance.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: size})
	if err != nil {
		return refused(err)
	}
	limit := o.Pages
	if limit <= 0 || limit > defaultPages {
		limit = defaultPages
	}
	count, err := pageCount(instance, opened.Document)
	if err != nil {
		return refused(err)
	}
	words := 0
	for i := max(o.From-1, 0); i < min(count, limit); i++ {
		page := &layout.Page{Number: i + 1, Words: []layout.Word{}}
		if err := readPage(instance, opened.Document, page); err != nil {
			if err := survived(instance, opened.Document, page.Number, err); err != nil {
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

func pageCount(instance pdfium.Pdfium, document references.FPDF_DOCUMENT) (int, error) {
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: document})
	if err != nil {
		return 0, err
	}
	return count.PageCount, nil
}

// survived decides what an error in a page means. A page that can't be read
// has no words and the others may; but where the engine itself broke down, all
// that followed would be without words.
func survived(instance pdfium.Pdfium, document references.FPDF_DOCUMENT, number int, err error) error {
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		return failure
	}
	if _, err := pageCount(instance, document); err != nil {
		return extraction.Fail(extraction.Malformed, "Page %d of the PDF can't be read. Export the PDF again and upload the new file.", number)
	}
	return nil
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

// readPage reads size, rotation and words of the page with out's number.
func readPage(instance pdfium.Pdfium, document references.FPDF_DOCUMENT, out *layout.Page) error {
	loaded, err := instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: out.Number - 1})
	if err != nil {
		return err
	}
	defer instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) //nolint:errcheck // closed with the document at the latest
	page := requests.Page{ByReference: &loaded.Page}
	changed, err := flatten(instance, page)
	if err != nil {
		return err
	}
	if changed {
		again, err := instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: out.Number - 1})
		if err != nil {
			return err
		}
		defer instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: again.Page}) //nolint:errcheck // closed with the document at the latest
		page = requests.Page{ByReference: &again.Page}
	}
	seen, err := readView(instance, page, out)
	if err != nil {
		return err
	}
	out.Scanned = scanned(instance, page, out)
	n, err := countChars(instance, page)
	if err != nil || n == 0 {
		return err
	}
	if n > maxChars {
		return extraction.Fail(extraction.TooLarge, "Page %d of the PDF holds more text than is accepted.", out.Number)
	}
	text, err := instance.GetPageTextStructured(&requests.GetPageTextStructured{
		Page: page,
		Mode: requests.GetPageTextStructuredModeChars,
	})
	if err != nil {
		return err
	}
	out.Words = words(text.Chars, seen)
	return nil
}

// maxAnnotations is how many annotations of a page are made a part of it.
const maxAnnotations = 2_000

// flatten makes the values of form fields and the text of annotations a part of
// the page, so that they are read like the rest of what is seen. It reports
// whether the page must be loaded again to show them.
func flatten(instance pdfium.Pdfium, page requests.Page) (changed bool, err error) {
	count, err := instance.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil || count.Count == 0 || count.Count > maxAnnotations {
		return false, err
	}
	flat, err := instance.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	if err != nil {
		return false, err
	}
	return flat.Result == responses.FPDFPage_FlattenResultSuccess, nil
}

func countChars(instance pdfium.Pdfium, page requests.Page) (int, error) {
	loaded, err := instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return 0, err
	}
	defer instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: loaded.TextPage}) //nolint:errcheck // closed with the document at the latest
	counted, err := instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: loaded.TextPage})
	if err != nil {
		return 0, err
	}
	return counted.Count, nil
}

// readView reads size and rotation of a page and returns how it is seen.
func readView(instance pdfium.Pdfium, page requests.Page, out *layout.Page) (*view, error) {
	width, err := instance.FPDF_GetPageWidthF(&requests.FPDF_GetPageWidthF{Page: page})
	if err != nil {
		return nil, err
	}
	height, err := instance.FPDF_GetPageHeightF(&requests.FPDF_GetPageHeightF{Page: page})
	if err != nil {
		return nil, err
	}
	rotation, err := instance.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: page})
	if err != nil {
		return nil, err
	}
	out.Width, out.Height = float64(width.PageWidth), float64(height.PageHeight)
	out.Rotation = int(rotation.PageRotation) * 90
	return newView(func(x, y float64) (int, int, error) {
		at, err := instance.FPDF_PageToDevice(&requests.FPDF_PageToDevice{
			Page: page, SizeX: viewSize, SizeY: viewSize, PageX: x, PageY: y,
		})
		if err != nil {
			return 0, 0, err
		}
		return at.DeviceX, at.DeviceY, nil
	})
}

// chars is what pdfium says about the characters of a page.
type chars = []*responses.GetPageTextStructuredChar
