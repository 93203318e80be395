package billing_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	stripesim "docledger/adapter/sim/stripe"
	"docledger/test/lib/harness"
	"docledger/test/lib/redis"
)

// send delivers a signed event over HTTP and reads only its response. The
// guarantees of the response must apply before the job of the event runs.
func (w *world) send(body []byte) {
	w.t.Helper()
	w.Send(http.MethodPost, "/webhook/payments", "", bytes.NewReader(body),
		"Content-Type", "application/json", "Stripe-Signature", stripesim.Sign(body, w.clock.Now(), signingSecret)).OK()
}

// TestNeverTheOldPlanAfterADelivery delivers 1,000 changes of a plan, each
// followed immediately by a read, with concurrent readers.
func TestNeverTheOldPlanAfterADelivery(t *testing.T) {
	t.Parallel()
	const deliveries = 1000
	for name, url := range map[string]string{"memory": "", "redis": redis.URL(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, harness.Options{Env: map[string]string{"REDIS_URL": url}})
			customer := w.customer("pm_card_visa")
			price := w.price("max_entities", "0")
			sub := w.subscribe(customer, price)
			w.receive("customer.subscription.created")
			plans := w.Service.Entities.Plans
			var changed, ended atomic.Int64
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() {
					// A reader without a pause takes most of the processor time from the deliveries.
					tick := time.NewTicker(time.Millisecond)
					defer tick.Stop()
					for ; ended.Load() == 0; <-tick.C {
						least := changed.Load()
						p, err := plans.Of(context.Background(), w.org.ID)
						if err != nil || p.MaxEntities == nil || *p.MaxEntities < int(least) {
							t.Errorf("after delivery %d a reader sees %+v, %v", least, p, err)
							return
						}
					}
				})
			}
			for n := 1; n <= deliveries && !t.Failed(); n++ {
				w.do(http.MethodPost, "/v1/prices/"+price, "metadata[max_entities]", fmt.Sprint(n))
				w.send(fmt.Appendf(nil, `{"id":"evt_u%d","object":"event","type":"customer.subscription.updated","created":%d,"api_version":"2024-06-20","data":{"object":{"id":%q,"object":"subscription","customer":%q,"status":"active","metadata":{}}}}`,
					n, midMonth.Unix(), sub, customer))
				changed.Store(int64(n))
				if got := w.Do(http.MethodGet, "/api/billing", w.org.Admin.Token, nil).OK().Number("limits", "max_entities"); got != n {
					t.Errorf("after delivery %d the limit is %d", n, got)
				}
			}
			ended.Store(1)
			readers.Wait()
		})
	}
}
