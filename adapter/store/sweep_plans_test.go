package store

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// TestSweepsReadFewRows checks that SQLite, which has no statistics, reads no table as a whole for the
// searches that repeat every two seconds or more often. A scan of an index that has only some rows is
// permitted.
func TestSweepsReadFewRows(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, search := range map[string]func(context.Context, *Store) error{
		"documents without a job": func(ctx context.Context, s *Store) error {
			_, err := s.Documents().Unfinished(ctx, now, 200)
			return err
		},
		"organizations with held documents": func(ctx context.Context, s *Store) error {
			_, err := s.Documents().HeldIn(ctx)
			return err
		},
		"held documents": func(ctx context.Context, s *Store) error {
			_, err := s.Documents().Held(ctx, uuid.New(), 200)
			return err
		},
		"due syncs": func(ctx context.Context, s *Store) error {
			_, err := s.Bookings().Due(ctx, now, now, 200)
			return err
		},
		"inbox messages": func(ctx context.Context, s *Store) error {
			_, err := s.Inbox().Unfinished(ctx, now, 200)
			return err
		},
		"organizations with former duplicates": func(ctx context.Context, s *Store) error {
			_, err := s.Duplicates().Postponing(ctx, 200)
			return err
		},
		"due watches": func(ctx context.Context, s *Store) error {
			_, err := s.Watches().DueForPolling(ctx, now, 200)
			return err
		},
		"due deliveries": func(ctx context.Context, s *Store) error {
			_, err := s.Webhooks().Due(ctx, now, 200)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, kept := traced(t)
			s.liveJobs, kept.all = extractions{}, nil
			if err := search(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if len(kept.all) == 0 {
				t.Fatal("no statement was recorded")
			}
			for _, sql := range kept.all {
				requireFewRows(t, s, sql)
			}
		})
	}
}

// small are the tables that have a row for each endpoint, or for each invoice that waits.
var small = []string{"webhooks", "duplicate_rechecks"}

// scanStep is a step of a plan that reads a table or an index as a whole.
var scanStep = regexp.MustCompile(`^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?`)

// requireFewRows fails if the plan of a statement reads a stored table as a whole.
func requireFewRows(t *testing.T, s *Store, sql string) {
	t.Helper()
	db := s.db.Session(&gorm.Session{Logger: logger.Discard})
	var steps []struct{ Detail string }
	if err := db.Raw("EXPLAIN QUERY PLAN " + sql).Scan(&steps).Error; err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		scan := scanStep.FindStringSubmatch(step.Detail)
		if scan == nil || slices.Contains(small, scan[1]) {
			continue
		}
		var whole int64 // 1 if the statement reads a table, or an index of all its rows
		err := db.Raw(`SELECT COUNT(*) FROM sqlite_master WHERE name = CASE WHEN @index = '' THEN @table ELSE @index END
			AND (type = 'table' OR sql IS NULL OR sql NOT LIKE '%WHERE%')`, map[string]any{"index": scan[2], "table": scan[1]}).Scan(&whole).Error
		if err != nil {
			t.Fatal(err)
		}
		if whole > 0 {
			t.Errorf("%s: %s", step.Detail, sql)
		}
	}
}
