// Package extraction defines the extraction of a document: its source, the resulting
// drafts, and the reasons for a failure.
package extraction

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/einvoice"
	"docledger/domain/invoice"
)

// Reason is the reason why a document gave no invoice (decisions 2). Later releases
// may add reasons.
type Reason string

// The reasons.
const (
	Encrypted         Reason = "encrypted"
	Truncated         Reason = "truncated"
	Malformed         Reason = "malformed"
	Empty             Reason = "empty"
	NoTextLayer       Reason = "no_text_layer"
	NotAnInvoice      Reason = "not_an_invoice"
	UnsupportedType   Reason = "unsupported_type"
	EntityDeclaration Reason = "entity_declaration"
	NestingTooDeep    Reason = "nesting_too_deep"
	ExpandsTooFar     Reason = "expands_too_far"
	TooLarge          Reason = "too_large"
	TimedOut          Reason = "timed_out"
	OutOfMemory       Reason = "out_of_memory"
	Crashed           Reason = "crashed"
	ContentMissing    Reason = "content_missing" // the stored original is missing
	Cancelled         Reason = "cancelled"       // the operator cancelled the extraction
	NothingInside     Reason = "nothing_inside"  // no file in a container can be extracted
)

// Kind is the kind of a document that is not an invoice (domain D30).
type Kind string

// The kinds.
const (
	Proforma      Kind = "proforma"
	Reminder      Kind = "reminder"
	Statement     Kind = "statement"
	Quote         Kind = "quote"
	Order         Kind = "order"
	DeliveryNote  Kind = "delivery_note"
	PaymentAdvice Kind = "payment_advice"
	Message       Kind = "message"
	Other         Kind = "other"
)

// Failure is the error for a document that cannot be read or that is not an invoice.
// Message is for the user who uploaded it.
type Failure struct {
	Reason  Reason
	Kind    Kind // set if Reason is NotAnInvoice
	Message string
	// Numbers are the texts of a Reminder that can be numbers of invoices, at most MaxNumbers.
	Numbers []string
	// Passing reports whether another attempt may succeed, because a crash may have
	// had a cause other than the document.
	Passing bool
}

// MaxNumbers is the number of texts of a reminder that are compared with the numbers of invoices.
const MaxNumbers = 50

// Error implements error.
func (f *Failure) Error() string { return string(f.Code()) + ": " + f.Message }

// Code returns the value of a document's failure.code: the kind of a document that is
// not an invoice, or else the reason.
func (f *Failure) Code() string {
	if f.Reason == NotAnInvoice && f.Kind != "" {
		return string(f.Kind)
	}
	return string(f.Reason)
}

// Fail returns a Failure.
func Fail(r Reason, format string, args ...any) *Failure {
	return &Failure{Reason: r, Message: fmt.Sprintf(format, args...), Passing: r == Crashed}
}

// NoInvoice returns the Failure for a document of another kind.
func NoInvoice(k Kind, format string, args ...any) *Failure {
	return &Failure{Reason: NotAnInvoice, Kind: k, Message: fmt.Sprintf(format, args...)}
}

// ErrUnavailable reports that the reader cannot start, for example because its cache
// folder is not writable. The cause is the installation, never the document.
var ErrUnavailable = errors.New("the reader is unavailable")

// Source is a document to extract. Path is a local file that does not change during
// the extraction. Name is the name that the sender gave it; it is not trusted.
type Source struct {
	Name string
	Path string
	Size int64
	// Forced reports that a user declared the document to be an invoice. A document
	// of another kind is then extracted if it contains the data of an invoice.
	Forced bool
	// DateOrder is the order of ambiguous dates in the entity's documents.
	DateOrder DateOrder
	// Recognize allows text recognition in images, which takes seconds for each page.
	// Without it, a document that needs recognition returns ErrNeedsOCR.
	Recognize bool
	// Pages are those of one invoice in a file with several; nil means the whole file.
	Pages *document.Pages
	// Readings requests Draft.Readings.
	Readings bool
	// OnFile, unless it is nil, receives each file in an e-mail or archive before Read returns. An
	// error of OnFile ends Read. Without OnFile, containers are not supported.
	OnFile func(ContainedFile) error
	// OnWords, unless it is nil, receives the words of each page, from 1, on which OCR recognized
	// words, before Read returns. It can be called again for a page.
	OnWords func(page int, words []PageWord)
}

