package operations

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
	"docledger/test/lib/redis"
)

// redisUnavailable: without Redis, everything works, including limits, which then
// apply to each process.
func redisUnavailable(t *testing.T) outage {
	in := redis.New(t)
	s := harness.Start(t, harness.Options{Env: map[string]string{"REDIS_URL": in.URL, "REQUESTS_PER_CREDENTIAL": "10"}})
	f := newSender(t, s)
	f.read()
	return outage{
		Server: s,
		cut: func() {
			if err := in.Stop(); err != nil {
				t.Fatal(err)
			}
			f.token = s.Login(f.Admin.Email)
		},
		continues: []step{
			{"uploads and extraction", f.read},
			{"plans", func() { f.get("/api/billing").OK() }},
			ready(s),
		},
		refused: []step{{"requests beyond the limit", func() {
			for range 20 {
				if r := f.get("/api/documents"); r.Status != http.StatusOK {
					wantRetryAfter(t, r.Want(http.StatusTooManyRequests, "rate_limited"))
					return
				}
			}
			t.Error("no limit applies")
		}}},
		restore:   func() {},
		recovered: []step{ready(s)},
	}
}

// workersUnavailable: without workers, uploads are accepted and queued, extract
// returns still_processing, and a later worker extracts the documents.
func workersUnavailable(t *testing.T, o harness.Options) outage {
	o.NoWorkers, o.Env = true, map[string]string{"EXTRACT_WAIT_TIMEOUT": "50ms"}
	s := harness.Start(t, o)
	f := newSender(t, s)
	return outage{
		Server: s,
		cut:    func() {},
		continues: []step{
			{"uploads", func() { f.document = f.upload().OK().Text("id") }},
			{"originals", func() { f.content().OK() }},
			ready(s),
		},
		refused: []step{{"extract", func() {
			wantRetryAfter(t, s.Extract(f.token, f.document).Want(http.StatusServiceUnavailable, "still_processing"))
		}}},
		restore: func() {
			o.NoWorkers, o.DataDir = false, s.DataDir
			harness.Start(t, o)
		},
		recovered: []step{{"queued documents", func() {
			f.until("extracted", func() bool { return f.get("/api/documents/"+f.document).OK().Text("status") == "EXTRACTED" })
		}}},
	}
}

// blobsUnavailable: without the blob store, uploads and downloads get 503. Everything
// that needs no blob works.
func blobsUnavailable(t *testing.T) outage {
	s := harness.Start(t, harness.Options{})
	f := newSender(t, s)
	f.read()
	blobs := filepath.Join(s.DataDir, "blobs")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return outage{
		Server: s,
		cut: func() {
			must(os.Rename(blobs, blobs+".moved"))
			must(os.WriteFile(blobs, nil, 0o600))
		},
		continues: []step{
			{"reading invoices", func() { f.get("/api/invoices/" + f.invoice).OK() }},
			{"reviews", func() { f.reject().OK() }},
			ready(s),
		},
		refused: []step{
			{"originals", func() { unavailable(t, f.content()) }},
			{"uploads", func() { unavailable(t, f.upload()) }},
		},
		restore: func() {
			must(os.Remove(blobs))
			must(os.Rename(blobs+".moved", blobs))
		},
		recovered: []step{
			{"originals", func() { f.content().OK() }},
			{"uploads and extraction", f.read},
		},
	}
}

func diskFullBesidePostgres(t *testing.T) outage {
	return diskFull(t, harness.Options{DatabaseURL: postgres.New(t)})
}

func workersUnavailableBesidePostgres(t *testing.T) outage {
	return workersUnavailable(t, harness.Options{DatabaseURL: postgres.New(t)})
}

