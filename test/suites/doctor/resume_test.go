package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	simquickbooks "docledger/adapter/sim/quickbooks"
	simstripe "docledger/adapter/sim/stripe"
	simxero "docledger/adapter/sim/xero"
	"docledger/cmd/service"
	"docledger/domain/integration"
	"docledger/infrastructure/database"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
	"docledger/usecase/restore"
)

// waitTimeout is the timeout for events without a required duration.
const waitTimeout = 60 * time.Second

// outside is every third party of an installation: two ledgers, a document
// store and a payment processor. They keep their state during a restore.
type outside struct {
	t         *testing.T
	ledger    *harness.Ledger
	ledgerSim *simxero.Server
	other     *harness.Ledger
	otherSim  *simquickbooks.Server
	store     *harness.Store
	processor *simstripe.Server
	env       map[string]string
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	w := &outside{t: t, processor: simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount()})}
	w.ledger, w.ledgerSim = harness.NewLedgerA(t)
	w.other, w.otherSim = harness.NewLedgerB(t)
	w.store, _ = harness.NewStoreB(t)
	payments := httptest.NewServer(w.processor)
	t.Cleanup(func() {
		payments.Close()
		w.processor.Close()
	})
	w.env = map[string]string{
		// Tokens stay valid when the address changes.
		"BASE_URL": "http://localhost:1", "POLL_INTERVAL": "1s",
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk_test_restored", "PAYMENT_SIGNING_SECRETS": "whsec_restored_0123456789", "PAYMENT_URL": payments.URL,
	}
	return w
}

// options returns the options of an installation.
func (w *outside) options(o harness.Options) harness.Options {
	o.Env = maps.Clone(w.env)
	return o.With(w.ledger, w.other).WithStore(w.store)
}

func (w *outside) pay(method, path string, form ...string) map[string]any {
	w.t.Helper()
	return harness.AskProcessor(w.t, w.processor, method, path, form...)
}

// subscribe buys a plan for an organization, to be charged for the current
// month. It returns the customer.
func (w *outside) subscribe(s *harness.Server, org harness.Organization) (customer string) {
	w.t.Helper()
	customer, err := s.Service.Billing.Customers.Ensure(context.Background(), org.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	text := func(object map[string]any) string { id, _ := object["id"].(string); return id }
	card := text(w.pay(http.MethodPost, "/v1/payment_methods/pm_card_visa/attach", "customer", customer))
	w.pay(http.MethodPost, "/v1/customers/"+customer, "invoice_settings[default_payment_method]", card)
	product := text(w.pay(http.MethodPost, "/v1/products", "name", "Team"))
	price := text(w.pay(http.MethodPost, "/v1/prices", "product", product, "currency", "eur", "unit_amount", "3000", "recurring[interval]", "month"))
	clock := w.processor.Kit.Clock
	if clock.Now().Day() == 1 {
		clock.Advance(24 * time.Hour) // a subscription of the 1st is not charged immediately
	}
	now := clock.Now()
	anchor := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	w.pay(http.MethodPost, "/v1/subscriptions", "customer", customer, "items[0][price]", price,
		"billing_cycle_anchor", fmt.Sprint(anchor.Unix()), "proration_behavior", "none",
		"metadata[charge_current_month]", "true", "metadata[price_id]", price)
	return customer
}

// deliver sends the latest event of a new subscription.
func (w *outside) deliver(s *harness.Server) {
	w.t.Helper()
	latest, _ := w.pay(http.MethodGet, "/v1/events", "limit", "1", "type", "customer.subscription.created")["data"].([]any)
	event, _ := latest[0].(map[string]any)
	id, _ := event["id"].(string)
	body, ok := w.processor.Payload(id, "")
	if !ok {
		w.t.Fatal("the event is missing")
	}
	s.Send(http.MethodPost, "/webhook/payments", "", strings.NewReader(string(body)),
		"Content-Type", "application/json", "Stripe-Signature", simstripe.Sign(body, time.Now(), "whsec_restored_0123456789")).OK()
}

// charges counts the charges of a customer other than those of the
// subscription.
func (w *outside) charges(customer string) (n int) {
	w.t.Helper()
	data, _ := w.pay(http.MethodGet, "/v1/invoices", "customer", customer)["data"].([]any)
	for _, d := range data {
		if object, _ := d.(map[string]any); object["subscription"] == nil {
			n++
		}
	}
	return n
}

func (w *outside) bills() int { return len(w.ledgerSim.Documents(w.ledger.Tenants[0])) }

// approve uploads and approves an invoice so that it can be synced.
func approve(t *testing.T, s *harness.Server, org harness.Organization, number string) (invoice string) {
	t.Helper()
	token := org.Admin.Token
	up := s.Upload(token, org.Entity, number+".xml", harness.UBLFrom("Supplier", number, "GBP", "20")).OK()
	inv := s.Extract(token, up.Text("id")).OK()
	s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", token, map[string]any{"version": inv.Number("version")}).OK()
	return inv.Text("id")
}

// ingested counts the documents that were ingested from the watched location.
func ingested(s *harness.Server, org harness.Organization) (n int) {
	list := s.Do(http.MethodGet, "/api/documents", org.Admin.Token, nil).OK()
	for i := range list.Len("items") {
		if list.Text("items", i, "source") == "TRIGGER" {
			n++
		}
	}
	return n
}

// world is the state of the installation before and after the restore.
type world struct {
	*outside
	org, late              harness.Organization
	synced, queued         string // invoices
	ledger, other, watched string // integrations
	customer, lateCustomer string
}

// TestRestoredInstallationIsPaused restores a backup while the ledgers, the document
// store and the payment processor have newer states. The installation calls none of
// them until the operator runs resume in another process. Then it does all work
// exactly once.
func TestRestoredInstallationIsPaused(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := &world{outside: newOutside(t)}
		var fresh harness.Options
		t.Run("before", func(t *testing.T) { fresh = w.before(t, o) })
		if t.Failed() {
			return
		}
		w.otherSim.Disconnect(w.outside.other.Tenants[0])
		t.Run("only api", func(t *testing.T) {
			alone := fresh
			alone.NoWorkers, alone.AfterRestore = true, true
			w.queueAgain(t, harness.Start(t, alone))
		})
		if t.Failed() {
			return
		}
		// Resume runs later, in another process without the flag.
		s := harness.Start(t, fresh)
		w.wantPaused(t, s, fresh)
		w.resumed(t, s, fresh)
	})
}

