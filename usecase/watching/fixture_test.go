// These tests verify on both databases that every version of a file in a
// watched location becomes exactly one document, whatever fails.
package watching_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/blob"
	"docledger/adapter/queue"
	"docledger/adapter/store"
	"docledger/cmd/service"
	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/job"
	"docledger/domain/organization"
	"docledger/domain/page"
	"docledger/domain/secret"
	"docledger/domain/watch"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/crypto"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
	"docledger/test/lib/sqlite"
	"docledger/usecase"
	"docledger/usecase/documents"
	"docledger/usecase/watching"

	"github.com/google/uuid"
)

// steady is a clock that a test moves.
type steady struct {
	mu  sync.Mutex
	now time.Time
}

func (c *steady) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *steady) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

var errKilled = errors.New("the process was killed")

// mortal is a unit of work whose process is killed when the counter reaches
// zero: before the commit, so that nothing is stored, or after it, so that
// nothing else is done.
type mortal struct {
	*store.Store
	left  int // transactions until the end; negative for never
	after bool
	dead  bool
}

func (m *mortal) InTx(ctx context.Context, fn func(context.Context) error) error {
	if m.dead {
		return errKilled
	}
	if m.left < 0 {
		return m.Store.InTx(ctx, fn)
	}
	if m.left--; m.left >= 0 {
		return m.Store.InTx(ctx, fn)
	}
	m.dead = true
	err := m.Store.InTx(ctx, func(ctx context.Context) error {
		if err := fn(ctx); err != nil || m.after {
			return err
		}
		return errKilled
	})
	return errors.Join(err, errKilled)
}

type plans struct{ billing.Plan }

func (p *plans) Of(context.Context, uuid.UUID) (billing.Plan, error) { return p.Plan, nil }

// direct returns the access of the account of the latest consent.
type direct struct{ w *world }

func (d direct) With(ctx context.Context, _ *integration.Integration, _ bool, call func(context.Context, integration.Access) error) error {
	return call(ctx, integration.Access{Token: secret.New("token"), Account: d.w.account, Background: true})
}

type sniffer struct{}

func (sniffer) MediaType([]byte) string { return "application/xml" }

// health writes the status directly.
type health struct{ st *store.Store }

func (h health) set(ctx context.Context, i *integration.Integration, change func(*integration.Integration)) error {
	_, err := h.st.Integrations().Update(ctx, identity.Scope{OrganizationID: i.OrganizationID}, i.ID, 0, func(i *integration.Integration) error {
		change(i)
		return nil
	})
	return err
}

func (h health) MarkAccessLost(ctx context.Context, i *integration.Integration) error {
	return h.set(ctx, i, func(i *integration.Integration) { i.Fail(integration.AccessLost) })
}

func (h health) MarkAccessRestored(ctx context.Context, i *integration.Integration) error {
	return h.set(ctx, i, (*integration.Integration).Verified)
}

type world struct {
	*watching.Service
	t     *testing.T
	ctx   context.Context
	clock *steady
	st    *store.Store
	queue *queue.Queue
	tx    *mortal
	place *place
	plans *plans
	// account is the account whose consent the integration uses.
	account string
	i       *integration.Integration
}

// onEach runs a test on both databases, with a feed that lists everything and
// with one that reports only changes.
func onEach(t *testing.T, test func(t *testing.T, w *world), directories ...string) {
	t.Helper()
	for _, name := range []string{"sqlite feed", "postgres feed", "sqlite listing", "postgres listing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := sqlite.New
			if strings.HasPrefix(name, "postgres") {
				fresh = postgres.New
			}
			test(t, newWorld(t, fresh(t), strings.HasSuffix(name, "listing"), directories))
		})
	}
}

func newWorld(t *testing.T, url string, listed bool, directories []string) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := &world{t: t, ctx: ctx, clock: &steady{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}, plans: &plans{billing.SelfHosted()}, account: "account"}
	db, err := database.Open(ctx, database.Config{URL: url, MaxConns: 4})
	w.must(err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	keys, err := crypto.NewKeyset([]byte(strings.Repeat("k", crypto.KeySize)))
	w.must(err)
	w.st, err = store.New(ctx, db.Gorm, store.Options{Now: w.clock.Now, Sealer: service.Sealer(keys), LiveJobs: queue.Conditions{}, SettleTimeout: 10 * time.Second})
	w.must(err)
	w.queue, err = queue.New(w.st, db.SQL, nil)
	w.must(err)
	blobs, err := blob.Open(t.TempDir())
	w.must(err)
	w.tx = &mortal{Store: w.st, left: -1}
	w.place = newPlace(w.clock.Now)
	w.Service = w.service(blobs, listed)
	w.setUp(directories)
	return w
}

