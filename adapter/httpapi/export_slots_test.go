package httpapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"docledger/adapter/httpapi/export"
	"docledger/domain/fault"
	"docledger/domain/invoice"

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