// diskFull: with a full disk, uploads get 503, reads work, and no partial data is
// stored. SQLite uses that disk and refuses changes; PostgreSQL accepts them.
func diskFull(t *testing.T, o harness.Options) outage {
	o.NoWorkers = true
	parent := harness.Start(t, o)
	f := newSender(t, parent)
	child, url := startChild(t, parent, o, "1ms")
	served := *parent
	served.URL = url
	f.Server = &served
	await(t, "the process to be ready", func() bool { return readiness(url) == http.StatusOK })
	f.read()
	tell := func(signal syscall.Signal) {
		if err := child.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	documents := func() int { return f.get("/api/documents").OK().Len("items") }
	row := outage{
		Server: &served,
		cut: func() {
			tell(fillDisk)
			await(t, "the disk to be full", func() bool { return f.upload().Status != http.StatusOK })
		},
		continues: []step{
			{"originals", func() { f.content().OK() }},
			{"reading invoices", func() { f.get("/api/invoices/" + f.invoice).OK() }},
		},
		refused: []step{{"uploads", func() {
			before := documents()
			unavailable(t, f.upload())
			if n := documents(); n != before {
				t.Errorf("%d refused documents are stored", n-before)
			}
			left, err := os.ReadDir(filepath.Join(parent.DataDir, "blobs", "tmp"))
			if err != nil || len(left) > 0 {
				t.Errorf("%d incomplete files exist, %v", len(left), err)
			}
		}}},
		restore: func() { tell(emptyDisk) },
		recovered: []step{{"uploads and extraction", func() {
			f.until("an upload accepted", func() bool {
				r := f.upload()
				f.document = ""
				if r.Status == http.StatusOK {
					f.document = r.Text("id")
				}
				return f.document != ""
			})
			f.Extract(f.token, f.document).OK()
			f.content().OK()
		}}},
	}
	if o.DatabaseURL == "" {
		row.refused = append(row.refused, step{"reviews", func() { unavailable(t, f.reject()) }})
	} else {
		row.continues = append(row.continues, step{"reviews", func() { f.reject().OK() }})
	}
	return row
}

// databaseUnavailable: without the database, everything except the liveness check
// gets 503. When the database is back, work resumes automatically and accepted work
// is complete.
func databaseUnavailable(t *testing.T) outage {
	ctx := context.Background()
	bin, err := postgres.Find()
	if err != nil {
		t.Fatal(err)
	}
	in, err := postgres.StartDurable(ctx, bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := database.Migrate(ctx, database.Config{URL: in.URL}, migrations.Postgres()); err != nil {
		t.Fatal(err)
	}
	l, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{DatabaseURL: in.URL}.With(l))
	f := newSender(t, s)
	f.read()
	integration := s.Activate(f.Organization, f.Entity, l, l.Tenants[0])
	last := ""
	var refused []step
	for what, ask := range map[string]func() harness.Response{
		"sign-in": func() harness.Response {
			return s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": f.Admin.Email, "password": harness.Password})
		},
		"uploads":      f.upload,
		"extract":      func() harness.Response { return s.Extract(f.token, f.document) },
		"originals":    f.content,
		"lists":        func() harness.Response { return f.get("/api/documents") },
		"events":       func() harness.Response { return f.get("/api/events") },
		"reviews":      f.reject,
		"me":           func() harness.Response { return f.get("/api/me") },
		"billing":      func() harness.Response { return f.get("/api/billing") },
		"integrations": func() harness.Response { return f.get("/api/integrations") },
		"the ledger":   func() harness.Response { return f.get("/api/v1/integrations/" + integration + "/accounting-contacts") },
		"consent": func() harness.Response {
			return s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", f.token, map[string]any{
				"entity_id": f.Entity, "provider": l.Provider, "redirect_url": harness.RedirectURL,
			})
		},
	} {
		refused = append(refused, step{what, func() { unavailable(t, ask()) }})
	}
	return outage{
		Server: s,
		cut: func() {
			last = f.upload().OK().Text("id")
			if err := in.Halt(ctx); err != nil {
				t.Fatal(err)
			}
		},
		continues: []step{{"/healthz", func() { s.Send(http.MethodGet, "/healthz", "", nil).OK() }}},
		refused: append(refused, step{"/readyz", func() {
			if r := s.Send(http.MethodGet, "/readyz", "", nil); r.Status != http.StatusServiceUnavailable {
				t.Errorf("/readyz returns %d", r.Status)
			}
		}}),
		restore: func() {
			if err := in.Restart(ctx); err != nil {
				t.Fatal(err)
			}
		},
		recovered: []step{
			{"/readyz", func() {
				f.until("ready", func() bool { return s.Send(http.MethodGet, "/readyz", "", nil).Status == http.StatusOK })
			}},
			{"the last accepted upload", func() {
				f.until("extracted", func() bool { return f.get("/api/documents/"+last).OK().Text("status") == "EXTRACTED" })
			}},
			{"uploads and extraction", f.read},
			{"the ledger", func() { f.get("/api/v1/integrations/" + integration + "/accounting-contacts").OK() }},
			{"reviews", func() { f.reject().OK() }},
		},
	}
}

// Signals that make the disk of a service process full and usable again.
const (
	fillDisk  = syscall.SIGUSR1
	emptyDisk = syscall.SIGUSR2
)

// limitFiles limits the size of files that this process writes; 0 allows no
// byte.
func limitFiles(bytes uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = min(bytes, limit.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}
