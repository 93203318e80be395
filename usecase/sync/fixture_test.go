// These tests check the sync use case with the real store and a ledger in
// memory that fails in every way.
package sync_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	gosync "sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/blob"
	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/domain/money"
	"docledger/domain/organization"
	"docledger/domain/page"
	"docledger/domain/secret"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
	"docledger/test/lib/sqlite"
	"docledger/usecase/suppliers"
	usecase "docledger/usecase/sync"

	"github.com/google/uuid"
)

// hands is a fixed clock that a test advances.
type hands struct{ now atomic.Int64 }

func (h *hands) Now() time.Time { return time.UnixMicro(h.now.Load()).UTC() }

func (h *hands) advance(by time.Duration) { h.now.Add(by.Microseconds()) }

type ids struct{}

func (ids) New() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// world is an organization with a ledger. The test runs the attempts.
type world struct {
	t       testing.TB
	db      *database.DB
	store   *store.Store
	blobs   *blob.Folder
	service *usecase.Service
	ledger  *ledger
	clock   *hands
	admin   identity.Actor
	entity  uuid.UUID
	ledgers []uuid.UUID // the integration
	broken  error       // what lends access answers
}

// onEach runs a test on both databases.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, newWorld(t, sqlite.New(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, newWorld(t, postgres.New(t)))
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t testing.TB, url string) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{t: t, ledger: newLedger(), clock: &hands{}}
	w.clock.now.Store(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).UnixMicro())
	var err error
	w.db, err = database.Open(ctx, database.Config{URL: url, MaxConns: 8})
	must(t, err)
	t.Cleanup(func() { must(t, w.db.Close()) })
	w.store, err = store.New(ctx, w.db.Gorm, store.Options{Now: w.clock.Now, Sealer: open{}, SettleTimeout: 10 * time.Second})
	must(t, err)
	w.blobs, err = blob.Open(t.TempDir())
	must(t, err)
	w.people(ctx)
	st := w.store
	w.service = &usecase.Service{
		Invoices: st.Invoices(), Documents: st.Documents(), Entities: st.Entities(), Settings: st.Settings(), Integrations: st.Integrations(),
		Accesses: w, Bookings: mortal{st.Bookings()}, Codings: st.Codings(), Changes: st.Duplicates(), Blobs: w.blobs, Events: st.Events(), Queue: noQueue{},
		Leases: st.Leases(), UnitOfWork: st, Clock: w.clock, IDs: ids{}, Log: slog.New(slog.DiscardHandler), WaitTimeout: 0, // the test makes the attempts
		Page: func(id uuid.UUID) string { return "https://docledger.example/invoices/" + id.String() },
	}
	w.service.Suppliers = &suppliers.Service{
		Suppliers: st.Suppliers(), OfInvoices: st.Suppliers(), Invoices: st.Invoices(), Entities: st.Entities(), Settings: st.Settings(),
		Codings: st.Codings(), Changes: st.Duplicates(), Events: st.Events(), UnitOfWork: st, Clock: w.clock, IDs: ids{}, Log: slog.New(slog.DiscardHandler),
	}
	l, ok := usecase.LedgerOf(w.ledger)
	if !ok {
		t.Fatal("the ledger lacks capabilities")
	}
	w.service.Ledgers = map[integration.Provider]usecase.Ledger{integration.AccountingA: l}
	return w
}

func (w *world) people(ctx context.Context) {
	o := &organization.Organization{ID: ids{}.New(), Name: "Organization"}
	must(w.t, w.store.Organizations().Add(ctx, o))
	w.admin = identity.Actor{Type: identity.ActorUser, UserID: ids{}.New(), OrganizationID: o.ID, Role: identity.RoleAdmin}
	w.entity = w.newEntity(ctx, o.ID)
}

// newEntity creates an entity with an ACTIVE integration.
func (w *world) newEntity(ctx context.Context, organization uuid.UUID) uuid.UUID {
	e := &entity.Entity{ID: ids{}.New(), OrganizationID: organization, Name: "Entity", Access: entity.AccessOrganization, DefaultRole: identity.Approver, Version: 1}
	must(w.t, w.store.Entities().Add(ctx, e))
	i := integration.New(ids{}.New(), organization, e.ID, integration.AccountingA)
	g, err := w.store.Grants().Put(ctx, organization, i.Provider, integration.Consent{Account: e.ID.String()})
	must(w.t, err)
	i.GrantID, i.Status, i.Reason = g.ID, integration.Active, ""
	i.Accounting = &integration.AccountingMetadata{Tenant: "tenant", PaysTax: true}
	must(w.t, w.store.Integrations().Add(ctx, i))
	settings := entity.DefaultSettings(organization, e.ID)
	settings.DefaultAccountID, settings.AccountingIntegrationID = "a-office", i.ID
	must(w.t, w.store.Settings().Add(ctx, &settings))
	w.ledgers = append(w.ledgers, i.ID)
	return e.ID
}

