package toolserver_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRepeatedKeysAreRefused sends messages that readers understand in different ways. None of
// them may reach the API.
func TestRepeatedKeysAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"user":{"name":"Ada"}}`))
	for message, refused := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`:                                     false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"_meta":{"a":{"a":1},"A":1,"b":"a"}}}`: false,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`:                              true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"name":"list_members"}}`:               true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"n\u0061me":"list_members"}}`:          true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"Name":"list_members"}}`:               true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}},"params":{}}`:                         true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"arguments":{}}}`:                      true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{},"_meta":{"a":[{"b":1,"b":2}]}}}`:       true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{},"params":{"name":"get_me","arguments":{}}}`:                         true,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Params":{"name":"get_me","Name":"list_members"}}`:                                    true,
		`[{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_me","arguments":{}}}]`:                            true,
	} {
		before := len(w.seen())
		resp := w.message(t, message, nil)
		got := text(t, resp)
		if wasRefused := resp.StatusCode == http.StatusBadRequest && strings.Contains(got, "a key twice"); wasRefused != refused {
			t.Errorf("%s: %d %s", message, resp.StatusCode, got)
		}
		if refused && len(w.seen()) != before {
			t.Errorf("%s asked the API", message)
		}
	}
	// The arguments of a tool are refused by their own check.
	before := len(w.seen())
	resp := w.message(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{"max_tokens":1000,"max_tokens":2000}}}`, nil)
	if got := text(t, resp); !strings.Contains(got, `"isError":true`) || len(w.seen()) != before {
		t.Errorf("repeated arguments: %d %s", resp.StatusCode, got)
	}
}

func TestEncodedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{"user":{"name":"Ada"}}`))
	message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`
	for coding, want := range map[string]int{"gzip": 415, "identity, x": 415, "identity": 200, "Identity": 200, "": 200} {
		resp := w.message(t, message, map[string]string{"Content-Encoding": coding})
		if got := text(t, resp); resp.StatusCode != want {
			t.Errorf("%q: %d %s", coding, resp.StatusCode, got)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + goodToken}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Content-Encoding": {"identity", "gzip"},
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, resp); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("identity and gzip in two lines: %d %s", resp.StatusCode, got)
	}
}
