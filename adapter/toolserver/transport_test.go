package toolserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"docledger/adapter/toolserver/catalog"
)

// TestEveryFormOfAcceptIsAnswered covers clients that name one form of answers,
// another form or none.
func TestEveryFormOfAcceptIsAnswered(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for accept, media := range map[string]string{
		"":                                    "application/json",
		"*/*":                                 "application/json",
		"application/json":                    "application/json",
		"text/html, application/json;q=0.9":   "application/json",
		"text/html":                           "application/json",
		"text/event-stream":                   "text/event-stream",
		"application/json, text/event-stream": "text/event-stream",
		"Text/Event-Stream;q=0.5, application/json": "text/event-stream",
	} {
		resp := w.message(t, listTools, map[string]string{"Accept": accept})
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), media) || !strings.Contains(body, "get_invoice") {
			t.Errorf("Accept %q: %d, %s", accept, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		if isJSON := json.Valid([]byte(body)); isJSON != (media == "application/json") {
			t.Errorf("Accept %q: JSON is %v", accept, isJSON)
		}
	}
}

// TestErrorsOfTheTransportAreJSON sends what the library refuses in plain text.
func TestErrorsOfTheTransportAreJSON(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for name, c := range map[string]struct {
		method, body string
		header       map[string]string
		status       int
	}{
		"GET":              {http.MethodGet, "", nil, 405},
		"DELETE":           {http.MethodDelete, "", nil, 405},
		"wrong media type": {http.MethodPost, listTools, map[string]string{"Content-Type": "text/plain"}, 415},
		"unknown revision": {http.MethodPost, listTools, map[string]string{"MCP-Protocol-Version": "1999-01-01"}, 400},
		"no JSON":          {http.MethodPost, "{", nil, 400},
		"no body":          {http.MethodPost, "", nil, 400},
		"no message":       {http.MethodPost, "17", nil, 400},
		"unknown toolset":  {http.MethodPost, listTools, map[string]string{"X-MCP-Toolsets": "payments"}, 400},
	} {
		resp := w.send(t, c.method, "/mcp", c.body, c.header)
		body := text(t, resp)
		var message struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(body), &message); err != nil || resp.StatusCode != c.status ||
			!strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") || message.JSONRPC != "2.0" || message.Error.Code == 0 || message.Error.Message == "" {
			t.Errorf("%s: %d %s: %s", name, resp.StatusCode, resp.Header.Get("Content-Type"), body)
		}
	}
}

