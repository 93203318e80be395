package httpserver_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"docledger/infrastructure/httpserver"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestServeLetsRunningRequestsFinish stops the server while a request runs. The
// request must complete, and the server must refuse new ones.
func TestServeLetsRunningRequestsFinish(t *testing.T) {
	t.Parallel()
	l := listen(t)
	began, release := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(began)
		<-release
		_, _ = io.WriteString(w, "done")
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- httpserver.Serve(ctx, l, h, time.Minute, slog.New(slog.DiscardHandler)) }()
	answered := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answered <- string(body)
	}()
	<-began
	stop()
	close(release)
	if got := <-answered; got != "done" {
		t.Errorf("the running request returned %q", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("new connections are still accepted")
	}
}

// TestServeAbortsEndlessRequests stops a server while a request never ends.
func TestServeAbortsEndlessRequests(t *testing.T) {
	t.Parallel()
	l := listen(t)
	began := make(chan struct{})
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- httpserver.Serve(ctx, l, h, time.Millisecond, slog.New(slog.DiscardHandler)) }()
	go func() {
		if resp, err := http.Get("http://" + l.Addr().String()); err == nil {
			resp.Body.Close()
		}
	}()
	<-began
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Serve = %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not stop")
	}
}

func TestServeReportsClosedListener(t *testing.T) {
	t.Parallel()
	l := listen(t)
	l.Close()
	if err := httpserver.Serve(context.Background(), l, http.NotFoundHandler(), time.Second, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("Serve returned no error for a closed listener")
	}
}
