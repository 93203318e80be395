package store

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// statements keeps the statements that were executed.
type statements struct {
	logger.Interface
	all []string
}

func (s *statements) Trace(_ context.Context, _ time.Time, statement func() (string, int64), _ error) {
	sql, _ := statement()
	s.all = append(s.all, sql)
}

// traced returns a store in a new SQLite database, and the statements that it executes.
func traced(t *testing.T) (*Store, *statements) {
	t.Helper()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "traced.db")}
	if err := database.Migrate(t.Context(), cfg, migrations.SQLite()); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	kept := &statements{Interface: logger.Discard}
	s, err := New(t.Context(), db.Gorm.Session(&gorm.Session{Logger: kept}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, kept
}

// TestReportReadsOnePeriod checks that SQLite, which has no statistics, reads for the report only the
// documents of the period, with the events of each.
func TestReportReadsOnePeriod(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	if _, err := s.Organizations().Report(t.Context(), uuid.New(), time.Now()); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, sql := range kept.all {
		if !strings.Contains(sql, "documents AS d") {
			continue
		}
		read++
		var steps []struct{ Detail string }
		if err := s.db.Session(&gorm.Session{Logger: logger.Discard}).Raw("EXPLAIN QUERY PLAN " + sql).Scan(&steps).Error; err != nil {
			t.Fatal(err)
		}
		var plan []string
		for _, step := range steps {
			plan = append(plan, step.Detail)
		}
		text := strings.Join(plan, "\n")
		switch {
		case strings.Contains(sql, "invoice_syncs"):
			if !strings.Contains(text, "SEARCH s USING INDEX invoice_syncs_by_state") {
				t.Errorf("the failed syncs are not read from their index:\n%s", text)
			}
		case !strings.Contains(text, "INDEX documents_by_arrival (organization_id=? AND created_at>?)"):
			t.Errorf("the documents of the period are not read from their index:\n%s\n%s", sql, text)
		}
		if strings.Contains(sql, "events AS e") && !strings.Contains(text, "SEARCH e USING INDEX events_of_subject (subject_id=?)") {
			t.Errorf("the events are not read per invoice:\n%s\n%s", sql, text)
		}
	}
	if read != 4 {
		t.Errorf("the report has %d statements on documents: %q", read, kept.all)
	}
}