func (w *world) service(blobs *blob.Folder, listed bool) *watching.Service {
	st := w.st
	var connector any = w.place
	if listed {
		connector = listing{w.place}
	}
	var tx usecase.UnitOfWork = w.tx
	return &watching.Service{
		Watches: st.Watches(), Nodes: st.WatchNodes(), Sets: st.WatchNodes(), Versions: st.WatchVersions(),
		Subscriptions: st.WatchSubscriptions(),
		Integrations:  st.Integrations(), Entities: st.Entities(), Accesses: direct{w},
		Connectors: func(integration.Provider) any { return connector }, Health: health{st},
		Providers: integration.Catalog{{Code: integration.DocstoreA, CaseInsensitive: true}},
		Intake: &documents.Service{
			Documents: st.Documents(), Entities: st.Entities(), Settings: st.Settings(), Blobs: blobs, Sniffer: sniffer{}, Events: st.Events(), Queue: w.queue,
			UnitOfWork: st, Clock: w.clock, IDs: clock.UUIDv7{}, Removals: st.Removals(), BlobGrace: time.Hour,
		},
		Plans: w.plans, Usage: st.Usage(), Queue: w.queue, UnitOfWork: tx, Clock: w.clock, Log: slog.New(slog.DiscardHandler),
		Interval: time.Minute, Spread: func() float64 { return 1 }, MaxBytes: 1 << 20, FileTimeout: time.Minute,
	}
}

func (w *world) setUp(directories []string) {
	w.t.Helper()
	o := &organization.Organization{ID: uuid.Must(uuid.NewV7()), Name: "Organization"}
	w.must(w.st.Organizations().Add(w.ctx, o))
	e := &entity.Entity{ID: uuid.Must(uuid.NewV7()), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessOrganization, DefaultRole: identity.Approver}
	w.must(w.st.Entities().Add(w.ctx, e))
	settings := entity.DefaultSettings(o.ID, e.ID)
	w.must(w.st.Settings().Add(w.ctx, &settings))
	w.i = &integration.Integration{
		ID: uuid.Must(uuid.NewV7()), EntityID: e.ID, OrganizationID: o.ID, Provider: integration.DocstoreA, Status: integration.Active,
		Trigger: &integration.TriggerMetadata{Source: "site,1", SubSource: "b!1", Directories: directories},
	}
	w.must(w.st.Integrations().Add(w.ctx, w.i))
	w.must(w.Wake(w.ctx, w.i))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) scope() identity.Scope { return identity.Scope{OrganizationID: w.i.OrganizationID} }

func (w *world) args() job.PollStore {
	return job.PollStore{V: job.PollVersion, OrganizationID: w.i.OrganizationID, IntegrationID: w.i.ID}
}

// poll polls once, whether or not it is due.
func (w *world) poll() *watch.Watch {
	w.t.Helper()
	w.must(w.Poll(w.ctx, w.args()))
	return w.watch()
}

func (w *world) watch() *watch.Watch {
	w.t.Helper()
	got, err := w.Watches.Get(w.ctx, w.scope(), w.i.ID)
	w.must(err)
	return got
}

// settle polls until no work is left.
func (w *world) settle() {
	w.t.Helper()
	for range 200 {
		if got := w.poll(); got.Failures == 0 && got.UpToDateAt.Equal(w.clock.Now()) {
			return
		}
		w.clock.Advance(10 * time.Minute)
	}
	w.t.Fatal("the place is never up to date")
}

// documents returns the documents by the digest of their bytes.
func (w *world) documents() map[string]document.Document {
	w.t.Helper()
	found := map[string]document.Document{}
	for after := ""; ; {
		list, err := w.st.Documents().List(w.ctx, w.scope(), document.Filter{}, document.Sort{}, page.Request{Limit: page.MaxLimit, After: after})
		w.must(err)
		for _, d := range list.Items {
			if _, twice := found[d.SHA256]; twice {
				w.t.Errorf("the bytes %s are two documents", d.SHA256)
			}
			found[d.SHA256] = d
		}
		if after = list.Next; after == "" {
			return found
		}
	}
}

// want compares the documents with the contents, each once.
func (w *world) want(when string, contents ...[]byte) map[string]document.Document {
	w.t.Helper()
	got := w.documents()
	for _, c := range contents {
		if _, ok := got[digest(c)]; !ok {
			w.t.Errorf("%s: %q is not a document", when, c)
		}
	}
	if len(got) != len(contents) {
		w.t.Errorf("%s: %d documents, want %d", when, len(got), len(contents))
	}
	return got
}
