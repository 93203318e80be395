package e2e

import (
	"net/http"
	"strings"
	"testing"

	simmsgraph "docledger/adapter/sim/msgraph"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestStoreCalls polls a location so rarely that only a change notification can
// cause the ingest of a new file.
func TestStoreCalls(t *testing.T) {
	t.Parallel()
	for provider, open := range harness.StoresOf() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			harness.OnEach(t, func(t *testing.T, o harness.Options) {
				st := open(t)
				o = o.WithStore(st)
				o.Env["POLL_INTERVAL"], o.Notifications = "1h", true
				storeCalls(t, harness.Start(t, o), st)
			})
		})
	}
}

func storeCalls(t *testing.T, s *harness.Server, st *harness.Store) {
	o := s.NewOrganization("Called")
	id := s.Watch(o, o.Entity, st)
	status := func() harness.Response {
		return s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK()
	}
	said := func() string { return string(status().Raw) }
	s.Eventually("up to date", waitTimeout, func() bool { return status().At("lag") != nil }, said)
	s.Eventually("promised to call", waitTimeout, func() bool { return len(st.Addresses()) == 1 }, said)
	address := strings.TrimPrefix(st.Addresses()[0], s.URL)
	add := func() string {
		number := uuid.NewString()
		st.Add("", number+".xml", harness.UBL(number))
		return number
	}
	number := add()
	took := s.Eventually("extracted", waitTimeout, func() bool { return extracted(s, o, number) }, said)
	t.Logf("extracted after %s", took)

	// A change without a notification waits for the next notification or the
	// next poll.
	st.Mishandle(true, false)
	unannounced := add()
	st.Mishandle(false, true)
	notified := add()
	s.Eventually("extracted with the next", waitTimeout, func() bool { return extracted(s, o, unannounced) && extracted(s, o, notified) }, said)
	if n := status().Number("files_ingested"); n != 3 {
		t.Errorf("%d files were ingested, want 3", n)
	}

	polled := status().Text("last_poll_at")
	forged := `{"value":[{"clientState":"a guess","changeType":"updated"}]}`
	for name, headers := range map[string][]string{
		"without a secret": nil, "a wrong secret": {"X-Goog-Channel-Token", "a guess", "X-Goog-Resource-State", "change"},
	} {
		r := s.Send(http.MethodPost, address, "", strings.NewReader(forged), append(headers, "Content-Type", "application/json")...)
		if r.Want(400, "invalid_signature"); strings.Contains(string(r.Raw), "guess") {
			t.Errorf("%s: %s", name, r.Raw)
		}
	}
	s.Send(http.MethodPost, "/webhook/storage/"+uuid.NewString(), "", strings.NewReader(forged)).Want(404, "not_found")
	if now := status().Text("last_poll_at"); now != polled {
		t.Error("a forged call had the place polled")
	}

	s.Do(http.MethodDelete, "/api/v1/integrations/"+id, o.Admin.Token, nil).OK()
	if left := st.Addresses(); len(left) != 0 {
		t.Errorf("disconnected, but the store still calls %v", left)
	}
	s.Send(http.MethodPost, address, "", strings.NewReader(forged)).Want(404, "not_found")
}

// TestStoreTellsWhenToComeBack verifies that the status shows when docledger
// will call a store again that refuses calls.
func TestStoreTellsWhenToComeBack(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, s *harness.Server, st *harness.Store) {
		o := s.NewOrganization("Limited")
		id := s.Watch(o, o.Entity, st)
		status := func() harness.Response {
			return s.Do(http.MethodGet, "/api/integrations/"+id+"/status", o.Admin.Token, nil).OK()
		}
		st.Throttle(50)
		s.Eventually("put off", waitTimeout, func() bool { return status().At("retry_at") != nil }, func() string { return string(status().Raw) })
	})
}

// TestNotificationsRefused verifies that the status names the refusal of a store
// that does not announce changes, with a remedy, and that polling continues.
func TestNotificationsRefused(t *testing.T) {
	t.Parallel()
	for provider, refuse := range map[string]func(t *testing.T, o *harness.Options) *harness.Store{
		"DOCSTORE_A": func(t *testing.T, _ *harness.Options) *harness.Store { // requests read-only scopes
			st, sim := harness.NewStoreA(t)
			sim.Configure(func(s *simmsgraph.Settings) { s.ReadOnlySubscriptions = false })
			return st
		},
		"DOCSTORE_B": func(t *testing.T, o *harness.Options) *harness.Store { // an address of a domain that is not verified
			o.Env["NOTIFICATIONS_URL"] = "https://hooks.example"
			st, _ := harness.NewStoreB(t)
			return st
		},
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			o := harness.Options{Env: map[string]string{"POLL_INTERVAL": "1s"}, Notifications: true}
			st := refuse(t, &o)
			s := harness.Start(t, o.WithStore(st))
			org := s.NewOrganization("Refused")
			id := s.Watch(org, org.Entity, st)
			status := func() harness.Response {
				return s.Do(http.MethodGet, "/api/integrations/"+id+"/status", org.Admin.Token, nil).OK()
			}
			said := func() string { return string(status().Raw) }
			s.Eventually("refused", waitTimeout, func() bool { return status().Len("unavailable") == 1 }, said)
			got := status()
			if got.Text("status") != "ACTIVE" || got.Text("unavailable", 0, "capability") != "notifications" ||
				!strings.Contains(got.Text("unavailable", 0, "reason"), "polling") || got.Text("unavailable", 0, "remedy") == "" {
				t.Errorf("the status is %s", got.Raw)
			}
			number := uuid.NewString()
			st.Add("", number+".xml", harness.UBL(number))
			s.Eventually("extracted", waitTimeout, func() bool { return extracted(s, org, number) }, said)
		})
	}
}

// TestAttachmentsUnavailable verifies that the status of a consent without the
// scope for attachments names it, and that of a complete one does not.
func TestAttachmentsUnavailable(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]int{"": 1, " accounting.attachments": 0} {
		ledger, _ := harness.NewLedgerA(t)
		o := harness.Options{}.With(ledger)
		o.Env["ACCOUNTING_A_SCOPES"] = "openid profile email offline_access accounting.settings.read accounting.contacts accounting.invoices" + scope
		s := harness.Start(t, o)
		org := s.NewOrganization("Narrow")
		id := s.Activate(org, org.Entity, ledger, ledger.Tenants[0])
		got := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", org.Admin.Token, nil).OK()
		if got.Len("unavailable") != want || want == 1 && (got.Text("unavailable", 0, "capability") != "attachments" ||
			!strings.Contains(got.Text("unavailable", 0, "reason"), "accounting.attachments") || got.Text("unavailable", 0, "remedy") == "") {
			t.Errorf("with the scope %q the status is %s", scope, got.Raw)
		}
	}
}
