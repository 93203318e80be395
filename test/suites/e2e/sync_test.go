package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestInvoiceIsSyncedIntoEachLedger takes an e-invoice from its upload to a
// bill in each simulated ledger through the API.
func TestInvoiceIsSyncedIntoEachLedger(t *testing.T) {
	t.Parallel()
	for provider, open := range map[string]func(testing.TB) *harness.Ledger{
		"ACCOUNTING_A": func(t testing.TB) *harness.Ledger { l, _ := harness.NewLedgerA(t); return l },
		"ACCOUNTING_B": func(t testing.TB) *harness.Ledger { l, _ := harness.NewLedgerB(t); return l },
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			harness.OnEach(t, func(t *testing.T, o harness.Options) {
				// Each installation has its own tenant, because installations
				// that share a tenant share its limits without knowing it.
				l := open(t)
				s := harness.Start(t, o.With(l))
				org := s.NewOrganization("Sync")
				syncInto(t, s, org, l, provider)
			})
		})
	}
}

func syncInto(t *testing.T, s *harness.Server, org harness.Organization, l *harness.Ledger, provider string) {
	token := org.Admin.Token
	invoice := approve(t, s, org)
	// Without a ledger, the sync fails at once.
	s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", token, nil).Want(http.StatusBadRequest, "conflict")
	id := s.Activate(org, org.Entity, l, l.Tenants[0])
	failed := s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", token, nil).OK()
	if failed.Text("status") != "SYNC_FAILED" || failed.Text("sync", "error", "code") != "account_missing" || failed.Text("sync", "error", "action") == "" {
		t.Fatalf("without an account: %s", failed.Raw)
	}
	if r := report(s, token); r.Text("failures", 0, "stage") != "sync" || r.Text("failures", 0, "reason") != "account_missing" || r.Number("failures", 0, "count") != 1 {
		t.Errorf("the report: %s", r.Raw)
	}
	account := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-accounts?account_types=EXPENSE", token, nil).OK().Text("items", 0, "id")
	rates := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-tax-rates", token, nil).OK()
	rate := ""
	for i := range rates.Len("items") {
		if rates.Text("items", i, "rate") != "" && strings.HasPrefix(rates.Text("items", i, "rate"), "20") && rates.Text("items", i, "status") == "ACTIVE" {
			rate = rates.Text("items", i, "id")
			set := s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{
				"default_account_id": account, "tax_mappings": []any{map[string]any{"category": "S", "rate": "20", "tax_rate_id": rate}},
			})
			if set.Status == http.StatusOK {
				break
			}
		}
	}
	if rate == "" {
		t.Fatalf("the ledger has no rate of 20 %%: %s", rates.Raw)
	}
	done := s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", token, nil).OK()
	if done.Text("status") != "SYNCED" || done.Text("sync", "state") != "DONE" || done.Text("sync", "remote_id") == "" || done.Text("sync", "ledger_total") == "" {
		t.Fatalf("synced: %s", done.Raw)
	}
	if r := report(s, token); r.Number("synced") != 1 || r.At("median_seconds") == nil || r.At("longest_seconds") == nil || r.Len("failures") != 0 {
		t.Errorf("the report: %s", r.Raw)
	} else if r.Len("provider_calls") != 1 || r.Text("provider_calls", 0, "provider") != provider || r.Text("provider_calls", 0, "account") == "" ||
		r.Number("provider_calls", 0, "used") == 0 || r.Number("provider_calls", 0, "window_seconds") < 60 {
		t.Errorf("the calls to %s: %s", provider, r.Raw)
	}
	attached := map[string]string{"ACCOUNTING_A": "RENDERED", "ACCOUNTING_B": "ATTACHED"}[provider] // A refuses XML
	if done.Text("sync", "attachment") != attached || done.Text("contact_id") == "" || done.Text("lines", 0, "account_id") != account {
		t.Errorf("synced: %s", done.Raw)
	}
	again := s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", token, nil).OK()
	if again.Text("status") != "SYNCED" || again.Number("version") != done.Number("version") || again.Text("sync", "remote_id") != done.Text("sync", "remote_id") {
		t.Errorf("synced again: %s", again.Raw)
	}
	if list := s.Do(http.MethodGet, "/api/invoices?entity_id="+org.Entity.String(), token, nil).OK(); list.Text("items", 0, "sync_state") != "DONE" {
		t.Errorf("the list shows %s", list.Raw)
	}
	s.Do(http.MethodPost, "/api/invoices/"+invoice+"/reject", token, map[string]any{"reason": "late"}).Want(http.StatusBadRequest, "conflict")
}

// approve uploads an invoice of 100.00 and 20.00 tax and approves it.
func approve(t *testing.T, s *harness.Server, org harness.Organization) (invoice string) {
	t.Helper()
	token := org.Admin.Token
	content := strings.ReplaceAll(string(harness.UBLOf("S-"+uuid.NewString()[:8], "100.00", "20.00", "120.00")), "<cbc:Percent>19<", "<cbc:Percent>20<")
	up := s.Upload(token, org.Entity, "sync.xml", []byte(content)).OK()
	inv := s.Extract(token, up.Text("id")).OK()
	s.Do(http.MethodPatch, "/api/invoices/"+inv.Text("id"), token, map[string]any{"currency": "GBP"})
	inv = s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id"), token, nil).OK()
	s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", token, map[string]any{"version": inv.Number("version")}).OK()
	return inv.Text("id")
}

// TestBookingGoesOnOnceReconnected ends the consent. The sync reports it and
// resumes automatically after a new consent.
func TestBookingGoesOnOnceReconnected(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		l, sim := harness.NewLedgerA(t)
		s := harness.Start(t, o.With(l))
		org := s.NewOrganization("Reconnected")
		token := org.Admin.Token
		id := s.Activate(org, org.Entity, l, l.Tenants[0])
		account := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-accounts?account_types=EXPENSE", token, nil).OK().Text("items", 0, "id")
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"default_account_id": account}).OK()
		invoice := approve(t, s, org)
		sim.Withdraw()
		waits := s.Do(http.MethodPost, "/api/invoices/"+invoice+"/sync", token, nil).OK()
		if waits.Text("sync", "error", "code") != "reconnect_needed" || waits.Text("sync", "next_attempt_at") == "" {
			t.Fatalf("without a consent: %s", waits.Raw)
		}
		if again := s.Connect(org, org.Entity, l, l.Tenants[0]); again != id {
			t.Fatalf("connecting again made %s of %s", again, id)
		}
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for began := time.Now(); ; <-tick.C {
			now := s.Do(http.MethodGet, "/api/invoices/"+invoice, token, nil).OK()
			if now.Text("status") == "SYNCED" {
				return
			}
			if time.Since(began) > 20*time.Second {
				t.Fatalf("connected again, but %s", now.Raw)
			}
		}
	})
}
