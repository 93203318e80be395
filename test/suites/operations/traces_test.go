package operations

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/infrastructure/telemetry"
	"docledger/test/lib/harness"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// spans collects traces.
type spans struct {
	mu  sync.Mutex
	all []sdktrace.ReadOnlySpan
}

// ExportSpans implements sdktrace.SpanExporter.
func (s *spans) ExportSpans(_ context.Context, ended []sdktrace.ReadOnlySpan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, ended...)
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (s *spans) Shutdown(context.Context) error { return nil }

// of returns the spans of the trace that contains a span with the name.
func (s *spans) of(name string) []sdktrace.ReadOnlySpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, func(span sdktrace.ReadOnlySpan) bool { return span.Name() == name })
	if i < 0 {
		return nil
	}
	var out []sdktrace.ReadOnlySpan
	for _, span := range s.all {
		if span.SpanContext().TraceID() == s.all[i].SpanContext().TraceID() {
			out = append(out, span)
		}
	}
	return out
}

// path returns the names from the root of a trace to a span; "" until the trace
// is complete.
func (s *spans) path(name string) string {
	trace := s.of(name)
	var names []string
	for at := slices.IndexFunc(trace, func(span sdktrace.ReadOnlySpan) bool { return span.Name() == name }); at >= 0; {
		names = append([]string{trace[at].Name()}, names...)
		parent := trace[at].Parent()
		if !parent.IsValid() || parent.IsRemote() && s.foreign(parent, trace) {
			return strings.Join(names, " > ")
		}
		at = slices.IndexFunc(trace, func(span sdktrace.ReadOnlySpan) bool { return span.SpanContext().SpanID() == parent.SpanID() })
	}
	return ""
}

func (s *spans) foreign(parent trace.SpanContext, all []sdktrace.ReadOnlySpan) bool {
	return strings.HasPrefix(parent.TraceID().String(), "0af7651916cd43dd") &&
		!slices.ContainsFunc(all, func(span sdktrace.ReadOnlySpan) bool { return span.SpanContext().SpanID() == parent.SpanID() })
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); !ok(); <-tick.C {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("timeout: %s", what)
		}
	}
}

// TestTraces checks that one upload is one trace that includes its extraction job.
// One tool call is one trace that includes the API. A provider call belongs to the
// trace that caused it. No span contains data of users.
func TestTraces(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		collected := &spans{}
		ledger, _ := harness.NewLedgerA(t)
		w := everything(t, func(all *harness.Options) {
			all.DatabaseURL = o.DatabaseURL
			all.Overrides.Tracing = telemetry.TracingTo("docledger", "test", sdktrace.WithSyncer(collected))
			*all = all.With(ledger)
		})
		content, err := os.ReadFile("../../../examples/invoice-ubl.xml")
		if err != nil {
			t.Fatal(err)
		}
		const theirs = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		w.Upload(w.token, uuidOf(t, w.entity), "Canary.xml", content, "traceparent", theirs).OK()
		w.call("list_documents", map[string]any{"limit": 2})
		integration := w.connect(ledger)
		w.Send(http.MethodGet, "/api/Canary?q=Canary", w.token, nil)
		w.Do(http.MethodGet, "/api/v1/integrations/"+integration+"/accounting-contacts", w.token, nil).OK()
		for name, want := range map[string]string{
			"read document": "uploadDocument > job extract_document > read document",
			"listDocuments": "tool list_documents > call API > listDocuments",
		} {
			await(t, "a trace: "+want, func() bool { return collected.path(name) == want })
		}
		await(t, "a provider's call", func() bool {
			return slices.ContainsFunc(collected.of("listAccountingContacts"), func(span sdktrace.ReadOnlySpan) bool { return span.Name() == "call ACCOUNTING_A" })
		})
		if got := collected.of("uploadDocument")[0].SpanContext().TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("the caller's trace is not continued with: %s", got)
		}
		checkSpans(t, collected, w.token, w.tools)
	})
}

// checkSpans verifies that spans contain no vendor name, secret or text of
// callers.
func checkSpans(t *testing.T, collected *spans, secrets ...string) {
	t.Helper()
	collected.mu.Lock()
	defer collected.mu.Unlock()
	if len(collected.all) < 8 {
		t.Errorf("only %d spans", len(collected.all))
	}
	for _, span := range collected.all {
		texts := []string{span.Name(), span.Status().Description}
		for _, a := range span.Attributes() {
			texts = append(texts, a.Value.String())
		}
		for _, e := range span.Events() {
			texts = append(texts, e.Name)
		}
		all := strings.Join(texts, " ")
		for _, secret := range append(secrets, "Canary", "Acme", "example.com", "?", "/api") {
			if strings.Contains(all, secret) {
				t.Errorf("the span %s contains %q", span.Name(), secret)
			}
		}
	}
}
