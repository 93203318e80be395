// Package month plays a month of an organization with twelve entities: documents over
// every channel, two ledgers, three people, an assistant, and faults. At its end it
// verifies what must hold for every document, invoice, bill and event.
package month

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
	simclerk "docledger/adapter/sim/clerk"
	"docledger/adapter/sim/kit"
	simquickbooks "docledger/adapter/sim/quickbooks"
	simxero "docledger/adapter/sim/xero"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

const (
	companies = 12
	weeks     = 4
	// settleTimeout limits each wait for background work.
	settleTimeout = 10 * time.Minute
	emailSecret   = "secret of inbound e-mail"
)

// variable returns a number from the environment.
func variable(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s must be a positive number, not %q", name, text)
	}
	return n
}

// book is a simulated ledger and the bills in it.
type book struct {
	*harness.Ledger
	kit      *kit.Kit
	currency string
	rate     int      // percent
	paths    []string // of the calls that fail
	bills    func() []bill
}

// bill is a bill or a credit note in a ledger; cents is negative for a credit note.
type bill struct {
	number string
	cents  int
}

// company is an entity of the organization.
type company struct {
	n           int
	id, name    string
	book        *book
	integration string
	auto        bool // the system approves
	assisted    bool // the assistant may approve
	store       *harness.Store
	folder      string // of its store
	address     string // for e-mail
}

// month is the played month. Its service is started again every week.
type month struct {
	t         *testing.T
	s         *harness.Server
	options   harness.Options
	draw      *rand.Rand
	provider  *harness.Provider
	books     []*book
	stores    []*harness.Store
	companies []*company
	org       harness.Organization
	editor    harness.Person
	approver  harness.Person
	assistant string // the user whom the assistant acts for
	papers    map[string]*paper
	done      []action
	began     time.Time
	// report reports what does not hold.
	report func(format string, values ...any)
}

// TestMonth plays the month on each database. DOCLEDGER_MONTH is the number of documents
// of each, and DOCLEDGER_MONTH_SEED selects another month.
func TestMonth(t *testing.T) {
	total := variable(t, "DOCLEDGER_MONTH", 60)
	seed := variable(t, "DOCLEDGER_MONTH_SEED", 1)
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel() // a month waits most of the time
			play(t, database, total, uint64(seed))
		})
	}
}

func play(t *testing.T, database string, total int, seed uint64) {
	m := newMonth(t, seed)
	if database == "PostgreSQL" {
		m.options.DatabaseURL = postgres.New(t)
	}
	t.Logf("%d documents, seed %d", total, seed)
	plan := m.plan(total)
	if !t.Run("founding", m.found) {
		return
	}
	for week := range weeks {
		if !t.Run(fmt.Sprintf("week %d", week+1), func(t *testing.T) { m.week(t, week, plan[week]) }) {
			return
		}
	}
	t.Run("end", func(t *testing.T) {
		m.start(t)
		m.verify()
	})
	if !t.Failed() {
		t.Run("planted violations", m.plant)
	}
	t.Logf("played in %s", time.Since(m.began).Round(time.Second))
}

