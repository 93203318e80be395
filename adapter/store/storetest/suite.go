// Package storetest tests the contract of adapter/store. Both databases pass it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/organization"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Open gives a test a new database with the current schema and a pool with the given number of
// connections, closed after the test.
type Open func(t testing.TB, conns int) *gorm.DB

// Run runs the contract. With a pool of one, a statement outside of its transaction waits
// forever; a pool of eight permits concurrency.
func Run(t *testing.T, open Open) {
	tests := []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"transaction", testTransaction},
		{"accounts", testAccounts},
		{"sign-in attempts", testAttempts},
		{"organizations", testOrganizations},
		{"entities", testEntities},
		{"settings", testSettings},
		{"documents", testDocuments},
		{"unfinished documents", testUnfinished},
		{"renditions", testRenditions},
		{"deletions", testDeletions},
		{"removals of blobs", testRemovals},
		{"deletions at the same time", testConcurrentDeletions},
		{"legal hold during a deletion", testHoldDuringDeletion},
		{"invoices", testInvoices},
		{"invoice lines", testLines},
		{"duplicates", testDuplicates},
		{"candidates for duplicates", testDuplicateCandidates},
		{"postponed checks of duplicates", testPostponedChecks},
		{"exact decimals", testDecimals},
		{"invoice filters", testInvoiceFilters},
		{"invoice sorts", testInvoiceSorts},
		{"document sorts", testDocumentSorts},
		{"invoice sums", testInvoiceSums},
		{"counted sums", testCountedSums},
		{"sums of drawn filters", testDrawnSums},
		{"counted sums at the same time", testCountedSumsAtOnce},
		{"invoice export", testExport},
		{"invoice selections", testInvoiceSelections},
		{"invoices by large amounts", testLargeAmounts},
		{"hostile text", testHostileText},
		{"events", testEvents},
		{"webhooks", testWebhooks},
		{"keys of webhooks", testWebhookKeys},
		{"limit of API keys", testAPIKeyLimit},
		{"outbox", testOutbox},
		{"usage", testUsage},
		{"usage by entity", testShares},
		{"expired answers", testAnswersExpire},
		{"answers to one message", testAnswersOnce},
		{"answers and deleted documents", testAnswersOutliveDocuments},
		{"counted answers", testAnswersCounted},
		{"inbox", testInbox},
		{"inbox at once", testInboxAtOnce},
		{"leases", testLeases},
		{"known plans", testKnownPlans},
		{"plan events", testPlanEvents},
		{"trials", testTrials},
		{"charges", testCharges},
		{"organizations of others", testOrganizationLookups},
		{"grants", testGrants},
		{"generations of grants", testGrantGenerations},
		{"keys of grants", testGrantKeys},
		{"integrations", testIntegrations},
		{"integrations of others", testIntegrationTenancy},
		{"consent attempts", testConsentAttempts},
		{"meters", testMeters},
		{"watches", testWatches},
		{"watched items", testWatchNodes},
		{"watch subscriptions", testWatchSubscriptions},
		{"bookings", testBookings},
		{"bookings that are due", testDueBookings},
		{"stamps of invoices", testStamps},
		{"corrected invoices", testCorrected},
		{"codings of suppliers", testCodings},
		{"idempotency", testIdempotency},
		{"tenancy", testTenancy},
		{"pagination", testPagination},
		{"cursors", testCursors},
		{"concurrent changes", testConcurrentChanges},
		{"time zones", testTimeZones},
		{"workload", testWorkload},
		{"reports", testReports},
		{"attention", testAttention},
		{"holds", testHolds},
	}
	for _, conns := range []int{1, 8} {
		t.Run(fmt.Sprintf("pool of %d", conns), func(t *testing.T) {
			t.Parallel()
			for _, test := range tests {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(t, newBench(t, open, conns))
				})
			}
		})
	}
}

// each runs the parts of a test one after another.
func each(t *testing.T, b *bench, parts map[string]func(*testing.T, *bench)) {
	t.Helper()
	for name, part := range parts {
		t.Run(name, func(t *testing.T) { part(t, b) })
	}
}

