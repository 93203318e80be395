// Package client speaks the wire format of QuickBooks Online's accounting API.
// The provider's own structures and words stay within it and the package around
// it.
//
// It never repeats a call automatically; see httpclient.Failure for its errors.
package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"docledger/adapter/connector"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

const (
	maxBody       = 32 << 20         // bytes; a page of 1,000 vendors stays below 2 MB
	timeout       = 60 * time.Second // the provider itself times out after 120 seconds
	listPage      = 1000             // the provider's maximum per page
	documentsPage = 200              // documents include their lines, up to hundreds each
	maxPages      = 1000             // per list
	minorVersion  = "75"
)

// AccountingScope is the OAuth scope of the accounting API.
const AccountingScope = "com.intuit.quickbooks.accounting"

// These are the codes of the provider's refusals that the connector handles.
const (
	CodeNoPermission  = "120"
	CodeNotFound      = "610"
	CodeBadID         = "2030"
	CodeBadReference  = "2500"
	CodeSystem        = "10000"
	CodeDuplicate     = "6140" // the bill number exists already
	CodeLapsed        = "6190" // the company's subscription has ended
	CodePeriodClosed  = "6210"
	CodeDuplicateName = "6240"
)

// Client calls the API of QuickBooks Online. It holds no state.
type Client struct {
	link *connector.Link
	api  string
}

// New returns a client of the API at an address.
func New(l *connector.Link, api string) *Client { return &Client{l, api} }

// HTTP configures the HTTP client for the provider.
func HTTP() httpclient.Options {
	return httpclient.Options{MaxBody: maxBody, Timeout: timeout, RequestIDs: []string{"intuit_tid"}, ReadRefusal: readRefusal}
}

// Access identifies the company and carries the token of one API call.
type Access struct {
	Token      secret.Text
	Realm      string // the company id
	Background bool
}

// request describes a call below the company's path of the API.
func (c *Client) request(operation, method string, a Access, path ...string) httpclient.Request {
	return httpclient.Request{
		Operation: operation, Method: method, URL: httpclient.Join(c.api, append([]string{"v3", "company", a.Realm}, path...)...),
		Query: url.Values{"minorversion": {minorVersion}}, Token: a.Token, Admit: c.link.Admit(a.Realm, a.Background, *c.link.Limits),
	}
}

// do makes a call and decodes its response. A response of status 200 may contain a refusal, too.
func (c *Client) do(ctx context.Context, r httpclient.Request, into any) error {
	resp, err := c.link.Do(ctx, r)
	if err != nil {
		return err
	}
	if err := resp.Decode(r.Operation, into); err != nil {
		return err
	}
	var refused wireRefusal
	if json.Unmarshal(resp.Body, &refused) == nil && refused.fault() != nil {
		return c.link.Refuse(r.Operation, resp)
	}
	return nil
}

// wireRefusal covers both forms of refusals. The API's names begin with capitals, those of the
// gateway with lower-case letters; the decoder accepts both.
type wireRefusal struct {
	Fault              *wireFault
	AttachableResponse []struct{ Fault *wireFault }
}

type wireFault struct {
	Error []struct{ Message, Detail, Code string }
	Type  string
}

// fault returns the first fault; nil if there is none.
func (w wireRefusal) fault() *wireFault {
	if w.Fault == nil && len(w.AttachableResponse) == 1 {
		w.Fault = w.AttachableResponse[0].Fault
	}
	if w.Fault == nil || len(w.Fault.Error) == 0 {
		return nil
	}
	return w.Fault
}

func readRefusal(f *httpclient.Failure, body []byte) {
	const limited = time.Minute // as the provider documents
	if f.Limited && f.RetryAfter == 0 {
		f.RetryAfter = limited
	}
	var refused wireRefusal
	if json.Unmarshal(body, &refused) != nil || refused.fault() == nil {
		return
	}
	f.Kind = refused.fault().Type
	for _, e := range refused.fault().Error {
		f.AddCode(e.Code)
		if e.Detail == "" {
			e.Detail = e.Message
		}
		f.AddMessage(e.Detail)
	}
}

// IsRefusal reports whether the provider processed a request and refused it.
func IsRefusal(f *httpclient.Failure) bool {
	return f != nil && !f.NotSent && (f.Status == http.StatusBadRequest || f.Status == http.StatusOK) && len(f.Codes)+len(f.Messages) > 0 &&
		f.Kind != "SystemFault" && f.Code() != CodeSystem
}

// IsID reports whether a text has the form of the provider's company and object ids: digits only.
func IsID(id string) bool {
	const longest = 20
	if id == "" || len(id) > longest {
		return false
	}
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
