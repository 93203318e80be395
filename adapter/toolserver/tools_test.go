package toolserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/catalog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"
)

func TestListOfTools(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for query, most := range map[string]int{"": 9_000, "?toolsets=all": 16_000, "?toolsets=review&read-only": 5_000} {
		result := listed(t, w, query)
		data, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := vocabulary.Count(string(data))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d tools of %q have %d tokens in %d bytes", len(result.Tools), query, tokens, len(data))
		if tokens > most {
			t.Errorf("the tools of %q have %d tokens, more than %d", query, tokens, most)
		}
	}
	result := listed(t, w, "?toolsets=all")
	if len(result.Tools) > catalog.MaxTools || !slices.IsSortedFunc(result.Tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("%d tools, or out of order", len(result.Tools))
	}
	for _, tool := range result.Tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || tool.Title == "" || tool.OutputSchema == nil != (tool.Name == "get_document_page") {
			t.Errorf("%s lacks a hint, its title or its output", tool.Name)
		}
	}
	if len(w.seen()) != 0 {
		t.Error("listing asked the API")
	}
}

// listed lists the tools of a query.
func listed(t *testing.T, w *world, query string) *mcp.ListToolsResult {
	t.Helper()
	result, err := w.connectTo(t, "/mcp"+query).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// vocabulary is the tokenizer of the models that the token budget is for.
var vocabulary = func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return codec
}()

