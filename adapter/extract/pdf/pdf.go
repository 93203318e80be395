// Package pdf walks the object table of a PDF (ISO 32000-2) to count its pages
// and to find the files embedded in it. It renders nothing and reads no text.
//
// The files are hostile until proven otherwise, so every step is bounded by
// Limits: what is parsed, what is inflated, how deep things nest. A damaged
// cross-reference table is made anew from the objects themselves.
package pdf

import (
	"bytes"
	"errors"

	"docledger/domain/extraction"
)

// Limits bound what one document may cost.
type Limits struct {
	KeptBytes   int64 // of all embedded files that are kept, inflated
	TotalBytes  int64 // inflated in all, over every filter of every stream
	Objects     int   // entries of the object table, and objects followed
	Files       int   // embedded files
	Depth       int   // of nested arrays and dictionaries, and of trees
	ParseFactor int64 // bytes parsed in all, in multiples of the document's size
}

// DefaultLimits are generous for documents that people send: the largest
// real invoices embed a few megabytes.
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
	Name         string // as stated: it may hold a path or control characters
	MediaType    string // as stated; proves nothing
	Relationship string // AFRelationship: "Alternative", "Data", "Source", …
	Size         int64  // inflated; -1 where unknown
	Head         []byte // the first bytes, inflated
	Data         []byte `json:"-"` // the whole, where it was asked for and could be had
	// Problem says why Data is missing although it was asked for.
	Problem extraction.Reason
}

// Report is what a document holds.
type Report struct {
	Pages     int
	Encrypted bool // it was, and opens without a password
	Rebuilt   bool // its object table was damaged
	Portfolio bool // its content is the embedded files, not its pages (ISO 32000-2, 12.3.5)
	Files     []File
}

// headBytes is how much of an embedded file is inflated to see what it is.
const headBytes = 1024

// headerWindow is how far into a file its header may stand: what readers have
// accepted ever since (ISO 32000-1, annex H.3, note 13).
const headerWindow = 1024

// Inspect walks the document in data, which it never changes. keep says from
// the first bytes of an embedded file whether all of it is wanted. An error is
// always an *extraction.Failure.
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

// portfolio reports whether the catalog names a collection.
func (d *document) portfolio() bool { return dictOf(d.get(d.catalog()["Collection"])) != nil }

// wanted adds the PDFs in a portfolio to the files that the caller wants.
func (d *document) wanted(keep func(head []byte) bool) func(head []byte) bool {
	if !d.portfolio() {
		return keep
	}
	return func(head []byte) bool { return IsPDF(head) || keep(head) }
}

// IsPDF reports whether a file begins as a PDF.
func IsPDF(head []byte) bool {
	return bytes.Contains(head[:min(len(head), headerWindow)], []byte("%PDF-"))
}

// Why a document can't be walked.
var (
	errNoCatalog = errors.New("no document catalog")
	errNoPages   = errors.New("no pages")
	errPassword  = errors.New("password needed")
	errExpands   = errors.New("inflates beyond the limit")
	errTooDeep   = errors.New("nested beyond the limit")
	errTooMuch   = errors.New("more objects than the limit")
	errSyntax    = errors.New("syntax error")
)

// explain turns a reason into words for the person who sent the document.
func (d *document) explain(err error) *extraction.Failure {
	switch {
	case errors.Is(err, errPassword):
		return extraction.Fail(extraction.Encrypted, "The PDF needs a password to open. Remove the password and upload it again.")
	case d.spent.expanded:
		return extraction.Fail(extraction.ExpandsTooFar, "The PDF holds compressed data that expands beyond what is accepted.")
	case d.spent.tooDeep:
		return extraction.Fail(extraction.NestingTooDeep, "The PDF nests its objects deeper than is accepted.")
	case d.spent.tooMuch:
		return extraction.Fail(extraction.TooLarge, "The PDF holds more objects than are accepted.")
	case !d.complete():
		return extraction.Fail(extraction.Truncated, "The PDF ends too early: a part of it is missing. Upload the whole file.")
	default:
		return extraction.Fail(extraction.Malformed, "The PDF is damaged: its pages can't be found. Export it again and upload the new file.")
	}
}

// complete says whether the end of file stands behind the last object. In a
// file that was cut off it does not, even where an earlier end is marked, as
// linearized and updated files do.
func (d *document) complete() bool {
	end := bytes.LastIndex(d.data, []byte("%%EOF"))
	return end >= 0 && end >= bytes.LastIndex(d.data, []byte("endobj"))
}
