// These tests check organizations and users of an identity provider with
// the whole service, the simulated identity provider and the simulated payment
// processor.
package identities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
	simclerk "docledger/adapter/sim/clerk"
	simstripe "docledger/adapter/sim/stripe"
	"docledger/domain/job"
	"docledger/domain/organization"
	"docledger/test/lib/harness"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

const (
	ada  = "user_ada"
	bob  = "user_bob"
	acme = "org_acme"
	zeta = "org_zeta"
)

// created is the creation time of the organizations, long before any event.
var created = time.Date(2026, 3, 30, 23, 30, 0, 0, time.UTC)

// world is a service with both third parties. The test runs the jobs.
type world struct {
	*harness.Server
	t         testing.TB
	provider  *harness.Provider
	processor *simstripe.Server
	log       *safeBuffer
}

// safeBuffer collects log lines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns the collected log.
func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func people() simclerk.Options {
	return simclerk.Options{
		Users: []simclerk.User{
			{ID: ada, Email: "ada@example.com", FirstName: "Ada", LastName: "Example"},
			{ID: bob, Email: "bob@example.com"},
		},
		Organizations: []simclerk.Organization{
			{ID: acme, Name: "Acme", CreatedAt: created, UpdatedAt: created}, {ID: zeta, Name: "Zeta", CreatedAt: created, UpdatedAt: created},
		},
		Memberships: []simclerk.Membership{
			{UserID: ada, OrganizationID: acme, Role: "org:admin"}, {UserID: bob, OrganizationID: acme, Role: "org:member"},
			{UserID: ada, OrganizationID: zeta, Role: "org:member"},
		},
	}
}

func open(t testing.TB, o harness.Options, vary ...func(*simclerk.Options)) *world {
	t.Helper()
	limits := simstripe.DefaultLimits()
	limits.RequestsPerSecond = 0
	seeded := people()
	for _, v := range vary {
		v(&seeded)
	}
	w := &world{t: t, provider: harness.NewProvider(t, seeded), log: &safeBuffer{}}
	w.processor = simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount(), SecretKeys: []string{"sk_test_identity"}, Limits: &limits})
	processor := httptest.NewServer(w.processor)
	t.Cleanup(func() {
		processor.Close()
		w.processor.Close()
	})
	o.NoWorkers, o.Log = true, w.log
	o.Env = map[string]string{
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": "sk_test_identity", "PAYMENT_SIGNING_SECRETS": "whsec_of-the-processor",
		"PAYMENT_URL": processor.URL,
	}
	w.Server = harness.Start(t, o.WithProvider(w.provider))
	return w
}

// event is a webhook of the provider about an organization.
type event struct {
	id   string
	kind string
	body []byte
}

// newEvent creates an event with the state of the organization at the identity
// provider.
func newEvent(id, kind, organization string) event {
	body, err := json.Marshal(map[string]any{
		"object": "event", "type": kind, "timestamp": created.UnixMilli(),
		"data": map[string]any{
			"id": organization, "object": "organization", "name": "as it was then", "public_metadata": map[string]any{},
			"created_at": created.UnixMilli(), "updated_at": created.UnixMilli(),
		},
	})
	if err != nil {
		panic(err)
	}
	return event{id, kind, body}
}

// deliver sends an event to the webhook and runs its job.
func (w *world) deliver(e event) harness.Response {
	w.t.Helper()
	r := w.Send(http.MethodPost, "/webhook/identity", "", bytes.NewReader(e.body),
		harness.SignedHeaders(e.id, time.Now(), e.body, harness.ProviderSigningSecret)...)
	w.process()
	return r
}

// process processes the messages of the inbox.
func (w *world) process() {
	w.t.Helper()
	for range 10 {
		waiting, err := w.Service.Inbox.Inbox.Unfinished(context.Background(), time.Now().Add(time.Hour), 100)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(waiting) == 0 {
			return
		}
		for _, m := range waiting {
			_ = w.Service.Inbox.Process(context.Background(), job.ProcessEvent{V: job.EventVersion, MessageID: m.ID})
		}
	}
	w.t.Fatal("an event is not done")
}

// fault makes the provider fail calls.
func (w *world) fault(match, action string, times int) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"match": match, "times": times, "action": action})
	if err != nil {
		w.t.Fatal(err)
	}
	w.control(http.MethodPost, "faults", string(body))
}

func (w *world) control(method, what, body string) []byte {
	w.t.Helper()
	recorded := httptest.NewRecorder()
	req := httptest.NewRequest(method, "/_sim/"+what, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	w.provider.ServeHTTP(recorded, req)
	if recorded.Code != http.StatusOK {
		w.t.Fatalf("%s /_sim/%s: %d %s", method, what, recorded.Code, recorded.Body)
	}
	return recorded.Body.Bytes()
}

// api changes data at the identity provider like its owner.
func (w *world) api(method, path, body string) {
	w.t.Helper()
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+harness.ProviderSecretKey)
	recorded := httptest.NewRecorder()
	w.provider.ServeHTTP(recorded, req)
	if recorded.Code != http.StatusOK {
		w.t.Fatalf("%s %s: %d %s", method, path, recorded.Code, recorded.Body)
	}
}

// known is an organization at the identity provider.
type known struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Metadata map[string]any `json:"public_metadata"`
}

func (w *world) organizations() []known {
	w.t.Helper()
	var state struct {
		Organizations []known `json:"organizations"`
	}
	if err := json.Unmarshal(w.control(http.MethodGet, "state", ""), &state); err != nil {
		w.t.Fatal(err)
	}
	return state.Organizations
}

// metadata is the public metadata of the identity provider.
func (w *world) metadata(organization string) map[string]any {
	w.t.Helper()
	for _, o := range w.organizations() {
		if o.ID == organization {
			return o.Metadata
		}
	}
	return nil
}

// newest returns the id of the latest organization.
func (w *world) newest() string {
	w.t.Helper()
	all := w.organizations()
	return all[len(all)-1].ID
}

// writes counts the metadata changes that docledger requested.
func (w *world) writes() int {
	n := 0
	for _, r := range w.provider.Kit.Requests() {
		if r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/metadata") {
			n++
		}
	}
	return n
}

func (w *world) organization(identityID string) *organization.Organization {
	w.t.Helper()
	o, err := w.Service.Organizations.Organizations.ByIdentity(context.Background(), identityID)
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// customers returns the customers of the payment processor.
func (w *world) customers() []any {
	w.t.Helper()
	status, body := w.processor.Do(http.MethodGet, "/v1/customers", url.Values{"limit": {"100"}})
	if status != http.StatusOK {
		w.t.Fatalf("customers: %d %v", status, body)
	}
	list, _ := body["data"].([]any)
	return list
}
