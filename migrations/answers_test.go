package migrations_test

import (
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/page"
	"docledger/infrastructure/database"

	"github.com/pressly/goose/v3"
)

// TestEarlierAnswersToOneMessage verifies that the migration keeps one of several answers of an address to a Message-ID.
func TestEarlierAnswersToOneMessage(t *testing.T) {
	t.Parallel()
	const before = 1152
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, _ := fill(t, ctx, s, []time.Time{now, now, now, now, now})
		documents, err := s.Documents().List(ctx, scope, document.Filter{}, document.Sort{}, page.Request{Limit: 10})
		must(t, err)
		_, err = provider.DownTo(ctx, before)
		must(t, err)
		for n, id := range []string{"<1@shop.example>", "<1@shop.example>", "<2@shop.example>", "", ""} {
			d := documents.Items[n]
			must(t, db.Gorm.Table("email_answers").Create(map[string]any{
				"document_id": d.ID, "entity_id": d.EntityID, "organization_id": d.OrganizationID, "recipient": "a@shop.example", "subject": "",
				"message_id": id, "state": string(email.AnswerPending), "attempts": 0, "next_attempt_at": now, "failure": "", "created_at": now, "updated_at": now,
			}).Error)
		}
		_, err = provider.Up(ctx)
		must(t, err)
		due, err := s.EmailAnswers().Due(ctx, now, 10)
		must(t, err)
		kept := map[string]int{}
		for _, a := range due {
			kept[a.MessageID]++
		}
		if len(due) != 4 || kept["<1@shop.example>"] != 1 || kept["<2@shop.example>"] != 1 || kept[""] != 2 {
			t.Errorf("kept %v", kept)
		}
	})
}
