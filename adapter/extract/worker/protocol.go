package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"docledger/adapter/extract/pdf"
	"docledger/domain/extraction"
)

// Parent and child talk in frames over pipes: one byte that says what it is,
// four bytes of length, the payload. A request is answered by any number of
// frames up to frameEnd or frameFailure.
const (
	frameHello   = 'H' // child: ready; payload: version
	frameRequest = 'Q' // parent: a request
	frameReport  = 'R' // child: a report without the data of its files
	frameData    = 'D' // child: the data of the report's next file; empty where it was not asked for
	framePage    = 'P' // child: a page of text
	frameFailure = 'F' // child: the document is at fault
	frameError   = 'X' // child: the request could not be served
	frameEnd     = '.' // child: the answer is complete
)

// version of the protocol. Both sides are the same binary; it only guards
// against one that was exchanged while the service runs.
const version = "1"

// Bounds on what a parent accepts: a child may have been taken over by the
// document that it reads.
const (
	maxFrame  = 64 << 20
	maxAnswer = 192 << 20
)

// operation is what a request asks for.
type operation string

const (
	opInspect operation = "inspect"
	opText    operation = "text"
	opPrewarm operation = "prewarm"
)

type request struct {
	Operation operation
	Path      string
	Limits    pdf.Limits
	Text      TextOptions
	CacheDir  string
	Memory    int64
}

// answer is what a request brought.
type answer struct {
	report *pdf.Report
	pages  []json.RawMessage
}

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("frame of %d bytes is longer than %d", len(payload), maxFrame)
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

func writeJSON(w io.Writer, kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, b)
}

// readFrame reads a frame. io.EOF means that the other side is gone.
func readFrame(r io.Reader) (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes is longer than %d", n, maxFrame)
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return head[0], payload, err
}

// errProtocol says that the child does not keep to the protocol.
var errProtocol = errors.New("unexpected answer of the child process")

// readAnswer reads the frames of one answer. The error is an
// *extraction.Failure where the document is at fault and a *refusal where the
// child says that it could not do its work.
func readAnswer(r io.Reader) (*answer, error) {
	a := &answer{}
	next, total := 0, 0
	for {
		kind, payload, err := readFrame(r)
		if err != nil {
			return nil, err
		}
		if total += len(payload); total > maxAnswer {
			return nil, errProtocol
		}
		switch kind {
		case frameEnd:
			return a, nil
		case frameReport:
			if a.report != nil || json.Unmarshal(payload, &a.report) != nil || a.report == nil {
				return nil, errProtocol
			}
		case frameData:
			if a.report == nil || next >= len(a.report.Files) {
				return nil, errProtocol
			}
			if len(payload) > 0 {
				a.report.Files[next].Data = payload
			}
			next++
		case framePage:
			a.pages = append(a.pages, payload)
		case frameFailure:
			f := &extraction.Failure{}
			if json.Unmarshal(payload, f) != nil {
				return nil, errProtocol
			}
			return nil, f
		case frameError:
			return nil, &refusal{string(payload)}
		default:
			return nil, errProtocol
		}
	}
}

// refusal is a child's word that it could not serve a request through no
// fault of the document.
type refusal struct{ message string }

func (e *refusal) Error() string { return e.message }
