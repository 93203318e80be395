package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docledger/domain/integration"
)

const (
	tenantHeader = "xero-tenant-id"
	keyHeader    = "Idempotency-Key"
)

// call is one request and what to say of it.
type call struct {
	doing  string // for logs: "list accounts"
	method string
	url    string
	query  url.Values
	header http.Header
	body   io.Reader // nil for none
	size   int64     // of the body
	gate   integration.Call
}

// answer is what came, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send passes the gate, sends a call and reads its answer. Any answer is none
// of its errors; those are a Failure without status.
func (c *Client) send(ctx context.Context, out call) (answer, error) {
	req, err := out.request(ctx)
	if err != nil {
		return answer{}, &Failure{Doing: out.doing, NotSent: true, cause: err}
	}
	leave, err := c.o.Gate.Enter(ctx, out.gate)
	if err != nil {
		return answer{}, &Failure{Doing: out.doing, NotSent: true, cause: err}
	}
	resp, err := c.o.HTTP.Do(req)
	if err != nil {
		leave(integration.Observation{Failed: !errors.Is(ctx.Err(), context.Canceled)})
		return answer{}, &Failure{Doing: out.doing, NotSent: unsent(err), cause: bare(ctx, err)}
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	body, err := read(resp)
	leave(observe(resp, err))
	if err != nil {
		return answer{}, &Failure{Doing: out.doing, cause: bare(ctx, err)}
	}
	return answer{resp.StatusCode, resp.Header, body}, nil
}

func (out call) request(ctx context.Context) (*http.Request, error) {
	address := out.url
	if len(out.query) > 0 {
		address += "?" + out.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, out.method, address, out.body)
	if err != nil {
		return nil, errors.New("the provider's address is not valid")
	}
	if out.header != nil {
		req.Header = out.header
	}
	if out.size > 0 {
		req.ContentLength = out.size
	}
	req.Header.Set("Accept", "application/json") // XML comes otherwise
	req.Header.Set("User-Agent", "docledger")
	return req, nil
}

// read reads an answer to its end, if that is near enough.
func read(resp *http.Response) ([]byte, error) {
	most := int64(maxAnswer)
	if resp.StatusCode >= http.StatusMultipleChoices {
		most = maxRefusal
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("the answer is longer than %d bytes", most)
	}
	return body, err
}

// observe reads what an answer tells of the provider's limits.
func observe(resp *http.Response, err error) integration.Observation {
	o := integration.Observation{
		Limited: resp.StatusCode == http.StatusTooManyRequests,
		Failed:  err != nil || resp.StatusCode >= http.StatusInternalServerError,
	}
	if o.Limited || o.Failed {
		o.RetryAfter = retryAfter(resp.Header)
	}
	minute := "X-MinLimit-Remaining"
	if resp.Request.Header.Get(tenantHeader) == "" {
		minute = "X-AppMinLimit-Remaining"
	}
	for name, window := range map[string]time.Duration{minute: time.Minute, "X-DayLimit-Remaining": 24 * time.Hour} {
		left, err := strconv.ParseUint(resp.Header.Get(name), 10, 31)
		if err != nil {
			continue
		}
		if o.Remaining == nil {
			o.Remaining = map[time.Duration]int{}
		}
		o.Remaining[window] = int(left)
	}
	return o
}

// retryAfter is when the provider wants to be asked again; zero where it does
// not say, as where too many calls were under way at once.
func retryAfter(h http.Header) time.Duration {
	const longest = 24 * time.Hour
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longest)
}

// unsent says that a request surely never reached the provider: nobody took
// the connection.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// bare strips the address of a request, whose query may name people.
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

// decode reads the JSON of an answer. What is no JSON is not the provider's.
func (a answer) decode(doing string, into any) error {
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || media != "application/json" || json.Unmarshal(a.body, into) != nil {
		return &Failure{Doing: doing, cause: errors.New("the answer is not the provider's")}
	}
	return nil
}

// api makes a call of the accounting API, for path below it.
func (c *Client) api(doing, method string, a Access, path ...string) call {
	return c.accounting(doing, method, "/api.xro/2.0", a, path...)
}

// accounting makes a call below a path of the API's host.
func (c *Client) accounting(doing, method, below string, a Access, path ...string) call {
	address := c.o.APIURL + below
	for _, segment := range path {
		address += "/" + url.PathEscape(segment)
	}
	out := call{
		doing: doing, method: method, url: address, query: url.Values{},
		header: http.Header{"Authorization": {"Bearer " + a.Token.Reveal()}},
		gate:   integration.Call{Provider: Provider, Tenant: a.Tenant, Background: a.Background, Limits: appLimits()},
	}
	if a.Tenant != "" {
		out.header.Set(tenantHeader, a.Tenant)
		out.gate.Limits = c.o.Limits
	}
	return out
}

// do sends a call and reads its answer into what is given, unless it is a
// refusal.
func (c *Client) do(ctx context.Context, out call, into any) error {
	a, err := c.send(ctx, out)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return a.failure(out.doing)
	}
	return a.decode(out.doing, into)
}

// IsID says whether a text has the form of the provider's ids.
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
