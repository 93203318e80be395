package migrations_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/money"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

// TestSumsOfEarlierInvoices verifies that invoices from before sums or their totals were counted are in the
// sums, before and after they are counted, and that a changed or deleted one is subtracted.
func TestSumsOfEarlierInvoices(t *testing.T) {
	t.Parallel()
	const beforeSources, beforeDue, beforeTaxes, beforeSuppliers, beforeTotals, before = 1225, 1222, 1217, 1213, 1211, 1201
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, _ := fill(t, ctx, s, []time.Time{now, now, now})
		var stored []uuid.UUID
		must(t, db.Gorm.Table("invoices").Pluck("id", &stored).Error)
		for n, id := range stored {
			_, err := s.Invoices().Update(ctx, scope, id, 0, func(inv *invoice.Invoice) error {
				amount := money.MustParse(fmt.Sprint(n + 1))
				inv.Lines = []invoice.Line{{AccountID: "400", TaxCategory: "S", TaxRate: &amount, NetAmount: &amount}, {AccountID: fmt.Sprint(n), NetAmount: &amount}}
				inv.Taxes = []invoice.Tax{{Category: "S", Base: &amount}, {Category: "S", Rate: &amount, Base: &amount, Amount: &amount}}
				inv.DueDate = calendar.Date{Year: 2026, Month: time.Month(1 + n), Day: 2}
				return nil
			})
			must(t, err)
		}
		must(t, s.Invoices().CountSums(ctx))
		var ids []string
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("document_id", &ids).Error)
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &stored).Error)
		// The status of this invoice is not that of a finished sync.
		_, _, err := s.Bookings().Change(ctx, scope, stored[0], func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
			return &ledgersync.Sync{SyncView: invoice.SyncView{State: invoice.SyncDone, IntegrationID: uuid.New()}}, false, nil
		})
		must(t, err)
		count := func(want map[invoice.Status]int) {
			t.Helper()
			sums, err := s.Invoices().Sum(ctx, scope, invoice.Filter{}, []invoice.SumKey{invoice.SumByStatus})
			must(t, err)
			got := map[invoice.Status]int{}
			for _, sum := range sums {
				got[sum.Status] = sum.Count
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("the sums are %v, want %v", got, want)
			}
			for _, keys := range [][]invoice.SumKey{
				{invoice.SumBySupplier, invoice.SumByStatus}, {invoice.SumByTax, invoice.SumByMonth}, {invoice.SumBySupplier, invoice.SumByMonth},
				{invoice.SumByAccount, invoice.SumByMonth}, {invoice.SumBySupplier, invoice.SumByAccount}, {invoice.SumByTax}, {invoice.SumByEntity, invoice.SumBySupplier},
				{invoice.SumBySupplier, invoice.SumByTax}, {invoice.SumByTax, invoice.SumByAccount},
			} {
				// No group has the time of the last update, so the second sums read each invoice.
				groups, err := s.Invoices().Sum(ctx, scope, invoice.Filter{}, keys)
				must(t, err)
				all, err := s.Invoices().Sum(ctx, scope, invoice.Filter{UpdatedSince: time.Unix(0, 0)}, keys)
				must(t, err)
				if !reflect.DeepEqual(groups, all) || len(all) == 0 {
					t.Errorf("the sums are %+v by %v, want %+v", groups, keys, all)
				}
			}
			for _, f := range []invoice.Filter{
				{DueDateTo: calendar.Date{Year: 2026, Month: 2, Day: 28}}, {CreatedTo: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}, {SyncStates: []invoice.SyncState{invoice.SyncDone}},
				{Sources: []document.Origin{document.FromUpload}},
			} {
				groups, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				f.UpdatedSince = time.Unix(0, 0)
				all, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				if !reflect.DeepEqual(groups, all) || len(all) == 0 {
					t.Errorf("the sums with %+v are %+v, want %+v", f, groups, all)
				}
			}
		}
		for _, version := range []int64{beforeSources, beforeDue, beforeTaxes, beforeSuppliers, beforeTotals, before} {
			_, err := provider.DownTo(ctx, version)
			must(t, err)
			if version == beforeTotals {
				// The release before counted accounts of this length, and the totals do not exist yet.
				long := strings.Repeat("a", 401)
				must(t, db.Gorm.Exec("UPDATE invoice_lines SET account_id = ? WHERE account_id = '0'", long).Error)
				must(t, db.Gorm.Exec("UPDATE invoice_sums SET key_a = ? WHERE part = 'account' AND key_a = '0'", long).Error)
			}
			_, err = provider.Up(ctx)
			must(t, err)
			var uncounted int64
			must(t, db.Gorm.Table("invoices_uncounted").Count(&uncounted).Error)
			if version == beforeTotals && uncounted != 1 {
				t.Errorf("%s: %d invoices are uncounted, want that with the long account", "the database", uncounted)
			}
			count(map[invoice.Status]int{invoice.Extracted: 3})
		}
		must(t, s.Invoices().CountSums(ctx))
		count(map[invoice.Status]int{invoice.Extracted: 3})
		must(t, db.Gorm.Exec("UPDATE invoices SET status = ? WHERE document_id = ?", invoice.Approved, ids[0]).Error)
		must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = ?", ids[1]).Error)
		count(map[invoice.Status]int{invoice.Extracted: 1, invoice.Approved: 1})
		must(t, s.Invoices().CountSums(ctx))
		count(map[invoice.Status]int{invoice.Extracted: 1, invoice.Approved: 1})
	})
}

