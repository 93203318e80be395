package operations

import (
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	dto "github.com/prometheus/client_model/go"
)

// world is a service with all simulated third parties.
type world struct {
	*harness.Server
	provider *harness.Provider
	metrics  string // address
	token    string // of a user, from the identity provider
	tools    string // of an assistant
	entity   string
	t        *testing.T
}

// everything starts a service with an identity provider and a ledger, with the
// given options.
func everything(t *testing.T, change ...func(*harness.Options)) *world {
	t.Helper()
	w := &world{t: t, provider: harness.NewProvider(t, simclerk.Options{
		Users:         []simclerk.User{{ID: "user_ada", Email: "ada@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_acme", Name: "Acme Canary"}},
		Memberships:   []simclerk.Membership{{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin"}},
	})}
	o := harness.Options{Metrics: true}.WithProvider(w.provider)
	for _, c := range change {
		c(&o)
	}
	w.Server = harness.Start(t, o)
	w.metrics = w.Server.MetricsURL
	w.token = w.provider.Session("user_ada", "org_acme", simclerk.TokenOptions{})
	w.tools = w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, simclerk.TokenOptions{})
	w.entity = w.Do(http.MethodPost, "/api/entities", w.token, map[string]any{"name": "Acme"}).OK().Text("id")
	return w
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// call calls a tool.
func (w *world) call(tool string, arguments map[string]any) *mcp.CallToolResult {
	w.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(w.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(w.tools)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(context.WithoutCancel(w.t.Context()), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

type scraped map[string]*dto.MetricFamily

// scrape reads the metrics like Prometheus.
func scrape(t *testing.T, w *world) scraped {
	t.Helper()
	resp, err := http.Get(w.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", resp.StatusCode, err)
	}
	return families
}

// value returns the sum of the series with these labels, given as name=value.
// For histograms it is the number of observations.
func (s scraped) value(name string, labels ...string) (sum float64) {
	for _, m := range s[name].GetMetric() {
		fits := true
		for _, l := range labels {
			key, want, _ := strings.Cut(l, "=")
			fits = fits && slices.ContainsFunc(m.GetLabel(), func(p *dto.LabelPair) bool { return p.GetName() == key && p.GetValue() == want })
		}
		if fits {
			sum += m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// described are the possible series with their labels.
func described(t *testing.T, w *world) map[string]map[string]bool {
	t.Helper()
	found, out := scrape(t, w), map[string]map[string]bool{}
	add := func(name string, labels []string) {
		out[name] = map[string]bool{"instance": true, "job": true}
		for _, l := range labels {
			out[name][l] = true
		}
	}
	for name, family := range found {
		var labels []string
		for _, l := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		add(name, labels)
	}
	for _, d := range w.Service.Metrics() {
		add(d.Name, d.Labels)
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			if strings.HasSuffix(d.Name, "_duration_seconds") || strings.HasSuffix(d.Name, "_wait_seconds") {
				add(d.Name+part, append(d.Labels, "le"))
			}
		}
	}
	return out
}

func TestEveryMetricIsMeasured(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		ledger, _ := harness.NewLedgerA(t)
		w := everything(t, func(all *harness.Options) {
			all.DatabaseURL = o.DatabaseURL
			*all = all.With(ledger)
		})
		content, err := os.ReadFile("../../../examples/invoice-ubl.xml")
		if err != nil {
			t.Fatal(err)
		}
		document := w.Upload(w.token, uuidOf(t, w.entity), "Canary.xml", content).OK().Text("id")
		w.Extract(w.token, document).OK()
		w.Send(http.MethodGet, "/api/nothing/Canary-"+document, w.token, nil)
		w.Send(http.MethodGet, "/api/documents/"+document+"?limit=Canary", w.token, nil)
		if r := w.call("list_documents", map[string]any{"limit": 2}); r.IsError {
			t.Errorf("the tool's response is %v", r.Content)
		}
		integration := w.connect(ledger)
		w.Do(http.MethodGet, "/api/v1/integrations/"+integration+"/accounting-accounts", w.token, nil).OK()
		found := scrape(t, w)
		for series, least := range map[string]float64{
			"docledger_http_request_duration_seconds operation=uploadDocument status=200":     1,
			"docledger_http_request_duration_seconds operation=none status=404":               1,
			"docledger_extraction_duration_seconds method=STRUCTURED outcome=read":            1,
			"docledger_job_duration_seconds kind=extract_document outcome=done":               1,
			"docledger_tool_call_duration_seconds tool=list_documents outcome=ok":             1,
			"docledger_provider_call_duration_seconds provider=ACCOUNTING_A outcome=answered": 1,
			"docledger_provider_wait_seconds provider=ACCOUNTING_A outcome=admitted":          1,
			"docledger_integrations provider=ACCOUNTING_A status=ACTIVE":                      1,
			"docledger_grants provider=ACCOUNTING_A":                                          1,
			"docledger_grant_access_expiry_seconds provider=ACCOUNTING_A":                     60,
			"docledger_provider_budget_used_ratio provider=ACCOUNTING_A window=1m0s":          1.0 / 60,
			"docledger_workload_readable":                                                     1,
			"docledger_build_info":                                                            1,
			"go_sql_open_connections db_name=docledger":                                       1,
		} {
			parts := strings.Fields(series)
			if got := found.value(parts[0], parts[1:]...); got < least {
				t.Errorf("%s is %v, want at least %v", series, got, least)
			}
		}
		checkLabels(t, found)
	})
}

// checkLabels verifies that callers cannot create new label values: a label is
// a fixed word and not an id.
func checkLabels(t *testing.T, found scraped) {
	t.Helper()
	id := regexp.MustCompile(`[0-9a-f]{8}-|/|Canary|@`)
	for name, family := range found {
		if !strings.HasPrefix(name, "docledger_") {
			continue
		}
		if n := len(family.GetMetric()); n > 200 {
			t.Errorf("%s has %d series", name, n)
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if id.MatchString(l.GetValue()) {
					t.Errorf("%s has the label %s=%s", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// TestMetricsHaveASeparateAddress checks that metrics have a separate address, which
// serves nothing else.
func TestMetricsHaveASeparateAddress(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Metrics: true, NoWorkers: true})
	for path, want := range map[string]int{"/metrics": 200, "/": 404, "/api/me": 404} {
		resp, err := http.Get(s.MetricsURL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s returns %d %s", path, resp.StatusCode, body)
		}
	}
	s.Send(http.MethodGet, "/metrics", "", nil).Want(http.StatusNotFound, "not_found")
}
