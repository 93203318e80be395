package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/httpapi/export"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/infrastructure/httpserver"

	"github.com/google/uuid"
)

// TestExportsAreLimited runs exports until the limit of an organization and that of the process,
// and checks that an ended export makes room.
func TestExportsAreLimited(t *testing.T) {
	t.Parallel()
	var slots exportSlots
	one, two, three := uuid.New(), uuid.New(), uuid.New()
	var leave []func()
	for _, organization := range []uuid.UUID{one, one, two, two} {
		end, err := slots.enter(organization)
		if err != nil {
			t.Fatalf("export %d is refused: %v", len(leave)+1, err)
		}
		leave = append(leave, end)
	}
	refused := func(organization uuid.UUID) {
		t.Helper()
		if _, err := slots.enter(organization); fault.CodeOf(err) != fault.CodeUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	}
	refused(three) // the process
	leave[2]()
	refused(one) // the organization
	for range 2 {
		end, err := slots.enter(three)
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
}

// unread is a connection with a reader that never accepts bytes after a time.
type unread struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (u *unread) SetWriteDeadline(t time.Time) error {
	u.deadline = t
	return nil
}

// TestExportsLimitEachWrite checks that an export moves the deadline of its connection to
// readerStalls after each write, and never beyond the time limit of the response.
func TestExportsLimitEachWrite(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]time.Time{"far": time.Now().Add(time.Hour), "near": time.Now().Add(time.Millisecond)} {
		w := &unread{ResponseRecorder: httptest.NewRecorder()}
		e := exported{Export: export.Export{Format: export.CSV, Rows: invoice.ExportInvoices, Style: export.International}, leave: func() {}, stall: readerStalls, end: end}
		e.Each = func(func([]invoice.Exported) error) error { return nil }
		if err := e.VisitExportInvoicesResponse(w); err != nil {
			t.Fatal(err)
		}
		if w.Body.Len() == 0 || w.deadline.IsZero() || w.deadline.After(end) || what == "near" && !w.deadline.Equal(end) {
			t.Errorf("%s: the deadline is %v, the limit %v", what, w.deadline, end)
		}
	}
}

// TestUnreadExportEnds connects a reader that accepts no bytes after the header.
func TestUnreadExportEnds(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		to := &steadyWriter{to: w, connection: http.NewResponseController(w), stall: 50 * time.Millisecond}
		part := make([]byte, 1<<20)
		for {
			if _, err := to.Write(part); err != nil {
				ended <- err
				return
			}
		}
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the export ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the export does not end")
	}
}

// counted counts what a writer has accepted.
type counted struct {
	io.Writer
	bytes atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// TestSlowReaderGetsItsExport connects a reader that reads three times readerAccepts, then waits until
// the export writes more, and repeats this. An export that writes nothing after so many bytes ends
// for a reader that takes readerStalls for them.
func TestSlowReaderGetsItsExport(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var out counted
	failed, served := make(chan error, 1), make(chan error, 1)
	go func() {
		served <- httpserver.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			out.Writer = w
			to := &steadyWriter{to: &out, connection: http.NewResponseController(w), stall: 10 * time.Second}
			part := make([]byte, 1<<20)
			for {
				if _, err := to.Write(part); err != nil {
					failed <- err
					return
				}
			}
		}), 0, slog.New(slog.DiscardHandler))
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// The system of a reader that reads fast at times accepts more for it.
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for read := 0; read < 64<<20; read += 3 * readerAccepts {
		before := out.bytes.Load()
		if _, err := io.CopyN(io.Discard, conn, 3*readerAccepts); err != nil {
			t.Fatal(err)
		}
		for out.bytes.Load() == before {
			select {
			case err := <-failed:
				t.Fatalf("the export ended after %d bytes: %v", read, err)
			case <-tick.C:
			}
		}
	}
	_ = conn.Close()
	<-failed
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