// TestSumsOfDatesAfterChanges changes invoices after the view has the parts of the due date and the creation and
// before the counted invoices are in their groups, and before the syncs of all are compared.
func TestSumsOfDatesAfterChanges(t *testing.T) {
	t.Parallel()
	const before, view = 1222, 1224
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, _ := fill(t, ctx, s, []time.Time{now, now, now, now, now, now})
		var ids []uuid.UUID
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
		due := func(id uuid.UUID, month time.Month) {
			t.Helper()
			_, err := s.Invoices().Update(ctx, scope, id, 0, func(inv *invoice.Invoice) error {
				inv.DueDate = calendar.Date{Year: 2026, Month: month, Day: 2}
				return nil
			})
			must(t, err)
		}
		sync := func(id uuid.UUID, state invoice.SyncState, status invoice.Status) {
			t.Helper()
			_, _, err := s.Bookings().Change(ctx, scope, id, func(inv *invoice.Invoice, _ *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
				inv.Status = status
				return &ledgersync.Sync{SyncView: invoice.SyncView{State: state, IntegrationID: uuid.New()}}, true, nil
			})
			must(t, err)
		}
		for n, id := range ids {
			due(id, time.Month(n+1))
		}
		sync(ids[3], invoice.SyncDone, invoice.Synced)
		sync(ids[4], invoice.SyncDone, invoice.Approved)
		must(t, s.Invoices().CountSums(ctx))
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		_, err = provider.UpTo(ctx, view)
		must(t, err)
		due(ids[0], time.December)
		must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = (SELECT document_id FROM invoices WHERE id = ?)", ids[1]).Error)
		must(t, s.Invoices().CountSums(ctx))
		due(ids[2], time.December)
		sync(ids[5], invoice.SyncEnded, invoice.NeedsReview)
		_, err = provider.Up(ctx)
		must(t, err)
		for _, when := range []string{"before", "after"} {
			for _, f := range []invoice.Filter{
				{DueDateFrom: calendar.Date{Year: 2026, Month: 1, Day: 1}}, {DueDateTo: calendar.Date{Year: 2026, Month: 10, Day: 31}}, {CreatedTo: now.AddDate(0, 1, 0)},
				{SyncStates: []invoice.SyncState{invoice.SyncDone}}, {SyncStates: []invoice.SyncState{invoice.SyncEnded}},
			} {
				groups, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				f.UpdatedSince = time.Unix(0, 0)
				all, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				if !reflect.DeepEqual(groups, all) || len(all) == 0 {
					t.Errorf("%s the changes are counted, the sums with %+v are %+v, want %+v", when, f, groups, all)
				}
			}
			must(t, s.Invoices().CountSums(ctx))
		}
		var others []uuid.UUID
		must(t, db.Gorm.Table("invoice_sync_differences").Order("invoice_id").Pluck("invoice_id", &others).Error)
		if want := []uuid.UUID{ids[4], ids[5]}; !reflect.DeepEqual(others, want) {
			t.Errorf("the invoices with another state of the sync are %v, want %v", others, want)
		}
	})
}

