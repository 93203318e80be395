package e2e

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"docledger/adapter/sim/kit"
	"docledger/domain/accounting"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// books are the simulated ledgers with the operations that tests perform in
// them.
type books struct {
	*harness.Ledger
	// addContacts adds contacts to a tenant, every tenth archived.
	addContacts func(tenant string, count int) error
	// outage has every request fail, or ends that.
	outage func(on bool)
	// classes are the account classes of the charts.
	classes func() []string
	// takeOff disconnects a tenant on the side of the provider.
	takeOff func(tenant string) error
	// withdraw ends every consent on the side of the provider.
	withdraw func()
}

func bookA(t *testing.T) *books {
	ledger, sim := harness.NewLedgerA(t)
	return &books{
		Ledger: ledger, addContacts: sim.AddContacts, takeOff: sim.TakeOff, withdraw: sim.Withdraw,
		outage: outage(t, sim.Kit),
		classes: func() []string {
			var out []string
			for _, c := range accounting.Classes() {
				if c != accounting.CreditCard {
					out = append(out, string(c))
				}
			}
			return out
		},
	}
}

func bookB(t *testing.T) *books {
	ledger, sim := harness.NewLedgerB(t)
	return &books{
		Ledger:      ledger,
		addContacts: func(tenant string, count int) error { return sim.Seed(tenant, "Vendor", count) },
		takeOff:     func(tenant string) error { sim.Disconnect(tenant); return nil },
		withdraw:    func() { sim.Disconnect("") },
		outage:      outage(t, sim.Kit),
		classes:     func() []string { return accounting.TypesB(nil) },
	}
}

// onLedgers runs a test against every accounting provider.
func onLedgers(t *testing.T, test func(t *testing.T, s *harness.Server, b *books, log *syncBuffer)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) *books{"A": bookA, "B": bookB} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, log := open(t), &syncBuffer{}
			test(t, harness.Start(t, harness.Options{Log: log}.With(b.Ledger)), b, log)
		})
	}
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestActivation tests the flow from the consent to the lists of the ledger
// over HTTP.
func TestActivation(t *testing.T) {
	t.Parallel()
	onLedgers(t, func(t *testing.T, s *harness.Server, b *books, log *syncBuffer) {
		o := s.NewOrganization("Booker")
		token := o.Admin.Token
		catalogue := s.Do(http.MethodGet, "/api/integrations", token, nil).OK()
		if catalogue.Len("items") != 4 {
			t.Fatalf("the catalogue has %d providers", catalogue.Len("items"))
		}
		tenant := b.Tenants[0]
		asked := s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", token, map[string]any{
			"entity_id": o.Entity, "provider": b.Provider, "redirect_url": harness.RedirectURL,
		}).OK()
		id := asked.Text("integration_id")
		base := "/api/v1/integrations/" + id
		status := func() (string, string) {
			r := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", token, nil).OK()
			if r.At("status_reason") == nil {
				return r.Text("status"), ""
			}
			return r.Text("status"), r.Text("status_reason", "code")
		}
		want := func(wantStatus, wantReason string) {
			t.Helper()
			if st, reason := status(); st != wantStatus || reason != wantReason {
				t.Errorf("status %s %q, want %s %q", st, reason, wantStatus, wantReason)
			}
		}
		want("PENDING", "consent_missing")
		s.SetUp(o, o.Entity, b.Ledger, id, tenant).Want(400, "conflict")
		s.Do(http.MethodGet, base+"/accounting-accounts", token, nil).Want(400, "conflict")
		// The browser also returns if the user declines.
		if q := s.Agree(b.Ledger, asked.Text("authorization_url")); q.Get("error") != "access_denied" || q.Get("status") != "PENDING" {
			t.Errorf("after a refusal the page receives %v", q)
		}
		want("PENDING", "consent_refused")
		s.Connect(o, o.Entity, b.Ledger, tenant)
		want("PENDING", "setup_missing")

		list := s.Do(http.MethodGet, base+"/accounting-organizations?entity_id="+o.Entity.String(), token, nil).OK()
		if list.Len("items") != 1 || list.Text("items", 0, "organization_id") != tenant || list.At("items", 0, "connected_now") != true {
			t.Fatalf("organizations %s", list.Raw)
		}
		s.Do(http.MethodGet, base+"/accounting-organizations", token, nil).Want(400, "invalid_request")
		for _, list := range []string{"/trigger-sources", "/trigger-sources/site,1/sub-sources"} {
			s.Do(http.MethodGet, base+list+"?entity_id="+o.Entity.String(), token, nil).Want(400, "invalid_request")
		}
		b.wrongSetups(t, s, o, id)
		s.SetUp(o, o.Entity, b.Ledger, id, tenant).OK()
		want("ACTIVE", "")
		if got := s.Do(http.MethodGet, "/api/settings/"+o.Entity.String(), token, nil).OK().Text("accounting_integration_id"); got != id {
			t.Errorf("the settings name integration %q", got)
		}
		b.readLists(t, s, o, base)
		r := s.Do(http.MethodDelete, base, token, nil).OK()
		if r.Text("status") != "DISCONNECTED" || r.Text("status_reason", "code") != "ended" {
			t.Errorf("disconnected: %s", r.Raw)
		}
		s.Do(http.MethodGet, base+"/accounting-accounts", token, nil).Want(400, "conflict")
		events := s.Do(http.MethodGet, "/api/events?subject_id="+id+"&limit=50", token, nil).OK()
		var types []string
		for n := range events.Len("items") {
			types = append(types, events.Text("items", n, "type"))
		}
		if got := strings.Join(types, " "); got != "integration.set_up integration.activated integration.disconnected" {
			t.Errorf("events: %s", got)
		}
		if warned := strings.Contains(log.String(), `"types":["PAYG"]`); warned != (b.Provider == "ACCOUNTING_A") {
			t.Errorf("a warning of unknown account types: %t", warned)
		}
		for _, secret := range []string{"secret of A", "secret of B", "access_token", "refresh_token"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("the log shows %q", secret)
			}
		}
	})
}