// bench is a store with the records of a test.
type bench struct {
	*store.Store
	db   *gorm.DB
	ctx  context.Context
	at   time.Time
	jobs *liveJobs
}

// liveJobs is a usecase.LiveJobs: the records that have a job.
type liveJobs struct{ ids []string }

func (l *liveJobs) add(id uuid.UUID) { l.ids = append(l.ids, "'"+id.String()+"'") }

func (l *liveJobs) clear() { l.ids = nil }

// Arguments implements usecase.LiveJobs.
func (l *liveJobs) Arguments(string, ...string) string {
	return "SELECT '' AS argument UNION ALL SELECT " + strings.Join(append(l.ids, "''"), " UNION ALL SELECT ")
}

func newBench(t *testing.T, open Open, conns int) *bench {
	t.Helper()
	// The timeout turns a statement outside of its transaction into a failure.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	b := &bench{db: open(t, conns), ctx: ctx, at: time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC), jobs: &liveJobs{}}
	s, err := store.New(ctx, b.db, store.Options{Sealer: sealer{key: "k1"}, LiveJobs: b.jobs, SettleTimeout: 10 * time.Second})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	b.Store = s
	return b
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func (b *bench) organization(t *testing.T) identity.Scope {
	t.Helper()
	o := &organization.Organization{ID: newID(), Name: "Organization", CreatedAt: b.at, UpdatedAt: b.at}
	must(t, b.Organizations().Add(b.ctx, o))
	return identity.Scope{OrganizationID: o.ID}
}

func (b *bench) entity(t *testing.T, s identity.Scope, members ...uuid.UUID) *entity.Entity {
	t.Helper()
	e := &entity.Entity{
		ID: newID(), OrganizationID: s.OrganizationID, Name: "Entity", Access: entity.AccessOrganization,
		DefaultRole: identity.Approver, Version: 1, CreatedAt: b.at, UpdatedAt: b.at,
	}
	if len(members) > 0 {
		e.Access = entity.AccessRestricted
	}
	for _, m := range members {
		e.Members = append(e.Members, entity.Member{UserID: m, Role: identity.Viewer})
	}
	must(t, b.Entities().Add(b.ctx, e))
	settings := entity.DefaultSettings(s.OrganizationID, e.ID)
	settings.UpdatedAt = b.at
	must(t, b.Settings().Add(b.ctx, &settings))
	return e
}

func (b *bench) document(t *testing.T, e *entity.Entity, change ...func(*document.Document)) *document.Document {
	t.Helper()
	d := newDocument(e, b.at)
	for _, c := range change {
		c(d)
	}
	existing, err := b.Documents().Add(b.ctx, d)
	must(t, err)
	if existing != nil {
		t.Fatal("a new document was treated as an existing one")
	}
	return d
}

func newDocument(e *entity.Entity, at time.Time) *document.Document {
	id := newID()
	return &document.Document{
		ID: id, EntityID: e.ID, OrganizationID: e.OrganizationID, Filename: "Rechnung.pdf", MediaType: "application/pdf",
		SizeBytes: 1000, SHA256: strings.Repeat("0", 32) + strings.ReplaceAll(id.String(), "-", ""),
		Signatures: []document.Signature{{Signer: "Mario Rossi", SignedAt: at}, {}},
		Origin:     document.FromUpload, Status: document.Uploaded, Version: 1, CreatedAt: at, UpdatedAt: at,
	}
}

func (b *bench) invoice(t *testing.T, d *document.Document, change ...func(*invoice.Invoice)) *invoice.Invoice {
	t.Helper()
	inv := newInvoice(d, b.at)
	for _, c := range change {
		c(inv)
	}
	must(t, b.Invoices().Add(b.ctx, inv))
	return inv
}

func newInvoice(d *document.Document, at time.Time) *invoice.Invoice {
	return &invoice.Invoice{
		ID: newID(), DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: d.OrganizationID, Status: invoice.Extracted,
		Content: invoice.Content{Type: invoice.TypeInvoice, Number: "R-1", Currency: "EUR", Seller: invoice.Party{Name: "Seller"}},
		Version: 1, CreatedAt: at, UpdatedAt: at,
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("error %v: code %q, want %q", err, got, code)
	}
}

var errStop = errors.New("stop")
