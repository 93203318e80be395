package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
)

// deviating are the operations of the planted deviations.
var deviating = []string{
	"getDocument", "getEntity", "getIntegration", "getIntegrationStatus", "listApiKeys", "listDocuments", "listInvoices", "listMembers",
	"updateEntity", "updateInvoice",
}

// deviations are the planted ones, each with what the report must say of it.
var deviations = map[string]string{
	"wrong type": "validator", "undeclared status": "202", "missing route": "unknown route",
	"wrong format": "validator", "missing field": "validator", "extra enum value": "validator",
}

// planting is a proxy that changes the responses of the deviating operations.
type planting struct {
	doc        *openapi3.T
	operations []spectest.Operation
	kind       atomic.Value // "" changes nothing
}

// asked is the key of the request as the run sent it.
type asked struct{}

func (p *planting) of(req *http.Request) (spectest.Operation, bool) {
	o, ok := spectest.Find(p.operations, req.Method, req.URL.Path)
	return o, ok && slices.Contains(deviating, o.ID)
}

func (p *planting) proxy(to *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			if _, ok := p.of(r.In); ok && p.kind.Load() == "missing route" {
				r.Out.URL.Path = "/api/no-such-route"
			}
			r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), asked{}, r.In))
		},
		ModifyResponse: p.change,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise a response that arrives before the end of the request is noticed closes the
		// request, and with it the connection that the response is read from.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})
}

func (p *planting) change(resp *http.Response) error {
	in, _ := resp.Request.Context().Value(asked{}).(*http.Request)
	o, ok := p.of(in)
	if !ok || resp.StatusCode != http.StatusOK {
		return nil
	}
	kind := p.kind.Load().(string)
	if kind == "undeclared status" {
		resp.StatusCode, resp.Status = http.StatusAccepted, "202 Accepted"
		return nil
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	schema := p.doc.Paths.Value(o.Path).GetOperation(o.Method).Responses.Status(http.StatusOK).Value.Content["application/json"].Schema
	if plant(schema.Value, value, kind) {
		if raw, err = json.Marshal(value); err != nil {
			return err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	resp.Header.Set("Content-Length", fmt.Sprint(len(raw)))
	return nil
}

// plant changes one value, the first that the deviation fits, and reports whether
// there is one.
func plant(schema *openapi3.Schema, value any, kind string) bool {
	for _, part := range schema.AllOf {
		if plant(part.Value, value, kind) {
			return true
		}
	}
	switch value := value.(type) {
	case []any:
		return len(value) > 0 && plant(schema.Items.Value, value[0], kind)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
			property := schema.Properties[key].Value
			text, isText := value[key].(string)
			open, _ := property.Extensions["x-extensible-enum"].([]any)
			switch {
			case kind == "wrong type" && isText:
				value[key] = len(text)
			case kind == "missing field" && slices.Contains(schema.Required, key):
				delete(value, key)
			case kind == "wrong format" && isText && slices.Contains([]string{"uuid", "date", "date-time"}, property.Format):
				value[key] = "31.12.2026"
			case kind == "extra enum value" && isText && len(property.Enum)+len(open) > 0:
				value[key] = "NEW_VALUE"
			default:
				if !plant(property, value[key], kind) {
					continue
				}
			}
			return true
		}
	}
	return false
}

// TestPlantedDeviationsAreFound plants each deviation on ten operations of a running
// service. The same run without a deviation has none.
func TestPlantedDeviationsAreFound(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "sandbox")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "nomsgpack,grpcnotrace", "-ldflags=-s -w", "-o", binary, "docledger/cmd/sandbox")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the sandbox: %v\n%s", err, out)
	}
	service, err := startSandbox(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.stop)
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(service.env["BASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	p := &planting{doc: doc, operations: spectest.OperationsOf(doc)}
	p.kind.Store("")
	server := httptest.NewServer(p.proxy(to))
	t.Cleanup(server.Close)
	w, err := open(t.Context(), service.env, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := options{calls: 2, seed: 1, only: deviating}
	play := func() *report {
		w.report = newReport()
		if err := w.playAll(t.Context(), o); err == nil {
			t.Error("two successes of each operation are enough")
		}
		return w.report
	}
	honest := play()
	for _, id := range deviating {
		if honest.of(id).deviating != 0 {
			t.Fatalf("without a deviation: %s", honest.failed(id))
		}
	}
	for kind, want := range deviations {
		p.kind.Store(kind)
		r := play()
		for _, id := range deviating {
			if found := r.failed(id); r.of(id).deviating == 0 || !strings.Contains(found, want) {
				t.Errorf("%s of %s is not found: %s", kind, id, found)
			}
		}
	}
}

// TestTooFewSuccessesFailTheRun expects 20 successes of each operation, and a reason
// for each exception.
func TestTooFewSuccessesFailTheRun(t *testing.T) {
	r := newReport()
	for range least - 1 {
		r.add("getMe", http.StatusOK, true, nil)
	}
	if err := r.verdict(); err == nil || !strings.Contains(err.Error(), "getMe: 19 successes") {
		t.Errorf("19 successes: %v", err)
	}
	r.add("getMe", http.StatusOK, true, nil)
	if err := r.verdict(); err != nil {
		t.Errorf("20 successes: %v", err)
	}
	if len(exceptions) > 3 {
		t.Errorf("%d exceptions", len(exceptions))
	}
	for id, reason := range exceptions {
		var out bytes.Buffer
		one := newReport()
		one.add(id, http.StatusOK, true, nil)
		if one.print(&out); reason == "" || !strings.Contains(out.String(), reason) {
			t.Errorf("%s: the report does not print the reason %q", id, reason)
		}
	}
}