// wrongSetups tries every wrong body of the setup.
func (b *books) wrongSetups(t *testing.T, s *harness.Server, o harness.Organization, id string) {
	t.Helper()
	for name, test := range map[string]struct{ body, field string }{
		"no status":          {`{"entity_id":"$e","public_metadata":{"provider":"$p","organization_id":"$t","pays_tax":true}}`, "status"},
		"wrong status":       {`{"entity_id":"$e","status":"ACTIVE","public_metadata":{"provider":"$p","organization_id":"$t","pays_tax":true}}`, "status"},
		"no metadata":        {`{"entity_id":"$e","status":"PENDING"}`, "public_metadata"},
		"no provider":        {`{"entity_id":"$e","status":"PENDING","public_metadata":{"organization_id":"$t","pays_tax":true}}`, "public_metadata.provider"},
		"other provider":     {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"DOCSTORE_A","organization_id":"$t","pays_tax":true}}`, "public_metadata.provider"},
		"unknown provider":   {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"LEDGER","organization_id":"$t","pays_tax":true}}`, "public_metadata.provider"},
		"no organization":    {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"$p","pays_tax":true}}`, "public_metadata.organization_id"},
		"wrong organization": {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"$p","organization_id":"other","pays_tax":true}}`, "public_metadata.organization_id"},
		"null organization":  {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"$p","organization_id":null,"pays_tax":true}}`, "public_metadata.organization_id"},
		"no tax":             {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"$p","organization_id":"$t"}}`, "public_metadata.pays_tax"},
		"tax as text":        {`{"entity_id":"$e","status":"PENDING","public_metadata":{"provider":"$p","organization_id":"$t","pays_tax":"yes"}}`, "public_metadata.pays_tax"},
		"no entity":          {`{"status":"PENDING","public_metadata":{"provider":"$p","organization_id":"$t","pays_tax":true}}`, "entity_id"},
		"unknown key":        {`{"entity_id":"$e","status":"PENDING","extra":1,"public_metadata":{"provider":"$p","organization_id":"$t","pays_tax":true}}`, "extra"},
	} {
		body := strings.NewReplacer("$e", o.Entity.String(), "$p", b.Provider, "$t", b.Tenants[0]).Replace(test.body)
		r := s.Send(http.MethodPut, "/api/v1/integrations/"+id, o.Admin.Token, strings.NewReader(body), "Content-Type", "application/json").
			Want(400, "invalid_request")
		if got := r.Text("error", "details", "fields", 0, "field"); got != test.field {
			t.Errorf("%s: the response names %q, want %q", name, got, test.field)
		}
	}
}

