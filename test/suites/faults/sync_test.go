package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/postgres"
)

const (
	// billed is the number of invoices between two kills.
	billed = 12
	// suppliers is the number of suppliers per ledger. No ledger knows them at
	// first.
	suppliers = 30
	// syncLongest is the maximum lifetime of the service between two kills.
	syncLongest = 3 * time.Second
	// crashed is the maximum wait for a sync after the last kill. Queued work
	// takes additional time.
	crashed = 20 * time.Second
	each    = 100 * time.Millisecond
)

// TestKilledServiceSyncsEachInvoiceOnce kills the service repeatedly while it syncs
// automatically to both ledgers, which lose, delay or refuse responses. Then it
// counts the bills in the ledgers.
func TestKilledServiceSyncsEachInvoiceOnce(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killingSyncs(t, "") })
	t.Run("postgres", func(t *testing.T) { killingSyncs(t, postgres.New(t)) })
}

func killingSyncs(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	ledgers := newTestLedgers(t)
	p := newProductFor(t, databaseURL, ledgers, true)
	disturbing, calm := context.WithCancel(context.Background())
	defer calm()
	var disturbers sync.WaitGroup
	for n, b := range ledgers {
		disturbers.Go(func() { b.disturb(disturbing, rand.New(rand.NewPCG(seed, uint64(n+1)))) })
	}
	accepted := map[string]bool{}
	for round := range kills(t) {
		r := p.start()
		p.billUntilKilled(r, ledgers, round, time.Duration(draw.Int64N(int64(syncLongest))), accepted)
	}
	if len(accepted) == 0 {
		t.Fatal("no upload was accepted, so the test proves nothing")
	}
	early := count(ledgers)
	calm()
	disturbers.Wait()
	began := time.Now()
	r := p.start()
	hurried := p.hurry(r)
	all := p.wantSynced(r, crashed+time.Duration(len(accepted))*each)
	t.Logf("%d kills, %d uploads returned 200, %d invoices; %d bills at the last kill, all %s after it, %d of them requested",
		kills(t), len(accepted), len(all), early, time.Since(began).Round(time.Millisecond), hurried)
	for number := range accepted {
		if !all[number] {
			t.Errorf("invoice %s is missing", number)
		}
	}
	wantOneEach(t, ledgers, all)
}

// newProductFor returns a product with an entity for each ledger.
func newProductFor(t *testing.T, databaseURL string, ledgers []*testLedger, auto bool) *product {
	env := map[string]string{"BASE_URL": "http://localhost:8080"}
	for _, b := range ledgers {
		for name, v := range b.Env {
			env[name] = v
		}
	}
	return newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) {
		for _, b := range ledgers {
			b.connect(t, s, admin, auto)
		}
	})
}

// billUntilKilled uploads the invoices of a round for both ledgers until the
// service is killed.
func (p *product) billUntilKilled(r *running, ledgers []*testLedger, round int, life time.Duration, accepted map[string]bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var senders sync.WaitGroup
	for _, b := range ledgers {
		senders.Go(func() {
			for n := range billed / len(ledgers) {
				number, content := b.invoice(round*billed+n, suppliers)
				if _, ok := p.uploadTo(ctx, r, b.entity, content); ok {
					mu.Lock()
					accepted[number] = true
					mu.Unlock()
				}
			}
		})
	}
	wait := time.NewTimer(life)
	<-wait.C
	r.kill()
	cancel()
	senders.Wait()
}

// hurry requests the syncs that wait for minutes after many failures, like a
// user who sees that the ledger is available again.
func (p *product) hurry(r *running) int {
	p.t.Helper()
	var ids []string
	for _, inv := range p.all(r, "/api/invoices") {
		if text(inv, "sync_state") == "DONE" {
			continue
		}
		sync, _ := p.get(r, "/api/invoices/"+text(inv, "id"))["sync"].(map[string]any)
		next, err := time.Parse(time.RFC3339, text(sync, "next_attempt_at"))
		if err == nil && time.Until(next) > crashed {
			ids = append(ids, text(inv, "id"))
		}
	}
	p.syncAll(r, ids)
	return len(ids)
}

// wantSynced waits until every document has its invoice and every invoice is
// synced, and returns their numbers.
func (p *product) wantSynced(r *running, timeout time.Duration) map[string]bool {
	p.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		synced, last := map[string]bool{}, ""
		all := p.all(r, "/api/invoices")
		for _, inv := range all {
			if text(inv, "status") == "SYNCED" && text(inv, "sync_state") == "DONE" {
				synced[text(inv, "invoice_number")] = true
			} else {
				last = text(inv, "id")
			}
		}
		if len(synced) == len(all) && len(all) == len(p.all(r, "/api/documents")) {
			return synced
		}
		if time.Since(began) < timeout {
			continue
		}
		if last == "" {
			p.t.Fatalf("%d documents have %d invoices, of which %d numbers are synced", len(p.all(r, "/api/documents")), len(all), len(synced))
		}
		inv := p.get(r, "/api/invoices/"+last)
		p.t.Fatalf("%d of %d invoices are synced after %s; one is %v with %v, findings %v", len(synced), len(all), timeout, inv["status"], inv["sync"], inv["findings"])
	}
}

func count(ledgers []*testLedger) (n int) {
	for _, b := range ledgers {
		n += len(b.bills())
	}
	return n
}

// wantOneEach verifies that the ledgers have exactly one bill per invoice, at
// most one attachment per bill, and one contact per supplier.
func wantOneEach(t *testing.T, ledgers []*testLedger, invoices map[string]bool) {
	t.Helper()
	bills := map[string]int{}
	for _, b := range ledgers {
		contacts := map[int]string{}
		for _, bill := range b.bills() {
			bills[bill.number]++
			if !invoices[bill.number] || bill.files > 1 {
				t.Errorf("%s has %+v", b.Provider, bill)
			}
			var n int
			if _, err := fmt.Sscanf(bill.number[strings.LastIndex(bill.number, "-")+1:], "%d", &n); err != nil {
				t.Fatal(err)
			}
			if known, ok := contacts[n%suppliers]; ok && known != bill.contact {
				t.Errorf("%s has supplier %d as %s and %s", b.Provider, n%suppliers, known, bill.contact)
			}
			contacts[n%suppliers] = bill.contact
		}
	}
	for number := range invoices {
		if bills[number] != 1 {
			t.Errorf("invoice %s has %d bills", number, bills[number])
		}
	}
}
