package e2e

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
)

// TestDuplicateChangesLeaveConnections changes equal invoices of one organization at the same time,
// while another process has the lock of the organization. Another organization is not delayed.
func TestDuplicateChangesLeaveConnections(t *testing.T) {
	t.Parallel()
	o := harness.Options{DatabaseURL: postgres.New(t), Env: map[string]string{"DATABASE_MAX_CONNECTIONS": "4"}}
	s := harness.Start(t, o)
	slow, other := s.NewOrganization("Slow"), s.NewOrganization("Other")
	var ids []string
	for range 3 {
		up := s.Upload(slow.Admin.Token, slow.Entity, "a.xml", append(harness.UBL("TURN-1"), bytes.Repeat([]byte("\n"), len(ids))...)).OK()
		ids = append(ids, s.Extract(slow.Admin.Token, up.Text("id")).OK().Text("id"))
	}
	db, err := database.Open(t.Context(), database.Config{URL: o.DatabaseURL})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.SQL.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "docledger duplicates "+slow.ID.String()); err != nil {
		t.Fatal(err)
	}
	waiting := func() (n int) {
		err := db.SQL.QueryRow(`SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`).Scan(&n)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	var changes sync.WaitGroup
	for i := range 30 {
		id := ids[i%len(ids)]
		changes.Go(func() {
			s.Do(http.MethodPatch, "/api/invoices/"+id, slow.Admin.Token, map[string]any{"note": "seen"}).OK()
		})
	}
	for deadline := time.Now().Add(time.Minute); waiting() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no change waits for the lock")
		}
	}
	for range 30 {
		s.Do(http.MethodGet, "/api/invoices", other.Admin.Token, nil).OK()
		if n := waiting(); n > 1 {
			t.Errorf("%d transactions of one process wait for the lock", n)
			break
		}
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	changes.Wait()
}