// before does work, makes a backup, and does more work. It returns the restored
// installation, which is not running yet.
func (w *world) before(t *testing.T, o harness.Options) harness.Options {
	s := harness.Start(t, w.options(o))
	w.org, w.late = s.NewOrganization("Restored"), s.NewOrganization("Late")
	token := w.org.Admin.Token
	w.ledger = s.Activate(w.org, w.org.Entity, w.outside.ledger, w.outside.ledger.Tenants[0])
	account := s.Do(http.MethodGet, "/api/v1/integrations/"+w.ledger+"/accounting-accounts?account_types=EXPENSE", token, nil).OK().Text("items", 0, "id")
	s.Do(http.MethodPut, "/api/settings/"+w.org.Entity.String(), token, map[string]any{"default_account_id": account}).OK()
	w.other = s.Activate(w.late, w.late.Entity, w.outside.other, w.outside.other.Tenants[0])
	w.watched = s.Watch(w.org, w.org.Entity, w.store)
	w.store.Add("", "first.xml", harness.UBL("W-1"))
	s.Eventually("watched", waitTimeout, func() bool { return ingested(s, w.org) == 1 }, func() string { return "" })
	w.synced, w.queued = approve(t, s, w.org, "R-1"), approve(t, s, w.org, "R-2")

	fresh := w.options(harness.Options{DataDir: w.t.TempDir()}) // outlives this subtest
	if o.DatabaseURL != "" {
		fresh.DatabaseURL = postgres.NewEmpty(w.t)
	}
	restoreDatabase := backUp(t, s.DataDir, o)
	for _, folder := range []string{"blobs", "keys"} {
		if err := os.CopyFS(filepath.Join(fresh.DataDir, folder), os.DirFS(filepath.Join(s.DataDir, folder))); err != nil {
			t.Fatal(err)
		}
	}
	restoreDatabase(fresh)

	if done := s.Do(http.MethodPost, "/api/invoices/"+w.synced+"/sync", token, nil).OK(); done.Text("status") != "SYNCED" {
		t.Fatalf("synced: %s", done.Raw)
	}
	w.store.Add("", "second.xml", harness.UBL("W-2"))
	s.Eventually("watched again", waitTimeout, func() bool { return ingested(s, w.org) == 2 }, func() string { return "" })
	w.customer = w.subscribe(s, w.org)
	w.deliver(s)
	s.Eventually("charged", waitTimeout, func() bool { return w.charges(w.customer) == 1 }, func() string { return "" })
	return fresh
}

// queueAgain requests syncs while no worker runs.
func (w *world) queueAgain(t *testing.T, s *harness.Server) {
	for _, invoice := range []string{w.synced, w.queued} {
		began := time.Now()
		waits := s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", w.org.Admin.Token, nil).OK()
		if waits.Text("status") != "APPROVED" || waits.Text("sync", "state") != "QUEUED" || waits.Text("sync", "error", "code") != "held_after_restore" ||
			waits.Text("sync", "error", "action") == "" {
			t.Errorf("a paused sync is %s", waits.Raw)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the request waited for it, %s", took)
		}
	}
}

