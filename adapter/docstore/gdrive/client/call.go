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

// call is one request and what to say of it.
type call struct {
	doing  string // for logs: "list files"
	method string
	url    string
	query  url.Values
	header http.Header
	body   string // "" for none
	gate   integration.Call
}

// answer is what came, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// errSilent says that an answer took too long.
var errSilent = errors.New("no answer in time")

// start passes the gate and sends a call. The answer's body is still to come;
// it ends, as does the wait for it, after a silence of the time-out. release
// must be called once.
func (c *Client) start(ctx context.Context, out call) (resp *http.Response, leave func(integration.Observation), release func(), err error) {
	leave, err = c.o.Gate.Enter(ctx, out.gate)
	if err != nil {
		return nil, nil, nil, &Failure{Doing: out.doing, NotSent: true, cause: err}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.o.Timeout, func() { cancel(errSilent) })
	release = func() {
		timer.Stop()
		cancel(nil)
	}
	req, err := out.request(watched)
	if err == nil {
		resp, err = c.o.HTTP.Do(req)
	}
	if err != nil {
		why := bare(watched, err)
		release()
		leave(integration.Observation{Failed: !errors.Is(ctx.Err(), context.Canceled)})
		return nil, nil, nil, &Failure{Doing: out.doing, NotSent: unsent(err), cause: why}
	}
	resp.Body = &patient{resp.Body, watched, timer, c.o.Timeout}
	return resp, leave, release, nil
}

// patient is a body that is given up after a silence.
type patient struct {
	io.ReadCloser
	ctx     context.Context
	timer   *time.Timer
	timeout time.Duration
}

func (p *patient) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	if n > 0 && p.ctx.Err() == nil {
		p.timer.Reset(p.timeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = bare(p.ctx, err)
	}
	return n, err
}

// send makes a call and reads its answer. Any answer is none of its errors;
// those are a Failure without status.
func (c *Client) send(ctx context.Context, out call) (answer, error) {
	resp, leave, release, err := c.start(ctx, out)
	if err != nil {
		return answer{}, err
	}
	defer release()
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	return finish(out.doing, resp, leave)
}

// finish reads an answer to its end, if that is near enough.
func finish(doing string, resp *http.Response, leave func(integration.Observation)) (answer, error) {
	most := int64(maxAnswer)
	if resp.StatusCode >= http.StatusMultipleChoices {
		most = maxRefusal
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("the answer is longer than %d bytes", most)
	}
	a := answer{resp.StatusCode, resp.Header, body}
	f := a.failure(doing)
	leave(integration.Observation{
		Limited: f.Limited(), Failed: err != nil || a.status >= http.StatusInternalServerError, RetryAfter: f.RetryAfter,
	})
	if err != nil {
		return answer{}, &Failure{Doing: doing, cause: err}
	}
	return a, nil
}

func (out call) request(ctx context.Context) (*http.Request, error) {
	address := out.url
	if len(out.query) > 0 {
		address += "?" + out.query.Encode()
	}
	var body io.Reader
	if out.body != "" {
		body = strings.NewReader(out.body)
	}
	req, err := http.NewRequestWithContext(ctx, out.method, address, body)
	if err != nil {
		return nil, errors.New("the provider's address is not valid")
	}
	if out.header != nil {
		req.Header = out.header
	}
	req.Header.Set("User-Agent", "docledger")
	return req, nil
}

// retryAfter is when the provider wants to be asked again; zero where nobody
// knows. Of limits it tells nothing in most answers: those of a minute have
// passed after one, the daily one not soon.
func retryAfter(f *Failure, h http.Header) time.Duration {
	const longest = 24 * time.Hour
	seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31)
	switch {
	case err == nil && f.Status >= http.StatusBadRequest:
		return min(time.Duration(seconds)*time.Second, longest)
	case f.Limited() && f.Reason == reasonDaily:
		return time.Hour
	case f.Limited():
		return time.Minute
	}
	return 0
}

// unsent says that a request surely never reached the provider: nobody took
// the connection.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// bare strips the address of a request, whose query may name people, and says
// why its time was over.
func bare(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
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

// api makes a call of the API, for a path whose segments are sent as such.
func (c *Client) api(doing, method string, a integration.Access, q url.Values, path ...string) call {
	address := c.o.APIURL + "/drive/v3"
	for _, segment := range path {
		address += "/" + url.PathEscape(segment)
	}
	return call{
		doing: doing, method: method, url: address, query: q,
		header: http.Header{"Authorization": {"Bearer " + a.Token.Reveal()}},
		gate:   integration.Call{Provider: Provider, Tenant: a.Account, Background: a.Background, Limits: AccountLimits()},
	}
}

// get makes a call that reads, and reads its answer into what is given.
func (c *Client) get(ctx context.Context, doing string, a integration.Access, into any, q url.Values, path ...string) error {
	got, err := c.send(ctx, c.api(doing, http.MethodGet, a, q, path...))
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return got.failure(doing)
	}
	return got.decode(doing, into)
}

// post makes a call that writes. into is nil where the answer has no body.
func (c *Client) post(ctx context.Context, doing string, a integration.Access, body, into any, q url.Values, path ...string) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	out := c.api(doing, http.MethodPost, a, q, path...)
	out.body = string(sent)
	out.header.Set("Content-Type", "application/json")
	got, err := c.send(ctx, out)
	switch {
	case err != nil:
		return err
	case got.status < 200 || got.status > 299:
		return got.failure(doing)
	case into == nil:
		return nil
	}
	return got.decode(doing, into)
}
