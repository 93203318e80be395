package clerk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"docledger/domain/fault"
)

// apiVersion is the version of the backend API that this package speaks.
const apiVersion = "2025-11-10"

const (
	maxAnswer        = 8 << 20 // bytes of one answer of the API
	retryUnreachable = 10 * time.Second
	retryBusy        = time.Second
	retryLongest     = time.Hour
)

// api calls the backend API.
type api struct {
	client *http.Client
	url    string
	secret string
}

// call is one request and what to say of it.
type call struct {
	doing  string // for logs: "read organization"
	what   string // that may be missing: "organization"
	method string
	path   []string // below /v1
	query  url.Values
	body   any // nil for none
}

// do sends a call and reads its answer into out.
func (a api) do(ctx context.Context, c call, out any) error {
	req, err := a.request(ctx, c)
	if err != nil {
		return fmt.Errorf("%s: %w", c.doing, err)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return unreachable(ctx, c.doing, err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	body, err := readAll(resp.Body, maxAnswer)
	if err != nil {
		return unreachable(ctx, c.doing, err)
	}
	if resp.StatusCode != http.StatusOK {
		return translate(c, resp, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return malformed(c.doing)
	}
	return nil
}

func (a api) request(ctx context.Context, c call) (*http.Request, error) {
	var body io.Reader
	if c.body != nil {
		raw, err := json.Marshal(c.body)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	address := a.url + "/v1"
	for _, segment := range c.path {
		address += "/" + url.PathEscape(segment)
	}
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, c.method, address, body)
	if err != nil {
		return nil, errors.New("the provider's address is not valid")
	}
	req.Header.Set("Authorization", "Bearer "+a.secret)
	req.Header.Set("Clerk-API-Version", apiVersion)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "docledger")
	if c.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// fetch reads a public document of at most so many bytes.
func fetch(ctx context.Context, client *http.Client, address string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the provider's address is not valid")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "docledger")
	resp, err := client.Do(req)
	if err != nil {
		return nil, bare(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	body, err := readAll(resp.Body, most)
	if err != nil {
		return nil, bare(ctx, err)
	}
	return body, nil
}

func readAll(r io.Reader, most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > most {
		return nil, fmt.Errorf("the answer is longer than %d bytes", most)
	}
	return body, nil
}

// refusal is what the provider said, without its messages, which may repeat
// what a person typed.
type refusal struct {
	status int
	code   string
	trace  string
}

func (r refusal) Error() string {
	return fmt.Sprintf("status %d, code %q, trace %q", r.status, r.code, r.trace)
}

func asRefusal(status int, body []byte) refusal {
	var said struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
		Trace string `json:"clerk_trace_id"`
	}
	r := refusal{status: status}
	if json.Unmarshal(body, &said) == nil && len(said.Errors) > 0 {
		r.code, r.trace = said.Errors[0].Code, said.Trace
	}
	return r
}

// statusOf returns the status with which the provider refused, 0 if it did not.
func statusOf(err error) int {
	var r refusal
	if errors.As(err, &r) {
		return r.status
	}
	return 0
}

// translate says in our words why a call was refused.
func translate(c call, resp *http.Response, body []byte) error {
	cause := fmt.Errorf("%s: %w", c.doing, asRefusal(resp.StatusCode, body))
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"The identity provider refuses this service's secret key. The operator must set a valid one.").Because(cause)
	case status == http.StatusNotFound:
		return missing(c.what).Because(cause)
	case status == http.StatusTooManyRequests:
		return unavailable(retryAfter(resp, retryBusy), cause)
	case status >= http.StatusInternalServerError:
		return unavailable(retryAfter(resp, retryUnreachable), cause)
	case status < http.StatusBadRequest:
		return malformed(c.doing)
	}
	return cause
}

func missing(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "The identity provider has no such %s.", what)
}

func unavailable(after time.Duration, cause error) *fault.Error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The identity provider does not answer as it should. Nothing needs to be changed; try again later.")
	f.RetryAfter = after
	return f.Because(cause)
}

// unreachable says that there was no answer; a caller that went away is told so.
func unreachable(ctx context.Context, doing string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	return unavailable(retryUnreachable, fmt.Errorf("%s: %w", doing, bare(ctx, err)))
}

// malformed says that an answer is not the provider's own; something in between
// may have given it, and whether the call had an effect is unknown.
func malformed(doing string) error {
	return unavailable(retryUnreachable, fmt.Errorf("%s: the answer is not the provider's", doing))
}

// bare strips the address of the request, whose query may name a person.
func bare(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var inURL *url.Error
	if errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}

func retryAfter(resp *http.Response, otherwise time.Duration) time.Duration {
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31)
	if err != nil || seconds == 0 {
		return otherwise
	}
	return min(time.Duration(seconds)*time.Second, retryLongest)
}
