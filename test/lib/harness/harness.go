// Package harness starts the whole service in a test and calls it over HTTP. It
// validates every response against the specification.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/email"
	"docledger/adapter/extract/worker"
	"docledger/adapter/httpapi/spectest"
	"docledger/adapter/identity/local"
	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/infrastructure/logging"
	"docledger/test/lib/sqlite"
	"docledger/test/suites/vendornames"
	"docledger/usecase/entities"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
)

// Password is the password of every account that the harness creates.
const Password = "correct horse battery"

// passwordCost is the cost of password hashes in tests, which create hundreds of accounts.
// Benchmarks have the configured cost.
var passwordCost = local.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}

// Options configure the service. The zero value is the embedded database with
// workers.
type Options struct {
	DatabaseURL string // PostgreSQL; "" for SQLite
	DataDir     string // "" for one that is removed after the test
	NoWorkers   bool
	// Notifications enables change notifications of the document stores.
	Notifications bool
	// ToolsOverHTTP lets the tool server call the API over a connection, as in a process of its own.
	ToolsOverHTTP bool
	Metrics       bool // read at MetricsURL
	AfterRestore  bool // started as by serve --after-restore
	Overrides     service.Overrides
	UndoWindow    bool              // automatic syncs wait until an approval can no longer be undone
	Env           map[string]string // further variables
	Log           io.Writer         // nil: discarded
}

// collectLess lets the heap grow to five times what is alive before a collection, unless GOGC is
// set. Collections take a seventh of the processor time of services that tests start and end.
var collectLess = sync.OnceFunc(func() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
	}
})

// CompileCache keeps the compiled PDF engine between tests.
var CompileCache = filepath.Join(os.TempDir(), "docledger-test-cache")

// prewarm compiles the PDF engine once instead of concurrently in many
// services. If the compilation fails, the tests of PDF documents report it.
var prewarm = sync.OnceFunc(func() {
	pool := worker.New(worker.Config{Size: 1, CacheDir: CompileCache})
	_ = pool.Prewarm(context.Background())
	_ = pool.Close()
})

// Server is a running service.
type Server struct {
	URL     string
	DataDir string
	// MetricsURL is the URL of the metrics without /metrics.
	MetricsURL string
	// EmailAddress is the host and port of SMTP, if EMAIL_LISTEN is set.
	EmailAddress string
	Service      *service.Service
	Checker      *spectest.Checker
	cfg          config.Config
	t            testing.TB
	client       *http.Client
}

// Start starts a service that ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
		if o.DatabaseURL == "" {
			sqlite.Create(t, filepath.Join(o.DataDir, "docledger.db"))
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &Server{URL: "http://" + l.Addr().String(), DataDir: o.DataDir, Checker: spectest.New(t), t: t}
	if recorded() != "" {
		r, err := recorder()
		must(t, err)
		s.Checker.Observe = r.observe
	}
	s.client = &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.cfg, err = service.ConfiguredFrom(func(name string) (string, bool) { return s.env(o, name) })
	must(t, err)
	lines := newCanary(t, o.Log, o.Env)
	log := slog.New(slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, measured := t.(*testing.B)
	if !measured {
		collectLess()
	}
	if o.Overrides.PasswordCost == nil && !measured {
		o.Overrides.PasswordCost = &passwordCost
	}
	if measured {
		// The service logs directly here, because parsing each line would
		// distort measurements.
		log = logging.New(io.Discard, s.cfg.LogFormat, s.cfg.LogLevel)
	}
	if !o.NoWorkers {
		prewarm()
	}
	ctx, cancel := context.WithCancel(context.Background())
	if o.Overrides.Resolver == nil {
		o.Overrides.Resolver = email.NoNames{}
	}
	o.Overrides.SyncAtOnce = !o.UndoWindow
	if !measured {
		o.Overrides.SettleTimeout = 10 * time.Second // a busy machine ends no transaction in half a second
	}
	s.Service, err = service.Open(ctx, s.cfg, log, o.Overrides)
	if err != nil {
		cancel()
		t.Fatalf("open service: %v", err)
	}
	if o.AfterRestore {
		must(t, s.Service.Restore.Hold(ctx))
	}
	must(t, s.Service.ServeTools("test", true))
	if o.Metrics {
		at, err := s.Service.ListenMetrics("127.0.0.1:0")
		must(t, err)
		s.MetricsURL = "http://" + at.String()
	}
	if s.cfg.Email.Listen != "" {
		at, err := s.Service.ListenEmail(s.cfg.Email.Listen)
		must(t, err)
		s.EmailAddress = at.String()
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Service.Run(ctx, l, !o.NoWorkers) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("service ended: %v", err)
		}
		if err := s.Service.Close(); err != nil {
			t.Errorf("close service: %v", err)
		}
		s.client.CloseIdleConnections()
		lines.report()
	})
	return s
}

