package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"docledger/test/harness"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const callback = "http://127.0.0.1:33418/callback"

// goSDK does with the Go SDK what the other clients do.
func goSDK(ctx context.Context, w *world) error {
	config := &auth.AuthorizationCodeHandlerConfig{RedirectURL: callback, AuthorizationCodeFetcher: signIn}
	if w.clientID == "" {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "clients", RedirectURIs: []string{callback}},
		}
	} else {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: w.clientID}
		if w.secret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: w.secret}
		}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "clients", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: w.url, OAuthHandler: handler, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, session, w.entity), session.Close())
}

// signIn is what a browser does with the page that a client opens.
func signIn(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	var back *url.URL
	browser := &http.Client{CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(req.URL.String(), callback) {
			back = req.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	if back == nil {
		return nil, fmt.Errorf("the sign-in ended with %d at %s", resp.StatusCode, resp.Request.URL.Path)
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

// work has a document uploaded, read, and read back.
func work(ctx context.Context, session *mcp.ClientSession, entity string) error {
	const number = "GO-1"
	document, err := call(ctx, session, "upload_document", map[string]any{
		"entity_id": entity, "filename": "go.xml", "content": base64.StdEncoding.EncodeToString(harness.UBL(number)),
	})
	if err != nil {
		return err
	}
	extracted, err := call(ctx, session, "extract_invoice", map[string]any{"document_id": document["id"]})
	if err != nil {
		return err
	}
	read, err := call(ctx, session, "get_invoice", map[string]any{"invoice_id": extracted["id"]})
	if err != nil {
		return err
	}
	if read["invoice_number"] != number || read["gross_total"] != "119.00" || read["document_id"] != document["id"] {
		return fmt.Errorf("read back %v", read)
	}
	return nil
}

func call(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) (map[string]any, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		return nil, fmt.Errorf("%s: %v", tool, text)
	}
	var value map[string]any
	return value, json.Unmarshal([]byte(text.Text), &value)
}
