package edge

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// state is what the middleware knows about one request. It is stored in the
// context of the request. Only the goroutine of the request uses it.
type state struct {
	id        uuid.UUID
	log       *slog.Logger
	operation *Operation
	actor     *identity.Actor
	body      *trackedBody
	sent      io.Reader    // the body without its limit
	tooLarge  *fault.Error // set if the announced length of the body is too large
	engine    *edge
	file      *os.File // with the file of a JSON body; nil if the body contains it
	memory    Lease    // of the body; nil before it is read, and without a budget

	response context.Context // of a long response; nil for other operations
	step     time.Duration   // limits each step of a long response

	pagesURL string            // Options.PagesURL
	bodyIDs  map[string]string // of an assistant's JSON body; see receive
}

type stateKey struct{}

// stateOf returns the state of the request, or an empty state outside the
// engine.
func stateOf(ctx context.Context) *state {
	if s, ok := ctx.Value(stateKey{}).(*state); ok {
		return s
	}
	return &state{log: slog.Default()}
}

// withState stores s in the context of the HTTP request, which the gin context
// falls back to.
func withState(c *gin.Context, s *state) {
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), stateKey{}, s))
}

// RequestID returns the id of the request that ctx belongs to; the zero UUID
// outside a request.
func RequestID(ctx context.Context) uuid.UUID { return stateOf(ctx).id }

// ActorFrom returns the authenticated caller; ok is false on public operations
// and outside a request.
func ActorFrom(ctx context.Context) (actor identity.Actor, ok bool) {
	if a := stateOf(ctx).actor; a != nil {
		return *a, true
	}
	return identity.Actor{}, false
}

// OperationFrom returns the operation of the current request; nil for routes
// outside the specification.
func OperationFrom(ctx context.Context) *Operation { return stateOf(ctx).operation }

// LongResponse returns the context of a response that can be long (x-stream), and the time limit of
// each step of it, such as one read from the database. The context of the request ends after the
// time of one step. It is the context of other operations: ctx alone limits their step.
func LongResponse(ctx context.Context) (response context.Context, step time.Duration) {
	s := stateOf(ctx)
	if s.response == nil {
		return ctx, noStepLimit
	}
	return s.response, s.step
}

// noStepLimit is a time that no request reaches.
const noStepLimit = 24 * time.Hour

// trackedBody records how the read of a request body ended. This distinguishes
// a body that is incomplete or too large from an error of the handler.
type trackedBody struct {
	io.ReadCloser
	err error // the first error other than io.EOF
	eof bool

	bounded bool  // headers is what may still be read
	headers int64 // see PartHeaders
}

func (b *trackedBody) Read(p []byte) (int, error) {
	if b.bounded {
		if b.headers <= 0 {
			return 0, ErrPartHeaders
		}
		p = p[:min(int64(len(p)), b.headers)]
	}
	n, err := b.ReadCloser.Read(p)
	b.headers -= int64(n)
	switch {
	case err == io.EOF:
		b.eof = true
	case err != nil && b.err == nil:
		b.err = err
	}
	return n, err
}
