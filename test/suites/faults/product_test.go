package faults

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/usecase/entities"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
)

// childEnv makes this test binary run the service.
const childEnv = "DOCLEDGER_FAULTS_SERVICE"

// laterEnv is how far ahead the clock of the service is.
const laterEnv = "DOCLEDGER_FAULTS_LATER"

// shifted is a clock that is ahead.
type shifted time.Duration

// Now implements usecase.Clock.
func (s shifted) Now() time.Time { return time.Now().Add(time.Duration(s)) }

// serveIfChild runs the service in a child process until it is killed.
func serveIfChild() bool {
	if os.Getenv(childEnv) == "" {
		return false
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func serve() error {
	cfg, err := service.Configured()
	if err != nil {
		return err
	}
	ctx := context.Background()
	if id := os.Getenv(eraseEnv); id != "" {
		return eraseOrganization(ctx, cfg, id)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	overrides := service.Overrides{Providers: service.Providers{
		// The limits let a test wait for timeouts and sync a thousand invoices.
		Timeout: time.Second,
		Limits:  &integration.Limits{Concurrent: 5, Windows: []integration.Window{{Length: time.Minute, Max: 1_000_000}}},
	}}
	if text := os.Getenv(laterEnv); text != "" {
		later, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		overrides.Clock = shifted(later)
	}
	if os.Getenv(namesEnv) != "" {
		overrides.Resolver = shopNames{}
	}
	s, err := service.Open(ctx, cfg, log, overrides)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if cfg.Email.Listen != "" {
		if _, err := s.ListenEmail(cfg.Email.Listen); err != nil {
			return err
		}
	}
	fmt.Println("http://" + l.Addr().String())
	return s.Run(ctx, l, true)
}

// product is an installation that is started and killed repeatedly.
type product struct {
	t      *testing.T
	env    map[string]string
	token  string
	entity uuid.UUID
	client *http.Client
	reader *http.Client // reads what must hold, as long as a busy machine needs
	log    io.Writer    // error log of the services
}

// recovered is the time within which a service responds again after it has lost its database.
const recovered = time.Minute

const password = "a password for tests"

func newProduct(t *testing.T, databaseURL string) *product {
	t.Helper()
	return newProductWith(t, databaseURL, nil, func(*service.Service, identity.Actor) {})
}

// newProductWith sets further variables and prepares the administrator.
func newProductWith(
	t *testing.T, databaseURL string, env map[string]string, prepare func(*service.Service, identity.Actor),
) *product {
	t.Helper()
	p := &product{t: t, log: os.Stderr, client: &http.Client{Timeout: 10 * time.Second}, reader: &http.Client{Timeout: time.Minute}, env: map[string]string{
		"BASE_URL": "http://localhost:8080", "DATA_DIR": t.TempDir(), "DATABASE_URL": databaseURL,
		"BILLING": "none", "IDENTITY": "local", "PASSWORD_MEMORY_KIB": "8192", "DATABASE_MAX_CONNECTIONS": "8",
		"REQUESTS_PER_CREDENTIAL": "0", "REQUESTS_PER_ORGANIZATION": "0", "REQUESTS_PER_ADDRESS": "0",
		"COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"),
		"SYNC_WAIT_TIMEOUT": "5s", // less than the timeout of the client
	}}
	maps.Copy(p.env, env)
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) { v, ok := p.env[name]; return v, ok })
	p.must(err)
	ctx := context.Background()
	s, err := service.Open(ctx, cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	p.must(err)
	// The first start on a machine compiles the PDF engine, which takes longer than
	// the time for a recovery.
	p.must(s.Prewarm(ctx))
	u, organization, err := s.Organizations.AddUser(ctx, organizations.AddUserInput{
		Email: "faults@example.com", Password: password, NewOrganization: "Faults", Role: identity.RoleAdmin,
	})
	p.must(err)
	admin := identity.Actor{Type: identity.ActorUser, UserID: u.ID, OrganizationID: organization, Role: identity.RoleAdmin}
	e, err := s.Entities.Create(ctx, admin, entities.CreateInput{Values: entities.Values{Name: "Faults"}})
	p.must(err)
	p.entity = e.ID
	prepare(s, admin)
	p.must(s.Close())
	return p
}

func (p *product) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// running is one process of the service.
type running struct {
	url string
	cmd *exec.Cmd
}

func (p *product) start() *running {
	p.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
	for name, v := range p.env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	cmd.Stderr = p.log
	out, err := cmd.StdoutPipe()
	p.must(err)
	p.must(cmd.Start())
	r := &running{cmd: cmd}
	p.t.Cleanup(r.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	p.must(err)
	r.url = strings.TrimSpace(line)
	if p.token == "" {
		p.login(r)
	}
	return r
}

// kill ends the process like kill -9. A second call has no effect.
func (r *running) kill() {
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

func (p *product) login(r *running) {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"email": "faults@example.com", "password": password})
	p.must(err)
	resp, err := p.reader.Post(r.url+"/api/auth/login", "application/json", bytes.NewReader(body))
	p.must(err)
	defer resp.Body.Close()
	var answer struct{ Token string }
	p.must(json.NewDecoder(resp.Body).Decode(&answer))
	if p.token = answer.Token; p.token == "" {
		p.t.Fatalf("sign-in returns %d", resp.StatusCode)
	}
}

// upload returns the document's id if the response was 200.
func (p *product) upload(ctx context.Context, r *running, content []byte) (id string, ok bool) {
	return p.uploadTo(ctx, r, p.entity, content)
}

func (p *product) uploadTo(ctx context.Context, r *running, entity uuid.UUID, content []byte) (id string, ok bool) {
	body, err := json.Marshal(map[string]any{
		"entity_id": entity, "filename": "f", "content": base64.StdEncoding.EncodeToString(content),
	})
	if err != nil {
		return "", false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/api/documents/upload", bytes.NewReader(body))
	if err != nil {
		return "", false
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		return "", false
	}
	defer resp.Body.Close()
	var d map[string]any
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&d) != nil {
		return "", false
	}
	return text(d, "id"), true
}

// get reads a record or a page. While the service is unavailable, it asks again.
func (p *product) get(r *running, path string) (v map[string]any) {
	p.t.Helper()
	await(p.t, recovered, "the service is available", func() bool {
		status, raw := p.ask(r, path)
		switch status {
		case http.StatusOK:
			p.must(json.Unmarshal(raw, &v))
		case http.StatusServiceUnavailable:
			return false
		default:
			p.t.Fatalf("GET %s returns %d %s", path, status, raw)
		}
		return true
	})
	return v
}

func (p *product) ask(r *running, path string) (status int, body []byte) {
	p.t.Helper()
	req, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	p.must(err)
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := p.reader.Do(req)
	p.must(err)
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	p.must(err)
	return resp.StatusCode, body
}

// all reads a list to its end.
func (p *product) all(r *running, path string) (items []map[string]any) {
	p.t.Helper()
	cursor := ""
	for {
		page := p.get(r, path+"?limit=200"+cursor)
		list, _ := page["items"].([]any)
		for _, item := range list {
			object, _ := item.(map[string]any)
			items = append(items, object)
		}
		next := text(page, "next_cursor")
		if next == "" {
			return items
		}
		cursor = "&cursor=" + next
	}
}

func text(object map[string]any, key string) string {
	s, _ := object[key].(string)
	return s
}
