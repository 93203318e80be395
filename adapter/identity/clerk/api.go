package clerk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"docledger/domain/fault"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// apiVersion is the version of the backend API that this package uses.
const apiVersion = "2025-11-10"

const (
	maxBody          = 8 << 20 // bytes of one response of the API
	retryUnreachable = 10 * time.Second
	retryBusy        = time.Second
	retryLongest     = time.Hour
)

// api calls the backend API.
type api struct {
	client *httpclient.Client
	url    string
	secret secret.Text
}

// call is one request with the words for its errors.
type call struct {
	doing  string // for logs: "read organization"
	what   string // that may be missing: "organization"
	method string
	path   []string // below /v1
	query  url.Values
	body   any // nil for none
}

// newHTTP returns the HTTP client for the provider.
func newHTTP(o Options) *httpclient.Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return httpclient.New(httpclient.Options{
		Name: "identity provider", Transport: o.Transport, Timeout: o.Timeout, MaxBody: maxBody, RequestIDs: []string{"Clerk-Trace-Id"},
		ReadRefusal: readRefusal, Log: o.Logger,
	})
}

// do makes a call and decodes its response into out.
func (a api) do(ctx context.Context, c call, out any) (err error) {
	r := httpclient.Request{
		Operation: c.doing, Method: c.method, URL: httpclient.Join(a.url+"/v1", c.path...), Query: c.query, Token: a.secret,
		Header: http.Header{"Clerk-Api-Version": {apiVersion}},
	}
	if c.body != nil {
		if r, err = r.WithJSON(c.body); err != nil {
			return err
		}
	}
	return translate(ctx, c, a.client.JSON(ctx, r, out))
}

// fetch returns a public document of at most most bytes.
func fetch(ctx context.Context, client *httpclient.Client, address string, most int64) ([]byte, error) {
	resp, err := client.Do(ctx, httpclient.Request{Operation: "read keys", Method: http.MethodGet, URL: address, MaxBody: most, Unlogged: true})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func readRefusal(f *httpclient.Failure, body []byte) {
	var refused struct {
		Errors []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
		Trace string `json:"clerk_trace_id"`
	}
	if json.Unmarshal(body, &refused) != nil {
		return
	}
	for _, e := range refused.Errors {
		f.AddCode(e.Code)
		f.AddMessage(e.Message)
	}
	f.SetRequestID(refused.Trace)
}

// translate returns the fault of the ports for a failed call.
func translate(ctx context.Context, c call, err error) error {
	f := httpclient.FailureOf(err)
	if f == nil {
		return err
	}
	switch status := f.Status; {
	case status == 0 && errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s: %w", c.doing, ctx.Err())
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"The identity provider refuses this service's secret key. The operator must set a valid one.").WithCause(f)
	case status == http.StatusNotFound:
		return missing(c.what).WithCause(f)
	case status == http.StatusTooManyRequests:
		return unavailable(f.RetryAfter, retryBusy, f)
	case status < http.StatusBadRequest, status >= http.StatusInternalServerError:
		return unavailable(f.RetryAfter, retryUnreachable, f)
	}
	return f
}

func missing(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "The identity provider does not know this %s.", what)
}

// unavailable returns the fault with the delay that the provider states, or otherwise.
func unavailable(after, otherwise time.Duration, cause error) *fault.Error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The identity provider does not respond correctly. Try again later; no change is needed.")
	if f.RetryAfter = min(after, retryLongest); after == 0 {
		f.RetryAfter = otherwise
	}
	return f.WithCause(cause)
}

// malformed returns the fault for a response that is not the provider's. A proxy
// may have written it, and whether the call had an effect is unknown.
func malformed(doing string) error {
	return unavailable(0, retryUnreachable, httpclient.Broken(doing, "the response is not the provider's"))
}
