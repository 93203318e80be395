// Package client speaks the wire format of the Drive API, version 3. The
// provider's own structures and words stay within it and the package around it.
//
// It never repeats a call automatically; see httpclient.Failure for its errors.
package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"docledger/adapter/connector"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

const (
	timeout   = time.Minute
	filePage  = 1000 // the provider's maximum per page
	drivePage = 100
	maxPages  = 10_000 // per list; some pages may be empty
)

// ReadScope is the OAuth scope that reads files; FullScope includes it.
const (
	ReadScope = "https://www.googleapis.com/auth/drive.readonly"
	FullScope = "https://www.googleapis.com/auth/drive"
)

// These are the provider's own media types.
const (
	FolderType   = ownTypes + "folder"
	ShortcutType = ownTypes + "shortcut"
	ownTypes     = "application/vnd.google-apps."
)

// These are the reasons of the provider's refusals that the connector handles.
const (
	ReasonNotConfigured  = "accessNotConfigured"
	ReasonNoDownload     = "cannotDownloadFile"
	ReasonNotYet         = "fileNotDownloadable"
	ReasonHarmful        = "cannotDownloadAbusiveFile"
	ReasonTooLargeExport = "exportSizeLimitExceeded"
	ReasonNotExportable  = "fileNotExportable"
	reasonDaily          = "dailyLimitExceeded"
)

// limits lists the reasons of temporary refusals.
var limits = []string{"userRateLimitExceeded", "rateLimitExceeded", reasonDaily, "sharingRateLimitExceeded", "quotaExceeded"}

// Client calls the API of Google Drive. It holds no state.
type Client struct {
	link *connector.Link
	api  string
}

// New returns a client of the API at an address.
func New(l *connector.Link, api string) *Client { return &Client{l, api} }

// HTTP configures the HTTP client for the provider.
func HTTP() httpclient.Options {
	return httpclient.Options{Timeout: timeout, RequestIDs: []string{"X-Request-Id", "X-GUploader-UploadID"}, ReadRefusal: readRefusal}
}

// request describes a call of the API. It escapes each path segment.
func (c *Client) request(operation, method string, a integration.Access, q url.Values, path ...string) httpclient.Request {
	return httpclient.Request{
		Operation: operation, Method: method, URL: httpclient.Join(c.api, append([]string{"drive", "v3"}, path...)...), Query: q, Token: a.Token,
		Admit: c.link.Admit(a.Account, a.Background, *c.link.Limits),
	}
}

// get sends a GET request and decodes the response.
func (c *Client) get(ctx context.Context, operation string, a integration.Access, into any, q url.Values, path ...string) error {
	return c.link.JSON(ctx, c.request(operation, http.MethodGet, a, q, path...), into)
}

// post sends a POST request. into is nil for a response without a body.
func (c *Client) post(ctx context.Context, operation string, a integration.Access, body, into any, q url.Values, path ...string) error {
	r, err := c.request(operation, http.MethodPost, a, q, path...).WithJSON(body)
	if err != nil {
		return err
	}
	return c.link.JSON(ctx, r, into)
}

// readRefusal decodes a refusal of the API. Most rate-limit refusals state no retry time: limits
// per minute end after a minute, the daily limit does not.
func readRefusal(f *httpclient.Failure, body []byte) {
	var refused struct {
		Error struct {
			Message string
			Status  string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(body, &refused) == nil {
		for _, e := range refused.Error.Errors {
			f.AddCode(e.Reason)
		}
		f.AddCode(refused.Error.Status)
		f.AddMessage(refused.Error.Message)
	}
	if f.Status == http.StatusForbidden && slices.Contains(limits, f.Code()) {
		f.Limited = true
	}
	if f.Limited && f.RetryAfter == 0 {
		f.RetryAfter = time.Minute
		if f.Code() == reasonDaily {
			f.RetryAfter = time.Hour
		}
	}
}

// IsID reports whether a text has the form of the provider's ids. The alias of an account's top
// folder is not an id.
func IsID(id string) bool {
	const longest = 200
	if id == "" || len(id) > longest || id == "root" {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