// TestErrorsHaveTheCodesOfJSONRPC sends what no revision of the protocol accepts. The answer names the
// call.
func TestErrorsHaveTheCodesOfJSONRPC(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for _, revision := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, c := range []struct {
			body, id     string
			status, code int
		}{
			{`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, "7", 200, -32601},
			{`{"jsonrpc":"2.0","id":"a<b","method":"no/such","params":{}}`, `"a<b"`, 200, -32601},
			{`{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`, "7", 200, -32601},
			{`{"jsonrpc":"2.0","method":"no/such"}`, "null", 400, -32600},
			{`{"jsonrpc":"2.0","id":{},"method":"no/such"}`, "null", 400, -32600},
			{`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, "7", 400, -32600},
			{`{"jsonrpc":"2.0","id":7,`, "null", 400, -32700},
			{`nonsense`, "null", 400, -32700},
			{`17`, "null", 400, -32600},
		} {
			header := map[string]string{"Accept": "application/json"}
			if revision != "" {
				header["MCP-Protocol-Version"] = revision
			}
			resp := w.message(t, c.body, header)
			var answer struct {
				JSONRPC string
				ID      json.RawMessage
				Error   struct{ Code int }
			}
			body := text(t, resp)
			if err := json.Unmarshal([]byte(body), &answer); err != nil || resp.StatusCode != c.status ||
				answer.JSONRPC != "2.0" || unescaped(answer.ID) != c.id || answer.Error.Code != c.code {
				t.Errorf("revision %q, %s: %d %s", revision, c.body, resp.StatusCode, body)
			}
		}
	}
	for method, code := range map[string]string{http.MethodGet: "-32600", http.MethodDelete: "-32600", http.MethodPost: "-32700"} {
		if body := text(t, w.send(t, method, "/mcp", "", map[string]string{"MCP-Protocol-Version": "1999-01-01"})); !strings.Contains(body, code) {
			t.Errorf("%s without a body: %s", method, body)
		}
	}
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"no/such"}]`
	if body := text(t, w.message(t, batch, map[string]string{"MCP-Protocol-Version": "2025-03-26"})); !strings.Contains(body, `"id":2`) || !strings.Contains(body, "-32601") {
		t.Errorf("a batch: %s", body)
	}
}

// unescaped returns JSON without escapes for HTML.
func unescaped(text json.RawMessage) string {
	return strings.ReplaceAll(string(text), `\u003c`, "<")
}

// TestToolsetsOfAClient selects tools by the address and by headers.
func TestToolsetsOfAClient(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"items":[],"next_cursor":null}`))
	for name, c := range map[string]struct {
		path       string
		header     map[string]string
		has, lacks string
	}{
		"default":         {"/mcp", nil, `"approve_invoice"`, `"list_events"`},
		"query":           {"/mcp?toolsets=organization", nil, `"list_events"`, `"approve_invoice"`},
		"header":          {"/mcp", map[string]string{"X-MCP-Toolsets": "organization"}, `"list_events"`, `"approve_invoice"`},
		"query wins":      {"/mcp?toolsets=review", map[string]string{"X-MCP-Toolsets": "organization"}, `"approve_invoice"`, `"list_events"`},
		"read-only":       {"/mcp?read-only=true", nil, `"get_invoice"`, `"approve_invoice"`},
		"read-only bare":  {"/mcp?read-only", nil, `"get_invoice"`, `"approve_invoice"`},
		"read-only off":   {"/mcp?read-only=false", nil, `"approve_invoice"`, `"list_events"`},
		"read-only, else": {"/mcp", map[string]string{"X-MCP-Readonly": "1"}, `"get_invoice"`, `"approve_invoice"`},
	} {
		body := text(t, w.send(t, http.MethodPost, c.path, listTools, c.header))
		if !strings.Contains(body, c.has) || strings.Contains(body, c.lacks) {
			t.Errorf("%s: has %v, lacks %v", name, strings.Contains(body, c.has), !strings.Contains(body, c.lacks))
		}
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve_invoice","arguments":{"invoice_id":"1","version":1}}}`
	if body := text(t, w.send(t, http.MethodPost, "/mcp?read-only", call, nil)); !strings.Contains(body, "unknown tool") || len(w.seen()) != 0 {
		t.Errorf("a changing tool in read-only mode: %s", body)
	}
}

// TestChangesAnswerBriefly: the result of a change has at most 1 kB, whatever
// the invoice contains.
func TestChangesAnswerBriefly(t *testing.T) {
	t.Parallel()
	var checks []map[string]any
	for i := range 60 {
		checks = append(checks, map[string]any{"rule": "lines_sum", "severity": "BLOCKING", "passed": i%2 == 0, "expected": strings.Repeat("9", 30), "found": "1 < 2 & 3"})
	}
	body, err := json.Marshal(map[string]any{
		"id": "i1", "invoice_number": "R & D <1>", "status": "APPROVED", "version": 3, "checks": checks, "lines": make([]map[string]any, 200),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, reply(200, string(body)))
	session := w.connect(t)
	for name, arguments := range map[string]map[string]any{
		"approve_invoice": {"invoice_id": "1", "version": 1}, "reject_invoice": {"invoice_id": "1", "reason": "x"}, "reopen_invoice": {"invoice_id": "1"},
		"sync_invoice": {"invoice_id": "1"}, "update_invoice": {"invoice_id": "1", "note": "x"},
	} {
		_, text := call(t, session, name, arguments)
		got := decode[map[string]any](t, text)
		failed, _ := got["failed_checks"].([]any)
		if len(text) > 1000 || got["id"] != "i1" || got["status"] != "APPROVED" || got["version"] != 3.0 || got["lines"] != nil || len(failed) == 0 {
			t.Errorf("%s: %d bytes: %s", name, len(text), text)
		}
		if !strings.Contains(text, `"R & D <1>"`) {
			t.Errorf("%s escapes text: %s", name, text)
		}
	}
	for _, tool := range []string{"get_invoice"} {
		_, text := call(t, session, tool, map[string]any{"invoice_id": "1", "fields": []string{"invoice_number", "checks.rule"}})
		if strings.Contains(text, "severity") || !strings.Contains(text, `{"rule":"lines_sum"}`) || !strings.Contains(text, `"R & D <1>"`) || len(text) > catalog.MaxTokens {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