func (s *Server) env(o Options, name string) (string, bool) {
	if v, ok := o.Env[name]; ok {
		return v, true
	}
	loopback := "on"
	if o.Env["DOCLEDGER_ENV"] == "deployed" { // refused there
		loopback = "off"
	}
	values := map[string]string{
		"DOCLEDGER_ENV": "local", "WEBHOOK_LOOPBACK": loopback, "BASE_URL": s.URL, "DATA_DIR": o.DataDir, "DATABASE_URL": o.DatabaseURL,
		"BILLING": "none", "IDENTITY": "local", "PASSWORD_MEMORY_KIB": "8192", "SHUTDOWN_TIMEOUT": "5s", "SHUTDOWN_DELAY": "1ms",
		"SIGN_IN_TRIES_PER_ADDRESS": "1000000", "COMPILE_CACHE_DIR": CompileCache,
		"DATABASE_MAX_CONNECTIONS": "8", "REQUESTS_PER_CREDENTIAL": "1000000", "REQUESTS_PER_ORGANIZATION": "1000000",
		"REQUESTS_PER_ADDRESS": "1000000", "REQUESTS_AT_ONCE": "1000",
	}
	if o.Notifications {
		values["NOTIFICATIONS_URL"] = s.URL
	}
	if o.ToolsOverHTTP {
		values["BACKEND_URL"] = s.URL
	}
	v, ok := values[name]
	return v, ok
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Organization is an organization with one administrator and one entity.
type Organization struct {
	ID     uuid.UUID
	Entity uuid.UUID
	Admin  Person
}

// Person is a signed-in account.
type Person struct {
	ID    uuid.UUID
	Email string
	Token string
}

// NewOrganization creates an organization.
func (s *Server) NewOrganization(name string) Organization {
	s.t.Helper()
	ctx := context.Background()
	o, err := s.Service.Organizations.Create(ctx, name)
	must(s.t, err)
	admin := s.NewPerson(o.ID, identity.RoleAdmin)
	actor := identity.Actor{Type: identity.ActorUser, UserID: admin.ID, OrganizationID: o.ID, Role: identity.RoleAdmin}
	e, err := s.Service.Entities.Create(ctx, actor, entities.CreateInput{Values: entities.Values{Name: name + " Company"}})
	must(s.t, err)
	return Organization{ID: o.ID, Entity: e.ID, Admin: admin}
}

// NewPerson creates an account in an organization and signs it in.
func (s *Server) NewPerson(organization uuid.UUID, role identity.Role) Person {
	s.t.Helper()
	email := uuid.NewString() + "@example.com"
	u, _, err := s.Service.Organizations.AddUser(context.Background(), organizations.AddUserInput{
		Email: email, Password: Password, OrganizationID: organization, Role: role,
	})
	must(s.t, err)
	return Person{ID: u.ID, Email: email, Token: s.Login(email)}
}

// SetMembers sets the roles of members on an entity.
func (s *Server) SetMembers(o Organization, access entity.Access, members ...entity.Member) {
	s.t.Helper()
	actor := identity.Actor{Type: identity.ActorUser, UserID: o.Admin.ID, OrganizationID: o.ID, Role: identity.RoleAdmin}
	_, err := s.Service.Entities.Update(context.Background(), actor, o.Entity, 0, func(v *entities.Values) {
		v.Access, v.Members = access, members
	})
	must(s.t, err)
}

// Login signs in an account and returns its token.
func (s *Server) Login(email string) string {
	s.t.Helper()
	r := s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": email, "password": Password})
	if r.Status != http.StatusOK {
		s.t.Fatalf("login: %d %s", r.Status, r.Raw)
	}
	return r.Text("token")
}

// Config returns the configuration, for commands that open the installation.
func (s *Server) Config() config.Config { return s.cfg }

// LoseJobs deletes every job. The service itself never does this.
func (s *Server) LoseJobs() {
	s.t.Helper()
	db, err := database.Open(context.Background(), service.DatabaseConfig(s.cfg))
	must(s.t, err)
	defer db.Close()
	_, err = db.SQL.Exec("DELETE FROM river_job")
	must(s.t, err)
}

// Response is a completely read response.
type Response struct {
	Status int
	Header http.Header
	Raw    []byte
	t      testing.TB
}

// Do sends a request with a JSON body, or without a body if it is nil.
func (s *Server) Do(method, path, token string, body any, headers ...string) Response {
	s.t.Helper()
	var r io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		must(s.t, err)
		r = bytes.NewReader(raw)
		headers = append(headers, "Content-Type", "application/json")
	}
	return s.Send(method, path, token, r, headers...)
}

