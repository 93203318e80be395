package check

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"sync"
)

// Extraction moves one long base64 text out of a JSON document while it is read, so that the memory
// of a request does not depend on the size of a file in it.
type Extraction struct {
	Path   []string // the keys of the text, from the outer object
	Inline int      // a text of up to this many bytes stays in the document
	Max    int64    // of the document without the text
	// Grow reserves memory before it is used.
	Grow func(n int64) error
	// File returns what receives the bytes. It is called at most once.
	File func() (io.Writer, error)
}

// ErrDocumentTooLong reports that the document without the text exceeds the limit.
var ErrDocumentTooLong = errors.New("the document is too long")

// The texts that replace the moved one: one byte, and a text that is no base64.
const (
	movedText   = `"AA=="`
	invalidText = `"!"`
)

// extractBuffer is the size of the buffer of an extraction.
const extractBuffer = 64 << 10

// Read returns the document, in which a moved text is replaced by a short one: a valid one, or an
// invalid one if the text is no base64. moved reports that File has the bytes. Read does not validate
// the document.
func (x Extraction) Read(r io.Reader) (document []byte, moved bool, err error) {
	if err := x.grow(extractBuffer); err != nil {
		return nil, false, err
	}
	e := &extraction{Extraction: x}
	defer e.release()
	e.buffer(r)
	if err := e.read(); err != nil {
		return nil, false, err
	}
	return e.out, e.moved, nil
}

// readers has buffered readers for further extractions, because most documents are much shorter than
// a buffer.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, extractBuffer) }}

// buffer reads on from r.
func (e *extraction) buffer(r io.Reader) {
	in, _ := readers.Get().(*bufio.Reader)
	in.Reset(r)
	e.in, e.taken = in, append(e.taken, in)
}

func (e *extraction) release() {
	for _, in := range e.taken {
		in.Reset(nil) // it must not keep the request
		readers.Put(in)
	}
}

func (x Extraction) grow(n int64) error {
	if x.Grow == nil {
		return nil
	}
	return x.Grow(n)
}

type extraction struct {
	Extraction
	in    *bufio.Reader
	taken []*bufio.Reader // from readers, until release
	out   []byte
	moved bool
	done  bool // a text was at the path

	// The containers around the current value. Only those that can be part of the path are kept.
	frames  []frame
	deeper  int
	wantKey bool // of the innermost kept container
}

type frame struct {
	object bool
	key    string
}

func (e *extraction) put(b ...byte) error {
	if int64(len(e.out)+len(b)) > e.Max {
		return ErrDocumentTooLong
	}
	if len(e.out)+len(b) > cap(e.out) {
		size := max(4<<10, 2*cap(e.out), len(e.out)+len(b))
		if err := e.grow(int64(size - cap(e.out))); err != nil {
			return err
		}
		e.out = append(make([]byte, 0, size), e.out...)
	}
	e.out = append(e.out, b...)
	return nil
}

func (e *extraction) read() error {
	for {
		b, err := e.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if b == '"' {
			err = e.text()
		} else {
			e.structure(b)
			err = e.put(b)
		}
		if err != nil {
			return err
		}
	}
}

// structure follows the containers.
func (e *extraction) structure(b byte) {
	switch b {
	case '{', '[':
		if e.deeper > 0 || len(e.frames) == len(e.Path) {
			e.deeper++
			return
		}
		e.frames, e.wantKey = append(e.frames, frame{object: b == '{'}), b == '{'
	case '}', ']':
		if e.deeper > 0 {
			e.deeper--
		} else if len(e.frames) > 0 {
			e.frames, e.wantKey = e.frames[:len(e.frames)-1], false
		}
	case ',':
		if e.deeper == 0 && len(e.frames) > 0 {
			e.wantKey = e.frames[len(e.frames)-1].object
		}
	}
}

// here reports whether the current value is at the path.
func (e *extraction) here() bool {
	return !e.done && e.deeper == 0 && len(e.frames) == len(e.Path) &&
		slices.EqualFunc(e.frames, e.Path, func(f frame, key string) bool { return f.object && f.key == key })
}

