package httpserver

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limited is a listener with a budget of memory for headers.
type Limited struct{ l *headerListener }

// Limit returns a listener with a budget beyond FreeHeader for each connection.
func Limit(l net.Listener, budget int64) Limited { return Limited{limitHeaders(l, budget)} }

// FreeHeader is the length of a header that needs no budget.
const FreeHeader = freeHeader

// Left returns what is left of the budget.
func (l Limited) Left() int64 { return l.l.left.Load() }

// Serve is Serve with this listener.
func (l Limited) Serve(ctx context.Context, h http.Handler) error {
	return serve(ctx, l.l, h, time.Minute, slog.New(slog.DiscardHandler))
}
