// Package client speaks the wire format of Xero's connections and accounting
// API. The provider's own structures and words stay within it and the package
// around it.
//
// It never repeats a call automatically; see httpclient.Failure for its errors.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/connector"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

const (
	maxBody       = 32 << 20 // bytes; a page of 1,000 contacts stays below 4 MB
	contactsPage  = 1000     // the provider's maximum per page
	documentsPage = 100      // documents include their lines, up to hundreds each
	maxPages      = 1000     // per list
	appCalls      = 10_000   // calls per minute without a tenant
	tenantHeader  = "Xero-Tenant-Id"
)

// CodeKeyReused is docledger's code for an idempotency key that was used for a different request.
// The provider has no code for it.
const CodeKeyReused = "IdempotencyKeyReused"

// Client calls the API of Xero. It holds no state.
type Client struct {
	link *connector.Link
	api  string
}

// New returns a client of the API at an address.
func New(l *connector.Link, api string) *Client { return &Client{l, api} }

// HTTP configures the HTTP client for the provider.
func HTTP() httpclient.Options {
	return httpclient.Options{MaxBody: maxBody, RequestIDs: []string{"Xero-Correlation-Id"}, ReadRefusal: readRefusal, Remaining: remaining}
}

// Access identifies the tenant and carries the token of one API call.
type Access struct {
	Token      secret.Text
	Tenant     string // "" for calls without a tenant
	Background bool
}

// request describes a call below a path of the API.
func (c *Client) request(operation, method string, a Access, path ...string) httpclient.Request {
	limits := *c.link.Limits
	r := httpclient.Request{Operation: operation, Method: method, URL: httpclient.Join(c.api, path...), Query: url.Values{}, Token: a.Token}
	if a.Tenant == "" {
		limits = integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: appCalls}}}
	} else {
		r.SetHeader(tenantHeader, a.Tenant)
	}
	r.Admit = c.link.Admit(a.Tenant, a.Background, limits)
	return r
}

// accounting describes a call of the accounting API.
func (c *Client) accounting(operation, method string, a Access, path ...string) httpclient.Request {
	return c.request(operation, method, a, append([]string{"api.xro", "2.0"}, path...)...)
}

// do makes a call and decodes its response.
func (c *Client) do(ctx context.Context, r httpclient.Request, into any) error {
	return c.link.JSON(ctx, r, into)
}

// remaining returns the number of calls that the provider still allows, per window.
func remaining(resp *http.Response) map[time.Duration]int {
	minute := "X-MinLimit-Remaining"
	if resp.Request.Header.Get(tenantHeader) == "" {
		minute = "X-AppMinLimit-Remaining"
	}
	var out map[time.Duration]int
	for name, window := range map[string]time.Duration{minute: time.Minute, "X-DayLimit-Remaining": 24 * time.Hour} {
		left, err := strconv.ParseUint(resp.Header.Get(name), 10, 31)
		if err != nil {
			continue
		}
		if out == nil {
			out = map[time.Duration]int{}
		}
		out[window] = int(left)
	}
	return out
}

// wireProblems holds the validation errors of one object.
type wireProblems struct {
	HasErrors        bool   `json:"HasErrors"`
	Status           string `json:"StatusAttributeString"`
	ValidationErrors []struct {
		Message string `json:"Message"`
	} `json:"ValidationErrors"`
}

const validation = "ValidationException"

// addTo adds the problems to a failure.
func (p wireProblems) addTo(f *httpclient.Failure) {
	if len(f.Codes) == 0 {
		f.AddCode(validation)
	}
	for _, m := range p.ValidationErrors {
		f.AddMessage(m.Message)
	}
}

// wireRefusal is a refusal of the API, or of the gateway before it.
type wireRefusal struct {
	Type     string         `json:"Type"`
	Title    string         `json:"Title"`
	Message  string         `json:"Message"`
	Detail   string         `json:"Detail"`
	Elements []wireProblems `json:"Elements"`
}

// readRefusal reads a refusal of the API, or of the gateway before it.
func readRefusal(f *httpclient.Failure, body []byte) {
	// The text does not have to be JSON. A validation error may repeat user input and is ignored.
	if f.Status == http.StatusBadRequest && bytes.Contains(body, []byte("different request")) && !bytes.Contains(body, []byte("ValidationErrors")) {
		f.AddCode(CodeKeyReused)
	}
	var refused wireRefusal
	if json.Unmarshal(body, &refused) != nil {
		return
	}
	f.AddCode(refused.Type)
	for _, e := range refused.Elements {
		e.addTo(f)
	}
	if len(f.Messages) == 0 && refused.Type == validation {
		f.AddMessage(refused.Message)
	}
	if refused.Detail != "" {
		f.AddCode(refused.Title)
		f.AddMessage(refused.Detail)
	}
}

// IsID reports whether a text has the form of the provider's ids.
func IsID(id string) bool {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(shape) {
		return false
	}
	for i, c := range strings.ToLower(id) {
		if dash := shape[i] == '-'; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return true
}
