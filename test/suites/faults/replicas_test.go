package faults

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	simstripe "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	replicas = 3
	// troubles is the number of disturbances under load: each kind once, and as many
	// as the kills of other tests.
	troubleEvery = 1500 * time.Millisecond
	// calmed is the time after the last disturbance within which all accepted
	// work must end. A job that was fetched over a lost connection is released
	// only after its timeout.
	calmed = 6 * time.Minute
)

// TestReplicasLoseAndDuplicateNothing runs three replicas on PostgreSQL and Redis
// under load. Replicas are killed, both servers crash and restart, and connections
// are cut or slow. Everything that got 200 must exist exactly once: each upload with
// its invoice, each invoice with its bill, each event done.
func TestReplicasLoseAndDuplicateNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := newCluster(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var load sync.WaitGroup
	var sent record
	for n, b := range c.ledgers {
		load.Go(func() { c.uploads(ctx, b, n, rand.New(rand.NewPCG(seed, uint64(n+1))), &sent) })
	}
	load.Go(func() { c.events(ctx, rand.New(rand.NewPCG(seed, 0)), &sent) })
	draw := rand.New(rand.NewPCG(seed, 99))
	tick := time.NewTicker(troubleEvery)
	defer tick.Stop()
	troubles := c.troubles()
	for round := range max(kills(t), len(troubles)) {
		<-tick.C
		// Each kind once, and then random kinds.
		one := troubles[round%len(troubles)]
		if round >= len(troubles) {
			one = troubles[draw.IntN(len(troubles))]
		}
		began := time.Now()
		one.do(draw)
		t.Logf("%s, over after %s", one.name, time.Since(began).Round(time.Millisecond))
	}
	<-tick.C
	end()
	load.Wait()
	c.whole(&sent)
}

// record is the accepted work.
type record struct {
	mu      sync.Mutex
	numbers map[string]bool
	events  map[string]bool
}

func (r *record) add(to *map[string]bool, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *to == nil {
		*to = map[string]bool{}
	}
	(*to)[what] = true
}

// cluster is an installation of several replicas.
type cluster struct {
	*product
	ledgers  []*testLedger
	postgres *postgres.Instance
	cache    cache
	toxic    *toxiproxy
	payments *simstripe.Server

	customer, subscription string // at the payment processor

	mu    sync.Mutex
	alive []*running
}

const (
	paymentKey     = "sk_test_faults"
	paymentSigning = "whsec_faults_0123456789"
)

func newCluster(t *testing.T) *cluster {
	t.Helper()
	return newClusterWith(t, nil, func(*service.Service, identity.Actor) {})
}

