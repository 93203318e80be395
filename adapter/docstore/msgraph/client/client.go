// Package client speaks the wire format of the sites, drives and subscriptions of
// Microsoft Graph, version 1.0. The provider's own structures and words stay
// within it and the package around it.
//
// It never repeats a call automatically; see httpclient.Failure for its errors.
package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/connector"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

const (
	timeout  = time.Minute
	maxPages = 10_000 // per list
)

// These are the codes of the provider's refusals that the connector handles.
const (
	CodeMalware  = "malwareDetected"
	codeNotKnown = "resyncRequired"
)

// Client calls Microsoft Graph. It holds no state.
type Client struct {
	link  *connector.Link
	api   string
	hosts []string
}

// New returns a client of the API at an address. It reads contents only from the
// hosts; one that begins with a dot includes all hosts below it.
func New(l *connector.Link, api string, hosts []string) *Client { return &Client{l, api, hosts} }

// HTTP configures the HTTP client for the provider.
func HTTP() httpclient.Options {
	return httpclient.Options{
		Timeout: timeout, RequestIDs: []string{"request-id", "x-ms-request-id"}, ReadRefusal: readRefusal,
		Remaining: func(resp *http.Response) map[time.Duration]int {
			left, err := strconv.ParseUint(resp.Header.Get("RateLimit-Remaining"), 10, 31)
			if err != nil {
				return nil
			}
			return map[time.Duration]int{time.Minute: int(left)}
		},
	}
}

// request describes a call of the API for a path, with its query, below its base
// address.
func (c *Client) request(operation, method string, a integration.Access, below string) httpclient.Request {
	return httpclient.Request{
		Operation: operation, Method: method, URL: c.base() + below, Token: a.Token,
		Admit: c.link.Admit(TenantOf(a.Account), a.Background, *c.link.Limits),
	}
}

// base returns the base address of the API.
func (c *Client) base() string { return c.api + "/v1.0/" }

// path joins segments and escapes each of them.
func path(segments ...string) string {
	return strings.TrimPrefix(httpclient.Join("", segments...), "/")
}

// get sends a GET request and decodes the response.
func (c *Client) get(ctx context.Context, operation string, a integration.Access, below string, into any) error {
	return c.link.JSON(ctx, c.request(operation, http.MethodGet, a, below), into)
}

// write sends a request that changes data. body and into may be nil.
func (c *Client) write(ctx context.Context, operation, method string, a integration.Access, below string, body, into any) (err error) {
	r := c.request(operation, method, a, below)
	if body != nil {
		if r, err = r.WithJSON(body); err != nil {
			return err
		}
	}
	return c.link.JSON(ctx, r, into)
}

// wireError is one error, with more specific ones nested in it.
type wireError struct {
	Code    string
	Message string
	Inner   *wireError `json:"innerError"` // also spelled innererror
}

func readRefusal(f *httpclient.Failure, body []byte) {
	const bandwidth, deepest = 509, 10
	f.Limited = f.Limited || f.Status == bandwidth
	var refused struct{ Error *wireError }
	if json.Unmarshal(body, &refused) != nil {
		return
	}
	var codes []string
	for e := refused.Error; e != nil && len(codes) < deepest; e = e.Inner {
		codes = append([]string{e.Code}, codes...)
		f.AddMessage(e.Message)
	}
	for _, code := range codes {
		f.AddCode(code)
	}
}

// IsLost reports whether the provider no longer knows a position in a feed.
func IsLost(f *httpclient.Failure) bool { return f.Status == http.StatusGone || f.Has(codeNotKnown) }

// Restart returns the link that restarts a lost feed, or "" if the response has no acceptable link.
func (c *Client) Restart(f *httpclient.Failure) string {
	if f.Status != http.StatusGone {
		return ""
	}
	link, err := c.readLink(f.Location)
	if err != nil {
		return ""
	}
	return link
}

// Download starts to read the bytes of a file. The API names their address, which
// lets everyone who knows it read them for some minutes; it is requested without
// the token. For the provider's limits both requests are one call.
func (c *Client) Download(ctx context.Context, a integration.Access, drive, item string) (httpclient.Stream, error) {
	r := c.request("download file", http.MethodGet, a, path("drives", drive, "items", item, "content"))
	r.Redirect = c.contentAddress
	return c.link.Open(ctx, r)
}

// Account returns the id of an account: its organization and the person.
func Account(tenant, person string) string { return tenant + ":" + person }

// TenantOf returns the organization of an account.
func TenantOf(account string) string {
	tenant, _, _ := strings.Cut(account, ":")
	return tenant
}

// IsID reports whether a text has the form of the provider's ids of drives, items and
// subscriptions. The alias of a drive's top folder is not an id.
func IsID(id string) bool {
	const longest = 400
	return id != "" && len(id) <= longest && !strings.EqualFold(id, rootAlias) && !strings.ContainsFunc(id, func(r rune) bool {
		return !letterOrDigit(r) && r != '!' && r != '-' && r != '_'
	})
}

// IsSiteID reports whether a text has the form of a site's id: a host and two
// UUIDs, separated by commas.
func IsSiteID(id string) bool {
	const longest, uuidLength = 400, 36
	parts := strings.Split(id, ",")
	if len(id) > longest || len(parts) != 3 || parts[0] == "" || len(parts[1]) != uuidLength || len(parts[2]) != uuidLength {
		return false
	}
	other := func(more string) func(rune) bool {
		return func(r rune) bool { return !letterOrDigit(r) && !strings.ContainsRune(more, r) }
	}
	return !strings.ContainsFunc(parts[0], other("-.")) && !strings.ContainsFunc(parts[1]+parts[2], other("-"))
}

func letterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// contentAddress checks the address of a content, which is usually on another host than the API.
func (c *Client) contentAddress(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || !c.servesContents(u) {
		return "", errHost
	}
	return address, nil
}

func (c *Client) servesContents(u *url.URL) bool {
	host := strings.ToLower(u.Host)
	if !httpclient.IsSecure(u, c.link.LoopbackHTTP) {
		return false
	}
	for _, allowed := range c.hosts {
		if host == allowed || strings.HasPrefix(allowed, ".") && strings.HasSuffix(host, allowed) {
			return true
		}
	}
	return false
}
