package migrations_test

import (
	"slices"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

// TestVisibleKeysOfEarlierInvoices removes the keys of earlier releases with characters that show
// nothing, and no other ones. The service makes them again.
func TestVisibleKeysOfEarlierInvoices(t *testing.T) {
	t.Parallel()
	const before = 1216
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		removed := []string{"acme\u3164", "a\u115Fcme", "acme\uFE0F", "acme\uFE00", "acme\uFE05", "ac\u034Fme", "acme\U000E0100", "acme\U000E01AA", "acme\U000E01EF", "\uFFA0"}
		kept := []string{"", "acme", "가나", "क्ष", "acmeß-]", "日本", "😀\U000E01F0", "\uFE10\uFE20", "ac\u0301me"}
		scope, _ := fill(t, ctx, s, slices.Repeat([]time.Time{now}, 2*(len(removed)+len(kept))))
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		var ids, left []uuid.UUID
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
		for i, text := range slices.Concat(kept, removed) {
			for j, key := range []string{"number_key", "name_key"} {
				must(t, db.Gorm.Table("invoice_duplicate_keys").Where("invoice_id = ?", ids[2*i+j]).Update(key, text).Error)
			}
		}
		_, err = s.Invoices().Update(ctx, scope, ids[len(ids)-1], 0, func(inv *invoice.Invoice) error { inv.Number = "RE-1"; return nil })
		must(t, err)
		must(t, db.Gorm.Table("invoice_duplicate_keys").Where("invoice_id = ?", ids[len(ids)-1]).Update("number_key", "RE\u31641").Error)
		_, err = provider.Up(ctx)
		must(t, err)
		must(t, db.Gorm.Table("invoice_duplicate_keys").Order("invoice_id").Pluck("invoice_id", &left).Error)
		if !slices.Equal(left, ids[:2*len(kept)]) {
			t.Errorf("%d of %d rows are left, want the first %d", len(left), len(ids), 2*len(kept))
		}
		if n, err := s.Duplicates().Backfill(ctx, len(ids)); err != nil || n != 2*len(removed) {
			t.Errorf("%d rows were made again, want %d (%v)", n, 2*len(removed), err)
		}
		var key string
		must(t, db.Gorm.Table("invoice_duplicate_keys").Where("invoice_id = ?", ids[len(ids)-1]).Pluck("number_key", &key).Error)
		if key != "RE1" {
			t.Errorf("the key is %+q", key)
		}
	})
}