func TestTheCallersTokenGoesOnUnchanged(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"items":[],"next_cursor":null}`))
	result, text := call(t, w.connect(t), "list_entities", map[string]any{"limit": 2})
	if result.IsError || text != `{"items":[],"next_cursor":null}` {
		t.Errorf("got %s", text)
	}
	r := w.seen()[0]
	if r.Header.Get("Authorization") != "Bearer "+goodToken || r.URL.String() != "/api/entities?limit=2" || r.Header.Get("Cookie") != "" {
		t.Errorf("the API got %s, %v", r.URL, r.Header)
	}
	if strings.Contains(w.log.String(), goodToken) || !strings.Contains(w.log.String(), "tool=list_entities") {
		t.Errorf("the log:\n%s", w.log)
	}
}

func TestTheTokenFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	reached := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(elsewhere.Close)
	w := start(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	result, text := call(t, w.connect(t), "get_me", nil)
	if !result.IsError || reached || !strings.Contains(text, "307") {
		t.Errorf("reached elsewhere: %v; %s", reached, text)
	}
}

func TestAPageIsAnImage(t *testing.T) {
	t.Parallel()
	const image = "\x89PNG\r\n\x1a\n\n pixels \n"
	w := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte(image))
	})
	result, err := w.connect(t).CallTool(t.Context(), &mcp.CallToolParams{Name: "get_document_page", Arguments: map[string]any{
		"document_id": "01936b1e-0000-7000-8000-000000000004", "page": 2, "width": 600,
	}})
	if err != nil || result.IsError || len(result.Content) != 1 || result.StructuredContent != nil {
		t.Fatalf("got %+v, %v", result, err)
	}
	if c, ok := result.Content[0].(*mcp.ImageContent); !ok || string(c.Data) != image || c.MIMEType != "image/png" {
		t.Errorf("got %+v", result.Content[0])
	}
	if r := w.seen()[0]; r.URL.String() != "/api/documents/01936b1e-0000-7000-8000-000000000004/pages/2?width=600" {
		t.Errorf("the API got %s", r.URL)
	}
}

// TestRefusalsSayWhatToDo goes through what the API answers.
func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		retry  string
		says   []string
	}{
		"no organization": {401, fmt.Sprintf(envelope, "organization_required", "No organization."), "", []string{"consent page", "r1"}},
		"revoked":         {401, fmt.Sprintf(envelope, "unauthorized", "Sign in."), "", []string{"Connect again"}},
		"forbidden":       {403, fmt.Sprintf(envelope, "forbidden", "Not yours."), "", []string{"Not yours.", "more permissions"}},
		"missing":         {404, fmt.Sprintf(envelope, "not_found", "There is none."), "", []string{"list the records"}},
		"limit":           {429, fmt.Sprintf(envelope, "rate_limited", "Slow down."), "7", []string{"in 7 seconds"}},
		"busy":            {503, fmt.Sprintf(envelope, "still_processing", "Still reading."), "3", []string{"in 3 seconds"}},
		"conflict":        {400, fmt.Sprintf(envelope, "version_conflict", "Changed."), "", []string{"Fetch the current version"}},
		"fields": {400, `{"error":{"code":"invalid_request","message":"Wrong.","details":{"request_id":"r1","fields":[{"field":"limit","reason":"is too large"}]}}}`,
			"", []string{"limit: is too large."}},
		"web": {403, `{"error":{"code":"forbidden","message":"People only.","details":{"request_id":"r1","confirm_url":"https://app.example.com/i/1"}}}`,
			"", []string{"A user can do it at https://app.example.com/i/1"}},
		"setting": {403, `{"error":{"code":"forbidden","message":"Ask the user to do it on the page in details.confirm_url.","details":{"request_id":"r1","confirm_url":"https://app.example.com/i/2"}}}`,
			"", []string{"Ask the user to do it on https://app.example.com/i/2."}},
		"HTML":      {502, "<html>Bad Gateway</html>", "", []string{"502", "operator"}},
		"no object": {200, `[]`, "", []string{"invalid response", "operator"}},
		"no JSON":   {200, `hello`, "", []string{"operator"}},
		"controls":  {400, fmt.Sprintf(envelope, "invalid_request", `Wrong\u001b[31m.`), "", []string{"Wrong[31m."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, func(w http.ResponseWriter, r *http.Request) {
				if c.retry != "" {
					w.Header().Set("Retry-After", c.retry)
				}
				reply(c.status, c.body)(w, r)
			})
			result, text := call(t, w.connect(t), "get_me", nil)
			if !result.IsError || result.StructuredContent != nil {
				t.Errorf("it is no error, or has data")
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q lacks %q", text, want)
				}
			}
			if page := strings.Contains(c.body, `"confirm_url":`); page && (strings.Contains(text, "more permissions") || strings.Contains(text, "details.") || !strings.Contains(text, "Do not retry.")) {
				t.Errorf("the user who can do it is not asked: %s", text)
			}
			if strings.Contains(text, "html") {
				t.Errorf("a foreign body shows: %s", text)
			}
		})
	}
}

func TestTheAPIOutOfReach(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	w.api.Close()
	session := w.connect(t)
	for tool, says := range map[string]string{"get_me": "Retry in", "reject_invoice": "Retry in"} {
		arguments := map[string]any{}
		if tool == "reject_invoice" {
			arguments = map[string]any{"invoice_id": "1", "reason": "x"}
		}
		if result, text := call(t, session, tool, arguments); !result.IsError || !strings.Contains(text, says) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	session := w.connect(t)
	if result, text := call(t, session, "get_invoice", map[string]any{"colour": "red"}); !result.IsError || !strings.Contains(text, "colour") || !strings.Contains(text, "invoice_id") {
		t.Errorf("got %s", text)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "login"}); err == nil || !strings.Contains(err.Error(), "login") {
		t.Errorf("an unknown tool: %v", err)
	}
	if len(w.seen()) != 0 {
		t.Error("the API was asked")
	}
}

// TestLongListsLeadOn pages through a list that does not fit and finds each
// item once.
func TestLongListsLeadOn(t *testing.T) {
	t.Parallel()
	const all = 120
	w := start(t, func(w http.ResponseWriter, r *http.Request) {
		var from, limit int
		fmt.Sscan(r.URL.Query().Get("cursor"), &from)
		if limit = 50; r.URL.Query().Get("limit") != "" {
			fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		}
		var items []map[string]any
		to := min(from+limit, all)
		for i := from; i < to; i++ {
			items = append(items, map[string]any{"id": fmt.Sprint(i), "name": strings.Repeat("x", 900)})
		}
		page := map[string]any{"items": items, "next_cursor": nil}
		if to < all {
			page["next_cursor"] = fmt.Sprint(to)
		}
		_ = json.NewEncoder(w).Encode(page)
	})
	session := w.connect(t)
	var got []string
	arguments := map[string]any{}
	for {
		_, text := call(t, session, "list_entities", arguments)
		if len(text) > catalog.DefaultTokens*3+600 {
			t.Fatalf("a response of %d bytes", len(text))
		}
		page := decode[struct {
			Items []struct{ ID string }
			Next  string `json:"next_cursor"`
		}](t, text)
		for _, item := range page.Items {
			got = append(got, item.ID)
		}
		if page.Next == "" {
			break
		}
		if !strings.Contains(text, "truncated") {
			t.Fatalf("it does not say that more is there")
		}
		arguments = map[string]any{"cursor": page.Next}
	}
	for i, id := range got {
		if id != fmt.Sprint(i) {
			t.Fatalf("item %d is %s", i, id)
		}
	}
	if len(got) != all {
		t.Errorf("%d of %d items", len(got), all)
	}
}

func TestALongRecordIsShortened(t *testing.T) {
	t.Parallel()
	lines := make([]map[string]any, 200)
	for i := range lines {
		lines[i] = map[string]any{"id": fmt.Sprint(i), "description": strings.Repeat("d", 1000)}
	}
	body, err := json.Marshal(map[string]any{"id": "i1", "status": "EXTRACTED", "lines": lines})
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, reply(200, string(body)))
	session := w.connect(t)
	for tokens, least := range map[int]int{catalog.DefaultTokens: 20, catalog.MaxTokens: 65} {
		_, text := call(t, session, "get_invoice", map[string]any{"invoice_id": "i1", "max_tokens": tokens})
		got := decode[struct {
			ID        string
			Lines     []any
			Truncated string
		}](t, text)
		if len(text) > tokens*3 || len(got.Lines) < least || got.ID != "i1" || !strings.Contains(got.Truncated, "lines") {
			t.Errorf("%d tokens: %d bytes, %d lines, %q", tokens, len(text), len(got.Lines), got.Truncated)
		}
	}
	_, text := call(t, session, "get_invoice", map[string]any{"invoice_id": "i1", "fields": []string{"status"}})
	if text != `{"status":"EXTRACTED"}` {
		t.Errorf("fields: %s", text)
	}
}

// TestACallThatIsGivenUpEndsAtTheAPI holds both ways of talking to it.
func TestACallThatIsGivenUpEndsAtTheAPI(t *testing.T) {
	t.Parallel()
	for _, header := range []map[string]string{{}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_me"}} {
		began, ended := make(chan struct{}), make(chan struct{})
		w := start(t, func(_ http.ResponseWriter, r *http.Request) {
			close(began)
			<-r.Context().Done()
			close(ended)
		})
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`
		if len(header) > 0 {
			body = modern("tools/call", `"name":"get_me","arguments":{}`)
		}
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Authorization": {"Bearer " + goodToken}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		}
		for name, value := range header {
			req.Header.Set(name, value)
		}
		go func() {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}()
		<-began
		cancel()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("the API's request continues")
		}
	}
}

