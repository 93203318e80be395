package billing_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	stripesim "docledger/adapter/sim/stripe"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// callers is the number of concurrent deliveries.
const callers = 16

// each runs work n times by the callers and returns the rate per second.
func each(b *testing.B, n int, work func(ctx context.Context, i int64) error) float64 {
	b.Helper()
	var next atomic.Int64
	failed := make(chan error, callers)
	began := time.Now()
	for range callers {
		go func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := work(b.Context(), i); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range callers {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}

// fetch sends a request and reads the complete response, so that the connection
// is reused.
func fetch(client *http.Client, req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the service returns %s", resp.Status)
	}
	return nil
}

// BenchmarkWebhookReceipts measures the durable receipt of payment events, from
// the request to the response. It compares them with a plain transaction of the
// same two inserts in the same database.
func BenchmarkWebhookReceipts(b *testing.B) {
	const perRound, rounds, payers = 1000, 5, 40
	url := postgres.NewDurable(b)
	w := open(b, harness.Options{DatabaseURL: url, Env: map[string]string{"DATABASE_MAX_CONNECTIONS": "16"}})
	var customers []string
	for n := range payers {
		o, err := w.Service.Organizations.Create(b.Context(), fmt.Sprint("Payer ", n))
		if err != nil {
			b.Fatal(err)
		}
		id, err := w.Service.Billing.Customers.Ensure(b.Context(), o.ID)
		if err != nil {
			b.Fatal(err)
		}
		customers = append(customers, id)
	}
	pool, err := pgxpool.New(b.Context(), url+"&pool_max_conns=16")
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	body := func(id string, i int64) []byte {
		return fmt.Appendf(nil, `{"id":%q,"object":"event","type":"customer.subscription.updated","created":%d,"api_version":"2024-06-20","data":{"object":{"id":"sub_1","object":"subscription","customer":%q,"status":"active","metadata":{}}}}`,
			id, midMonth.Unix(), customers[i%payers])
	}
	deliver := func(ctx context.Context, i int64) error {
		payload := body("evt_"+uuid.NewString(), i)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/webhook/payments", bytes.NewReader(payload))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Stripe-Signature", stripesim.Sign(payload, midMonth, signingSecret))
		return fetch(client, req)
	}
	insert := func(ctx context.Context, i int64) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			id, event := uuid.New(), "evt_"+uuid.NewString()
			if _, err := tx.Exec(ctx, `INSERT INTO inbox (id, sender, event_id, type, body, occurred_at, received_at, state, attempts, failure)
				VALUES ($1, 'payments', $2, 'customer.subscription.updated', $3, now(), now(), 'DONE', 0, '')`, id, event, body(event, i)); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO river_job (kind, args, max_attempts, queue, unique_key, unique_states)
				VALUES ('bench', $1, 10, 'bench', $2, B'11110101')`, fmt.Sprintf(`{"message_id":%q}`, id), id[:])
			return err
		})
	}
	for b.Loop() {
		var receipts, bare float64
		for range rounds {
			bare += each(b, perRound, insert) / rounds
			receipts += each(b, perRound, deliver) / rounds
		}
		b.ReportMetric(receipts, "receipts/s")
		b.ReportMetric(bare, "bare/s")
		b.ReportMetric(receipts/bare, "ratio")
	}
}

// BenchmarkBillingRead measures GET /api/billing with a cached plan and with a
// request to the simulated processor.
func BenchmarkBillingRead(b *testing.B) {
	w := open(b, harness.Options{})
	w.subscribe(w.customer("pm_card_visa"), w.price())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	read := func() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, w.URL+"/api/billing", nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.org.Admin.Token)
		if err := fetch(client, req); err != nil {
			b.Fatal(err)
		}
	}
	read()
	b.Run("hit", func(b *testing.B) {
		for b.Loop() {
			read()
		}
	})
	b.Run("miss", func(b *testing.B) {
		for b.Loop() {
			w.forget(w.org.ID)
			read()
		}
	})
}