func newMonth(t *testing.T, seed uint64) *month {
	t.Helper()
	m := &month{t: t, draw: rand.New(rand.NewPCG(seed, 0)), papers: map[string]*paper{}, began: time.Now()} //nolint:gosec // repeatable, not secret
	m.provider = harness.NewProvider(t, simclerk.Options{
		Users:         []simclerk.User{{ID: "user_owner", Email: "owner@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_month", Name: "Month"}},
		Memberships:   []simclerk.Membership{{UserID: "user_owner", OrganizationID: "org_month", Role: "org:admin"}},
	})
	const each = companies / 2
	var organizations []simxero.Organization
	var firms []simquickbooks.Company
	for n := range each {
		organization, firm := simxero.DefaultOrganizations()[0], simquickbooks.DefaultCompanies()[0]
		organization.ID, organization.Name = fmt.Sprintf("a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f2%03d", n), fmt.Sprintf("Company %02d", n)
		firm.RealmID, firm.Name = fmt.Sprintf("46208160001%05d", n), fmt.Sprintf("Company %02d", each+n)
		organizations, firms = append(organizations, organization), append(firms, firm)
	}
	a, simA := harness.NewLedgerAOf(t, organizations...)
	simA.SetLimits(func(l *simxero.Limits) { l.Concurrent, l.Minute, l.Day, l.AppMinute = 0, 0, 0, 0 })
	b, simB := harness.NewLedgerBOf(t, firms...)
	simB.SetLimits(func(l *simquickbooks.Limits) { l.Minute, l.Second = 0, 0 })
	m.books = []*book{
		{
			Ledger: a, kit: simA.Kit, currency: "EUR", rate: 19,
			paths: []string{"* /api.xro/2.0/Invoices", "* /api.xro/2.0/Contacts", "* /api.xro/2.0/Invoices/**", "* /api.xro/2.0/CreditNotes"},
			bills: func() (list []bill) {
				for _, tenant := range a.Tenants {
					for _, d := range simA.Documents(tenant) {
						list = append(list, bill{d.Number, signed(t, d.Total, d.Type == "ACCPAYCREDIT")})
					}
				}
				return list
			},
		},
		{
			Ledger: b, kit: simB.Kit, currency: "GBP", rate: 20,
			paths: []string{"* /v3/company/*/bill", "* /v3/company/*/vendor", "* /v3/company/*/upload", "* /v3/company/*/vendorcredit"},
			bills: func() (list []bill) {
				for _, tenant := range b.Tenants {
					for _, d := range simB.Documents(tenant) {
						list = append(list, bill{d.Number, signed(t, d.Total, d.Type == "VendorCredit")})
					}
				}
				return list
			},
		},
	}
	storeA, _ := harness.NewStoreA(t)
	storeB, _ := harness.NewStoreB(t)
	m.stores = []*harness.Store{storeA, storeB}
	m.options = harness.Options{
		DataDir: t.TempDir(),
		Env: map[string]string{
			"POLL_INTERVAL": "2s", "EMAIL_DOMAIN": "in.example.com", "EMAIL_WEBHOOK_SECRET": emailSecret, "SIGN_IN_TRIES_PER_ACCOUNT": "1000",
		},
		Overrides: service.Overrides{Providers: service.Providers{
			// The limits let a month pass in minutes.
			Timeout: 2 * time.Second,
			Limits:  &integration.Limits{Concurrent: 5, Windows: []integration.Window{{Length: time.Minute, Max: 1_000_000}}},
		}},
	}.WithProvider(m.provider).With(a, b).WithStore(storeA).WithStore(storeB)
	return m
}

// start starts the service for one part of the month and signs everyone in.
func (m *month) start(t *testing.T) {
	t.Helper()
	m.t, m.report = t, t.Errorf
	m.s = harness.Start(t, m.options)
	for _, p := range []*harness.Person{&m.org.Admin, &m.editor, &m.approver} {
		p.Token = m.s.Login(p.Email)
	}
}

// robot returns a token of the assistant.
func (m *month) robot() string {
	return m.provider.OAuth("user_owner", "org_month", harness.OAuthClient, simclerk.TokenOptions{Lifetime: time.Hour})
}

