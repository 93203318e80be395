package edge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"time"

	"docledger/domain/fault"
	"docledger/openapi/check"

	"github.com/gin-gonic/gin"
)

// Lease is the memory that one request's body holds (see Options.Memory).
type Lease interface {
	// Grow takes n more bytes; false says that there are none left.
	Grow(n int64) bool
	// Release gives everything back.
	Release()
}

// Origin is who sent a body, as far as is known before it is read.
type Origin struct {
	Key       string // of the organization, or of the address without a credential
	Anonymous bool   // no credential was verified
}

const (
	// decodedTimes is how often the bytes of a JSON body are in memory at a time:
	// as read, as decoded strings, and as the values of the handler.
	decodedTimes = 3
	// valueBytes is what one decoded value takes beside its bytes.
	valueBytes = 384
	// largeBody is the size above which bodies are validated one at a time for
	// each processor, so that small requests never wait for many large ones.
	largeBody = 32 << 10
	// firstRead is the size of the first buffer. It grows with what has arrived,
	// since the length that a request announces is only a claim.
	firstRead = 4 << 10
)

// turns bounds how many large bodies are validated at a time.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)-1)) }

// take waits for a turn and returns what ends it. The error is that of ctx.
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

// lease opens the lease of a request's body. It is released with the request.
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
		"The service is processing as many request bodies as it has memory for. Send the request again after Retry-After.")
}

// readBody returns the whole body of a request within the memory of its lease.
func readBody(s *state, body io.Reader, announced int64) ([]byte, error) {
	if announced == 0 {
		return nil, nil
	}
	data := []byte(nil)
	for {
		if len(data) == cap(data) {
			size := max(firstRead, int64(cap(data))*2)
			if left := announced - int64(len(data)); left > 0 {
				size = min(size, int64(len(data))+left+1) // one more, to see the end
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

// ReadBody returns the body of a signed request, of at most limit bytes and
// within the budget of memory, for handlers that judge it themselves.
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

// drainTime is how long the rest of a body is read that is too large.
const drainTime = 5 * time.Second

// drain sends the answer and discards a body that is not much too large: a
// client that cannot send the rest may never read the answer.
func (e *edge) drain(c *gin.Context, s *state) {
	if s.sent == nil || c.Request.ContentLength > e.Limits.JSONBytes {
		return
	}
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(drainTime))
	c.Writer.Flush()
	_, _ = io.CopyN(io.Discard, s.sent, c.Request.ContentLength)
}

// fieldsOf turns the errors of validation into those of the envelope.
func fieldsOf(found []check.Field) []fault.Field {
	fields := make([]fault.Field, len(found))
	for i, f := range found {
		fields[i] = fault.Field(f)
	}
	return fields
}

// partHeaderBytes bounds the headers of one part of a form; the library would
// keep 10 MB of them.
const partHeaderBytes = 64 << 10

// ErrPartHeaders says that a part's headers were too long.
var ErrPartHeaders = errors.New("the headers of a part of the form are too long")

// PartHeaders bounds what is read of a form until the end of the next part's
// headers. The returned function ends the bound.
func PartHeaders(ctx context.Context) (end func()) {
	body := stateOf(ctx).body
	if body == nil {
		return func() {}
	}
	body.headers, body.bounded = partHeaderBytes, true
	return func() { body.bounded = false }
}