// readLists reads the lists of the ledger.
func (b *books) readLists(t *testing.T, s *harness.Server, o harness.Organization, base string) {
	t.Helper()
	token := o.Admin.Token
	all := s.Do(http.MethodGet, base+"/accounting-accounts", token, nil).OK()
	classes, archived := map[string]int{}, 0
	for n := range all.Len("items") {
		classes[all.Text("items", n, "class")]++
		if all.Text("items", n, "status") == "ARCHIVED" {
			archived++
		}
	}
	for _, c := range b.classes() {
		if classes[c] == 0 {
			t.Errorf("no account of class %s", c)
		}
	}
	if archived == 0 || all.At("next_cursor") != nil {
		t.Errorf("%d archived accounts, next %v", archived, all.At("next_cursor"))
	}
	selected := 0
	for _, f := range []string{"ASSET", "LIABILITY", "EQUITY", "REVENUE", "EXPENSE", "BANK", "CREDIT_CARD"} {
		selected += s.Do(http.MethodGet, base+"/accounting-accounts?account_types="+f, token, nil).OK().Len("items")
	}
	together := s.Do(http.MethodGet, base+"/accounting-accounts?account_types=BANK,CREDIT_CARD,ASSET,LIABILITY,EQUITY,REVENUE,EXPENSE", token, nil).OK()
	if together.Len("items") != selected {
		t.Errorf("all classes together select %d accounts, one by one %d", together.Len("items"), selected)
	}
	wrong := s.Do(http.MethodGet, base+"/accounting-accounts?account_types=BANK,Savings", token, nil).Want(400, "invalid_request")
	if !strings.Contains(wrong.Text("error", "message"), `"Savings"`) {
		t.Errorf("the wrong value is not named: %s", wrong.Raw)
	}
	if err := b.addContacts(b.Tenants[0], 1200); err != nil {
		t.Fatal(err)
	}
	complete := s.Do(http.MethodGet, base+"/accounting-contacts", token, nil).OK()
	if n := complete.Len("items"); n < 1200 {
		t.Errorf("%d contacts, want 1,200 and more", n)
	}
	paged, cursor := 0, ""
	for {
		page := s.Do(http.MethodGet, base+"/accounting-contacts?limit=200"+cursor, token, nil).OK()
		paged += page.Len("items")
		if page.At("next_cursor") == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(page.Text("next_cursor"))
	}
	if paged != complete.Len("items") {
		t.Errorf("%d contacts in pages, %d at once", paged, complete.Len("items"))
	}
	for list, want := range map[string]string{
		"accounting-accounts?q=office+expenses": "Office Expenses", "accounting-contacts?limit=1&q=LOGISTIK": "Muster Logistik GmbH", "accounting-currencies?q=usd": "United States Dollar",
	} {
		found := s.Do(http.MethodGet, base+"/"+list, token, nil).OK()
		if b.Provider == "ACCOUNTING_A" && (found.Len("items") != 1 || found.Text("items", 0, "name") != want) {
			t.Errorf("%s: %s", list, found.Raw)
		}
	}
	if found := s.Do(http.MethodGet, base+"/accounting-tax-rates?q=nothing+of+this+name", token, nil).OK(); found.Len("items") != 0 {
		t.Errorf("found %s", found.Raw)
	}
	s.Do(http.MethodGet, base+"/accounting-tax-rates?limit=1"+cursor, token, nil).Want(400, "invalid_request")
	for _, l := range []string{"accounting-tax-rates", "accounting-currencies"} {
		if n := s.Do(http.MethodGet, base+"/"+l, token, nil).OK().Len("items"); n == 0 {
			t.Errorf("%s are empty", l)
		}
	}
	for _, l := range []string{"accounting-accounts", "accounting-contacts", "accounting-tax-rates", "accounting-currencies"} {
		s.Do(http.MethodGet, "/api/v1/integrations/"+uuid.NewString()+"/"+l, token, nil).Want(404, "not_found")
	}
}