// text reads the rest of a text. It moves the text at the path if it is long.
func (e *extraction) text() error {
	isKey := e.wantKey && e.deeper == 0
	candidate := !isKey && e.here()
	if candidate {
		e.done = true
	}
	begin, escaped := len(e.out), false
	if err := e.put('"'); err != nil {
		return err
	}
	for {
		b, err := e.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil // the document is incomplete
		}
		if err != nil {
			return err
		}
		if err := e.put(b); err != nil {
			return err
		}
		if b == '"' && !escaped {
			break
		}
		escaped = b == '\\' && !escaped
		if candidate && len(e.out)-begin > e.Inline {
			seen := slices.Clone(e.out[begin+1:])
			e.out = e.out[:begin]
			return e.move(seen)
		}
	}
	if isKey {
		e.frames[len(e.frames)-1].key, e.wantKey = string(e.out[begin+1:len(e.out)-1]), false
	}
	return nil
}

// move decodes the text into the file. seen is its beginning.
func (e *extraction) move(seen []byte) error {
	if err := e.grow(extractBuffer); err != nil {
		return err
	}
	e.buffer(io.MultiReader(bytes.NewReader(seen), e.in))
	file, err := e.File()
	if err != nil {
		return err
	}
	text := &jsonText{in: e.in}
	_, err = io.Copy(file, base64.NewDecoder(base64.StdEncoding, text))
	// The decoder ends at the padding. What follows must not be part of the text.
	rest, drained := io.Copy(io.Discard, text)
	switch {
	case text.err != nil:
		return text.err
	case text.cut:
		return nil // without its end the document is not valid
	case drained != nil:
		return drained
	}
	var corrupt base64.CorruptInputError
	switch {
	case err == nil && rest == 0 && !text.bad:
		e.moved = true
		return e.put([]byte(movedText)...)
	case err == nil, errors.As(err, &corrupt), errors.Is(err, io.ErrUnexpectedEOF):
		return e.put([]byte(invalidText)...)
	}
	return err
}

// jsonText reads the characters of a JSON text up to its closing quote, without line breaks.
type jsonText struct {
	in  *bufio.Reader
	end bool
	cut bool  // the document ends within the text
	bad bool  // a character cannot be part of base64
	err error // of the source
}

// Read implements io.Reader.
func (t *jsonText) Read(p []byte) (n int, err error) {
	for n < len(p) && !t.end {
		b, err := t.in.ReadByte()
		if err == nil && b == '\\' {
			b, err = t.escape()
		} else if err == nil && b == '"' {
			t.end = true
			break
		} else if b < ' ' {
			t.bad = true
		}
		if err != nil {
			t.end, t.cut = true, errors.Is(err, io.EOF)
			if !t.cut {
				t.err = err
				return n, err
			}
			break
		}
		if b != '\n' && b != '\r' {
			p[n] = b
			n++
		}
	}
	if n == 0 && t.end {
		return 0, io.EOF
	}
	return n, nil
}

// escape returns the character of an escape sequence.
func (t *jsonText) escape() (byte, error) {
	b, err := t.in.ReadByte()
	if err != nil {
		return 0, err
	}
	switch b {
	case '/':
		return '/', nil
	case 'n', 'r':
		return '\n', nil
	case 'u':
		unit := 0
		for range 4 {
			h, err := t.in.ReadByte()
			if err != nil {
				return 0, err
			}
			digit := bytes.IndexByte([]byte("0123456789abcdef"), h|0x20)
			if digit < 0 {
				t.bad = true
				if h == '"' {
					return '!', t.in.UnreadByte()
				}
			}
			unit = unit<<4 | max(digit, 0)
		}
		if unit < ' ' || unit > '~' {
			t.bad = true
			return '!', nil
		}
		return byte(unit), nil
	}
	t.bad = true
	return '!', nil
}
