package faults

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/test/lib/postgres"

	"gorm.io/gorm"
)

const (
	// deletable is the number of documents of each round.
	deletable = 12
	// longestDeletion is the maximum lifetime of the service after the first deletion was confirmed.
	longestDeletion = 100 * time.Millisecond
	// patience is the time after a restart within which accepted work must end on a busy machine.
	patience = time.Minute
	// afterGrace is later than the removal of the bytes of a deleted document.
	afterGrace = "192h"
)

// TestKilledDeletionLeavesNothingHalf kills the service while it deletes documents. After the
// restart each document exists with everything that belongs to it, or nothing of it does.
func TestKilledDeletionLeavesNothingHalf(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { deleting(t, "") })
	t.Run("postgres", func(t *testing.T) { deleting(t, postgres.New(t)) })
}

func deleting(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	p := newProduct(t, databaseURL)
	state := p.openState()
	var all []original
	for round := range kills(t) {
		r := p.start()
		uploaded := p.uploadAll(r, fmt.Sprint("D-", round))
		all = append(all, state.originals(uploaded)...)
		confirmed := p.deleteUntilKilled(r, uploaded, time.Duration(draw.Int64N(int64(longestDeletion))))
		gone := state.wholeOrGone(p, all)
		for _, id := range confirmed {
			if !gone[id] {
				t.Errorf("the deletion of %s was confirmed, but it exists", id)
			}
		}
	}
	// The service is killed while it removes the bytes, too.
	p.env[laterEnv], p.token = afterGrace, ""
	r := p.start()
	<-time.After(time.Duration(draw.Int64N(int64(longestDeletion))))
	r.kill()
	gone := state.wholeOrGone(p, all)
	r = p.start()
	state.removed(p, all, gone)
	for _, o := range all {
		if !gone[o.document] {
			p.get(r, "/api/documents/"+o.document)
		}
	}
	t.Logf("%d kills, %d of %d documents are deleted", kills(t)+1, len(gone), len(all))
}

// uploadAll uploads documents of each kind and waits until each has ended.
func (p *product) uploadAll(r *running, name string) (ids []string) {
	p.t.Helper()
	var all []accepted
	for n := range deletable {
		content, a := sample(n, fmt.Sprintf("%s-%d", name, n))
		id, ok := p.upload(context.Background(), r, content)
		if !ok {
			p.t.Fatal("an upload was not accepted")
		}
		a.document = id
		all, ids = append(all, a), append(ids, id)
	}
	began := time.Now()
	for _, a := range all {
		p.settled(r, a, began, patience)
	}
	return ids
}

// deleteUntilKilled deletes the documents concurrently, and returns those whose deletion was
// confirmed before the service was killed.
func (p *product) deleteUntilKilled(r *running, ids []string, life time.Duration) (confirmed []string) {
	var mu sync.Mutex
	var callers sync.WaitGroup
	first := make(chan struct{}, len(ids))
	for some := range slices.Chunk(ids, (len(ids)+uploaders-1)/uploaders) {
		callers.Go(func() {
			for _, id := range some {
				req, err := http.NewRequest(http.MethodDelete, r.url+"/api/documents/"+id, nil)
				if err != nil {
					p.t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+p.token)
				resp, err := p.client.Do(req)
				if err != nil {
					return // the service is killed
				}
				_ = resp.Body.Close() // the body is not needed
				if resp.StatusCode != http.StatusOK {
					p.t.Errorf("a deletion returns %d", resp.StatusCode)
					continue
				}
				mu.Lock()
				confirmed = append(confirmed, id)
				mu.Unlock()
				first <- struct{}{}
			}
		})
	}
	select {
	case <-first:
		<-time.After(life)
	case <-time.After(patience):
		p.t.Error("no deletion was confirmed")
	}
	r.kill()
	callers.Wait()
	return confirmed
}

// original is an uploaded document with everything that belongs to it.
type original struct {
	document, sha256 string
	documents        []string // it and its parts
	invoices         []string
}

func (s *state) originals(ids []string) []original {
	s.p.t.Helper()
	out := make([]original, len(ids))
	for i, id := range ids {
		o := original{document: id}
		s.p.must(s.db.Gorm.Table("documents").Where("id = ?", id).Pluck("sha256", &o.sha256).Error)
		s.p.must(s.db.Gorm.Table("documents").Where("id = ? OR parent_id = ?", id, id).Pluck("id", &o.documents).Error)
		s.p.must(s.db.Gorm.Table("invoices").Where("document_id IN ?", o.documents).Pluck("id", &o.invoices).Error)
		out[i] = o
	}
	return out
}