// TestLedgerOutOfReach verifies that everything else works while the ledger is
// unavailable (domain D24).
func TestLedgerOutOfReach(t *testing.T) {
	t.Parallel()
	onLedgers(t, func(t *testing.T, s *harness.Server, b *books, _ *syncBuffer) {
		o := s.NewOrganization("Waiting")
		id := s.Activate(o, o.Entity, b.Ledger, b.Tenants[0])
		b.outage(true)
		for n := range 8 {
			r := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-contacts", o.Admin.Token, nil).Want(500, "provider_unavailable")
			if r.Header.Get("Retry-After") == "" {
				t.Errorf("try %d: no Retry-After", n)
			}
		}
		r := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK()
		if r.Text("status") != "ACTIVE" || r.At("retry_at") == nil {
			t.Errorf("status %s", r.Raw)
		}
		s.Do(http.MethodGet, "/api/entities", o.Admin.Token, nil).OK()
		b.outage(false)
	})
}

// TestProviderEndsConsent withdraws the consent at the provider and reconnects.
func TestProviderEndsConsent(t *testing.T) {
	t.Parallel()
	onLedgers(t, func(t *testing.T, s *harness.Server, b *books, _ *syncBuffer) {
		o := s.NewOrganization("Withdrawn")
		id := s.Activate(o, o.Entity, b.Ledger, b.Tenants[0])
		read := func() harness.Response {
			return s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-currencies", o.Admin.Token, nil)
		}
		b.withdraw()
		read().Want(500, "provider_unauthorized")
		r := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK()
		if r.Text("status") != "ERROR" {
			t.Errorf("status %s", r.Raw)
		}
		read().Want(400, "conflict")
		again := s.Do(http.MethodPost, "/api/integrations/"+id+"/connect", o.Admin.Token, map[string]any{"redirect_url": harness.RedirectURL, "entity_id": o.Entity}).OK()
		if q := s.Agree(b.Ledger, again.Text("authorization_url"), b.Tenants[0]); q.Get("status") != "ACTIVE" || q.Get("integration_id") != id {
			t.Errorf("the page receives %v", q)
		}
		read().OK()
		// The same applies to a tenant that is disconnected and reconnected at
		// the provider.
		if err := b.takeOff(b.Tenants[0]); err != nil {
			t.Fatal(err)
		}
		s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-contacts", o.Admin.Token, nil).Want(500, "provider_unauthorized")
		if r := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK(); r.Text("status") != "ERROR" {
			t.Errorf("status %s", r.Raw)
		}
		s.Connect(o, o.Entity, b.Ledger, b.Tenants[0])
		s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-contacts", o.Admin.Token, nil).OK()
	})
}

