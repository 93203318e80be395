package store

import (
	"strings"
	"testing"

	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"

	"gorm.io/gorm"
)

// extractions is a usecase.LiveJobs that reads the jobs of the queue.
type extractions struct{}

func (extractions) Arguments(argument string, _ ...string) string {
	return "SELECT args->>'" + argument + "' AS argument FROM river_job WHERE kind = 'extract_document' AND args->>'" + argument + "' IS NOT NULL"
}

// TestJobsAreReadOnce checks that a database without statistics does not read all jobs again for each
// record without a job. An import adds thousands of both within the same minute.
func TestJobsAreReadOnce(t *testing.T) {
	t.Parallel()
	plan := func(t *testing.T, s *Store, explain string) string {
		t.Helper()
		s.liveJobs = extractions{}
		var steps []map[string]any
		err := s.jobless(t.Context(), s.idText("documents.id"), "DocumentID", nil, func(q *gorm.DB) error {
			found := q.Model(&documentRow{}).Where("documents.status IN ('UPLOADED', 'PROCESSING')").Select("documents.id")
			return q.Session(&gorm.Session{NewDB: true}).Raw(explain+" ?", found).Scan(&steps).Error
		})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, step := range steps {
			for _, name := range []string{"detail", "QUERY PLAN"} {
				if text, ok := step[name].(string); ok {
					lines = append(lines, text)
				}
			}
		}
		return strings.Join(lines, "\n")
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		s, _ := traced(t)
		if p := plan(t, s, "EXPLAIN QUERY PLAN"); !strings.Contains(p, "river_job") || strings.Contains(p, "CORRELATED") {
			t.Errorf("the jobs are read for each record:\n%s", p)
		}
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		db, err := database.Open(t.Context(), database.Config{URL: postgres.New(t), MaxConns: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		s, err := New(t.Context(), db.Gorm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p := plan(t, s, "EXPLAIN"); !strings.Contains(p, "river_job") || strings.Contains(p, "Nested Loop") {
			t.Errorf("the jobs are read for each record:\n%s", p)
		}
	})
}
