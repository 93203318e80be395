package e2e

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/httpapi/spectest"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// accounts are the tables that identify a caller.
var accounts = []string{"users", "memberships", "organizations", "sessions", "sign_in_attempts", "api_keys"}

// ofAccounts are the operations that need no other table.
var ofAccounts = []string{"whereTo", "login", "getSetup", "setUp", "refreshToken", "logout", "listSessions", "endSession", "changePassword", "getMe", "listMembers", "listApiKeys", "createApiKey", "revokeApiKey", "listPlans", "createCheckoutSession", "createPortalSession"}

// TestDatabaseWorkEndsWithTheRequest locks the tables of the service while every
// operation runs. REQUEST_TIMEOUT must end each request with 503 and its
// statement, although the lock remains.
func TestDatabaseWorkEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	url := postgres.New(t)
	o := harness.Options{DatabaseURL: url, DataDir: t.TempDir()}
	v := newTenancy(t, o)
	document, invoice := v.fresh()
	integration := v.integration("")
	const name = "deadline"
	o = o.With(v.ledger).WithStore(v.store)
	o.NoWorkers, o.DatabaseURL, o.Env["REQUEST_TIMEOUT"] = true, url+join(url)+"application_name="+name, "2s"
	v.s = harness.Start(t, o)
	token := v.s.Login(v.org.Admin.Email)
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	// A transaction sees the activity of one moment, so another connection looks.
	locker, watcher := connect(), connect()
	for round, spared := range map[string][]string{"all but the accounts": accounts, "all": nil} {
		unlock := lockTables(t, locker, spared)
		var requests sync.WaitGroup
		for _, op := range v.s.Checker.Operations() {
			if op.Signed || op.Browser || spared != nil && slices.Contains(ofAccounts, op.ID) {
				continue
			}
			names := strings.NewReplacer(append(v.place(op, integration), "$entity", v.org.Entity.String(), "$document", document, "$price", noPrice, "$tenant", v.ledger.Tenants[0],
				"{entity_id}", v.org.Entity.String(), "{document_id}", document, "{invoice_id}", invoice, "{session_id}", uuid.NewString())...)
			requests.Go(func() {
				r := v.request(t, op, names.Replace(op.Path+queries[op.ID]), names.Replace(bodies[op.ID]), token)
				if r.Status != http.StatusServiceUnavailable || r.Text("error", "code") != "unavailable" {
					t.Errorf("%s locked: %s: %d %s", round, op.ID, r.Status, r.Raw)
				}
			})
		}
		requests.Wait()
		var running []string
		ended := func() bool {
			rows, err := watcher.Query(t.Context(), "SELECT query FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'", name)
			if err == nil {
				running, err = pgx.CollectRows(rows, pgx.RowTo[string])
			}
			if err != nil {
				t.Fatal(err)
			}
			return len(running) == 0
		}
		v.s.Eventually("every statement ended", waitTimeout, ended, func() string { return strings.Join(running, "\n") })
		unlock()
	}
	v.s.Eventually("responses after the locks", waitTimeout, func() bool {
		return v.s.Do(http.MethodGet, "/api/invoices/"+invoice, token, nil).Status == http.StatusOK
	}, func() string { return "" })
}

func join(url string) string {
	if strings.Contains(url, "?") {
		return "&"
	}
	return "?"
}

// lockTables locks the tables of docledger except the spared ones until unlock.
// The tables of the job queue belong to a library.
func lockTables(t *testing.T, conn *pgx.Conn, spared []string) (unlock func()) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE 'river%' AND tablename <> ALL($1)", append([]string{""}, spared...))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatalf("tables %v: %v", tables, err)
	}
	_, err = tx.Exec(t.Context(), "LOCK TABLE "+strings.Join(tables, ", ")+" IN ACCESS EXCLUSIVE MODE")
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == "40P01" {
		// A transaction of the service had locked the tables in another order.
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		return lockTables(t, conn, spared)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestCallsOfOtherSystemsEndWithTheRequest has ledger, document store and payment
// processor accept connections and never answer. REQUEST_TIMEOUT must end each
// request and the call that it made.
func TestCallsOfOtherSystemsEndWithTheRequest(t *testing.T) {
	t.Parallel()
	clock := newHands()
	ledger, _ := harness.NewLedgerA(t)
	store, _ := harness.NewStoreA(t)
	p := newProcessor(t, clock)
	o := harness.Options{NoWorkers: true, Env: p.env}.With(ledger).WithStore(store)
	o.Overrides.Clock = clock
	var lines []*harness.Line
	for _, variable := range []string{"ACCOUNTING_A_URL", "DOCSTORE_A_URL", "PAYMENT_URL"} {
		line, at := harness.LineTo(t, o.Env[variable])
		lines, o.Env[variable] = append(lines, line), at
	}
	o.Env["REQUEST_TIMEOUT"] = "2s"
	s := harness.Start(t, o)
	v := &tenancy{s: s, org: s.NewOrganization("Mine"), ledger: ledger, store: store}
	v.watch = s.Watch(v.org, v.org.Entity, store)
	integration := v.integration("")
	for _, line := range lines {
		line.Stall()
	}
	var requests sync.WaitGroup
	calls := 0
	for _, op := range s.Checker.Operations() {
		if !callsOthers(op) {
			continue
		}
		calls++
		names := strings.NewReplacer(append(v.place(op, integration), "$entity", v.org.Entity.String(), "$price", p.price)...)
		requests.Go(func() {
			r := v.request(t, op, names.Replace(op.Path+queries[op.ID]), names.Replace(bodies[op.ID]), v.org.Admin.Token)
			if code := r.Text("error", "code"); r.Status < 500 || code != "unavailable" && code != "provider_unavailable" {
				t.Errorf("%s: %d %s", op.ID, r.Status, r.Raw)
			}
		})
	}
	requests.Wait()
	if calls < 9 {
		t.Errorf("only %d operations were called", calls)
	}
	for i, line := range lines {
		s.Eventually("no call is open", callTimeout, func() bool { now, _ := line.Stalled(); return now == 0 }, func() string { return "a call outlives its request" })
		if _, all := line.Stalled(); all == 0 {
			t.Errorf("system %d was not called", i)
		}
	}
}

// callTimeout is the maximum time within which a call must end after its request
// ended. It is shorter than the timeouts of the calls themselves.
const callTimeout = 5 * time.Second

// callsOthers reports whether an operation needs the response of another system.
func callsOthers(op spectest.Operation) bool {
	return strings.HasPrefix(op.ID, "listAccounting") || strings.HasPrefix(op.ID, "listTrigger") || slices.Contains(bought, op.ID)
}
