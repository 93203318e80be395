package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"docledger/domain/fault"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestACutConnectionIsUnavailable uses every form of error that the drivers return when a
// connection ends during a statement. The caller must get 503 and may retry; it must never get
// 500.
func TestACutConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	reset := &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	for name, err := range map[string]error{
		"bad connection": driver.ErrBadConn, "connection returned": sql.ErrConnDone, "transaction ended": sql.ErrTxDone,
		"end of the stream": io.EOF, "end within a message": io.ErrUnexpectedEOF, "closed": net.ErrClosed, "reset": reset,
		"broken pipe": syscall.EPIPE, "refused": syscall.ECONNREFUSED, "the driver's own text": errors.New("conn closed"),
		"the pool is closed": errors.New("closed pool"), "the server ends": &pgconn.PgError{Code: "57P01"},
		"a failover": &pgconn.PgError{Code: "25006"}, "the connection failed": &pgconn.PgError{Code: "08006"},
	} {
		f, ok := fault.As(failed("read", fmt.Errorf("query: %w", err)))
		if !ok || f.Kind != fault.Unavailable || f.RetryAfter <= 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
	if _, ok := fault.As(failed("read", errors.New("a mistake of ours"))); ok {
		t.Error("a mistake of ours is passed off as an outage")
	}
}
