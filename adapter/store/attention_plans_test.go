package store

import (
	"strings"
	"testing"
	"time"

	"docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/identity"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// TestAttentionReadsItsIndexes verifies that SQLite counts the records of each cause from an index that has only these
// records, and not from all open invoices.
func TestAttentionReadsItsIndexes(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	for cause, index := range map[attention.Cause]string{
		attention.CauseSyncFailed: "invoices_newest_of_entity_by_status", attention.CauseNeedsReview: "invoices_newest_of_entity_by_status",
		attention.CauseExtracted: "invoices_newest_of_entity_by_status", attention.CauseDuplicate: "invoices_open_duplicates",
		attention.CauseBankAccount: "invoices_open_new_accounts", attention.CauseDue: "invoices_open_by_due_date",
		attention.CauseDocumentFailed: "documents_newest_of_entity_by_status", attention.CauseDocumentHeld: "documents_held",
	} {
		kept.all = nil
		if _, err := s.Attention().Count(t.Context(), identity.Scope{OrganizationID: uuid.New()}, uuid.Nil, cause, calendar.Of(time.Now())); err != nil {
			t.Fatal(err)
		}
		if len(kept.all) != 1 {
			t.Fatalf("%s: %d statements", cause, len(kept.all))
		}
		var steps []struct{ Detail string }
		if err := s.db.Session(&gorm.Session{Logger: logger.Discard}).Raw("EXPLAIN QUERY PLAN " + kept.all[0]).Scan(&steps).Error; err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, step := range steps {
			if !strings.HasPrefix(step.Detail, "SEARCH r ") && !strings.HasPrefix(step.Detail, "SCAN r") {
				continue
			}
			read++
			if !strings.Contains(step.Detail, "INDEX "+index+" (entity_id=?") {
				t.Errorf("%s reads %q instead of %s", cause, step.Detail, index)
			}
		}
		if read < 2 {
			t.Errorf("%s: the plan has no count and no first record: %v", cause, steps)
		}
	}
}