// wantPaused verifies that a running installation is paused.
func (w *world) wantPaused(t *testing.T, s *harness.Server, o harness.Options) {
	before, bills := len(w.store.Requests()), w.bills()
	w.lateCustomer = w.subscribe(s, w.late)
	w.deliver(s)
	w.store.Add("", "third.xml", harness.UBL("W-3"))
	db := openDatabase(t, o)
	count := func(where string) (n int) {
		t.Helper()
		if err := db.SQL.QueryRow("SELECT count(*) FROM river_job WHERE " + where).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// Each job was fetched and postponed without a counted attempt.
	s.Eventually("postponed", waitTimeout, func() bool {
		return count("state = 'scheduled' AND kind = 'sync_invoice'") == 2 && count("state = 'scheduled' AND kind = 'process_event'") >= 2
	}, func() string { return fmt.Sprint(count("kind = 'sync_invoice'"), count("kind = 'process_event'")) })
	// A poll that ran during the backup has a counted attempt.
	if n := count("state = 'scheduled' AND attempt > 0 AND kind <> 'poll_store'"); n != 0 {
		t.Errorf("%d jobs have a counted attempt", n)
	}
	up := s.Upload(w.org.Admin.Token, w.org.Entity, "new.xml", harness.UBL("N-1")).OK()
	if inv := s.Extract(w.org.Admin.Token, up.Text("id")).OK(); inv.Text("status") == "" {
		t.Errorf("extracted while paused: %s", inv.Raw)
	}
	s.Send(http.MethodGet, "/readyz", "", nil).OK()
	if st := s.Do(http.MethodGet, "/api/integrations/"+w.watched+"/status", w.org.Admin.Token, nil).OK(); st.Text("paused_reason") != "held_after_restore" {
		t.Errorf("the watched location's status is %s", st.Raw)
	}
	if n := len(w.store.Requests()); n != before || ingested(s, w.org) != 1 {
		t.Errorf("the store received %d calls, and %d documents were ingested", n-before, ingested(s, w.org))
	}
	if w.bills() != bills || w.charges(w.customer) != 1 || w.charges(w.lateCustomer) != 0 {
		t.Errorf("%d bills, %d and %d charges", w.bills(), w.charges(w.customer), w.charges(w.lateCustomer))
	}
	env := maps.Clone(o.Env)
	env["DATA_DIR"], env["DATABASE_URL"], env["IDENTITY"] = o.DataDir, o.DatabaseURL, "local"
	env["COMPILE_CACHE_DIR"] = filepath.Join(os.TempDir(), "docledger-test-cache")
	f := diagnose(t, env, service.DiagnoseOptions{Roles: all.Roles[:2]})["work"]
	if f.State() != "WARNING" || !strings.Contains(f.Detail(), "paused after a restore") || !strings.Contains(f.Remedy, "docledger resume") {
		t.Errorf("doctor reports %+v", f)
	}
}

func openDatabase(t *testing.T, o harness.Options) *database.DB {
	t.Helper()
	dbc := database.Config{URL: o.DatabaseURL}
	if o.DatabaseURL == "" {
		dbc.URL = "sqlite:" + filepath.Join(o.DataDir, "docledger.db")
	}
	db, err := database.Open(context.Background(), dbc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// resumed runs resume in another process. It verifies that the running process
// then does all pending work exactly once.
func (w *world) resumed(t *testing.T, s *harness.Server, o harness.Options) {
	o.NoWorkers = true
	operator := harness.Start(t, o)
	trials, err := operator.Service.Restore.Resume(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found := map[integration.Provider]restore.Outcome{}
	for _, trial := range trials {
		found[trial.Grant.Provider] = trial.Outcome
		if len(trial.Integrations) != 1 {
			t.Errorf("%s: %d integrations", trial.Grant.Provider, len(trial.Integrations))
		}
	}
	want := map[integration.Provider]restore.Outcome{
		integration.AccountingA: restore.Works, integration.DocstoreB: restore.Works, integration.AccountingB: restore.Reconnect,
	}
	if !maps.Equal(found, want) {
		t.Errorf("the grant checks are %v, want %v", found, want)
	}
	status := func(invoice string) string {
		return s.Do(http.MethodGet, "/api/invoices/"+invoice, w.org.Admin.Token, nil).OK().Text("status")
	}
	took := s.Eventually("all done", 30*time.Second, func() bool {
		return status(w.synced) == "SYNCED" && status(w.queued) == "SYNCED" && ingested(s, w.org) == 3 && w.charges(w.lateCustomer) == 1
	}, func() string {
		return fmt.Sprint(status(w.synced), status(w.queued), ingested(s, w.org), w.charges(w.customer), w.charges(w.lateCustomer))
	})
	t.Logf("all queued work was done after %s", took)
	if w.bills() != 2 || w.charges(w.customer) != 1 {
		t.Errorf("%d bills, %d charges: something was done twice", w.bills(), w.charges(w.customer))
	}
	other := s.Do(http.MethodGet, "/api/integrations/"+w.other+"/status", w.late.Admin.Token, nil).OK()
	if other.Text("status") != "ERROR" || other.Text("status_reason", "code") != "reconnect_needed" {
		t.Errorf("the integration with the ended consent is %s", other.Raw)
	}
	if since, err := operator.Service.Restore.Since(context.Background()); err != nil || !since.IsZero() {
		t.Errorf("paused since %s, %v", since, err)
	}
}
