package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/harness"
)

// processorAway is a service whose payment processor can't be reached, and need
// not be: an organization without subscription is on its trial.
var processorAway = map[string]string{
	"BILLING": "stripe", "PAYMENT_URL": "http://127.0.0.1:9", "PAYMENT_SECRET_KEY": "sk_test_away", "PAYMENT_SIGNING_SECRETS": "whsec_away",
}

func TestTrialLimitsHoldUnderConcurrency(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Env = processorAway
		s := harness.Start(t, o)
		org := s.NewOrganization("Trial") // has one entity already
		var made, refused atomic.Int64
		var callers sync.WaitGroup
		for i := range 40 {
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
		if made.Load() != 9 || refused.Load() != 31 {
			t.Errorf("%d entities were made and %d refused, want 9 and 31", made.Load(), refused.Load())
		}
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "11th"}).Want(403, "plan_limit_reached")
		s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), org.Admin.Token, map[string]any{"archived": true}).OK()
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "instead"}).OK()
		s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), org.Admin.Token, map[string]any{"archived": false}).Want(403, "plan_limit_reached")
		s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("A-1")).Want(400, "conflict")
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
