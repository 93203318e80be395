package database

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// idleInTransaction ends sessions with a forgotten transaction. Such a transaction
// keeps locks and delays readers of the event log.
const idleInTransaction = 60 * time.Second

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
	pool := stdlib.OpenDB(*conn, stdlib.OptionAfterConnect(scanUTC))
	conns := cfg.MaxConns
	if conns <= 0 {
		conns = postgresConns
	}
	bound(pool, conns)
	pool.SetConnMaxLifetime(connLifetime)
	return pool, nil
}

// scanUTC makes the driver return times in UTC instead of the local zone.
func scanUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}
