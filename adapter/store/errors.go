package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"docledger/domain/fault"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	gosqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// retryAfter is the delay before a retry if the database is unreachable or two transactions
// conflict.
const retryAfter = time.Second

// failed adds the operation to a database error; nil stays nil.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, translate(err))
}

// found is failed for a lookup of one record.
func found(what string, err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) {
		return fault.Missing(what)
	}
	return failed("look up the "+what, err)
}

// translate converts the drivers' errors to faults. It is the only place that does so. Other
// errors remain internal errors.
func translate(err error) error {
	if _, ok := fault.As(err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return translatePostgres(pg, err)
	}
	var lite *gosqlite.Error
	if errors.As(err, &lite) {
		return translateSQLite(lite, err)
	}
	var network net.Error
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || errors.As(err, &network) || cut(err) {
		return unavailable(err)
	}
	return err
}

// cut reports whether an error means a closed connection. The drivers return several: their own,
// those of the system, and plain texts.
func cut(err error) bool {
	for _, known := range []error{
		driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	text := err.Error()
	return strings.Contains(text, "conn closed") || strings.Contains(text, "closed pool") || strings.Contains(text, "conn busy") ||
		strings.Contains(text, "sql: database is closed")
}

func translatePostgres(pg *pgconn.PgError, err error) error {
	switch class := pg.Code[:min(2, len(pg.Code))]; {
	case pg.Code == "23505":
		return uniqueViolation(pg.TableName, err)
	case pg.Code == "23503":
		return foreignKeyViolation(err)
	case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03", pg.Code == "25006": // the last one: a server that became a standby
		return unavailable(err)
	case class == "08", class == "53", class == "57":
		return unavailable(err)
	}
	return err
}

func translateSQLite(lite *gosqlite.Error, err error) error {
	switch lite.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		// "… UNIQUE constraint failed: users.email (2067)"
		_, columns, _ := strings.Cut(err.Error(), "constraint failed: ")
		if _, rest, ok := strings.Cut(columns, "constraint failed: "); ok {
			columns = rest
		}
		table, _, _ := strings.Cut(columns, ".")
		return uniqueViolation(table, err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return foreignKeyViolation(err)
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
		return unavailable(err)
	}
	return err
}

// takenMessages are the messages for violated unique constraints by table.
var takenMessages = map[string]string{
	"organizations": "There is an organization with this id of the identity provider or payment processor already.",
	"users":         "There is an account with this e-mail address already; use another address.",
	"documents":     "The entity has a document with the same bytes already.",
	"integrations":  "The organization is set up for another entity just now, or the entity with another one; read the integrations again.",
	"invoices":      "The document has its invoice already; correct that one.",
}

func uniqueViolation(table string, err error) error {
	message, ok := takenMessages[table]
	if !ok {
		message = "There is such a record already."
	}
	return fault.New(fault.Conflict, fault.CodeConflict, "%s", message).WithCause(err)
}

func foreignKeyViolation(err error) error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"Something that this refers to is not there, or belongs to another organization; read it again.").WithCause(err)
}

func unavailable(err error) error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable, "The database can't take this request at the moment; repeat it shortly.")
	f.RetryAfter = retryAfter
	return f.WithCause(err)
}