// newClusterWith sets further variables and prepares the administrator.
func newClusterWith(t *testing.T, more map[string]string, prepare func(*service.Service, identity.Actor)) *cluster {
	t.Helper()
	c := &cluster{toxic: startToxiproxy(t), ledgers: newTestLedgers(t), payments: simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount(), SecretKeys: []string{paymentKey}})}
	processor := httptest.NewServer(c.payments)
	t.Cleanup(func() {
		processor.Close()
		c.payments.Close()
	})
	bin, err := postgres.Find()
	if err != nil {
		t.Fatal(err)
	}
	if c.postgres, err = postgres.StartDurableAt(t.Context(), bin, freePort(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.postgres.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := database.Migrate(t.Context(), database.Config{URL: c.postgres.URL}, migrations.Postgres()); err != nil {
		t.Fatal(err)
	}
	c.cache.start(t)
	env := map[string]string{
		"BASE_URL": "http://localhost:8080", "BILLING": "stripe", "PAYMENT_SECRET_KEY": paymentKey,
		"PAYMENT_SIGNING_SECRETS": paymentSigning, "PAYMENT_URL": processor.URL,
		"REDIS_URL": c.through("redis", c.cache.url()),
	}
	for _, b := range c.ledgers {
		for name, v := range b.Env {
			env[name] = v
		}
	}
	maps.Copy(env, more)
	c.product = newProductWith(t, c.through("postgres", c.postgres.URL), env, func(s *service.Service, admin identity.Actor) {
		c.subscribe(t, s, admin.OrganizationID)
		for _, b := range c.ledgers {
			b.connect(t, s, admin, true)
		}
		prepare(s, admin)
	})
	c.client.Timeout = 5 * time.Second
	c.log = quiet(t)
	for range replicas {
		c.alive = append(c.alive, c.start())
	}
	return c
}

// quiet collects the logs of failing services and shows them if the test fails.
func quiet(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			said, err := os.ReadFile(file.Name())
			t.Logf("the services logged (%v):\n%s", err, said)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

// through returns the URL of a server through the proxy.
func (c *cluster) through(name, server string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	u.Host = c.toxic.between(name, u.Host)
	return u.String()
}

// subscribe gives the organization a plan without limits.
func (c *cluster) subscribe(t *testing.T, s *service.Service, organization uuid.UUID) {
	t.Helper()
	customer, err := s.Billing.Customers.Ensure(t.Context(), organization)
	if err != nil {
		t.Fatal(err)
	}
	c.customer = customer
	pay := func(path string, form ...string) string {
		t.Helper()
		return text(harness.AskProcessor(t, c.payments, http.MethodPost, path, form...), "id")
	}
	card := pay("/v1/payment_methods/pm_card_visa/attach", "customer", customer)
	pay("/v1/customers/"+customer, "invoice_settings[default_payment_method]", card)
	price := pay("/v1/prices", "product", pay("/v1/products", "name", "Team"), "currency", "eur", "unit_amount", "3000", "recurring[interval]", "month")
	c.subscription = pay("/v1/subscriptions", "customer", customer, "items[0][price]", price)
}

// any returns one of the replicas, which may be ending.
func (c *cluster) any(draw *rand.Rand) *running {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive[draw.IntN(len(c.alive))]
}

// uploads uploads invoices for a ledger to the replicas in turn.
func (c *cluster) uploads(ctx context.Context, b *testLedger, ledger int, draw *rand.Rand, sent *record) {
	tick := time.NewTicker(150 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		number, content := b.invoice(n, suppliers)
		if _, ok := c.uploadTo(ctx, c.any(draw), b.entity, content); ok {
			sent.add(&sent.numbers, number)
		}
	}
}

// events delivers payment events until one replica accepts each, and some of
// them twice.
func (c *cluster) events(ctx context.Context, draw *rand.Rand, sent *record) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		id := "evt_" + uuid.NewString()
		body := fmt.Appendf(nil, `{"id":%q,"object":"event","type":"customer.subscription.updated","created":%d,"api_version":"2024-06-20","data":{"object":{"id":%q,"object":"subscription","customer":%q,"status":"active","metadata":{}}}}`,
			id, time.Now().Unix(), c.subscription, c.customer)
		for again := true; again && ctx.Err() == nil; <-tick.C {
			if c.deliver(ctx, c.any(draw), body) {
				sent.add(&sent.events, id)
				again = draw.IntN(4) == 0
			}
		}
	}
}

func (c *cluster) deliver(ctx context.Context, r *running, body []byte) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/webhook/payments", bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Stripe-Signature", simstripe.Sign(body, time.Now(), paymentSigning))
	resp, err := c.client.Do(req)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// whole waits until all accepted work has ended, and counts it.
func (c *cluster) whole(sent *record) {
	c.t.Helper()
	began := time.Now()
	r := c.alive[0]
	hurried := c.hurry(r)
	invoices := c.wantSynced(r, calmed)
	for number := range sent.numbers {
		if !invoices[number] {
			c.t.Errorf("invoice %s was accepted and is missing", number)
		}
	}
	wantOneEach(c.t, c.ledgers, invoices)
	c.wantDone(sent.events)
	c.t.Logf("%d uploads and %d events returned 200, %d invoices; all done %s after the last disturbance, %d requested",
		len(sent.numbers), len(sent.events), len(invoices), time.Since(began).Round(time.Millisecond), hurried)
	if len(sent.numbers) == 0 || len(sent.events) == 0 {
		c.t.Error("nothing was accepted, so the test proves nothing")
	}
}

// wantDone waits until every event is done, and verifies that it exists once.
func (c *cluster) wantDone(events map[string]bool) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.postgres.URL)
	c.must(err)
	defer conn.Close(c.t.Context())
	var left string
	await(c.t, calmed, "every event is done", func() bool {
		rows, err := conn.Query(c.t.Context(), "SELECT event_id, state, failure FROM inbox")
		c.must(err)
		got := map[string][]string{}
		var id, state, failure string
		_, err = pgx.ForEachRow(rows, []any{&id, &state, &failure}, func() error {
			got[id] = append(got[id], strings.TrimSpace(state+" "+failure))
			return nil
		})
		c.must(err)
		left = ""
		for id := range events {
			if len(got[id]) != 1 {
				c.t.Fatalf("event %s is stored as %v", id, got[id])
			}
			switch state, _, _ := strings.Cut(got[id][0], " "); state {
			case "DONE", "IGNORED":
			case "RECEIVED": // possibly with the failure of an attempt that is retried
				left = id
			default:
				c.t.Fatalf("event %s ended as %s", id, got[id][0])
			}
		}
		return left == ""
	})
}
