package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// Parent and child talk in frames over pipes: one byte that says what it is,
// four bytes of length, the payload. A request is answered by any number of
// frames up to frameEnd, frameFailure or frameError.
const (
	frameHello    = 'H' // child: ready; payload: version
	frameRequest  = 'Q' // parent: a request
	frameResult   = 'R' // child: a result without its drafts
	frameDraft    = 'D' // child: the result's next draft
	frameUnusable = 'U' // child: why the data embedded in a PDF cannot be used
	frameEngine   = 'W' // child: the request needs the PDF engine, which does not run here
	frameCheck    = 'C' // child: the check that was asked for
	framePage     = 'P' // child: the words of the next page
	frameImage    = 'I' // an image: from the child what it rendered; from the parent, before a request, what to recognize
	frameCount    = 'N' // child: how many pages an image file has
	frameFile     = 'V' // child: the next bytes of the file that was asked for
	frameInside   = 'M' // child: the next file in a container, the bytes of which follow, or the end of them
	frameFailure  = 'F' // child: the document is at fault
	frameError    = 'X' // child: the request could not be served
	frameEnd      = '.' // child: the answer is complete
)

// version of the protocol. Both sides are the same binary; it only guards
// against one that was exchanged while the service runs.
const version = "6"

// Bounds on an answer, which the child keeps and the parent enforces: a document
// may have taken over the child that reads it.
const (
	maxFrame  = 32 << 20
	maxAnswer = 64 << 20
)

// operation is what a request asks for.
type operation string

const (
	opPDF     operation = "pdf"
	opXML     operation = "xml"
	opCompare operation = "compare"
	opText    operation = "text"
	opPrewarm operation = "prewarm"
	opEngine  operation = "engine"
	opPages   operation = "pages"  // apply the rules to words
	opRender  operation = "render" // a page of a PDF for OCR
	opView    operation = "view"   // a page for people
	opShow    operation = "show"   // the data of an electronic invoice for people
	opExtract operation = "file"   // an embedded file
	opOpen    operation = "open"   // the files in a container
	opMerge   operation = "merge"  // one PDF of pages of files
	// Those of the OCR program.
	opCount     operation = "count"     // the pages of an image file
	opRecognize operation = "recognize" // a page of an image file, or the image before the request
)

type request struct {
	Operation operation
	Path      string
	Limits    pdf.Limits
	Forced    bool
	DateOrder extraction.DateOrder
	Readings  bool            // of opPDF: with the printed texts that can be values
	Stated    invoice.Content // of opCompare: what the embedded data states
	Text      TextOptions
	Page      int   // index of the page to render or recognize
	Width     int   // of opView: the largest width in pixels
	Shown     Shown // of opShow, and of opView of an electronic invoice
	Wanted    document.Attachment
	Nth       int                     // of opExtract: which of several equal files, from 0
	From      int                     // of opOpen: the number of files that were sent before
	Pages     []layout.Page           // of opPages
	Files     []extraction.MergedFile // of opMerge
	Part      *document.Pages         // the pages of one invoice; nil: the whole file
	CacheDir  string
	Memory    int64
	CPU       time.Duration // enforced by the parent; 0: no limit

	image []byte // sent before the request
}

// answer is what a request brought.
type answer struct {
	result   *extraction.Result
	check    *invoice.Check
	pages    []layout.Page
	unusable *extraction.Failure // also of an answer that did not end well
	engine   bool                // ask again once the engine runs
	image    []byte
	file     []byte
	inside   []insideFile
	end      *insideEnd
	count    int
}

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return errFrame
	}
	head := make([]byte, 5)
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// errFrame says that a frame is longer than maxFrame.
var errFrame = fmt.Errorf("a frame is longer than %d bytes", maxFrame)

func writeJSON(w io.Writer, kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, b)
}

// writeResult writes a result within maxAnswer. A document that holds more is an
// *extraction.Failure.
func writeResult(w io.Writer, r *extraction.Result) error {
	short := *r
	short.Drafts = nil
	total := 0
	write := func(kind byte, v any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode the result: %w", err)
		}
		if total += len(b); total > maxAnswer || len(b) > maxFrame {
			return extraction.Fail(extraction.TooLarge, "The document holds more data than is accepted. Ask the sender to split it.")
		}
		return writeFrame(w, kind, b)
	}
	if err := write(frameResult, short); err != nil {
		return err
	}
	for i := range r.Drafts {
		if err := write(frameDraft, &r.Drafts[i]); err != nil {
			return err
		}
	}
	return nil
}

// readFrame reads a frame. io.EOF means that the other side is gone.
func readFrame(r io.Reader) (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, errFrame
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return head[0], payload, err
}

// errProtocol says that the child does not keep to the protocol.
var errProtocol = errors.New("unexpected answer of the child process")

// readAnswer reads the frames of one answer. The error is an
// *extraction.Failure where the document is at fault and a *refusal where the
// child says that it could not do its work. The answer is never nil: it holds
// what arrived before an error.
func readAnswer(r io.Reader) (*answer, error) {
	a := &answer{}
	for total := 0; ; {
		kind, payload, err := readFrame(r)
		if err != nil {
			return a, err
		}
		if total += len(payload); total > maxAnswer+maxFrame {
			return a, errProtocol
		}
		switch kind {
		case frameEnd:
			return a, nil
		case frameFailure:
			f := &extraction.Failure{}
			if json.Unmarshal(payload, f) != nil {
				return a, errProtocol
			}
			return a, f
		case frameError:
			return a, &refusal{string(payload)}
		default:
			if !a.add(kind, payload) {
				return a, errProtocol
			}
		}
	}
}

// add takes one frame; false says that it is none of an answer.
func (a *answer) add(kind byte, payload []byte) bool {
	switch kind {
	case frameResult:
		return a.result == nil && json.Unmarshal(payload, &a.result) == nil && a.result != nil
	case frameDraft:
		d := extraction.Draft{}
		if a.result == nil || json.Unmarshal(payload, &d) != nil || d.Pages != nil && (d.Pages.From < 1 || d.Pages.To < d.Pages.From || d.Pages.To > defaultPages) {
			return false
		}
		a.result.Drafts = append(a.result.Drafts, d)
		return true
	case frameUnusable:
		return json.Unmarshal(payload, &a.unusable) == nil
	case frameCheck:
		return json.Unmarshal(payload, &a.check) == nil
	case framePage:
		page := layout.Page{}
		if json.Unmarshal(payload, &page) != nil {
			return false
		}
		a.pages = append(a.pages, page)
		return true
	case frameImage:
		a.image = payload
		return validImage(payload)
	case frameInside:
		return a.addInside(payload)
	case frameFile:
		if n := len(a.inside); n > 0 {
			a.inside[n-1].data = append(a.inside[n-1].data, payload...)
			return true
		}
		if a.file == nil {
			a.file = []byte{}
		}
		a.file = append(a.file, payload...)
		return true
	case frameCount:
		return json.Unmarshal(payload, &a.count) == nil
	case frameEngine:
		a.engine = true
		return true
	}
	return false
}

// refusal is a child's word that it could not serve a request through no
// fault of the document.
type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }
