package suppliers_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/organization"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/database"
	"docledger/test/lib/sqlite"
	"docledger/usecase/suppliers"

	"github.com/google/uuid"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestBackfillMakesSuppliersFromApprovedInvoices covers invoices of an installation from before
// suppliers: their accounts count as known, also a second one of a supplier, and nothing else of
// them changes. An invoice that identifies no supplier is not looked at again.
func TestBackfillMakesSuppliersFromApprovedInvoices(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{URL: sqlite.New(t), MaxConns: 4})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	st, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	ids := clock.UUIDv7{}
	o := &organization.Organization{ID: ids.New(), Name: "Organization"}
	must(t, st.Organizations().Add(ctx, o))
	e := &entity.Entity{ID: ids.New(), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessOrganization, DefaultRole: identity.Approver, Version: 1}
	must(t, st.Entities().Add(ctx, e))
	scope, at := identity.Scope{OrganizationID: o.ID}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	add := func(status invoice.Status, name, iban string) uuid.UUID {
		d := &document.Document{ID: ids.New(), OrganizationID: o.ID, EntityID: e.ID, Filename: "a.xml", SHA256: ids.New().String(), Status: document.Extracted, Origin: document.FromUpload, Version: 1}
		_, err := st.Documents().Add(ctx, d)
		must(t, err)
		inv := &invoice.Invoice{
			ID: ids.New(), DocumentID: d.ID, OrganizationID: o.ID, EntityID: e.ID, Status: status,
			Content:  invoice.Content{Type: invoice.TypeInvoice, Seller: invoice.Party{Name: name}, Payment: invoice.Payment{IBAN: iban}},
			Approval: &invoice.Approval{At: at, Version: 1},
		}
		must(t, st.Invoices().Add(ctx, inv))
		return inv.ID
	}
	approved := add(invoice.Approved, "Acme", "DE89370400440532013000")
	synced := add(invoice.Synced, "Acme", "DE02120300000000202051")
	open := add(invoice.NeedsReview, "Acme", "DE89370400440532013000")
	nobody := add(invoice.Approved, "", "")
	s := &suppliers.Service{
		Suppliers: st.Suppliers(), OfInvoices: st.Suppliers(), Invoices: st.Invoices(), Events: st.Events(), Changes: st.Duplicates(), UnitOfWork: st,
		Clock: clock.System{}, IDs: ids, Log: slog.New(slog.DiscardHandler),
	}
	for range 2 {
		must(t, s.Backfill(ctx))
	}
	first, err := st.Invoices().Get(ctx, scope, approved)
	must(t, err)
	if first.SupplierID == uuid.Nil || first.Status != invoice.Approved || first.Version != 1 {
		t.Fatalf("the approved invoice: supplier %s, %s, version %d", first.SupplierID, first.Status, first.Version)
	}
	found, err := st.Suppliers().Get(ctx, scope, first.SupplierID)
	must(t, err)
	if found.LastInvoiceID != synced || len(found.Accounts) != 2 || !found.Accounts[0].Known() || !found.Accounts[1].Known() || !found.Accounts[0].FirstSeenAt.Equal(at) {
		t.Errorf("the supplier: %+v", found)
	}
	for id, want := range map[uuid.UUID]invoice.Status{synced: invoice.Synced, open: invoice.NeedsReview, nobody: invoice.Approved} {
		inv, err := st.Invoices().Get(ctx, scope, id)
		must(t, err)
		if inv.Status != want || inv.Version != 1 || (inv.SupplierID != uuid.Nil) != (id == synced) {
			t.Errorf("invoice %s: %s, version %d, supplier %s", id, inv.Status, inv.Version, inv.SupplierID)
		}
	}
	if left, err := st.Suppliers().UnassignedForBackfill(ctx, 10); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
