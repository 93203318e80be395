package migrations_test

import (
	"context"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/organization"
	"docledger/infrastructure/database"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

// Invoices from before shares were kept count for their entities, each in the
// month of UTC in which it was read.
func TestSharesOfEarlierInvoices(t *testing.T) {
	t.Parallel()
	const before = 1013
	onBothDatabases(t, func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider) {
		ctx := context.Background()
		scope, e := fill(t, ctx, s, []time.Time{
			time.Date(2026, 3, 31, 23, 59, 59, 999_000_000, time.UTC), time.Date(2026, 4, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)),
			time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
		})
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		_, err = provider.Up(ctx)
		must(t, err)
		for month, want := range map[string]int{"2026-03": 2, "2026-04": 1} {
			shares, err := s.Usage().Shares(ctx, scope, billing.Invoices, month)
			if err != nil || len(shares) != 1 || shares[0] != (billing.Share{Entity: e, Used: want}) {
				t.Errorf("%s: %v, %v; want %d", month, shares, err, want)
			}
		}
	})
}

// fill makes an entity with one invoice for each moment.
func fill(t *testing.T, ctx context.Context, s *store.Store, at []time.Time) (identity.Scope, uuid.UUID) {
	t.Helper()
	o := &organization.Organization{ID: uuid.New(), Name: "Earlier"}
	must(t, s.Organizations().Add(ctx, o))
	e := &entity.Entity{ID: uuid.New(), OrganizationID: o.ID, Name: "E", Access: entity.AccessOrganization, DefaultRole: identity.Viewer, Version: 1}
	must(t, s.Entities().Add(ctx, e))
	origins := []document.Origin{document.FromUpload, document.FromEmail}
	for n, now := range at {
		id := uuid.New()
		_, err := s.Documents().Add(ctx, &document.Document{
			ID: id, EntityID: e.ID, OrganizationID: o.ID, Filename: "a.xml", MediaType: "text/xml", SHA256: id.String(),
			Origin: origins[n%len(origins)], Status: document.Extracted, Version: 1,
		})
		must(t, err)
		must(t, s.Invoices().Add(ctx, &invoice.Invoice{
			ID: uuid.New(), DocumentID: id, EntityID: e.ID, OrganizationID: o.ID, Status: invoice.Extracted,
			Content: invoice.Content{Type: invoice.TypeInvoice}, Version: 1, CreatedAt: now, UpdatedAt: now,
		}))
	}
	return identity.Scope{OrganizationID: o.ID}, e.ID
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
