// Package faults kills the service at random points of an upload and verifies
// the data after the restart.
package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/test/lib/generator"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	// The profiler of memory, which the product does not have, would keep each path to an
	// allocation, and so grow in the service that this binary runs.
	runtime.MemProfileRate = 0
	if serveIfChild() {
		return
	}
	os.Exit(m.Run())
}

const (
	// recovery is the time after the restart within which all accepted work
	// must end.
	recovery = 5 * time.Second
	// uploaders is the number of senders that upload documents until the
	// service is killed.
	uploaders = 4
	// longest is the maximum lifetime of the service after the first upload.
	longest = 400 * time.Millisecond
)

// kills is the number of kills on each database.
func kills(t *testing.T) int {
	text, ok := os.LookupEnv("DOCLEDGER_FAULTS")
	if !ok {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("DOCLEDGER_FAULTS must be a number of kills, not %q", text)
	}
	return n
}

func TestKilledServiceLosesAndDuplicatesNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killing(t, "") })
	t.Run("postgres", func(t *testing.T) { killing(t, postgres.New(t)) })
}

func killing(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	p := newProduct(t, databaseURL)
	total, worst := 0, time.Duration(0)
	for round := range kills(t) {
		running := p.start()
		accepted := p.uploadUntilKilled(running, round, time.Duration(draw.Int64N(int64(longest))))
		running = p.start()
		began := time.Now()
		for _, a := range accepted {
			p.settled(running, a, began, recovery)
		}
		worst = max(worst, time.Since(began))
		total += len(accepted)
		running.kill()
	}
	p.countAll(total)
	t.Logf("%d kills, %d uploads returned 200, all ended within %s after the restart", kills(t), total, worst.Round(time.Millisecond))
	if total == 0 {
		t.Error("no upload was accepted, so the test proves nothing")
	}
}

// accepted is an upload that got 200.
type accepted struct {
	document string
	number   string // of its invoice; "" if it contains none
	parts    int    // number of its invoices, if there are several
}

// sample returns documents of each kind in turn: XML, a PDF with embedded data,
// a printed PDF, a file with two invoices, and a file without an invoice.
func sample(n int, number string) ([]byte, accepted) {
	switch n % 6 {
	case 1:
		return printed(number), accepted{number: number}
	case 2:
		return pdftest.Hybrid("", []string{"factur-x.xml"}, harness.UBL(number)), accepted{number: number}
	case 3:
		return harness.TwoInvoices(number), accepted{number: number, parts: 2}
	case 4:
		return fmt.Appendf(nil, "not a document at all: %s", number), accepted{}
	}
	return harness.UBL(number), accepted{number: number}
}

// printed is a generated PDF without embedded data, with a new number.
func printed(number string) []byte {
	for seed := uint64(1); ; seed++ {
		d := generator.New(seed, generator.None)
		for i := range d.Pages {
			for j := range d.Pages[i].Texts {
				text := &d.Pages[i].Texts[j].Text
				*text = strings.ReplaceAll(*text, d.Truth.Number, number)
			}
		}
		if data, ok := d.PDF(); ok {
			return data
		}
	}
}

func (p *product) uploadUntilKilled(r *running, round int, life time.Duration) []accepted {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex
	var all []accepted
	var senders sync.WaitGroup
	for u := range uploaders {
		senders.Go(func() {
			for n := u; ctx.Err() == nil; n++ {
				content, a := sample(n, fmt.Sprintf("N-%d-%d-%d", round, u, n))
				id, ok := p.upload(ctx, r, content)
				if !ok {
					continue
				}
				a.document = id
				mu.Lock()
				all = append(all, a)
				mu.Unlock()
			}
		})
	}
	wait := time.NewTimer(life)
	<-wait.C
	r.kill()
	cancel()
	senders.Wait()
	return all
}

// settled waits until the document has ended, at most for a time since began. It verifies that the document has
// exactly one invoice or one explained failure.
func (p *product) settled(r *running, a accepted, began time.Time, within time.Duration) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		d := p.get(r, "/api/documents/"+a.document)
		status := text(d, "status")
		switch {
		case status == "EXTRACTED" && a.number != "" && a.parts == 0:
			inv := p.get(r, "/api/invoices/"+text(d, "invoice_id"))
			if text(inv, "invoice_number") != a.number || text(inv, "document_id") != a.document {
				p.t.Fatalf("document %s has the invoice %v, want %s", a.document, inv, a.number)
			}
			return
		case status == "SPLIT" && a.parts > 0:
			return // countAll counts its parts
		case status == "FAILED":
			failure, _ := d["failure"].(map[string]any)
			if text(failure, "code") == "" || text(failure, "message") == "" || a.number != "" {
				p.t.Fatalf("document %s (%q) failed with %v", a.document, a.number, failure)
			}
			return
		case status != "UPLOADED" && status != "PROCESSING":
			p.t.Fatalf("document %s ended as %s", a.document, status)
		case time.Since(began) > within:
			p.t.Fatalf("document %s is still %s after %s", a.document, status, within)
		}
		<-tick.C
	}
}

// countAll verifies after all rounds that every document has exactly one
// invoice, and that unknown documents belong to uploads with a response that was
// lost.
func (p *product) countAll(accepted int) {
	p.t.Helper()
	r := p.start()
	defer r.kill()
	documents, invoices, parts := map[string]bool{}, map[string]int{}, map[string]int{}
	whole := 0
	for _, d := range p.all(r, "/api/documents") {
		documents[text(d, "id")] = true
		switch parent := text(d, "parent_id"); {
		case parent != "":
			parts[parent]++
		case text(d, "status") == "SPLIT":
			parts[text(d, "id")] += 0
			whole++
		default:
			whole++
		}
	}
	for parent, n := range parts {
		if n != 2 {
			p.t.Errorf("document %s has %d parts", parent, n)
		}
	}
	for _, inv := range p.all(r, "/api/invoices") {
		invoices[text(inv, "document_id")]++
	}
	for document, n := range invoices {
		if n != 1 || !documents[document] {
			p.t.Errorf("document %s has %d invoices", document, n)
		}
	}
	if whole < accepted {
		p.t.Errorf("%d documents exist, but %d uploads were accepted", whole, accepted)
	}
}
