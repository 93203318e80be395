package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/filling"
	"docledger/test/lib/harness"
	"docledger/usecase/organizations"
)

const (
	growthEmail    = "growth@example.com"
	growthPassword = "a password for measurements"
	// growthCalls is the number of calls of each row.
	growthCalls = 21
)

// grown is a service with a filled database.
type grown struct {
	cmd       *exec.Cmd
	base      string
	token     string
	filled    filling.Filled
	invoices  int
	bytesEach float64
}

// prepareGrowth fills a new database, or finds it filled, and starts bin/docledger with it.
func prepareGrowth(ctx context.Context, dir, databaseURL string, invoices int) (*grown, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	env := map[string]string{
		"BASE_URL": "http://" + address, "LISTEN": address, "DATA_DIR": dir, "DATABASE_URL": databaseURL, "BILLING": "none", "IDENTITY": "local",
		"PASSWORD_MEMORY_KIB": "8192", "REQUESTS_PER_CREDENTIAL": "0", "REQUESTS_PER_ORGANIZATION": "0", "REQUESTS_PER_ADDRESS": "0",
		"COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"), "LOG_LEVEL": "error",
	}
	if strings.HasPrefix(databaseURL, "sqlite:") {
		env["DATABASE_URL"] = "" // the file in DATA_DIR
	}
	g := &grown{base: env["BASE_URL"], invoices: invoices}
	if err := g.fillOnce(ctx, dir, databaseURL, env); err != nil {
		return nil, err
	}
	g.cmd = exec.CommandContext(ctx, "bin/docledger", "serve", "--role", "api,worker")
	for name, value := range env {
		g.cmd.Env = append(g.cmd.Env, name+"="+value)
	}
	g.cmd.Env = append(g.cmd.Env, "PATH="+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"))
	g.cmd.Stderr = os.Stderr
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	if err := g.signIn(ctx); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

func (g *grown) fill(ctx context.Context, databaseURL string, env map[string]string) (err error) {
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		return err
	}
	schema := migrations.SQLite()
	if strings.HasPrefix(databaseURL, "postgres") {
		schema = migrations.Postgres()
	}
	if err := database.Migrate(ctx, database.Config{URL: databaseURL}, schema); err != nil {
		return err
	}
	s, err := service.Open(ctx, cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	if err != nil {
		return err
	}
	_, organization, err := s.Organizations.AddUser(ctx, organizations.AddUserInput{
		Email: growthEmail, Password: growthPassword, NewOrganization: "Measured", Role: identity.RoleAdmin,
	})
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	db, err := database.Open(ctx, database.Config{URL: databaseURL})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if g.filled, err = filling.Fill(ctx, db, filling.Options{Seed: growthSeed, Invoices: g.invoices, Organization: organization}); err != nil {
		return err
	}
	size := "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
	if db.Dialect == database.Postgres {
		size = "SELECT pg_database_size(current_database())"
	}
	var n float64
	err = db.SQL.QueryRowContext(ctx, size).Scan(&n)
	g.bytesEach = n / float64(g.invoices)
	return err
}

func (g *grown) stop() {
	_ = g.cmd.Process.Kill() // it may have ended
	_ = g.cmd.Wait()
}

// signIn waits until the service responds.
func (g *grown) signIn(ctx context.Context) error {
	s := &sandbox{values: map[string]string{"LOGIN_EMAIL": growthEmail, "LOGIN_PASSWORD": growthPassword, "BASE_URL": g.base}}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var err error
	for range 600 {
		if g.token, err = s.login(ctx); err == nil {
			return nil
		}
		<-tick.C
	}
	return err
}

// call sends a request and returns the response and its time.
func (g *grown) call(ctx context.Context, method, path string, body any) (map[string]any, time.Duration, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, 0, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.base+path, content)
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(bufio.NewReader(resp.Body))
	took := time.Since(began)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, 0, errors.Join(fmt.Errorf("%s returns %d %s", path, resp.StatusCode, raw[:min(len(raw), 200)]), err)
	}
	var out map[string]any
	return out, took, json.Unmarshal(raw, &out)
}

