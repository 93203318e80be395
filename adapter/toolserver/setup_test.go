package toolserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
	"docledger/domain/fault"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	goodToken = "good.token-1"
	base      = "https://docs.example.com"
	envelope  = `{"error":{"code":"%s","message":"%s","details":{"request_id":"r1"}}}`
)

// world is a tool server between a client and an API that tests script.
type world struct {
	*httptest.Server
	api *httptest.Server
	log *bytes.Buffer

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	answer   http.HandlerFunc
}

// vary changes the options of a world.
type vary func(*toolserver.Options)

func start(t *testing.T, answer http.HandlerFunc, changes ...vary) *world {
	t.Helper()
	w := &world{answer: answer, log: new(bytes.Buffer)}
	w.api = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.api.Close)
	o := toolserver.Options{
		OAuth: oauth.Config{
			BaseURL: base, Issuer: "https://idp.example.com", ClientID: "client_1", AuthMethod: "none",
			Scopes: []string{"profile", "user:org:read"}, Now: time.Now,
		},
		Backend: w.api.URL, Version: "test", Log: slog.New(slog.NewTextHandler(&locked{w: w.log}, nil)),
		Verify: func(_ context.Context, bearer string) (toolserver.Caller, error) {
			switch bearer {
			case goodToken:
				return toolserver.Caller{Subject: "user_1"}, nil
			case "no.keys":
				f := fault.New(fault.Unavailable, fault.CodeUnavailable, "The secret reason.")
				f.RetryAfter = 4500 * time.Millisecond
				return toolserver.Caller{}, f
			case "pa.nic":
				panic("the verifier's panic")
			}
			return toolserver.Caller{}, errors.New("the secret reason")
		},
	}
	for _, change := range changes {
		change(&o)
	}
	server, err := toolserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Server = httptest.NewServer(server)
	t.Cleanup(w.Close)
	return w
}

// locked lets several goroutines log.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.requests, w.bodies = append(w.requests, r), append(w.bodies, string(body))
	w.mu.Unlock()
	w.answer(rw, r)
}

// seen are the requests that the API got.
func (w *world) seen() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

// reply is what an API answers.
func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// message is a request to /mcp with a good token, varied by header.
func (w *world) message(t *testing.T, body string, header map[string]string) *http.Response {
	t.Helper()
	return w.send(t, http.MethodPost, "/mcp", body, header)
}

func (w *world) send(t *testing.T, method, path, body string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+goodToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		if name == "Host" {
			req.Host = value
			continue
		}
		if value == "" {
			req.Header.Del(name)
			continue
		}
		req.Header.Set(name, value)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// bearer adds the token to every request of an SDK client.
type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+goodToken)
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects the SDK's client, which sees every tool.
func (w *world) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	return w.connectTo(t, "/mcp?toolsets=all")
}

func (w *world) connectTo(t *testing.T, path string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.URL + path, HTTPClient: &http.Client{Transport: bearer{}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool and returns its text.
func call(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) (*mcp.CallToolResult, string) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%d contents", len(result.Content))
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content is a %T", result.Content[0])
	}
	return result, content.Text
}

// decode reads JSON.
func decode[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}
