package operations

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"docledger/test/lib/harness"
)

// lines collects log lines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestLogsContainOnlyIDs checks that logs contain only ids. Data of users and
// documents never appears in logs of requests, jobs, tool calls and provider calls,
// successful or not. Every request has one line with its request id.
func TestLogsContainOnlyIDs(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		logged := &lines{}
		ledger, _ := harness.NewLedgerA(t)
		w := everything(t, func(all *harness.Options) {
			all.DatabaseURL, all.Log = o.DatabaseURL, logged
			*all = all.With(ledger)
		})
		content, err := os.ReadFile("../../../examples/invoice-ubl.xml")
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{}
		note := func(what string, r harness.Response) harness.Response {
			t.Helper()
			ids[what] = r.Header.Get("X-Request-Id")
			return r
		}
		document := note("uploadDocument", w.Upload(w.token, uuidOf(t, w.entity), "Canary file.xml", content)).OK().Text("id")
		invoice := note("extractInvoice", w.Extract(w.token, document)).OK().Text("id")
		w.Upload(w.token, uuidOf(t, w.entity), "Canary broken.xml", []byte("<Invoice>Canary</Invo"))
		w.Upload(w.token, uuidOf(t, w.entity), "Canary.pdf", []byte("%PDF-1.4 Canary"))
		for _, path := range []string{
			"/api/me", "/api/entities", "/api/documents?q=Canary", "/api/invoices?q=Canary", "/api/invoices/" + invoice, "/api/invoices/" + invoice + "/history",
			"/api/documents/" + document + "/content", "/api/events", "/api/billing", "/api/integrations", "/api/settings/" + w.entity, "/api/Canary", "/Canary",
		} {
			w.Send(http.MethodGet, path, w.token, nil)
		}
		note("updateInvoice", w.Do(http.MethodPatch, "/api/invoices/"+invoice, w.token, map[string]any{"note": "Canary note", "purchase_order": "Canary order"}))
		w.Do(http.MethodPost, "/api/invoices/"+invoice+"/reject", w.token, map[string]any{"reason": "Canary reason"})
		w.Do(http.MethodPost, "/api/entities", w.token, map[string]any{"name": "Canary Ltd", "country": "Canary"})
		w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "Canary@example.com", "password": "Canary password"})
		w.Do(http.MethodPost, "/webhook/identity", "", map[string]any{"type": "Canary"})
		w.call("list_documents", map[string]any{"limit": 2})
		w.call("list_documents", map[string]any{"Canary": "Canary"})
		integration := w.connect(ledger)
		note("listAccountingContacts", w.Do(http.MethodGet, "/api/v1/integrations/"+integration+"/accounting-contacts", w.token, nil)).OK()
		checkLog(t, logged.all(), ids, secretsOf(t, w, invoice))
	})
}

// secretsOf returns the parties and amounts of the extracted invoice.
func secretsOf(t *testing.T, w *world, invoice string) []string {
	t.Helper()
	r := w.Do(http.MethodGet, "/api/invoices/"+invoice, w.token, nil).OK()
	out := []string{"Canary", r.Text("seller", "name"), r.Text("buyer", "name"), r.Text("invoice_number"), "ada@example.com"}
	for _, text := range out {
		if len(text) < 4 {
			t.Fatalf("the example has too little data: %q", out)
		}
	}
	return append(out, r.Text("gross_total"))
}

func checkLog(t *testing.T, log string, ids map[string]string, secrets []string) {
	t.Helper()
	operations := map[string]string{}
	for line := range strings.Lines(log) {
		for _, secret := range secrets {
			if strings.Contains(line, `"`+secret) || strings.Contains(line, secret+`"`) || len(secret) > 6 && strings.Contains(line, secret) || strings.Contains(line, "Canary") {
				t.Errorf("a line contains %q: %s", secret, line)
				break
			}
		}
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("a line is not JSON: %s", line)
			continue
		}
		if entry["msg"] == "request" {
			id, _ := entry["request_id"].(string)
			operation, _ := entry["operation"].(string)
			operations[id] = operation
		}
	}
	for operation, id := range ids {
		if operations[id] != operation {
			t.Errorf("the request %s of %s is logged as %q", id, operation, operations[id])
		}
	}
}
