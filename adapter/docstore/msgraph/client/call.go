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
	doing  string // for logs: "list sites"
	method string
	url    string // with the query
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

// line is a call that is under way. Its context ends with close, and after a
// silence of the time-out.
type line struct {
	ctx   context.Context
	outer context.Context
	close func()
	timer *time.Timer
	leave func(integration.Observation)
}

// open passes the gate. leave must be called once, and close once.
func (c *Client) open(ctx context.Context, doing string, g integration.Call) (*line, error) {
	leave, err := c.o.Gate.Enter(ctx, g)
	if err != nil {
		return nil, &Failure{Doing: doing, NotSent: true, cause: err}
	}
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.o.Timeout, func() { cancel(errSilent) })
	return &line{ctx: watched, outer: ctx, timer: timer, leave: leave, close: func() {
		timer.Stop()
		cancel(nil)
	}}, nil
}

// ask sends a request. The answer's body is still to come. After an error the
// line is left, but not closed.
func (c *Client) ask(l *line, out call) (*http.Response, error) {
	req, err := out.request(l.ctx)
	var resp *http.Response
	if err == nil {
		resp, err = c.o.HTTP.Do(req)
	}
	if err != nil {
		l.leave(integration.Observation{Failed: !errors.Is(l.outer.Err(), context.Canceled)})
		return nil, &Failure{Doing: out.doing, NotSent: unsent(err), cause: bare(l.ctx, err)}
	}
	resp.Body = &patient{resp.Body, l, c.o.Timeout}
	return resp, nil
}

// patient is a body that is given up after a silence.
type patient struct {
	io.ReadCloser
	line    *line
	timeout time.Duration
}

func (p *patient) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	if n > 0 && p.line.ctx.Err() == nil {
		p.line.timer.Reset(p.timeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = bare(p.line.ctx, err)
	}
	return n, err
}

// send makes a call and reads its answer. Any answer is none of its errors;
// those are a Failure without status.
func (c *Client) send(ctx context.Context, out call) (answer, error) {
	l, err := c.open(ctx, out.doing, out.gate)
	if err != nil {
		return answer{}, err
	}
	defer l.close()
	resp, err := c.ask(l, out)
	if err != nil {
		return answer{}, err
	}
	return l.finish(out.doing, resp)
}

// finish reads an answer to its end, if that is near enough, and leaves.
func (l *line) finish(doing string, resp *http.Response) (answer, error) {
	defer func() { _ = resp.Body.Close() }() // it is read to its end, or given up
	most := int64(maxAnswer)
	if resp.StatusCode >= http.StatusMultipleChoices {
		most = maxRefusal
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("the answer is longer than %d bytes", most)
	}
	a := answer{resp.StatusCode, resp.Header, body}
	l.leave(observe(a.failure(doing), resp.Header, err))
	if err != nil {
		return answer{}, &Failure{Doing: doing, cause: err}
	}
	return a, nil
}

// observe reads what an answer tells of the provider's limits and health.
func observe(f *Failure, h http.Header, err error) integration.Observation {
	o := integration.Observation{
		Limited: f.Limited(), Failed: err != nil || f.Status >= http.StatusInternalServerError && !f.Limited(), RetryAfter: f.RetryAfter,
	}
	if left, err := strconv.ParseUint(h.Get("RateLimit-Remaining"), 10, 31); err == nil {
		o.Remaining = map[time.Duration]int{time.Minute: int(left)}
	}
	return o
}

func (out call) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if out.body != "" {
		body = strings.NewReader(out.body)
	}
	req, err := http.NewRequestWithContext(ctx, out.method, out.url, body)
	if err != nil {
		return nil, errors.New("the provider's address is not valid")
	}
	if out.header != nil {
		req.Header = out.header
	}
	req.Header.Set("User-Agent", "docledger")
	return req, nil
}

// unsent says that a request surely never reached the provider: nobody took
// the connection.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// bare strips the address of a request, which may let whoever has it read a
// content, and says why its time was over.
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

// api makes a call of the API, for what stands behind its base address.
func (c *Client) api(doing, method string, a integration.Access, below string) call {
	return call{
		doing: doing, method: method, url: c.base() + below,
		header: http.Header{"Authorization": {"Bearer " + a.Token.Reveal()}, "Accept": {"application/json"}},
		gate:   integration.Call{Provider: Provider, Tenant: TenantOf(a.Account), Background: a.Background, Limits: c.o.Limits},
	}
}

// base is the address that all of the API is below.
func (c *Client) base() string { return c.o.APIURL + "/v1.0/" }

// path joins segments, each of which is sent as one.
func path(segments ...string) string {
	escaped := make([]string, len(segments))
	for n, s := range segments {
		escaped[n] = url.PathEscape(s)
	}
	return strings.Join(escaped, "/")
}

// get makes a call that reads, and reads its answer into what is given.
func (c *Client) get(ctx context.Context, doing string, a integration.Access, below string, into any) error {
	got, err := c.send(ctx, c.api(doing, http.MethodGet, a, below))
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		f := got.failure(doing)
		f.Restart = c.restart(got)
		return f
	}
	return got.decode(doing, into)
}

// write makes a call that writes. body and into are nil where there is none.
func (c *Client) write(ctx context.Context, doing, method string, a integration.Access, below string, body, into any) error {
	out := c.api(doing, method, a, below)
	if body != nil {
		sent, err := json.Marshal(body)
		if err != nil {
			return err
		}
		out.body = string(sent)
		out.header.Set("Content-Type", "application/json")
	}
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
