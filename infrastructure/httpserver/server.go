// Package httpserver runs an HTTP server and shuts it down gracefully.
package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10 // a token has at most 16 kB; net/http allows 4 kB more
)

// Serve accepts requests on l until ctx ends. Then it waits at most drain for running
// requests. Bodies have no server-wide deadline, because an upload may be slow. The
// handler must set the deadlines of the connection for each request.
func Serve(ctx context.Context, l net.Listener, h http.Handler, drain time.Duration, log *slog.Logger) error {
	return serve(ctx, limitHeaders(l, processHeaders, log), h, drain, log)
}

func serve(ctx context.Context, l *headerListener, h http.Handler, drain time.Duration, log *slog.Logger) error {
	s := &http.Server{
		ConnState: l.state,
		Handler:   h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err := s.Shutdown(ending)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	if served := <-done; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}
