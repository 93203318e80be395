package database_test

import (
	"context"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
	"docledger/test/lib/tcpproxy"
)

// TestStatementsEndWithTheirConnection loses the connection of a running statement, and
// the request to cancel it. The server must end the statement.
func TestStatementsEndWithTheirConnection(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	direct := postgres.NewEmpty(t)
	at, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := tcpproxy.Open(filepath.Join(at.Query().Get("host"), ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	at.Host, at.RawQuery = proxy.Addr().String(), "sslmode=disable"
	db, watcher := open(t, database.Config{URL: at.String()}), open(t, database.Config{URL: direct})
	await := func(want int) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := -1; ; <-tick.C {
			const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'"
			if err := watcher.SQL.QueryRowContext(ctx, running).Scan(&n); err != nil {
				t.Fatalf("%d statements run, want %d: %v", n, want, err)
			}
			if n == want {
				return
			}
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := db.SQL.ExecContext(ctx, "SELECT pg_sleep(600)")
		ended <- err
	}()
	await(1)
	proxy.Shut()
	if err := <-ended; err == nil {
		t.Error("the statement succeeded without a connection")
	}
	await(0)
}
