package faults

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
)

// restored is the number of invoices that are synced, lost by the restore and synced
// again.
const restored = 100

// TestRestoredStateSyncsNothingTwice resets the state of the service to before 100
// syncs, like a restored backup. The ledgers keep their bills.
func TestRestoredStateSyncsNothingTwice(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { restoring(t, "") })
	t.Run("postgres", func(t *testing.T) { restoring(t, postgres.New(t)) })
}

func restoring(t *testing.T, databaseURL string) {
	ledgers := newTestLedgers(t)
	p := newProductFor(t, databaseURL, ledgers, false)
	r := p.start()
	for n := range restored {
		b := ledgers[n%len(ledgers)]
		_, content := b.invoice(n, suppliers)
		if _, ok := p.uploadTo(context.Background(), r, b.entity, content); !ok {
			t.Fatal("an upload was not accepted")
		}
	}
	approved := p.wantAll(r, "APPROVED", restored)
	r.kill()
	state := p.openState()
	state.save()
	r = p.start()
	p.syncAll(r, approved)
	wantOneEach(t, ledgers, p.wantSynced(r, crashed))
	r.kill()
	state.restore()
	for _, b := range ledgers {
		b.kit.Clock.Advance(10 * time.Minute) // ledgers forget keys sooner
	}
	r = p.start()
	if again := p.wantAll(r, "APPROVED", restored); !slices.Equal(again, approved) {
		t.Fatal("the state was not restored")
	}
	p.syncAll(r, approved)
	all := p.wantSynced(r, crashed)
	wantOneEach(t, ledgers, all)
	if len(all) != restored || count(ledgers) != restored {
		t.Errorf("%d invoices, %d bills, want %d", len(all), count(ledgers), restored)
	}
}

// wantAll waits until n invoices have a status and returns their ids.
func (p *product) wantAll(r *running, status string, n int) []string {
	p.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		var ids []string
		for _, inv := range p.all(r, "/api/invoices") {
			if text(inv, "status") == status {
				ids = append(ids, text(inv, "id"))
			}
		}
		if len(ids) == n {
			slices.Sort(ids)
			return ids
		}
		if time.Since(began) > crashed {
			p.t.Fatalf("%d invoices are %s, want %d", len(ids), status, n)
		}
	}
}

// syncAll requests the sync of each invoice, several concurrently.
func (p *product) syncAll(r *running, invoices []string) {
	const callers = 8
	queue := make(chan string)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for id := range queue {
				req, err := http.NewRequest(http.MethodPost, r.url+"/api/invoices/"+id+"/sync", strings.NewReader("{}"))
				if err != nil {
					p.t.Error(err)
					continue
				}
				req.Header.Set("Authorization", "Bearer "+p.token)
				req.Header.Set("Content-Type", "application/json")
				resp, err := p.client.Do(req)
				if err != nil {
					p.t.Error(err)
					continue
				}
				if resp.StatusCode != http.StatusOK {
					p.t.Errorf("a sync returns %d", resp.StatusCode)
				}
				_ = resp.Body.Close() // the body is not needed
			}
		})
	}
	for _, id := range invoices {
		queue <- id
	}
	close(queue)
	all.Wait()
}

// state is the data of invoices in the database of the service.
type state struct {
	p  *product
	db *database.DB
}

// tables are in the order of their references.
var tables = []string{"invoices", "invoice_lines", "invoice_syncs", "supplier_codings"}

func (p *product) openState() *state {
	p.t.Helper()
	url := p.env["DATABASE_URL"]
	if url == "" {
		url = "sqlite:" + p.env["DATA_DIR"] + "/docledger.db"
	}
	db, err := database.Open(context.Background(), database.Config{URL: url})
	p.must(err)
	p.t.Cleanup(func() { p.must(db.Close()) })
	return &state{p, db}
}

func (s *state) save() {
	for _, table := range tables {
		s.p.must(s.db.Gorm.Exec("CREATE TABLE saved_" + table + " AS SELECT * FROM " + table).Error)
	}
}

func (s *state) restore() {
	for _, table := range slices.Backward(tables) {
		s.p.must(s.db.Gorm.Exec("DELETE FROM " + table).Error)
	}
	for _, table := range tables {
		s.p.must(s.db.Gorm.Exec("INSERT INTO " + table + " SELECT * FROM saved_" + table).Error)
	}
}
