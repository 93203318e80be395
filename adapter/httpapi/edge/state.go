package edge

import (
	"context"
	"io"
	"log/slog"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// state is what the edge knows about one request. It travels in the request's
// context and is used by that request's goroutine alone.
type state struct {
	id        uuid.UUID
	log       *slog.Logger
	operation *Operation
	actor     *identity.Actor
	body      *trackedBody
	sent      io.Reader    // the body without its limit
	tooLarge  *fault.Error // set where the body says itself that it is too large
	engine    *edge
	memory    Lease // of the body; nil before it is read, and without a budget

	pagesURL string            // Options.PagesURL
	bodyIDs  map[string]string // of an assistant's JSON body; see receive
}

type stateKey struct{}

// stateOf returns the request's state, or an empty one outside the engine.
func stateOf(ctx context.Context) *state {
	if s, ok := ctx.Value(stateKey{}).(*state); ok {
		return s
	}
	return &state{log: slog.Default()}
}

// withState puts s into the request's own context, which gin's context falls
// back to.
func withState(c *gin.Context, s *state) {
	c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), stateKey{}, s))
}

// RequestID returns the service's id of the request that ctx belongs to; the
// zero UUID outside a request.
func RequestID(ctx context.Context) uuid.UUID { return stateOf(ctx).id }

// ActorFrom returns the authenticated caller; ok is false on public operations
// and outside a request.
func ActorFrom(ctx context.Context) (actor identity.Actor, ok bool) {
	if a := stateOf(ctx).actor; a != nil {
		return *a, true
	}
	return identity.Actor{}, false
}

// OperationFrom returns the operation of the specification that is being
// served; nil for routes outside it.
func OperationFrom(ctx context.Context) *Operation { return stateOf(ctx).operation }

// trackedBody remembers how reading a request's body ended, so that a handler's
// error can be told from the client's: a body cut off or too large is not ours.
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
