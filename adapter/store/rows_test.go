package store

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// rows are all row structs.
var rows = []schema.Tabler{
	organizationRow{}, userRow{}, membershipRow{}, sessionRow{}, attemptRow{}, entityRow{}, entityMemberRow{},
	apiKeyRow{}, webhookRow{}, deliveryRow{}, settingsRow{}, emailIntakeRow{}, emailAnswerRow{}, documentRow{}, invoiceRow{}, lineRow{}, supplierRow{}, supplierKeyRow{}, taxRow{}, eventRow{}, usageRow{}, idempotencyRow{}, inboxRow{}, leaseRow{}, knownPlanRow{}, planEventRow{}, chargeRow{}, bookmarkRow{}, bookingRow{}, codingRow{}, renditionRow{}, duplicateKeysRow{}, duplicateRow{}, recheckRow{},
	grantRow{}, integrationRow{}, consentAttemptRow{}, meterRow{}, watchRow{}, watchNodeRow{}, watchVersionRow{}, watchSubscriptionRow{},
	blobRemovalRow{}, linkRow{}, erasureRow{}, uncountedRow{}, emailAnswerMark{},
}

// foreign are the tables without a row struct.
var foreign = []string{
	"event_clock", "goose_db_version", "invoice_search", "invoice_search_config", "invoice_search_data", "invoice_search_docsize", "invoice_search_idx", "invoice_search_keys", "invoice_sources", "invoice_sum_changes", "invoice_sum_totals", "invoice_sums", "invoice_sync_differences", "invoice_weeks", "river_client", "river_client_queue", "river_job", "river_leader",
	"river_migration", "river_notification", "river_queue", "sqlite_sequence", "usage_shares",
}

func TestRowsMatchTheSchema(t *testing.T) {
	t.Parallel()
	file := "sqlite:" + filepath.Join(t.TempDir(), "rows.db")
	if err := database.Migrate(context.Background(), database.Config{URL: file}, migrations.SQLite()); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{file, postgres.New(t)} {
		db, err := database.Open(context.Background(), database.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(db.Dialect), func(t *testing.T) { compareRows(t, db.Gorm) })
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func compareRows(t *testing.T, db *gorm.DB) {
	tables, err := db.Migrator().GetTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{} // column → nullable
		for _, field := range parsed.Fields {
			want[field.DBName] = field.FieldType.Kind() == reflect.Pointer
		}
		got := columnsOf(t, db, row.TableName())
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: columns %v, fields %v", row.TableName(), got, want)
		}
		if i := slices.Index(tables, row.TableName()); i >= 0 {
			tables = slices.Delete(tables, i, i+1)
		}
	}
	for _, table := range tables {
		if !slices.Contains(foreign, table) {
			t.Errorf("no row struct is for the table %s", table)
		}
	}
}

// TestTablesHaveKeys verifies that each table of PostgreSQL has a primary key. Without one, a logical replication
// refuses to delete its rows.
func TestTablesHaveKeys(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{URL: postgres.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	if err := db.Gorm.Raw(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
		AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)`).Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	if len(tables) > 0 {
		t.Errorf("these tables have no primary key: %v", tables)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func columnsOf(t *testing.T, db *gorm.DB, table string) map[string]bool {
	t.Helper()
	query := "SELECT name, NOT \"notnull\" AS nullable FROM pragma_table_info(?)"
	if db.Name() == "postgres" {
		query = "SELECT column_name AS name, is_nullable = 'YES' AS nullable FROM information_schema.columns WHERE table_name = ?"
	}
	var columns []struct {
		Name     string
		Nullable bool
	}
	if err := db.Raw(query, table).Scan(&columns).Error; err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, c := range columns {
		out[c.Name] = c.Nullable
	}
	return out
}
