package toolserver_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
	"docledger/openapi"
)

// BenchmarkCall compares a tool call with a direct call of an API that responds immediately.
func BenchmarkCall(b *testing.B) {
	doc, err := openapi.Load()
	if err != nil {
		b.Fatal(err)
	}
	schema := doc.Paths.Value("/api/invoices/{invoice_id}").Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema.Value
	body, err := json.Marshal(sample(schema, false, 6))
	if err != nil {
		b.Fatal(err)
	}
	answer := strings.ReplaceAll(string(body), longText, "a text")
	api := httptest.NewServer(reply(http.StatusOK, answer))
	b.Cleanup(api.Close)
	server, err := toolserver.New(toolserver.Options{
		Backend: api.URL, Log: slog.New(slog.DiscardHandler),
		OAuth:  oauth.Config{BaseURL: base, Issuer: "https://idp.example.com", ClientID: "client_1", AuthMethod: "none", Now: time.Now},
		Verify: func(context.Context, string) (toolserver.Caller, error) { return toolserver.Caller{}, nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	tools := httptest.NewServer(server)
	b.Cleanup(tools.Close)
	for name, c := range map[string]struct{ method, address, body string }{
		"api":  {http.MethodGet, api.URL, ""},
		"tool": {http.MethodPost, tools.URL + "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_invoice","arguments":{"invoice_id":"1"}}}`},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), c.method, c.address, strings.NewReader(c.body))
				if err != nil {
					b.Fatal(err)
				}
				req.Header = http.Header{"Authorization": {"Bearer " + goodToken}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
					b.Fatal(resp.StatusCode, err)
				}
				resp.Body.Close()
			}
		})
	}
}
