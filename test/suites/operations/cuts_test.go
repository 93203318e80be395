package operations

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
	"docledger/test/lib/tcpproxy"
)

// behindProxy starts a database whose connections a test can cut.
func behindProxy(t *testing.T) (proxy *tcpproxy.Proxy, at string) {
	t.Helper()
	bin, err := postgres.Find()
	if err != nil {
		t.Fatal(err)
	}
	in, err := postgres.StartDurable(context.Background(), bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := database.Migrate(context.Background(), database.Config{URL: in.URL}, migrations.Postgres()); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(in.URL)
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err = tcpproxy.Open(filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	u.Host, u.RawQuery = proxy.Addr().String(), "sslmode=disable"
	return proxy, u.String()
}

// TestCutConnections cuts connections to the database at many points of each
// request: while connecting, within a statement, within a transaction, before
// the result of a commit. Each response is the right one or 503, and the
// repeated request succeeds. Nothing is lost and nothing happens twice.
func TestCutConnections(t *testing.T) {
	t.Parallel()
	proxy, at := behindProxy(t)
	s := harness.Start(t, harness.Options{DatabaseURL: at})
	f := newSender(t, s)
	f.read()
	cut := 0
	// through sends a request while the next connections are cut after a number of
	// bytes from the server. It repeats the request until it succeeds.
	through := func(bytes int64, what string, send func() harness.Response) harness.Response {
		t.Helper()
		proxy.Shut()
		proxy.Reopen()
		proxy.CutAfter(bytes, 2)
		for range 30 {
			r := send()
			if r.Status == http.StatusOK {
				return r
			}
			if r.Status != http.StatusServiceUnavailable {
				t.Fatalf("%s, cut after %d bytes: %d %s", what, bytes, r.Status, r.Raw)
			}
			unavailable(t, r)
			cut++
		}
		t.Fatalf("%s, cut after %d bytes: refused although connections are no longer cut", what, bytes)
		return harness.Response{}
	}
	settings := "/api/settings/" + f.Entity.String()
	const step, last = 900, 9_000
	var documents []string
	for n, bytes := 0, int64(0); bytes <= last; n, bytes = n+1, bytes+step {
		name := fmt.Sprint("Cut ", n)
		through(bytes, "sign-in", func() harness.Response {
			return s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": f.Admin.Email, "password": harness.Password})
		})
		through(bytes, "create an entity", func() harness.Response {
			return s.Do(http.MethodPost, "/api/entities", f.token, map[string]any{"name": name}, "Idempotency-Key", name)
		})
		content := harness.UBLFrom("Supplier", name, "GBP", "20")
		documents = append(documents, through(bytes, "upload", func() harness.Response {
			return f.Upload(f.token, f.Entity, name+".xml", content)
		}).Text("id"))
		through(bytes, "settings", func() harness.Response {
			return s.Do(http.MethodPut, settings, f.token, map[string]any{"review_threshold": float64(n%90) / 100})
		})
		through(bytes, "note", func() harness.Response {
			return s.Do(http.MethodPost, "/api/invoices/"+f.invoice+"/notes", f.token, map[string]any{"text": name}, "Idempotency-Key", "note "+name)
		})
		through(bytes, "reject", f.reject)
		through(bytes, "reopen", func() harness.Response {
			return s.Do(http.MethodPost, "/api/invoices/"+f.invoice+"/reopen", f.token, nil)
		})
		for _, path := range []string{"/api/documents", "/api/events", "/api/me", "/api/invoices/" + f.invoice, settings} {
			through(bytes, path, func() harness.Response { return f.get(path) })
		}
	}
	proxy.CutAfter(0, 0)
	if cut < 20 {
		t.Errorf("only %d requests met a cut", cut)
	}
	t.Logf("%d requests met a cut", cut)
	for _, id := range documents {
		// A job that a worker took over a cut connection is given back after some time, several times if
		// it was cut again.
		f.Eventually("read", 5*time.Minute, func() bool { return f.get("/api/documents/"+id).OK().Text("status") == "EXTRACTED" },
			func() string { return f.get("/api/documents/" + id).Text("status") })
	}
	seen := map[string]int{}
	count := func(path, key string) {
		for cursor := ""; ; {
			r := f.get(path + "?limit=100" + cursor).OK()
			for i := range r.Len("items") {
				seen[path+" "+r.Text("items", i, key)]++
			}
			next, more := r.At("next_cursor").(string)
			if !more {
				return
			}
			cursor = "&cursor=" + url.QueryEscape(next)
		}
	}
	notes := map[string]int{}
	history := f.get("/api/events?type=invoice.note_added&limit=200").OK()
	for i := range history.Len("items") {
		notes[history.Text("items", i, "data", "text")]++
	}
	for n := range documents {
		if name := fmt.Sprint("Cut ", n); notes[name] != 1 {
			t.Errorf("the note %s exists %d times", name, notes[name])
		}
	}
	count("/api/entities", "name")
	count("/api/invoices", "invoice_number")
	for n := range documents {
		for _, path := range []string{"/api/entities", "/api/invoices"} {
			if got := seen[fmt.Sprintf("%s Cut %d", path, n)]; got != 1 {
				t.Errorf("%s: Cut %d exists %d times", path, n, got)
			}
		}
	}
}

// TestCutIdempotentRequest cuts the connection after many numbers of bytes. A request that was
// refused with 503 can be repeated with its Idempotency-Key at once: the key does not count as
// in use.
func TestCutIdempotentRequest(t *testing.T) {
	t.Parallel()
	proxy, at := behindProxy(t)
	s := harness.Start(t, harness.Options{DatabaseURL: at})
	token := newSender(t, s).token
	cut := 0
	const step, last = 60, 3_000
	for bytes := int64(0); bytes <= last; bytes += step {
		name := fmt.Sprint("Cut ", bytes)
		proxy.Shut()
		proxy.Reopen()
		proxy.CutAfter(bytes, 2)
		for {
			r := s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": name}, "Idempotency-Key", name)
			if r.Status == http.StatusOK {
				break
			}
			if r.Status != http.StatusServiceUnavailable {
				t.Fatalf("cut after %d bytes: %d %s", bytes, r.Status, r.Raw)
			}
			cut++
		}
	}
	if cut < 10 {
		t.Errorf("only %d requests met a cut", cut)
	}
}