// found creates the organization: its people, entities, ledgers and document stores. Its service has
// the usual timeouts, because a consent that a busy machine delays is lost.
func (m *month) found(t *testing.T) {
	m.t, m.report = t, t.Errorf
	patient := m.options
	patient.Overrides.Providers.Timeout = 0
	m.s = harness.Start(t, patient)
	m.org = m.s.NewOrganization("Month")
	m.s.Link(m.org.ID, "org_month")
	m.editor, m.approver = m.s.NewPerson(m.org.ID, identity.RoleMember), m.s.NewPerson(m.org.ID, identity.RoleMember)
	m.assistant = m.s.Do(http.MethodGet, "/api/me", m.robot(), nil).OK().Text("user", "id")
	for n := range companies {
		c := &company{n: n, name: fmt.Sprintf("Company %02d", n), book: m.books[n*len(m.books)/companies], auto: n%2 == 0, assisted: n%6 == 3}
		c.id = m.s.Do(http.MethodPost, "/api/entities", m.org.Admin.Token, map[string]any{
			"name": c.name, "access": "RESTRICTED", "members": []any{
				map[string]any{"user_id": m.editor.ID, "role": "EDITOR"}, map[string]any{"user_id": m.approver.ID, "role": "APPROVER"},
			},
		}).OK().Text("id")
		entity := harness.ID(m.t, c.id)
		c.integration = m.s.Activate(m.org, entity, c.book.Ledger, c.book.Tenants[n%len(c.book.Tenants)])
		m.settings(c)
		c.address = m.s.Do(http.MethodGet, "/api/entities/"+c.id+"/email", m.org.Admin.Token, nil).OK().Text("address")
		if n%6 < 2 {
			c.store = m.stores[n/6]
			folder := fmt.Sprintf("C%02d", n)
			c.folder = c.store.AddFolder("", folder)
			m.s.Watch(m.org, entity, c.store, "/"+folder+"/")
		}
		m.companies = append(m.companies, c)
	}
}

func (m *month) settings(c *company) {
	token, base := m.org.Admin.Token, "/api/v1/integrations/"+c.integration
	account := m.s.Do(http.MethodGet, base+"/accounting-accounts?account_types=EXPENSE", token, nil).OK().Text("items", 0, "id")
	rates := m.s.Do(http.MethodGet, base+"/accounting-tax-rates", token, nil).OK()
	rate := ""
	for i := range rates.Len("items") {
		item, _ := rates.At("items", i).(map[string]any)
		percent, err := strconv.ParseFloat(fmt.Sprint(item["rate"]), 64)
		if err == nil && percent == float64(c.book.rate) && item["purchases"] != false && rate == "" {
			rate = fmt.Sprint(item["id"])
		}
	}
	if rate == "" {
		m.t.Fatalf("%s has no rate of %d %%: %s", c.book.Provider, c.book.rate, rates.Raw)
	}
	assistant := "PREPARE"
	if c.assisted {
		assistant = "ALL"
	}
	m.s.Do(http.MethodPut, "/api/settings/"+c.id, token, map[string]any{
		"default_account_id": account, "auto_sync": true, "approval_required": !c.auto, "assistant_actions": assistant,
		"tax_mappings": []any{map[string]any{"category": "S", "rate": strconv.Itoa(c.book.rate), "tax_rate_id": rate}},
	}).OK()
}

// week plays one week: troubles, documents, the work of people, and their syncs.
func (m *month) week(t *testing.T, week int, papers []*paper) {
	m.start(t)
	m.trouble(week)
	for _, p := range papers {
		m.send(p)
		m.papers[p.name] = p
	}
	if week == 1 {
		m.s.LoseJobs()
	}
	m.settle()
	m.review()
	m.awaitSyncs()
	t.Logf("%d documents sent, %s after the start", len(papers), time.Since(m.began).Round(time.Second))
}

// trouble makes the third parties of the service fail.
func (m *month) trouble(week int) {
	actions := []string{"commit_then_drop", "drop", "garbage", "status:500", "status:503", "status:429", "delay:3s"}
	for _, b := range m.books {
		b.kit.ClearFaults()
		for range 6 {
			f := kit.Fault{Match: b.paths[m.draw.IntN(len(b.paths))], Action: actions[m.draw.IntN(len(actions))]}
			if err := b.kit.Inject(f); err != nil {
				m.t.Fatal(err)
			}
		}
	}
	for _, st := range m.stores {
		switch week {
		case 1:
			st.LoseCursors()
		case 2:
			st.ExpireTokens()
		default:
			st.Throttle(3)
		}
	}
}
