// Package client speaks the wire format of the Drive API, version 3. The
// provider's own structures and words stay within it and the package around it.
//
// It never repeats a call by itself; see httpclient.Failure for its errors.
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
	filePage  = 1000 // the most that the provider returns at once
	drivePage = 100
	maxPages  = 10_000 // of one list; some may be empty
)

// ReadScope is the OAuth scope that reads files; FullScope includes it.
const (
	ReadScope = "https://www.googleapis.com/auth/drive.readonly"
	FullScope = "https://www.googleapis.com/auth/drive"
)

// Media types of the provider's own.
const (
	FolderType   = ownTypes + "folder"
	ShortcutType = ownTypes + "shortcut"
	ownTypes     = "application/vnd.google-apps."
)

// Reasons of the provider's refusals that the connector knows.
const (
	ReasonNotConfigured  = "accessNotConfigured"
	ReasonNoDownload     = "cannotDownloadFile"
	ReasonNotYet         = "fileNotDownloadable"
	ReasonHarmful        = "cannotDownloadAbusiveFile"
	ReasonTooLargeExport = "exportSizeLimitExceeded"
	ReasonNotExportable  = "fileNotExportable"
	reasonDaily          = "dailyLimitExceeded"
)

// limits are the reasons of a refusal that passes by itself.
var limits = []string{"userRateLimitExceeded", "rateLimitExceeded", reasonDaily, "sharingRateLimitExceeded", "quotaExceeded"}

// Client makes calls. It holds no state.
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

// request describes a call of the API. Each segment of the path is sent as one.
func (c *Client) request(operation, method string, a integration.Access, q url.Values, path ...string) httpclient.Request {
	return httpclient.Request{
		Operation: operation, Method: method, URL: httpclient.Join(c.api, append([]string{"drive", "v3"}, path...)...), Query: q, Token: a.Token,
		Admit: c.link.Admit(a.Account, a.Background, *c.link.Limits),
	}
}

// get makes a call that reads and decodes its response.
func (c *Client) get(ctx context.Context, operation string, a integration.Access, into any, q url.Values, path ...string) error {
	return c.link.JSON(ctx, c.request(operation, http.MethodGet, a, q, path...), into)
}

// post makes a call that writes. into is nil for a response without a body.
func (c *Client) post(ctx context.Context, operation string, a integration.Access, body, into any, q url.Values, path ...string) error {
	r, err := c.request(operation, http.MethodPost, a, q, path...).WithJSON(body)
	if err != nil {
		return err
	}
	return c.link.JSON(ctx, r, into)
}

// readRefusal reads a refusal of the API. Most refusals of a limit do not say
// when to try again: limits of a minute have passed after one, the daily one has
// not.
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

// IsID reports whether a text has the form of the provider's ids. The alias of an
// account's top folder is none.
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
