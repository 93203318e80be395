// Package pdf traverses the object table of a PDF (ISO 32000-2) to count its pages
// and to find its embedded files. It renders nothing and reads no text.
//
// All files are treated as hostile, so Limits bound every step: parsed bytes,
// inflated bytes and depth. A damaged cross-reference table is rebuilt from the
// objects.
package pdf

import (
	"bytes"
	"errors"

	"docledger/domain/extraction"
)

// Limits bound the cost of one document.
type Limits struct {
	KeptBytes   int64 // of all kept embedded files, inflated
	TotalBytes  int64 // inflated in total, over all filters of all streams
	Objects     int   // entries of the object table, and resolved objects
	Files       int   // embedded files
	Depth       int   // of nested arrays and dictionaries, and of trees
	ParseFactor int64 // total parsed bytes, in multiples of the document's size
}

// DefaultLimits returns limits that real documents do not reach. The largest real
// invoices embed a few megabytes.
func DefaultLimits() Limits {
	return Limits{
		KeptBytes:   32 << 20,
		TotalBytes:  256 << 20,
		Objects:     1_000_000,
		Files:       500,
		Depth:       64,
		ParseFactor: 8,
	}
}

// File is a file embedded in a document (ISO 32000-2, 7.11.4).
type File struct {
	Name         string // as stated: it may contain a path or control characters
	MediaType    string // as stated; not trusted
	Relationship string // AFRelationship: "Alternative", "Data", "Source", …
	Size         int64  // inflated; -1 if unknown
	Head         []byte // the first bytes, inflated
	Data         []byte `json:"-"` // the complete content, if it was selected and is readable
	// Problem is the reason why the Data of a selected file is missing.
	Problem extraction.Reason
}

// Report is the content of a document.
type Report struct {
	Pages     int
	Encrypted bool // it is encrypted and opens without a password
	Rebuilt   bool // its object table was damaged
	Portfolio bool // its content is in the embedded files, not on its pages (ISO 32000-2, 12.3.5)
	Files     []File
}

// headBytes is the number of bytes of an embedded file that are inflated to detect
// its type.
const headBytes = 1024

// headerWindow is the maximum offset of the header in a file. Readers have always
// accepted this offset (ISO 32000-1, annex H.3, note 13).
const headerWindow = 1024

// Inspect traverses the document in data, which it never changes. keep decides from
// the first bytes of an embedded file whether its complete content is returned. An
// error is always an *extraction.Failure.
func Inspect(data []byte, keep func(head []byte) bool, l Limits) (*Report, error) {
	start := bytes.Index(data[:min(len(data), headerWindow)], []byte("%PDF-"))
	if start < 0 {
		return nil, extraction.Fail(extraction.Malformed, "The file has no PDF header. Export the document as PDF again.")
	}
	d := newDocument(data, start, l)
	if err := d.open(); err != nil {
		return nil, d.explain(err)
	}
	pages := d.walkPages()
	if pages.count == 0 && !d.rebuilt {
		if err := d.reopen(); err != nil {
			return nil, d.explain(err)
		}
		pages = d.walkPages()
	}
	if pages.count == 0 || (d.rebuilt && !d.complete()) {
		return nil, d.explain(errNoPages)
	}
	return &Report{
		Pages:     pages.count,
		Encrypted: d.crypt != nil,
		Rebuilt:   d.rebuilt,
		Portfolio: d.portfolio(),
		Files:     d.files(pages, d.wanted(keep)),
	}, nil
}

// portfolio reports whether the catalog has a collection.
func (d *document) portfolio() bool { return dictOf(d.get(d.catalog()["Collection"])) != nil }

// wanted extends keep by the PDFs in a portfolio.
func (d *document) wanted(keep func(head []byte) bool) func(head []byte) bool {
	if !d.portfolio() {
		return keep
	}
	return func(head []byte) bool { return IsPDF(head) || keep(head) }
}

// IsPDF reports whether a file starts with a PDF header.
func IsPDF(head []byte) bool {
	return bytes.Contains(head[:min(len(head), headerWindow)], []byte("%PDF-"))
}

// Reasons why a document cannot be traversed.
var (
	errNoCatalog = errors.New("no document catalog")
	errNoPages   = errors.New("no pages")
	errPassword  = errors.New("password needed")
	errExpands   = errors.New("inflates beyond the limit")
	errTooDeep   = errors.New("nested beyond the limit")
	errTooMuch   = errors.New("more objects than the limit")
	errSyntax    = errors.New("syntax error")
)

// explain converts an error into a message for the user who uploaded the document.
func (d *document) explain(err error) *extraction.Failure {
	switch {
	case errors.Is(err, errPassword):
		return extraction.Fail(extraction.Encrypted, "The PDF needs a password to open. Remove the password and upload it again.")
	case d.spent.expanded:
		return extraction.Fail(extraction.ExpandsTooFar, "The PDF contains compressed data that expands beyond the limit.")
	case d.spent.tooDeep:
		return extraction.Fail(extraction.NestingTooDeep, "The objects of the PDF are nested too deeply.")
	case d.spent.tooMuch:
		return extraction.Fail(extraction.TooLarge, "The PDF contains too many objects.")
	case !d.complete():
		return extraction.Fail(extraction.Truncated, "The PDF ends too early: a part of it is missing. Upload the whole file.")
	default:
		return extraction.Fail(extraction.Malformed, "The PDF is damaged: its pages cannot be found. Export it again and upload the new file.")
	}
}

// complete reports whether an end-of-file marker follows the last object. In a
// truncated file it does not, even if an earlier marker exists, as in linearized and
// updated files.
func (d *document) complete() bool {
	end := bytes.LastIndex(d.data, []byte("%%EOF"))
	return end >= 0 && end >= bytes.LastIndex(d.data, []byte("endobj"))
}