func (s *state) count(table, where string, values ...any) (n int) {
	s.p.t.Helper()
	var found int64
	s.p.must(s.db.Gorm.Table(table).Where(where, values...).Count(&found).Error)
	return int(found)
}

// wholeOrGone verifies that each document is complete or deleted, and returns the deleted ones.
func (s *state) wholeOrGone(p *product, all []original) map[string]bool {
	p.t.Helper()
	gone, files := map[string]bool{}, p.files()
	for _, o := range all {
		documents, invoices := s.count("documents", "id IN ?", o.documents), s.count("invoices", "id IN ?", o.invoices)
		events := s.count("events", "type = 'document.deleted' AND subject_id IN ?", o.documents)
		switch {
		case documents == len(o.documents) && invoices == len(o.invoices) && events == 0:
			if !files[o.sha256] {
				p.t.Errorf("the bytes of document %s are missing", o.document)
			}
		case documents == 0 && invoices == 0 && events == len(o.documents):
			gone[o.document] = true
			s.nothingOf(o.invoices)
			if files[o.sha256] && s.count("blob_removals", "sha256 = ? AND state IN ('PENDING', 'REMOVING')", o.sha256) == 0 {
				p.t.Errorf("the bytes of the deleted document %s remain", o.document)
			}
		default:
			p.t.Errorf("of document %s, %d of %d documents and %d of %d invoices exist; %d events say that it is deleted",
				o.document, documents, len(o.documents), invoices, len(o.invoices), events)
		}
	}
	return gone
}

// nothingOf verifies that no row has values of deleted invoices.
func (s *state) nothingOf(invoices []string) {
	s.p.t.Helper()
	for _, table := range []string{"invoice_lines", "invoice_taxes", "invoice_syncs", "invoice_sources", "invoice_duplicate_keys", "duplicate_rechecks"} {
		if n := s.count(table, "invoice_id IN ?", invoices); n > 0 {
			s.p.t.Errorf("%d rows of deleted invoices remain in %s", n, table)
		}
	}
	if n := s.count("invoice_duplicates", "invoice_id IN ? OR other_id IN ?", invoices, invoices); n > 0 {
		s.p.t.Errorf("%d pairs of deleted invoices remain", n)
	}
	if n := s.count("events", "subject_id IN ? AND (changes IS NOT NULL OR data IS NOT NULL)", invoices); n > 0 {
		s.p.t.Errorf("%d events keep values of deleted invoices", n)
	}
}

// removed waits until the bytes of deleted documents are removed, no job refers to them, and
// nothing else is removed.
func (s *state) removed(p *product, all []original, gone map[string]bool) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		files, left := p.files(), []string(nil)
		for _, o := range all {
			switch {
			case !gone[o.document] && !files[o.sha256]:
				p.t.Fatalf("the bytes of document %s are missing", o.document)
			case gone[o.document] && (files[o.sha256] || s.count("blob_removals", "sha256 = ? AND state <> 'REMOVED'", o.sha256) > 0):
				left = append(left, "bytes of "+o.document)
			case gone[o.document] && s.jobs(slices.Concat(o.documents, o.invoices)) > 0:
				left = append(left, "jobs of "+o.document)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Since(began) > patience {
			p.t.Fatalf("remain: %v", left)
		}
	}
}

// jobs counts the unfinished jobs that name one of the ids.
func (s *state) jobs(ids []string) int {
	args := "args"
	if s.db.Gorm.Name() == "postgres" {
		args = "args::text"
	}
	named := s.db.Gorm.Session(&gorm.Session{NewDB: true})
	for _, id := range ids {
		named = named.Or(args+" LIKE ?", "%"+id+"%")
	}
	var n int64
	s.p.must(s.db.Gorm.Table("river_job").Where("state NOT IN ('completed', 'cancelled', 'discarded')").Where(named).Count(&n).Error)
	return int(n)
}

// files returns the SHA-256 of all stored bytes.
func (p *product) files() map[string]bool {
	p.t.Helper()
	found := map[string]bool{}
	root := filepath.Join(p.env["DATA_DIR"], "blobs")
	p.must(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, filepath.Join(root, "tmp")) {
			found[d.Name()] = true
		}
		return err
	}))
	return found
}