// disconnect disconnects an integration.
func (w *world) disconnect(id uuid.UUID) {
	w.t.Helper()
	_, err := w.store.Integrations().Update(context.Background(), w.admin.Scope(), id, 0, func(i *integration.Integration) error {
		i.Disconnect(integration.EndedHere)
		return nil
	})
	must(w.t, err)
}

// connect gives the entity a new integration with a tenant.
func (w *world) connect(tenant string) (id uuid.UUID) {
	w.t.Helper()
	ctx := context.Background()
	i := integration.New(ids{}.New(), w.admin.OrganizationID, w.entity, integration.AccountingA)
	g, err := w.store.Grants().Put(ctx, w.admin.OrganizationID, i.Provider, integration.Consent{Account: i.ID.String()})
	must(w.t, err)
	i.GrantID, i.Status, i.Reason = g.ID, integration.Active, ""
	i.Accounting = &integration.AccountingMetadata{Tenant: tenant, PaysTax: true}
	must(w.t, w.store.Integrations().Add(ctx, i))
	w.settings(func(s *entity.Settings) { s.AccountingIntegrationID = i.ID })
	return i.ID
}

// open is an Encrypter that does not encrypt.
type open struct{}

func (open) Encrypt(_ secret.Binding, plain []byte) ([]byte, error) {
	return append([]byte{1}, plain...), nil
}
func (open) Decrypt(_ secret.Binding, sealed []byte) ([]byte, error) { return sealed[1:], nil }
func (open) UsesCurrentKey([]byte) bool                              { return true }

// With implements integration.Accesses.
func (w *world) With(ctx context.Context, i *integration.Integration, _ bool, call func(context.Context, integration.Access) error) error {
	if w.broken != nil {
		return w.broken
	}
	return call(ctx, integration.Access{Tenant: i.Tenant()})
}

// noQueue discards jobs, because the test makes the attempts.
type noQueue struct{}

func (noQueue) Enqueue(context.Context, job.Args, job.Priority) error      { return nil }
func (noQueue) EnqueueAll(context.Context, []job.Args, job.Priority) error { return nil }
func (noQueue) Live(context.Context, job.Args) (bool, error)               { return false, nil }

// life is the lifetime of one process. After its end, nothing that the process
// does is stored.
type life struct{ ended atomic.Bool }

type lifeKey struct{}

var errKilled = errors.New("the process was killed")

// kill ends the process of a context like kill -9.
func kill(ctx context.Context) {
	if l, ok := ctx.Value(lifeKey{}).(*life); ok {
		l.ended.Store(true)
	}
}

// mortal is a repository that refuses changes of an ended process.
type mortal struct{ ledgersync.Repository }

func (m mortal) Change(
	ctx context.Context, s identity.Scope, id uuid.UUID,
	change func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error),
) (*invoice.Invoice, *ledgersync.Sync, error) {
	if l, ok := ctx.Value(lifeKey{}).(*life); ok && l.ended.Load() {
		return nil, nil, errKilled
	}
	return m.Repository.Change(ctx, s, id, change)
}

