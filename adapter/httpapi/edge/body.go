package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"

	"docledger/domain/fault"
	"docledger/openapi/check"

	"github.com/gin-gonic/gin"
)

// Lease is the memory that the body of one request uses (see Options.Memory).
type Lease interface {
	// Grow reserves n more bytes. It returns false if none are left.
	Grow(n int64) bool
	// Release returns all reserved memory.
	Release()
}

// Origin describes the sender of a body before the body is read.
type Origin struct {
	Key       string // of the organization, or of the address if there is no credential
	Anonymous bool   // no credential was verified
}

const (
	// decodedTimes is the number of copies of a JSON body in memory: the raw
	// bytes, the decoded strings, and the values of the handler.
	decodedTimes = 3
	// valueBytes is the memory of one decoded value in addition to its bytes.
	valueBytes = 384
	// largeBody is the size above which each processor validates one body at a
	// time, so that small requests never wait for many large ones.
	largeBody = 32 << 10
	// firstRead is the size of the first buffer. The buffer grows with the
	// received bytes, because the announced length is not trusted.
	firstRead = 4 << 10
)

// turns limits the number of large bodies that are validated concurrently.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// take waits for a turn and returns the function that ends it. The error is
// that of ctx.
func (t turns) take(ctx context.Context, size int) (end func(), err error) {
	if size <= largeBody {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lease opens the memory lease of a request body. The end of the request
// releases it.
func (e *edge) lease(c *gin.Context, s *state) {
	if e.Memory == nil || s.memory != nil {
		return
	}
	origin := Origin{Key: AddressKey(c.ClientIP()), Anonymous: true}
	if s.actor != nil {
		origin = Origin{Key: "organization:" + s.actor.OrganizationID.String()}
	}
	s.memory = e.Memory(origin)
}

func (s *state) grow(n int64) error {
	if s.memory == nil || s.memory.Grow(n) {
		return nil
	}
	return errBusy()
}

func errBusy() error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"The memory for request bodies is used up. Retry the request after Retry-After.")
}

// readBody reads the whole body of a request within its memory lease.
func readBody(s *state, body io.Reader, announced int64) ([]byte, error) {
	if announced == 0 {
		return nil, nil
	}
	data := []byte(nil)
	for {
		if len(data) == cap(data) {
			size := max(firstRead, int64(cap(data))*2)
			if left := announced - int64(len(data)); left > 0 {
				size = min(size, int64(len(data))+left+1) // one more byte detects the end
			}
			if err := s.grow(size - int64(cap(data))); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, size), data...)
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
}

// ReadBody reads the body of a signed request. It reads at most limit bytes
// within the memory budget. Handlers that verify the body themselves use it.
func ReadBody(c *gin.Context, limit int64) ([]byte, error) {
	s := stateOf(c)
	if c.Request.ContentLength > limit {
		return nil, payloadTooLarge(limit)
	}
	if s.engine != nil {
		s.engine.lease(c, s)
	}
	return readBody(s, http.MaxBytesReader(c.Writer, c.Request.Body, limit), c.Request.ContentLength)
}

// inlineFile is the size up to which a file in base64 stays in its JSON body.
const inlineFile = 64 << 10

// readFileBody reads a JSON body with a file in base64. A long file is decoded into a temporary file
// while it is received, so that the memory of the request does not depend on its size.
func (e *edge) readFileBody(c *gin.Context, s *state) ([]byte, error) {
	x := check.Extraction{
		Path: []string{s.operation.FileKey}, Inline: int(min(inlineFile, e.Limits.JSONBytes/2)), Max: e.Limits.JSONBytes, Grow: s.grow,
		File: func() (io.Writer, error) {
			file, err := os.CreateTemp(e.TempDir, "upload-*")
			if err != nil {
				return nil, fmt.Errorf("store upload: %w", err)
			}
			s.file = file
			// An unlinked file is deleted even if this process crashes.
			if err := os.Remove(file.Name()); err != nil {
				return nil, fmt.Errorf("store upload: %w", err)
			}
			return file, nil
		},
	}
	data, moved, err := x.Read(c.Request.Body)
	switch tooLarge := new(http.MaxBytesError); {
	case errors.Is(err, check.ErrDocumentTooLong):
		return nil, s.operation.tooLarge(e.Limits.JSONBytes)
	case errors.As(err, &tooLarge):
		return nil, s.operation.tooLarge(tooLarge.Limit)
	case err != nil && s.body.err != nil:
		return nil, unreadable(err)
	case err != nil || !moved:
		return data, err
	}
	_, err = s.file.Seek(0, io.SeekStart)
	return data, err
}

// BodyFile returns the decoded file of a JSON body; nil if the body itself contains it. It is closed
// at the end of the request.
func BodyFile(ctx context.Context) io.Reader {
	if s := stateOf(ctx); s.file != nil {
		return s.file
	}
	return nil
}

// tooLarge refuses a body that exceeds the limit.
func (o *Operation) tooLarge(limit int64) *fault.Error {
	if o == nil || o.FileKey == "" {
		return payloadTooLarge(limit)
	}
	return fault.New(fault.Invalid, fault.CodePayloadTooLarge,
		"The body exceeds the limit of %d bytes. Create an upload link (POST /api/documents/upload-links) and send the file there, or send it as multipart/form-data.", limit).
		With("limit_bytes", limit)
}

// drainTime limits how long the rest of a body that is too large is read.
const drainTime = 5 * time.Second

// drain sends the response and discards a body that exceeds the limit slightly.
// A client that cannot send the rest may never read the response. A client that waits
// for permission to send the body ("Expect: 100-continue") sends nothing.
func (e *edge) drain(c *gin.Context, s *state) {
	if s.sent == nil || c.Request.ContentLength > e.Limits.JSONBytes || c.GetHeader("Expect") != "" {
		return
	}
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(drainTime))
	c.Writer.Flush()
	_, _ = io.CopyN(io.Discard, s.sent, c.Request.ContentLength)
}

// fieldsOf converts validation errors to the fields of the envelope.
func fieldsOf(found []check.Field) []fault.Field {
	fields := make([]fault.Field, len(found))
	for i, f := range found {
		fields[i] = fault.Field(f)
	}
	return fields
}

// partHeaderBytes limits the headers of one form part; the library would accept
// 10 MB.
const partHeaderBytes = 64 << 10

// ErrPartHeaders reports that the headers of a form part are too long.
var ErrPartHeaders = errors.New("the headers of a part of the form are too long")

// PartHeaders limits the bytes that are read until the end of the headers of
// the next form part. The returned function ends the limit.
func PartHeaders(ctx context.Context) (end func()) {
	body := stateOf(ctx).body
	if body == nil {
		return func() {}
	}
	body.headers, body.bounded = partHeaderBytes, true
	return func() { body.bounded = false }
}