// modern is a message of revision 2026-07-28.
func modern(method, params string) string {
	if params != "" {
		params = "," + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}%s}}`, method, params)
}

// TestTheLogNamesNoArgument: of a call only the tool, the person and how it
// ended, also where the API is unavailable.
func TestTheLogNamesNoArgument(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"items":[],"next_cursor":null}`))
	session := w.connect(t)
	const secret = "canary-of-the-arguments"
	call(t, session, "list_invoices", map[string]any{"cursor": secret})
	call(t, session, "list_invoices", map[string]any{secret: 1})
	call(t, session, "reject_invoice", map[string]any{"invoice_id": "1", "reason": secret})
	w.api.Close()
	call(t, session, "list_invoices", map[string]any{"cursor": secret})
	call(t, session, "reject_invoice", map[string]any{"invoice_id": "1", "reason": secret})
	log := w.log.String()
	if strings.Contains(log, secret) || strings.Contains(log, goodToken) {
		t.Errorf("the log:\n%s", log)
	}
	for said, times := range map[string]int{"tool called": 5, "subject=user_1": 5, "outcome=ok": 2, "outcome=invalid": 1, "outcome=refused": 2, "API unavailable": 2} {
		if n := strings.Count(log, said); n != times {
			t.Errorf("%q is said %d times, not %d:\n%s", said, n, times, log)
		}
	}
}

func TestAPanicEndsOneCallAlone(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`), func(o *toolserver.Options) {
		o.Extension.Register = func(s *mcp.Server) {
			s.AddTool(&mcp.Tool{Name: "panics", InputSchema: map[string]any{"type": "object"}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("a tool's panic") })
		}
	})
	session := w.connect(t)
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "panics"}); err == nil || strings.Contains(err.Error(), "a tool's panic") {
		t.Errorf("got %v", err)
	}
	if _, text := call(t, session, "get_me", nil); text != "{}" {
		t.Errorf("later: %s", text)
	}
}
