// Package assistant plays an assistant: the tool protocol's official client,
// which finds everything automatically, and the person who signs in for it.
package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Callback is where sign-ins lead back to. Nothing listens there: the person
// stops in front of it.
const Callback = "http://127.0.0.1:33418/callback"

// Options say what the assistant has beforehand; the zero value is nothing.
type Options struct {
	ClientID string // of an OAuth client; "" registers one
	Secret   string // of that client; "" for a public one
	Token    string // to use instead of signing in
	Person   string // the token of the person, who consents on the page of docledger itself
}

// Session is a connection to a tool server.
type Session struct {
	*mcp.ClientSession
	signIns int
}

// SignIns is how often the person had to sign in.
func (s *Session) SignIns() int { return s.signIns }

// Connect connects to the endpoint of a tool server.
func Connect(ctx context.Context, endpoint string, o Options) (*Session, error) {
	s := new(Session)
	transport := &mcp.StreamableClientTransport{Endpoint: endpoint, DisableStandaloneSSE: true}
	if o.Token != "" {
		transport.HTTPClient = &http.Client{Transport: bearer(o.Token)}
	} else {
		handler, err := auth.NewAuthorizationCodeHandler(s.signingIn(o))
		if err != nil {
			return nil, err
		}
		transport.OAuthHandler = handler
	}
	var err error
	s.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, nil).Connect(ctx, transport, nil)
	return s, err
}

func (s *Session) signingIn(o Options) *auth.AuthorizationCodeHandlerConfig {
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: Callback,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			s.signIns++
			return SignIn(ctx, args.URL, o.Person)
		},
	}
	if o.ClientID == "" {
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "assistant", RedirectURIs: []string{Callback}},
		}
		return c
	}
	c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID}
	if o.Secret != "" {
		c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: o.Secret}
	}
	return c
}

// SignIn goes where a page leads, as the browser of a person does of whom
// nothing is asked, and returns what it brings back. person is the token with which
// the consent page of docledger itself decides.
func SignIn(ctx context.Context, page, person string) (*auth.AuthorizationResult, error) {
	var back *url.URL
	browser := &http.Client{CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(req.URL.String(), Callback) {
			back = req.URL
			return http.ErrUseLastResponse
		}
		return nil
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, err
	}
	resp, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	if at := resp.Request.URL; back == nil && at.Path == "/connect-assistant" && person != "" {
		if back, err = Consent(ctx, at, person, "ALLOW"); err != nil {
			return nil, err
		}
	}
	if back == nil {
		return nil, fmt.Errorf("the sign-in ended with %d at %s", resp.StatusCode, resp.Request.URL.Path)
	}
	q := back.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

// Consent decides on the consent page as the page does, and returns where it leads.
func Consent(ctx context.Context, page *url.URL, person, decision string) (*url.URL, error) {
	var me struct {
		Organization struct{ ID string }
	}
	if err := JSON(ctx, person, page.Scheme+"://"+page.Host+"/api/me", nil, &me); err != nil {
		return nil, err
	}
	var answer struct {
		RedirectURL string `json:"redirect_url"`
	}
	err := JSON(ctx, person, page.Scheme+"://"+page.Host+"/oauth/consent", map[string]string{
		"request": page.Query().Get("request"), "organization_id": me.Organization.ID, "decision": decision,
	}, &answer)
	if err != nil {
		return nil, err
	}
	return url.Parse(answer.RedirectURL)
}

// JSON posts a body to the API, or reads an address without one, and decodes the answer.
// An empty token sends none.
func JSON(ctx context.Context, token, address string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	method, content := http.MethodPost, io.Reader(bytes.NewReader(data))
	if body == nil {
		method, content = http.MethodGet, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if data, err = io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s ended with %d %s, %w", req.URL.Path, resp.StatusCode, data, err)
	}
	return json.Unmarshal(data, answer)
}

// ErrRefused is the error of a tool that refuses, with its words.
var ErrRefused = errors.New("refused")

// Call calls a tool and returns the data of its response.
func (s *Session) Call(ctx context.Context, tool string, arguments map[string]any) (map[string]any, error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	if len(result.Content) != 1 {
		return nil, fmt.Errorf("%s: %d contents", tool, len(result.Content))
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("%s: content is a %T", tool, result.Content[0])
	}
	if result.IsError {
		return nil, fmt.Errorf("%s: %w: %s", tool, ErrRefused, text.Text)
	}
	var value map[string]any
	return value, json.Unmarshal([]byte(text.Text), &value)
}

// bearer sends a token with every request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
