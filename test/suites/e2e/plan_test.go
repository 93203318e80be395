package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/billing"
	"docledger/test/lib/harness"
)

// processorAway is a service with an unreachable payment processor. An
// organization without subscription uses its trial.
var processorAway = map[string]string{
	"BILLING": "stripe", "PAYMENT_URL": "http://127.0.0.1:9", "PAYMENT_SECRET_KEY": "sk_test_away", "PAYMENT_SIGNING_SECRETS": "whsec_away_0123456789",
}

func TestTrialLimitsHoldUnderConcurrency(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Env = processorAway
		s := harness.Start(t, o)
		org := s.NewOrganization("Trial") // has one entity already
		var made, refused atomic.Int64
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() {
				r := s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": fmt.Sprint("E", i)})
				switch r.Status {
				case 200:
					made.Add(1)
				case 403:
					refused.Add(1)
				}
			})
		}
		callers.Wait()
		if made.Load() != 9 || refused.Load() != 91 {
			t.Errorf("%d entities were made and %d refused, want 9 and 91", made.Load(), refused.Load())
		}
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "11th"}).Want(403, "plan_limit_reached")
		s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), org.Admin.Token, map[string]any{"archived": true}).OK()
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "instead"}).OK()
		s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), org.Admin.Token, map[string]any{"archived": false}).Want(403, "plan_limit_reached")
		s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("A-1")).Want(400, "conflict")
	})
}

// TestThe301stInvoiceIsRefused extracts ten documents concurrently with three
// invoices left in the month of a trial.
func TestThe301stInvoiceIsRefused(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := at(t, "2026-03-30T12:00:00Z")
		o.Env, o.Overrides = processorAway, service.Overrides{Clock: clock}
		s := harness.Start(t, o)
		org := s.NewOrganization("Trial")
		token := org.Admin.Token
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"auto_extract": false}).OK()
		var documents []string
		for n := range 10 {
			documents = append(documents, s.Upload(token, org.Entity, "a.xml", harness.UBL(fmt.Sprint("L-", n))).OK().Text("id"))
		}
		for range 297 {
			use := billing.Use{Organization: org.ID, Entity: org.Entity, Counter: billing.Invoices, Period: "2026-03"}
			if ok, err := s.Service.Billing.Usage.Take(t.Context(), use, nil); err != nil || !ok {
				t.Fatal(err)
			}
		}
		var read, refused atomic.Int64
		var callers sync.WaitGroup
		for _, document := range documents {
			callers.Go(func() {
				switch r := s.Extract(token, document); {
				case r.Status == 200:
					read.Add(1)
				case r.Status == 403 && r.Text("error", "code") == "plan_limit_reached":
					refused.Add(1)
				default:
					t.Errorf("%d %s", r.Status, r.Raw)
				}
			})
		}
		callers.Wait()
		if read.Load() != 3 || refused.Load() != 7 {
			t.Errorf("%d were read and %d refused, want 3 and 7", read.Load(), refused.Load())
		}
		s.Upload(token, org.Entity, "b.xml", harness.UBL("L-301")).Want(403, "plan_limit_reached")
		usage := s.Do(http.MethodGet, "/api/billing/usage", token, nil).OK()
		if n := s.Do(http.MethodGet, "/api/invoices", token, nil).OK().Len("items"); n != 3 || usage.Number("total") != 300 {
			t.Errorf("there are %d invoices; the usage is %s", n, usage.Raw)
		}
		clock.advance(36 * time.Hour) // April, and the trial still runs
		token = s.Login(org.Admin.Email)
		s.Upload(token, org.Entity, "b.xml", harness.UBL("L-301")).OK()
	})
}

func TestExpiredTrialKeepsReading(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{Env: processorAway, Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Expired")
	up := s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("A-1")).OK()
	s.Extract(org.Admin.Token, up.Text("id")).OK()
	clock.advance(4 * 24 * time.Hour)
	token := s.Login(org.Admin.Email)
	s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": "late"}).Want(403, "subscription_inactive")
	s.Upload(token, org.Entity, "b.xml", harness.UBL("A-2")).Want(403, "subscription_inactive")
	if n := s.Do(http.MethodGet, "/api/invoices", token, nil).OK().Len("items"); n != 1 {
		t.Errorf("%d invoices can be read, want 1", n)
	}
	s.Extract(token, up.Text("id")).OK()
}
