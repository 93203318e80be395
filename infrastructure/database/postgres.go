package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// idleInTransaction ends sessions with a forgotten transaction. Such a transaction
// keeps locks and delays readers of the event log.
const idleInTransaction = 60 * time.Second

// connectionCheck is how often the server checks during a statement that the client is
// still connected. The request that cancels a statement has no effect if it arrives
// before the statement starts. The server then ends the statement, because the driver
// closes the connection.
const connectionCheck = time.Second

func (db *DB) openPostgres(cfg Config) (gorm.Dialector, error) {
	pool, err := postgresPool(cfg)
	if err != nil {
		return nil, err
	}
	db.SQL = pool
	listener, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	listener.MinConns, listener.MaxConns = 0, 2
	// The pool connects on first use, so that it needs no context that outlives this
	// call.
	db.Listener, err = pgxpool.NewWithConfig(context.Background(), listener)
	if err != nil {
		return nil, fmt.Errorf("open the listener's pool: %w", err)
	}
	return gormpostgres.New(gormpostgres.Config{Conn: db.SQL}), nil
}

func postgresPool(cfg Config) (*sql.DB, error) {
	conn, err := pgx.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	// A setting in the URL takes precedence.
	if _, set := conn.RuntimeParams["idle_in_transaction_session_timeout"]; !set {
		conn.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(idleInTransaction.Milliseconds())
	}
	if _, set := conn.RuntimeParams["application_name"]; !set {
		conn.RuntimeParams["application_name"] = "docledger"
	}
	pool := stdlib.OpenDB(*conn, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		scanUTC(conn)
		encodeIDs(conn.TypeMap())
		encodeLists(conn.TypeMap())
		return checkConnections(ctx, conn)
	}))
	conns := cfg.MaxConns
	if conns <= 0 {
		conns = postgresConns
	}
	bound(pool, conns)
	pool.SetConnMaxLifetime(connLifetime)
	return pool, nil
}

// scanUTC makes the driver return times in UTC instead of the local zone.
func scanUTC(conn *pgx.Conn) {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
}

// encodeIDs makes the driver send an id as it is. Otherwise it tries and discards the text of each id
// first, because an id is a driver.Valuer.
func encodeIDs(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{
		func(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
			switch value.(type) {
			case uuid.UUID, *uuid.UUID:
				return &idPlan{}, idValue{}, true
			}
			return nil, nil, false
		},
	}, types.TryWrapEncodePlanFuncs...)
}

// idPlan encodes a uuid.UUID, or a *uuid.UUID that is not nil. The driver encodes nil itself.
type idPlan struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *idPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *idPlan) Encode(value any, buf []byte) ([]byte, error) {
	switch id := value.(type) {
	case uuid.UUID:
		return p.next.Encode(idValue{id}, buf)
	case *uuid.UUID:
		return p.next.Encode(idValue{*id}, buf)
	}
	return nil, fmt.Errorf("%T is not an id", value)
}

// idValue is an id that only columns of the type uuid accept. Those of other types get its text.
type idValue struct{ id uuid.UUID }

// UUIDValue implements pgtype.UUIDValuer.
func (v idValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: v.id, Valid: true}, nil
}

// checkConnections sets connectionCheck unless the URL or the server has another value.
// Servers before PostgreSQL 14, and those on systems that cannot check, do without.
func checkConnections(ctx context.Context, conn *pgx.Conn) error {
	const set = `SELECT set_config(name, $1, false) FROM pg_settings WHERE name = 'client_connection_check_interval' AND setting = '0'`
	_, err := conn.Exec(ctx, set, fmt.Sprint(connectionCheck.Milliseconds()))
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == invalidParameterValue {
		return nil
	}
	return err
}

// invalidParameterValue is the error code of a value that the server refuses.
const invalidParameterValue = "22023"
