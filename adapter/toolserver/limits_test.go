package toolserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
)

// TestABodyThatDoesNotArrive is given up, at every route that reads one.
func TestABodyThatDoesNotArrive(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`), func(o *toolserver.Options) { o.ReadTimeout = 200 * time.Millisecond })
	for _, path := range []string{"/mcp", "/register", "/token"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", w.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{", path, goodToken)
			if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
				t.Errorf("%d %s", resp.StatusCode, resp.Header)
			}
		})
	}
	t.Cleanup(func() {
		if len(w.seen()) != 0 {
			t.Error("the API was asked")
		}
	})
}

// TestACallOutlivesTheLimitOfItsBody, since only the body must arrive within
// it.
func TestACallOutlivesTheLimitOfItsBody(t *testing.T) {
	t.Parallel()
	const limit = 100 * time.Millisecond
	for _, header := range []map[string]string{{}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_me"}} {
		w := start(t, func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * limit):
				reply(200, `{"user":{"name":"Ada"}}`)(w, r)
			}
		}, func(o *toolserver.Options) { o.ReadTimeout = limit })
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`
		if len(header) > 0 {
			body = modern("tools/call", `"name":"get_me","arguments":{}`)
		}
		resp := w.message(t, body, header)
		if got := text(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(got, "Ada") {
			t.Errorf("%v: %d %s", header, resp.StatusCode, got)
		}
	}
}

// TestACallThatTakesTooLong ends with words, not with the connection.
func TestACallThatTakesTooLong(t *testing.T) {
	t.Parallel()
	w := start(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, func(o *toolserver.Options) { o.Timeout = 100 * time.Millisecond })
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

// TestBatches of the first revision are answered, but not without end: their
// calls run at once.
func TestBatches(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"user":{"name":"Ada"}}`))
	batch := func(n int) string {
		messages := make([]string, n)
		for i := range messages {
			messages[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`, i+1)
		}
		return " \n[" + strings.Join(messages, ",") + "]"
	}
	early := map[string]string{"MCP-Protocol-Version": "2025-03-26"}
	resp := w.message(t, batch(20), early)
	if got := text(t, resp); resp.StatusCode != http.StatusOK || strings.Count(got, `\"Ada\"`) != 20 {
		t.Errorf("20 messages: %d %s", resp.StatusCode, got)
	}
	before := len(w.seen())
	for _, n := range []int{21, 2_000} {
		resp = w.message(t, batch(n), early)
		if got := text(t, resp); resp.StatusCode != http.StatusBadRequest || !strings.Contains(got, "limit of 20") {
			t.Errorf("%d messages: %d %s", n, resp.StatusCode, got)
		}
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		resp = w.message(t, batch(2), map[string]string{"MCP-Protocol-Version": revision})
		if got := text(t, resp); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s has no batches: %d %s", revision, resp.StatusCode, got)
		}
	}
	if len(w.seen()) != before {
		t.Error("a refused batch asked the API")
	}
}

// TestRefusalsAreShort whatever a caller does wrong in however many places.
func TestRefusalsAreShort(t *testing.T) {
	t.Parallel()
	w := start(t, reply(400, fmt.Sprintf(envelope, "invalid_request", strings.Repeat("long ", 100_000))))
	session := w.connect(t)
	wrong := make([]any, 50_000)
	for i := range wrong {
		wrong[i] = i
	}
	for name, arguments := range map[string]map[string]any{
		"arguments": {"fields": wrong}, "an unknown argument": {strings.Repeat("x", 100_000): 1}, "what the API says": {},
	} {
		if result, text := call(t, session, "get_me", arguments); !result.IsError || len(text) > 8_000 {
			t.Errorf("%s: a response of %d bytes", name, len(text))
		}
	}
}

// TestNestedArguments are read as far as JSON readers go, and no stack ends.
func TestNestedArguments(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for _, depth := range []int{100, 9_000, 500_000} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}}`
		resp := w.message(t, body, nil)
		if got := text(t, resp); resp.StatusCode >= 500 || len(got) > 10_000 {
			t.Errorf("%d deep: %d, %d bytes", depth, resp.StatusCode, len(got))
		}
	}
	if resp := w.message(t, listTools, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("later: %d", resp.StatusCode)
	}
}

// TestNoOtherPlaceForAToken refuses a token outside of the one header, also in addition to a
// token in the header.
func TestNoOtherPlaceForAToken(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	form := "access_token=" + goodToken
	resp := w.send(t, http.MethodPost, "/mcp", form, map[string]string{"Authorization": "", "Content-Type": "application/x-www-form-urlencoded"})
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("in the body: %d, %v", resp.StatusCode, err)
	}
	for _, header := range []string{"X-Api-Key", "X-Authorization", "Proxy-Authorization", "X-Access-Token"} {
		if resp := w.message(t, listTools, map[string]string{"Authorization": "", header: "Bearer " + goodToken}); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("in %s: %d", header, resp.StatusCode)
		}
	}
}

// TestARequestWithoutABodyOutlivesTheLimitOfBodies sends requests without a body that take longer
// than the limit for reading a body. Their work and the later requests of the connection continue.
func TestARequestWithoutABodyOutlivesTheLimitOfBodies(t *testing.T) {
	t.Parallel()
	const limit = 100 * time.Millisecond
	working := make(chan error, 8)
	w := start(t, reply(200, `{"user":{"name":"Ada"}}`), func(o *toolserver.Options) {
		o.ReadTimeout = limit
		verify := o.Verify
		o.Verify = func(ctx context.Context, bearer string) (toolserver.Caller, error) {
			select {
			case <-ctx.Done():
			case <-time.After(3 * limit):
			}
			working <- ctx.Err()
			return verify(ctx, bearer)
		}
	})
	// One connection, as a client with keep-alive has.
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	t.Cleanup(client.CloseIdleConnections)
	send := func(method string, body io.Reader) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, w.URL+"/mcp", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+goodToken)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	for range 2 {
		resp := send(http.MethodGet, nil)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if err := <-working; err != nil {
			t.Errorf("the work ended with %v (status %d)", err, resp.StatusCode)
		}
	}
	resp := send(http.MethodPost, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`))
	if got := text(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(got, "Ada") {
		t.Errorf("later on the connection: %d %s", resp.StatusCode, got)
	}
}
