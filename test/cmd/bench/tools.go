package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

const (
	toolCalls  = 3000 // each paired with a call of the API
	toolWarmUp = 300
)

// toolFigures measures the overhead of a tool call over the same API call: one
// caller reads one invoice alternately in both ways with one token.
func toolFigures(ctx context.Context, dir string) ([]figure, error) {
	s, err := startSandbox(ctx, filepath.Join(dir, "tools"))
	if err != nil {
		return nil, err
	}
	defer s.stop()
	token, err := s.grant(ctx)
	if err != nil {
		return nil, err
	}
	invoice, err := s.invoice(ctx, token)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_invoice","arguments":{"invoice_id":%q}}}`, invoice)
	var api, tool []time.Duration
	for i := range toolWarmUp + toolCalls {
		direct, err := timed(ctx, token, http.MethodGet, s.values["BASE_URL"]+"/api/invoices/"+invoice, "")
		if err != nil {
			return nil, err
		}
		called, err := timed(ctx, token, http.MethodPost, s.values["MCP_URL"], message)
		if err != nil {
			return nil, err
		}
		if i >= toolWarmUp {
			api, tool = append(api, direct), append(tool, called)
		}
	}
	return []figure{{"additional time of a tool call over the same API call, one caller, p50", milliseconds(middle(tool) - middle(api)), "ms", 0.5, false}}, nil
}

func middle(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// timed sends a request and reads the complete response.
func timed(ctx context.Context, token, method, address, body string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(got, []byte("BENCH-1")) {
		return 0, errors.Join(fmt.Errorf("%s returns %d", address, resp.StatusCode), err)
	}
	return took, nil
}

// grant returns the token that a user granted to the OAuth client of the
// sandbox.
func (s *sandbox) grant(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.values["IDENTITY_URL"]+"/_sim/tokens",
		strings.NewReader(`{"kind":"oauth","user_id":"user_ada","organization_id":"org_sandbox"}`))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct{ Token string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		return "", errors.Join(fmt.Errorf("a token: status %d", resp.StatusCode), err)
	}
	return answer.Token, nil
}

// invoice creates an invoice and returns its id.
func (s *sandbox) invoice(ctx context.Context, token string) (string, error) {
	session, err := assistant.Connect(ctx, s.values["MCP_URL"], assistant.Options{Token: token})
	if err != nil {
		return "", err
	}
	defer session.Close()
	document, err := session.Call(ctx, "upload_document", map[string]any{
		"entity_id": s.values["ENTITY_ID"], "filename": "bench.xml", "content": base64.StdEncoding.EncodeToString(harness.UBL("BENCH-1")),
	})
	if err != nil {
		return "", err
	}
	invoice, err := session.Call(ctx, "extract_invoice", map[string]any{"document_id": document["id"]})
	if err != nil {
		return "", err
	}
	id, _ := invoice["id"].(string)
	return id, nil
}
