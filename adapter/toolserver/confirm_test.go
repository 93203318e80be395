package toolserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestElicitation refuses an action to a client that can show pages. The client
// is asked to show the page, and learns afterwards what the user did.
func TestElicitation(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com/confirm?action=approve&items=x"
	bulk := `{"confirm_url":"` + page + `","items":[{"id":"1","ok":false}]}`
	single := `{"error":{"code":"forbidden","message":"People only.","details":{"request_id":"r1","confirm_url":"` + page + `"}}}`
	for name, c := range map[string]struct {
		status     int
		body, tool string
		arguments  map[string]any
		action     string
		says       string
	}{
		"one, shown": {403, single, "reject_invoice", map[string]any{"invoice_id": "1", "reason": "x"}, "accept", "was shown"},
		"several, shown": {200, bulk, "approve_invoices", map[string]any{"items": []any{map[string]any{"id": "1", "version": 1}}},
			"accept", "was shown"},
		"declined": {403, single, "reject_invoice", map[string]any{"invoice_id": "1", "reason": "x"}, "decline", "did not open"},
		"closed":   {403, single, "reject_invoice", map[string]any{"invoice_id": "1", "reason": "x"}, "cancel", "did not open"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, reply(c.status, c.body))
			var shown *mcp.ElicitParams
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					shown = r.Params
					return &mcp.ElicitResult{Action: c.action}, nil
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: w.URL + "/mcp?toolsets=all", HTTPClient: &http.Client{Transport: bearer{}}, DisableStandaloneSSE: true,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			result, text := call(t, session, c.tool, c.arguments)
			if shown == nil || shown.Mode != "url" || shown.URL != page || shown.ElicitationID == "" {
				t.Fatalf("the client was asked for %+v", shown)
			}
			if !result.IsError || !strings.Contains(text, c.says) {
				t.Errorf("got %s", text)
			}
		})
	}
}

// TestWithoutElicitation gives the address to a client that cannot show pages.
func TestWithoutElicitation(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"confirm_url":"https://app.example.com/confirm?x","items":[{"id":"1","ok":false}]}`))
	result, text := call(t, w.connect(t), "approve_invoices", map[string]any{"items": []any{map[string]any{"id": "1", "version": 1}}})
	if result.IsError || !strings.Contains(text, "https://app.example.com/confirm?x") {
		t.Errorf("got %s", text)
	}
}