// TestDefaultAccountOfTheLedger verifies that accounts are refused that lines
// cannot use.
func TestDefaultAccountOfTheLedger(t *testing.T) {
	t.Parallel()
	onLedgers(t, func(t *testing.T, s *harness.Server, b *books, _ *syncBuffer) {
		o := s.NewOrganization("Chooser")
		settings := "/api/settings/" + o.Entity.String()
		put := func(key, value string) harness.Response {
			return s.Do(http.MethodPut, settings, o.Admin.Token, map[string]any{key: value})
		}
		id := s.Activate(o, o.Entity, b.Ledger, b.Tenants[0])
		accounts := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-accounts", o.Admin.Token, nil).OK()
		invoice := s.Extract(o.Admin.Token, s.Upload(o.Admin.Token, o.Entity, "a.xml", harness.UBL("A-1")).OK().Text("id")).OK()
		line := func(account any) harness.Response {
			return s.Do(http.MethodPatch, "/api/invoices/"+invoice.Text("id"), o.Admin.Token, map[string]any{
				"lines": []any{map[string]any{"id": invoice.Text("lines", 0, "id"), "account_id": account}},
			})
		}
		refused := func(r harness.Response, field string) {
			t.Helper()
			if r.Want(400, "invalid_request").Text("error", "details", "fields", 0, "field") != field {
				t.Errorf("refused with %s", r.Raw)
			}
		}
		s.Do(http.MethodPost, "/api/invoices/"+invoice.Text("id")+"/approve", o.Admin.Token, map[string]any{"version": invoice.Number("version")}).OK()
		supplier := "/api/suppliers/" + s.Do(http.MethodGet, "/api/invoices/"+invoice.Text("id"), o.Admin.Token, nil).OK().Text("supplier_id")
		usual := func(account string) harness.Response {
			return s.Do(http.MethodPatch, supplier, o.Admin.Token, map[string]any{"default_account_id": account})
		}
		tried := map[string]bool{}
		for n := range accounts.Len("items") {
			kind := accounts.Text("items", n, "status")
			switch class, name := accounts.Text("items", n, "class"), accounts.Text("items", n, "name"); {
			case class == accounting.NonPosting, class == "AccountsPayable", class == "AccountsReceivable":
				kind = class
			case b.Provider == "ACCOUNTING_A" && (class == "Bank" || name == "Accounts Payable" || name == "Accounts Receivable"):
				kind = name
			}
			if tried[kind] {
				continue
			}
			tried[kind] = true
			r := put("default_account_id", accounts.Text("items", n, "id"))
			if kind == "ACTIVE" {
				r.OK()
				line(accounts.Text("items", n, "id")).OK()
				if got := usual(accounts.Text("items", n, "id")).OK(); got.Text("default_account_source") != "HUMAN" {
					t.Errorf("the supplier's account: %s", got.Raw)
				}
				continue
			}
			refused(r, "default_account_id")
			refused(line(accounts.Text("items", n, "id")), "lines[0].account_id")
			refused(usual(accounts.Text("items", n, "id")), "default_account_id")
		}
		want := []string{"ACTIVE", "ARCHIVED", "Accounts Payable", "Accounts Receivable"}
		if b.Provider == "ACCOUNTING_B" {
			want = []string{"ACTIVE", "ARCHIVED", "AccountsPayable", "AccountsReceivable", accounting.NonPosting}
		}
		for _, kind := range want {
			if !tried[kind] {
				t.Errorf("no account is %s: %v", kind, tried)
			}
		}
		put("default_account_id", "no such account").Want(400, "invalid_request")
		refused(line("no such account"), "lines[0].account_id")
		line(nil).OK()
		put("accounting_integration_id", uuid.NewString()).Want(400, "invalid_request")
		put("accounting_integration_id", id).OK()
		// An account that was set without a ledger is checked with the ledger that is chosen.
		s.Do(http.MethodPut, settings, o.Admin.Token, map[string]any{"accounting_integration_id": nil, "default_account_id": "no such account"}).OK()
		refused(put("accounting_integration_id", id), "default_account_id")
		s.Do(http.MethodPut, settings, o.Admin.Token, map[string]any{"accounting_integration_id": id, "default_account_id": nil}).OK()
		other := s.NewOrganization("Other")
		s.Do(http.MethodPut, "/api/settings/"+other.Entity.String(), other.Admin.Token, map[string]any{"accounting_integration_id": id}).
			Want(400, "invalid_request")
	})
}

// outage has every request to a simulator fail, or ends that.
func outage(t *testing.T, k *kit.Kit) func(on bool) {
	return func(on bool) {
		t.Helper()
		k.ClearFaults()
		if !on {
			return
		}
		if err := k.Inject(kit.Fault{Match: "* /**", Times: 1_000_000, Action: "status:503"}); err != nil {
			t.Fatal(err)
		}
	}
}
