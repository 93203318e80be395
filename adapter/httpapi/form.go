package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"unicode/utf8"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/usecase/documents"

	"github.com/google/uuid"
)

const (
	partFile     = "file"
	partEntityID = "entity_id"
	partExternal = "external_id"
	// maxFieldSize is the maximum size of a field in bytes: an external id of 255
	// characters of four bytes, and one byte more.
	maxFieldSize = 4*invoice.MaxExternalID + 1
)

// readForm reads the parts of an upload in any order. If the entity comes
// first, the file is streamed, and the external id must precede it. If the file comes first, it is stored in a
// temporary file until the entity is known. done removes the temporary file.
func (s *Server) readForm(ctx context.Context, form *multipart.Reader) (in documents.UploadInput, done func(), err error) {
	f := formReader{ctx: ctx, form: form, limit: s.MaxUploadBytes, dir: s.TempDir, done: func() {}}
	if err := f.read(); err != nil {
		f.done()
		return in, nil, err
	}
	return f.in, f.done, nil
}

type formReader struct {
	ctx   context.Context
	form  *multipart.Reader
	limit int64
	dir   string

	in        documents.UploadInput
	hasEntity bool
	done      func()
}

func (f *formReader) read() error {
	for {
		part, err := f.next()
		if errors.Is(err, io.EOF) {
			return f.missing()
		}
		if err != nil {
			return errForm(err)
		}
		switch name := part.FormName(); {
		case name == partEntityID && !f.hasEntity:
			if err := f.readEntity(part); err != nil {
				return err
			}
		case name == partExternal && f.in.ExternalID == "":
			if err := f.readExternal(part); err != nil {
				return err
			}
		case name == partFile && f.in.Content == nil:
			f.in.Filename = part.FileName()
			if f.hasEntity {
				f.in.Content = &lastPart{form: f, file: f.capped(part)}
				return nil
			}
			if err := f.keep(part); err != nil {
				return err
			}
		default:
			return errPart(name)
		}
	}
}

// next returns the next part. It limits the bytes of the part headers.
func (f *formReader) next() (*multipart.Part, error) {
	defer edge.PartHeaders(f.ctx)()
	return f.form.NextPart()
}

func (f *formReader) missing() error {
	var fields []fault.Field
	if f.in.Content == nil {
		fields = append(fields, fault.Field{Field: partFile, Reason: "is required"})
	}
	if !f.hasEntity {
		fields = append(fields, fault.Field{Field: partEntityID, Reason: "is required"})
	}
	if fields == nil {
		return nil
	}
	return fault.InvalidFields(fields)
}

// errForm handles a form that cannot be read. The edge detects a body that is
// incomplete or too large; every other error is a malformed form.
func errForm(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) || errors.Is(err, edge.ErrPartHeaders) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("read form: %w", err)
	}
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"The form is malformed. Send multipart/form-data with the parts %q and %q.", partFile, partEntityID).WithCause(err)
}

func errPart(name string) error {
	switch name {
	case partExternal:
		return fault.InvalidField(name, "must appear once, before the file")
	case partFile, partEntityID:
		return fault.InvalidField(name, "appears twice; upload one file per request")
	case "":
		return fault.New(fault.Invalid, fault.CodeInvalidRequest, "A form part has no name. Send the parts %q and %q.", partFile, partEntityID)
	}
	return fault.InvalidField("form", "has a part that is none of %q, %q and %q", partFile, partEntityID, partExternal)
}

func (f *formReader) readEntity(part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, maxFieldSize))
	if err != nil {
		return errForm(err)
	}
	id, err := uuid.Parse(string(text))
	if err != nil || len(text) != len(id.String()) {
		return fault.InvalidField(partEntityID, "must be a UUID")
	}
	f.in.EntityID, f.hasEntity = edge.NoNilID(id), true
	return nil
}

func (f *formReader) readExternal(part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, maxFieldSize))
	if err != nil {
		return errForm(err)
	}
	if n := utf8.RuneCount(text); n == 0 || n > invoice.MaxExternalID || !utf8.Valid(text) {
		return fault.InvalidField(partExternal, "must have 1 to %d characters in UTF-8", invoice.MaxExternalID)
	}
	f.in.ExternalID = string(text)
	return nil
}

// end refuses parts after the last required part.
func (f *formReader) end() error {
	part, err := f.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return errForm(err)
	}
	return errPart(part.FormName())
}

func (f *formReader) keep(part *multipart.Part) error {
	temp, err := os.CreateTemp(f.dir, "upload-*")
	if err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	// An unlinked file is deleted even if this process crashes.
	f.done = func() { temp.Close() }
	if err := os.Remove(temp.Name()); err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	if _, err := io.Copy(temp, f.capped(part)); err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("store upload: %w", err)
	}
	f.in.Content = temp
	return nil
}

func (f *formReader) capped(r io.Reader) io.Reader {
	return &capped{r: r, left: f.limit, limit: f.limit}
}

// capped refuses a file that exceeds the limit.
type capped struct {
	r           io.Reader
	left, limit int64
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, c.tooLarge()
	}
	return n, err
}

func (c *capped) tooLarge() error {
	return fault.New(fault.Invalid, fault.CodePayloadTooLarge,
		"The file exceeds the limit of %d bytes. Split it into smaller files.", c.limit).With("limit_bytes", c.limit)
}

// lastPart reads the file and ends only at the end of the form, so that a form
// with additional parts is not stored.
type lastPart struct {
	form *formReader
	file io.Reader
}

func (l *lastPart) Read(p []byte) (int, error) {
	n, err := l.file.Read(p)
	if errors.Is(err, io.EOF) {
		if end := l.form.end(); end != nil {
			return n, end
		}
	}
	return n, err
}