// Send sends a request with any body; headers are pairs of name and value.
func (s *Server) Send(method, path, token string, body io.Reader, headers ...string) Response {
	s.t.Helper()
	req, err := http.NewRequest(method, s.URL+path, body)
	must(s.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return s.Exchange(req)
}

// Exchange sends a request, reads the response and validates it.
func (s *Server) Exchange(req *http.Request) Response {
	s.t.Helper()
	resp, err := s.client.Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(s.t, err)
	if strings.HasPrefix(req.URL.Path, "/api") && req.Method != http.MethodHead {
		s.Checker.Check(s.t, req, resp, raw)
	}
	answer := Response{Status: resp.StatusCode, Header: resp.Header, Raw: raw, t: s.t}
	answer.neutral(req)
	return answer
}

// addresses are members with URLs of vendor pages, which may name the vendor.
var addresses = regexp.MustCompile(`https?://[^\s"<>]*`)

// neutral fails the test if a response of the service names a vendor. Uploaded
// content and the documentation, which explains how to connect each vendor, may name vendors.
func (r Response) neutral(req *http.Request) {
	r.t.Helper()
	documentation := req.URL.Path == "/docs" || strings.HasPrefix(req.URL.Path, "/docs/") || req.URL.Path == "/llms.txt"
	if documentation || strings.HasSuffix(req.URL.Path, "/content") || strings.HasPrefix(r.Header.Get("Content-Type"), "image/") {
		return
	}
	text := string(r.Raw)
	for name := range r.Header {
		text += "\n" + name + ": " + r.Header.Get(name)
	}
	if found := vendornames.Vendors(addresses.ReplaceAllString(text, "")); len(found) > 0 {
		r.t.Errorf("%s %s: the response names %v: %.300s", req.Method, req.URL.Path, found, text)
	}
}

// Upload uploads a file as multipart.
func (s *Server) Upload(token string, entity uuid.UUID, name string, content []byte, headers ...string) Response {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	must(s.t, w.WriteField("entity_id", entity.String()))
	part, err := w.CreateFormFile("file", name)
	must(s.t, err)
	_, err = part.Write(content)
	must(s.t, err)
	must(s.t, w.Close())
	return s.Send(http.MethodPost, "/api/documents/upload", token, &form, append(headers, "Content-Type", w.FormDataContentType())...)
}

// Extract extracts a document and returns the response.
func (s *Server) Extract(token, document string) Response {
	s.t.Helper()
	return s.Do(http.MethodPost, "/api/invoices/extract", token, map[string]any{"document_id": document})
}

// At returns the value at a path of keys and indices in a JSON response.
func (r Response) At(path ...any) any {
	r.t.Helper()
	var v any
	if err := json.Unmarshal(r.Raw, &v); err != nil {
		r.t.Fatalf("answer is not JSON: %v\n%s", err, r.Raw)
	}
	for _, step := range path {
		switch at := step.(type) {
		case string:
			object, ok := v.(map[string]any)
			if !ok {
				r.t.Fatalf("no object at %v in %s", path, r.Raw)
			}
			v = object[at]
		case int:
			list, ok := v.([]any)
			if !ok || at >= len(list) {
				r.t.Fatalf("no item at %v in %s", path, r.Raw)
			}
			v = list[at]
		}
	}
	return v
}

// Text is At for strings; null is "".
func (r Response) Text(path ...any) string {
	r.t.Helper()
	text, _ := r.At(path...).(string)
	return text
}

// Number is At for numbers.
func (r Response) Number(path ...any) int {
	r.t.Helper()
	n, _ := r.At(path...).(float64)
	return int(n)
}

// Len returns the length of the list at a path.
func (r Response) Len(path ...any) int {
	r.t.Helper()
	list, _ := r.At(path...).([]any)
	return len(list)
}

// Want fails the test unless the response has the status and, for an error, the
// code.
func (r Response) Want(status int, code string) Response {
	r.t.Helper()
	got := ""
	if status >= 400 && json.Valid(r.Raw) {
		got = r.Text("error", "code")
	}
	if r.Status != status || got != code {
		r.t.Fatalf("answer is %d %q, want %d %q\n%s", r.Status, got, status, code, r.Raw)
	}
	return r
}

// OK is Want for success.
func (r Response) OK() Response {
	r.t.Helper()
	return r.Want(http.StatusOK, "")
}

// ID returns an id from a response.
func ID(t testing.TB, text string) uuid.UUID {
	t.Helper()
	id, err := uuid.Parse(text)
	must(t, err)
	return id
}

// RunWebhook does the work of one job of a webhook, for tests without workers.
func (s *Server) RunWebhook(organization, id uuid.UUID) error {
	return s.Service.Webhooks.Run(context.Background(), job.DeliverWebhook{V: job.WebhookVersion, OrganizationID: organization, WebhookID: id})
}