// approved creates an approved invoice of 100.00 and 19.00 tax.
func (w *world) approved(number string, change ...func(*invoice.Invoice)) uuid.UUID {
	w.t.Helper()
	ctx := context.Background()
	content := fmt.Appendf(nil, "%%PDF-1.7 %s", number)
	sha, size, err := w.blobs.Put(ctx, bytes.NewReader(content))
	must(w.t, err)
	d := &document.Document{
		ID: ids{}.New(), EntityID: w.entity, OrganizationID: w.admin.OrganizationID, Filename: number + ".pdf", MediaType: "application/pdf",
		SizeBytes: size, SHA256: sha, Origin: document.FromUpload, Status: document.Extracted, Version: 1,
	}
	inv := &invoice.Invoice{
		ID: ids{}.New(), DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: d.OrganizationID, Status: invoice.Approved,
		Approval: &invoice.Approval{By: w.admin.UserID, At: w.clock.Now(), Version: 1}, Version: 1,
	}
	amount := func(s string) *money.Decimal { v := money.MustParse(s); return &v }
	inv.Content = invoice.Content{
		Type: invoice.TypeInvoice, Number: number, Currency: "EUR", IssueDate: calendar.Date{Year: 2026, Month: 11, Day: 3},
		Seller:   invoice.Party{Name: "Alpha GmbH", TaxID: "DE136695976"},
		Lines:    []invoice.Line{{ID: ids{}.New(), Position: 1, Description: "Paper", NetAmount: amount("100.00"), TaxRate: amount("19"), TaxCategory: "S"}},
		NetTotal: amount("100.00"), TaxTotal: amount("19.00"), GrossTotal: amount("119.00"),
	}
	for _, c := range change {
		c(inv)
	}
	d.EntityID = inv.EntityID
	_, err = w.store.Documents().Add(ctx, d)
	must(w.t, err)
	must(w.t, w.store.Invoices().Add(ctx, inv))
	return inv.ID
}

func (w *world) invoice(id uuid.UUID) *invoice.Invoice {
	w.t.Helper()
	inv, err := w.store.Invoices().Get(context.Background(), w.admin.Scope(), id)
	must(w.t, err)
	return inv
}

// request requests a sync. The response is the state before any attempt.
func (w *world) request(id uuid.UUID, in usecase.Input) (*invoice.Invoice, error) {
	return w.service.Request(context.Background(), w.admin, id, 0, in)
}

// push makes each due attempt once and returns their number.
func (w *world) push(ctx context.Context) int {
	w.t.Helper()
	due, err := w.store.Bookings().Due(context.Background(), w.clock.Now(), w.clock.Now().Add(time.Hour), 2000)
	must(w.t, err)
	var workers gosync.WaitGroup
	queue := make(chan ledgersync.Sync)
	for range 8 {
		workers.Go(func() {
			for b := range queue {
				ctx := context.WithValue(ctx, lifeKey{}, &life{})
				err := w.service.Run(ctx, job.SyncInvoice{V: 1, OrganizationID: b.OrganizationID, InvoiceID: b.InvoiceID, Round: b.Round})
				// A database that is too busy fails an attempt, also by the deadline for its
				// outcome; the queue retries it.
				f, ok := fault.As(err)
				busy := ok && f.Kind == fault.Unavailable || errors.Is(err, context.DeadlineExceeded)
				if err != nil && !errors.Is(err, errKilled) && !busy {
					w.t.Errorf("attempt: %v", err)
				}
			}
		})
	}
	for _, b := range due {
		queue <- b
	}
	close(queue)
	workers.Wait()
	return len(due)
}

// settle makes attempts until none is scheduled.
func (w *world) settle() {
	w.t.Helper()
	for round := range 500 {
		w.push(context.Background())
		left, err := w.store.Bookings().Due(context.Background(), w.clock.Now().Add(1000*time.Hour), w.clock.Now().Add(time.Hour), 1)
		must(w.t, err)
		if len(left) == 0 {
			return
		}
		w.clock.advance(time.Duration(5+round) * time.Minute)
	}
	w.t.Fatal("the syncs never come to an end")
}

// book requests a sync and runs it to its end.
func (w *world) book(id uuid.UUID, in usecase.Input) *invoice.Invoice {
	w.t.Helper()
	if _, err := w.request(id, in); err != nil {
		w.t.Fatalf("request: %v", err)
	}
	w.settle()
	return w.invoice(id)
}

func (w *world) events(id uuid.UUID) (types []event.Type) {
	w.t.Helper()
	list, err := w.store.Events().List(context.Background(), w.admin.Scope(), event.Filter{SubjectIDs: []uuid.UUID{id}}, page.Request{})
	must(w.t, err)
	for _, e := range list.Items {
		types = append(types, e.Type)
	}
	return types
}

func wantFault(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("error %v, want %s", err, code)
	}
}

func jobOf(id, organization uuid.UUID) job.SyncInvoice {
	return job.SyncInvoice{V: job.SyncVersion, OrganizationID: organization, InvoiceID: id, Round: 1}
}
