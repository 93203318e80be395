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
	"time"

	"docledger/domain/integration"
)

// call is one request and what to say of it.
type call struct {
	doing  string // for logs: "list accounts"
	method string
	url    string
	query  url.Values
	header http.Header
	body   io.Reader // nil for none
	size   int64     // of the body; 0 where it tells itself
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

// observe reads what an answer tells of the provider's limits. It tells none
// but that they are reached.
func observe(resp *http.Response, err error) integration.Observation {
	o := integration.Observation{
		Limited: resp.StatusCode == http.StatusTooManyRequests,
		Failed:  err != nil || resp.StatusCode >= http.StatusInternalServerError,
	}
	if o.Limited || o.Failed {
		o.RetryAfter = retryAfter(resp.StatusCode, resp.Header)
	}
	return o
}

// retryAfter is when the provider wants to be asked again; zero where nobody
// knows. A call that was one too many waits a minute, as its pages say.
func retryAfter(status int, h http.Header) time.Duration {
	const longest, limited = 24 * time.Hour, time.Minute
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
	switch {
	case err == nil:
		return min(time.Duration(seconds)*time.Second, longest)
	case status == http.StatusTooManyRequests:
		return limited
	}
	return 0
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

// api makes a call of the accounting API, for path below the company's.
func (c *Client) api(doing, method string, a Access, path ...string) call {
	address := c.o.APIURL + "/v3/company/" + url.PathEscape(a.Realm)
	for _, segment := range path {
		address += "/" + url.PathEscape(segment)
	}
	return call{
		doing: doing, method: method, url: address, query: url.Values{"minorversion": {minorVersion}},
		header: http.Header{"Authorization": {"Bearer " + a.Token.Reveal()}},
		gate:   integration.Call{Provider: Provider, Tenant: a.Realm, Background: a.Background, Limits: c.o.Limits},
	}
}

// do sends a call and reads its answer into what is given, unless it is a
// refusal, which may come with status 200 too.
func (c *Client) do(ctx context.Context, out call, into any) error {
	a, err := c.send(ctx, out)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return a.failure(out.doing)
	}
	if err := a.decode(out.doing, into); err != nil {
		return err
	}
	if f := a.failure(out.doing); len(f.Faults) > 0 {
		return f
	}
	return nil
}
