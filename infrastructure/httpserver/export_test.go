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
func Limit(l net.Listener, budget int64, log *slog.Logger) Limited {
	return Limited{limitHeaders(l, newHeaderBudget(budget), log)}
}

// FreeHeader and FreeLines are what a header needs no budget for. LineMemory is what a further
// line needs.
const (
	FreeHeader = freeHeader
	FreeLines  = freeLines
	LineMemory = lineMemory
)

// Left returns what is left of the budget.
func (l Limited) Left() int64 { return l.l.budget.left.Load() }

// Serve is Serve with this listener.
func (l Limited) Serve(ctx context.Context, h http.Handler) error {
	return serve(ctx, l.l, h, time.Minute, slog.New(slog.DiscardHandler))
}
