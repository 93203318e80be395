// Package extraction holds what reading a document means: its source, the
// drafts that come out, and the reasons why none do.
package extraction

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/einvoice"
	"docledger/domain/invoice"
)

// Reason says why a document gave no invoice (decisions 2; the list is open).
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
	ContentMissing    Reason = "content_missing" // the stored original is gone
	Cancelled         Reason = "cancelled"       // the operator ended the reading
)

// Kind names what a document is that is no invoice (domain D30).
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

// Failure is the error of a document that can't be read, or that is no
// invoice. Message is written for the person who uploaded it.
type Failure struct {
	Reason  Reason
	Kind    Kind // set where Reason is NotAnInvoice
	Message string
	// Passing says that another try may fare better: a crash may have had
	// another cause than the document.
	Passing bool
}

// Error implements error.
func (f *Failure) Error() string { return string(f.Code()) + ": " + f.Message }

// Code is what stands in a document's failure.code: the kind of a document
// that is no invoice, else the reason.
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

// NoInvoice returns the Failure of a document of another kind.
func NoInvoice(k Kind, format string, args ...any) *Failure {
	return &Failure{Reason: NotAnInvoice, Kind: k, Message: fmt.Sprintf(format, args...)}
}

// ErrUnavailable says that the reader cannot start, for example because its
// cache folder cannot be written to. The installation is at fault, never the
// document.
var ErrUnavailable = errors.New("the reader is unavailable")

// Source is a document to read. Path names a local file that stays as it is
// while it is read; Name is what its sender called it and proves nothing.
type Source struct {
	Name string
	Path string
	Size int64
	// Forced says that a person holds it to be an invoice: a document of
	// another kind that states what an invoice states is read nevertheless.
	Forced bool
	// DateOrder is how the entity's documents write ambiguous dates.
	DateOrder DateOrder
	// Recognize says that words may be recognized in images, which takes seconds
	// for a page. Without it such a document gives ErrNeedsOCR.
	Recognize bool
	// OnWords, unless it is nil, receives the words of each page, from 1, on which OCR recognized
	// words, before Read returns. It can be called again for a page.
	OnWords func(page int, words []PageWord)
}

// DateOrder says how an ambiguous numeric date is read. A date that shows its
// order by itself, or by another date of the document, is read as it shows.
type DateOrder string

// The orders; the zero value and AnyOrder leave it to the document.
const (
	AnyOrder     DateOrder = "AUTO"
	DayMonthYear DateOrder = "DMY"
	MonthDayYear DateOrder = "MDY"
	YearMonthDay DateOrder = "YMD"
)

// ErrNeedsOCR says that a document is a scan or a photo: it is to be read again
// with Source.Recognize.
var ErrNeedsOCR = errors.New("the document needs text recognition")

// Draft is one invoice as a document states it, before any check.
type Draft struct {
	Content invoice.Content
	Fields  map[string]invoice.Evidence
	Format  string // "ubl", "cii", "zugferd1", "fatturapa", "facturae", "ksef"
	// Checks are findings of the reading that the values alone no longer show,
	// such as signs that were turned; they join those of invoice.RunChecks.
	Checks []invoice.Check
}

// Result is what a document holds.
type Result struct {
	Method        invoice.Method
	EngineVersion string
	Drafts        []Draft // at least one; several where one file holds several invoices
	MediaType     string  // sniffed from the bytes
	PageCount     int     // 0 where unknown
	// ScannedPages is how many pages are images, whatever text a program laid
	// under them.
	ScannedPages int
	Attachments  []document.Attachment
	// Verdict is what the official rules say of the electronic invoice; nil
	// where the document holds none to which rules apply.
	Verdict *einvoice.Verdict
	// Checks are findings of the reading itself, such as a second, different
	// invoice inside the same file; they join the invoice's own checks.
	Checks []invoice.Check
}

// Validation returns the verdict of the official rules, or why the document is
// not judged.
func (r *Result) Validation() *einvoice.Verdict {
	switch {
	case r.Verdict != nil:
		return r.Verdict
	case r.Method != invoice.Structured:
		return einvoice.Unjudged("The document holds no electronic invoice, only printed pages.")
	}
	return einvoice.Unjudged("The invoice is in a format that the rules of EN 16931 do not apply to.")
}

// Reader reads documents.
type Reader interface {
	// Read returns what the document holds. A *Failure says that the document
	// is at fault, ErrUnavailable that no document of its kind can be read now,
	// and any other error that reading could not take place. It takes
	// at most the deadline of ctx, harms nothing else whatever the document
	// does, and opens nothing but the source.
	Read(ctx context.Context, s Source) (*Result, error)
}