// TestSourcesAfterChanges adds, changes and deletes invoices after the table of sources exists and before it has the earlier
// invoices, and after the view has their part and before the counted invoices are in its groups.
func TestSourcesAfterChanges(t *testing.T) {
	t.Parallel()
	const before, table, view = 1225, 1226, 1228
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, e := fill(t, ctx, s, []time.Time{now, now, now, now, now, now, now, now})
		var ids []uuid.UUID
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
		change := func(id uuid.UUID) {
			t.Helper()
			must(t, db.Gorm.Exec("UPDATE invoices SET status = ?, version = version + 1 WHERE id = ?", invoice.Approved, id).Error)
		}
		remove := func(id uuid.UUID) {
			t.Helper()
			must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = (SELECT document_id FROM invoices WHERE id = ?)", id).Error)
		}
		must(t, s.Invoices().CountSums(ctx))
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		_, err = provider.UpTo(ctx, table)
		must(t, err)
		change(ids[0])
		remove(ids[1])
		added := uuid.New()
		_, err = s.Documents().Add(ctx, &document.Document{
			ID: added, EntityID: e, OrganizationID: scope.OrganizationID, Filename: "b.xml", MediaType: "text/xml", SHA256: added.String(),
			Origin: document.FromEmail, Status: document.Extracted, Version: 1,
		})
		must(t, err)
		must(t, s.Invoices().Add(ctx, &invoice.Invoice{
			ID: uuid.New(), DocumentID: added, EntityID: e, OrganizationID: scope.OrganizationID, Status: invoice.Extracted,
			Content: invoice.Content{Type: invoice.TypeInvoice}, Version: 1, CreatedAt: now, UpdatedAt: now,
		}))
		_, err = provider.UpTo(ctx, view)
		must(t, err)
		change(ids[2])
		remove(ids[3])
		must(t, s.Invoices().CountSums(ctx))
		change(ids[4])
		_, err = provider.Up(ctx)
		must(t, err)
		for _, when := range []string{"before", "after"} {
			for _, source := range []document.Origin{document.FromUpload, document.FromEmail} {
				f := invoice.Filter{Sources: []document.Origin{source}}
				groups, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				f.UpdatedSince = time.Unix(0, 0)
				all, err := s.Invoices().Sum(ctx, scope, f, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				if !reflect.DeepEqual(groups, all) || len(all) == 0 {
					t.Errorf("%s the changes are counted, the sums of the source %s are %+v, want %+v", when, source, groups, all)
				}
			}
			must(t, s.Invoices().CountSums(ctx))
		}
		var wrong int64
		must(t, db.Gorm.Raw(`SELECT count(*) FROM (SELECT i.id, d.origin FROM invoices AS i JOIN documents AS d ON d.id = i.document_id) AS w
			FULL JOIN invoice_sources AS o ON o.invoice_id = w.id WHERE w.origin IS DISTINCT FROM o.source`).Scan(&wrong).Error)
		if wrong > 0 {
			t.Errorf("%d invoices have no source or another one than their document, or are deleted", wrong)
		}
	})
}