// measure measures each row of the table.
func (g *grown) measure(ctx context.Context) ([]figure, error) {
	var figures []figure
	for _, q := range g.queries() {
		f, err := g.read(ctx, q)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	written, err := g.write(ctx)
	if err != nil {
		return nil, err
	}
	sweep, err := g.sweep(ctx)
	if err != nil {
		return nil, err
	}
	return append(append(figures, written...), sweep,
		figure{name: "database for each invoice, with its lines, taxes, sync and document", value: g.bytesEach / 1024, unit: "kB"},
		figure{name: "memory of the service", value: float64(resident(g.cmd.Process.Pid)) / million, unit: "MB"}), nil
}

// growthQuery is a read of the API.
type growthQuery struct{ name, path string }

func (g *grown) queries() []growthQuery {
	day := func(years float64) string {
		return g.filled.Until.Add(-time.Duration(years * 365 * 24 * float64(time.Hour))).Format(time.DateOnly)
	}
	list := func(name string, pairs ...string) growthQuery {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Add(pairs[i], pairs[i+1])
		}
		return growthQuery{name, "/api/invoices?" + values.Encode()}
	}
	entity := g.filled.Entities[0].String()
	queries := []growthQuery{
		list("list"), list("list of an entity", "entity_id", entity),
		list("filter `status`", "status", "SYNC_FAILED"), list("filter `status`, two values", "status", "APPROVED", "status", "SYNCED"),
		list("filter `document_type`, few match", "document_type", "CORRECTION"), list("filter `document_type` of an entity", "document_type", "CREDIT_NOTE", "entity_id", entity),
		list("filter `currency`, few match", "currency", "CHF"), list("filter `currency`, no match", "currency", "JPY"),
		list("filter `issue_date_to`, old", "issue_date_to", day(4)), list("filter `due_date_to`, old", "due_date_to", day(4)),
		list("filter `due_date_to`, no match", "due_date_to", day(9)), list("filter `created_to`, old", "created_to", day(4)+"T00:00:00Z"),
		list("filter `created_from` and `created_to`, a month", "created_from", day(2.1)+"T00:00:00Z", "created_to", day(2)+"T00:00:00Z"),
		list("filter `updated_since`", "updated_since", day(0.1)+"T00:00:00Z"), list("filter `gross_min`, no match", "gross_min", "9000000.00"),
		list("filter `failed_check`, few match", "failed_check", "bank_account_known"), list("filter `failed_check`, no match", "failed_check", "gross_sum"),
		list("filter `has_duplicate`", "has_duplicate", "true"), list("filter `sync_state`, most match", "sync_state", "DONE"), list("filter `sync_state`, no match", "sync_state", "QUEUED"),
		list("filter `source`, no match", "source", "TRIGGER"), list("filter `created_by`, no match", "created_by", g.filled.Member.String()),
		list("filter `assigned_to`", "assigned_to", g.filled.Assignee.String()), list("filter `supplier_id`", "supplier_id", filling.Supplier(301).String()),
		list("filter `external_id`", "external_id", "external-77"),
		list("search, many match", "q", "trading"), list("search, one matches", "q", "R-9999"), list("search, no match", "q", "no such text"), list("search for an amount", "q", "123.45"),
	}
	for _, key := range []string{"updated_at", "issue_date", "due_date", "gross_total"} {
		queries = append(queries, list("sort by `"+key+"`", "sort", key))
	}
	for _, key := range []string{"entity", "supplier", "status", "document_type", "currency", "month", "tax", "account"} {
		queries = append(queries, growthQuery{"sum by `" + key + "`", "/api/invoices/summary?group_by=" + key})
	}
	for _, search := range [][2]string{{"many match", "trading"}, {"one matches", "R-9999"}} {
		queries = append(queries, growthQuery{"sum by `currency`, search, " + search[0], "/api/invoices/summary?group_by=currency&q=" + search[1]})
	}
	return append(queries, growthQuery{"attention (the dashboard)", "/api/attention"})
}

// read is the median of a read.
func (g *grown) read(ctx context.Context, q growthQuery) (figure, error) {
	var times []time.Duration
	for range growthCalls {
		_, took, err := g.call(ctx, http.MethodGet, q.path, nil)
		if err != nil {
			return figure{}, err
		}
		times = append(times, took)
	}
	return figure{name: q.name, value: milliseconds(middle(times)), unit: "ms"}, nil
}

// write measures an upload, its extraction, and the read of its invoice.
func (g *grown) write(ctx context.Context) ([]figure, error) {
	var uploads, extractions, reads []time.Duration
	for n := range growthCalls {
		up, took, err := g.call(ctx, http.MethodPost, "/api/documents/upload", map[string]any{
			"entity_id": g.filled.Entities[0], "filename": "f.xml", "content": base64.StdEncoding.EncodeToString(harness.UBL(fmt.Sprint("GROWTH-", n))),
		})
		if err != nil {
			return nil, err
		}
		uploads = append(uploads, took)
		invoice, took, err := g.call(ctx, http.MethodPost, "/api/invoices/extract", map[string]any{"document_id": up["id"]})
		if err != nil {
			return nil, err
		}
		extractions = append(extractions, took)
		id, _ := invoice["id"].(string)
		if _, took, err = g.call(ctx, http.MethodGet, "/api/invoices/"+id, nil); err != nil {
			return nil, err
		}
		reads = append(reads, took)
	}
	return []figure{
		{name: "read of one invoice", value: milliseconds(middle(reads)), unit: "ms"},
		{name: "upload", value: milliseconds(middle(uploads)), unit: "ms"},
		{name: "extraction after the upload", value: milliseconds(middle(extractions)), unit: "ms"},
	}, nil
}

// idleTime is the time over which the sweeps of an idle service are measured. They begin every two
// seconds.
const idleTime = 10 * time.Second

// sweep is the processor time of the idle service. On SQLite it includes that of the database.
func (g *grown) sweep(ctx context.Context) (figure, error) {
	before, err := processorTime(g.cmd.Process.Pid)
	if err != nil {
		return figure{}, err
	}
	select {
	case <-time.After(idleTime):
	case <-ctx.Done():
		return figure{}, ctx.Err()
	}
	after, err := processorTime(g.cmd.Process.Pid)
	return figure{name: "sweep: processor time of the idle service, each second", value: milliseconds(after-before) / idleTime.Seconds(), unit: "ms"}, err
}