// DateOrder is the interpretation of an ambiguous numeric date. A date with an
// unambiguous order, or with an order that another date of the document shows, keeps
// that order.
type DateOrder string

// The orders. The zero value and AnyOrder use the order that the document shows.
const (
	AnyOrder     DateOrder = "AUTO"
	DayMonthYear DateOrder = "DMY"
	MonthDayYear DateOrder = "MDY"
	YearMonthDay DateOrder = "YMD"
)

// ErrNeedsOCR reports that a document is a scan or a photo. The caller must extract
// it again with Source.Recognize.
var ErrNeedsOCR = errors.New("the document needs text recognition")

// Draft is one invoice as stated in the document, before any check.
type Draft struct {
	Content invoice.Content
	Fields  map[string]invoice.Evidence
	Format  string // "ubl", "cii", "zugferd1", "fatturapa", "facturae", "ksef"
	// Pages are the pages of the invoice in a file with several. They are nil for the whole file,
	// and for one of several invoices in XML. The evidence in Fields counts its pages from the first
	// of them.
	Pages *document.Pages
	// Checks are findings of the extraction that the values alone do not show, such
	// as reversed signs. They are added to the checks of invoice.RunChecks.
	Checks []invoice.Check
	// Readings are the printed texts that can be values, in reading order. They are nil unless
	// Source.Readings is set and the pages have a text layer.
	Readings []Reading
}

// ContainedFile is a file in a container: an e-mail or an archive.
type ContainedFile struct {
	Path      string // the names of the containers around it and its own, joined by "/"
	MediaType string
	SizeBytes int64
	Data      []byte // only of documents
	// Document reports that the file becomes a document. Logos, signatures and texts do
	// not.
	Document bool
	// Readable reports that the type of the file can be extracted.
	Readable bool
}

// MaxContained is the maximum number of documents in a container.
const MaxContained = 500

// Contained is a stored file of a container that becomes a document.
type Contained struct {
	document.StoredBlob
	Path string
}

// Result is the result of an extraction.
type Result struct {
	Method        invoice.Method
	EngineVersion string
	Drafts        []Draft // at least one, except of a container; several if one file contains several invoices
	// Container reports that the file is an e-mail or an archive. Its documents were
	// passed to Source.OnFile.
	Container bool
	Contained []Contained // set by the use case that stores the files of a container
	MediaType string      // detected from the bytes
	PageCount int         // 0 if unknown
	// ScannedPages is the number of pages that are images, with or without a text
	// layer.
	ScannedPages int
	Attachments  []document.Attachment
	// Signatures are those of a signed envelope, as stated.
	Signatures []document.Signature
	// Verdict is the result of the official rules for the electronic invoice; nil if
	// the document contains none that the rules apply to.
	Verdict *einvoice.Verdict
	// Checks are findings about the document, such as a second, different invoice in
	// the same file. They are added to the checks of the invoice.
	Checks []invoice.Check
}

// Validation returns the verdict of the official rules, or the reason why they do not
// apply.
func (r *Result) Validation() *einvoice.Verdict {
	switch {
	case r.Verdict != nil:
		return r.Verdict
	case r.Method != invoice.Structured:
		return einvoice.Unjudged("The document contains no electronic invoice, only printed pages.")
	}
	return einvoice.Unjudged("The rules of EN 16931 do not apply to the format of the invoice.")
}

// Reader extracts documents.
type Reader interface {
	// Read returns the content of a document. A *Failure means that the document is
	// the cause, ErrUnavailable that no document of its type can be read now, and any
	// other error that the extraction did not run. Read returns by the deadline of
	// ctx, isolates the process from the document, and opens no file except the
	// source.
	Read(ctx context.Context, s Source) (*Result, error)
}