// TestOrdersOfSourcesAfterChanges changes, adds and deletes invoices after the table of sources has the columns of orders and
// before it has the values of the earlier invoices.
func TestOrdersOfSourcesAfterChanges(t *testing.T) {
	t.Parallel()
	const before, columns = 1232, 1233
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, e := fill(t, ctx, s, []time.Time{now, now, now, now})
		other := uuid.New()
		must(t, s.Entities().Add(ctx, &entity.Entity{ID: other, OrganizationID: scope.OrganizationID, Name: "Other", Access: entity.AccessOrganization, DefaultRole: identity.Viewer, Version: 1}))
		var ids []uuid.UUID
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		_, err = provider.UpTo(ctx, columns)
		must(t, err)
		must(t, db.Gorm.Exec("UPDATE invoices SET issue_date = '2026-02-01', gross_fixed = 7 WHERE id = ?", ids[0]).Error)
		must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = (SELECT document_id FROM invoices WHERE id = ?)", ids[1]).Error)
		added := uuid.New()
		_, err = s.Documents().Add(ctx, &document.Document{
			ID: added, EntityID: e, OrganizationID: scope.OrganizationID, Filename: "b.xml", MediaType: "text/xml", SHA256: added.String(),
			Origin: document.FromEmail, Status: document.Extracted, Version: 1,
		})
		must(t, err)
		must(t, s.Invoices().Add(ctx, &invoice.Invoice{
			ID: uuid.New(), DocumentID: added, EntityID: e, OrganizationID: scope.OrganizationID, Status: invoice.Extracted,
			Content: invoice.Content{Type: invoice.TypeInvoice, DueDate: calendar.Date{Year: 2026, Month: 4, Day: 1}}, Version: 1, CreatedAt: now, UpdatedAt: now,
		}))
		_, err = provider.Up(ctx)
		must(t, err)
		must(t, db.Gorm.Exec("UPDATE invoices SET due_date = '2026-05-01', entity_id = ? WHERE id = ?", other, ids[2]).Error)
		wrong, all, err := s.MissingSources(ctx)
		must(t, err)
		if wrong != 0 || all != 4 {
			t.Errorf("%d of %d invoices have a source with other values, want 0 of 4", wrong, all)
		}
	})
}

// TestSumsOfTaxesAfterChanges changes invoices after the view has the parts of taxes and before the counted
// invoices are in their groups, and a long text makes a counted invoice uncounted.
func TestSumsOfTaxesAfterChanges(t *testing.T) {
	t.Parallel()
	const before, view = 1217, 1220
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		scope, _ := fill(t, ctx, s, []time.Time{now, now, now, now, now})
		var ids []uuid.UUID
		var documents []string
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
		must(t, db.Gorm.Table("invoices").Order("id").Pluck("document_id", &documents).Error)
		change := func(id uuid.UUID, amount string) {
			t.Helper()
			_, err := s.Invoices().Update(ctx, scope, id, 0, func(inv *invoice.Invoice) error {
				net := money.MustParse(amount)
				inv.Lines = []invoice.Line{{AccountID: "400", TaxCategory: "S", TaxRate: &net, NetAmount: &net}, {AccountID: "500", TaxCategory: "S", NetAmount: &net}}
				inv.Taxes = []invoice.Tax{{Category: "S", Rate: &net, Base: &net}}
				return nil
			})
			must(t, err)
		}
		for n, id := range ids {
			change(id, fmt.Sprint(n+1))
		}
		must(t, s.Invoices().CountSums(ctx))
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		_, err = provider.UpTo(ctx, view)
		must(t, err)
		change(ids[0], "20")
		must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = ?", documents[1]).Error)
		must(t, s.Invoices().CountSums(ctx))
		change(ids[2], "30")
		must(t, db.Gorm.Exec("UPDATE invoice_lines SET tax_category = ? WHERE invoice_id = ?", strings.Repeat("a", 401), ids[3]).Error)
		_, err = provider.Up(ctx)
		must(t, err)
		var uncounted []uuid.UUID
		must(t, db.Gorm.Table("invoices_uncounted").Order("invoice_id").Pluck("invoice_id", &uncounted).Error)
		if want := []uuid.UUID{ids[2], ids[3]}; !reflect.DeepEqual(uncounted, want) {
			t.Errorf("%v are uncounted, want the changed invoice and that with the long text: %v", uncounted, want)
		}
		for _, when := range []string{"before", "after"} {
			for _, keys := range [][]invoice.SumKey{{invoice.SumBySupplier, invoice.SumByTax}, {invoice.SumByTax, invoice.SumByAccount}, {invoice.SumByStatus}, {invoice.SumByAccount}} {
				groups, err := s.Invoices().Sum(ctx, scope, invoice.Filter{}, keys)
				must(t, err)
				all, err := s.Invoices().Sum(ctx, scope, invoice.Filter{UpdatedSince: time.Unix(0, 0)}, keys)
				must(t, err)
				if !reflect.DeepEqual(groups, all) || len(all) == 0 {
					t.Errorf("%s the changes are counted, the sums by %v are %+v, want %+v", when, keys, groups, all)
				}
			}
			must(t, s.Invoices().CountSums(ctx))
		}
	})
}
