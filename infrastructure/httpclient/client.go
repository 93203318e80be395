// Package httpclient makes the outbound calls of docledger to providers, the identity
// provider and the payment processor. It limits the size of responses, never follows
// a redirect automatically and never repeats a call. It turns every refusal into a
// Failure with the code, message and request id of the provider.
package httpclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docledger/domain/secret"
)

// Defaults of Options.
const (
	defaultTimeout = 30 * time.Second
	defaultMaxBody = 16 << 20
	maxRefusal     = 1 << 20 // bytes of an error response
	userAgent      = "docledger"
)

// errResponseTimeout reports that a response did not arrive in time.
var errResponseTimeout = errors.New("no response in time")

// errForeign reports a response that does not follow the interface of the provider. A
// proxy may have written it.
var errForeign = errors.New("the response is not the provider's")

// Options configure a Client. Only Name is required.
type Options struct {
	Name      string            // name of the provider in logs
	Transport http.RoundTripper // nil for http.DefaultTransport
	// Timeout limits the time for a complete response, or the time between two reads
	// of a stream. 0 is 30 seconds.
	Timeout time.Duration
	MaxBody int64 // bytes of one response; 0 for 16 MiB
	// RequestIDs are the headers with the provider's request id. The first one that
	// is present is used.
	RequestIDs []string
	// ReadRefusal reads the body of a refusal into the failure. Its status,
	// RetryAfter and RequestID are already set. It may be nil.
	ReadRefusal func(f *Failure, body []byte)
	// Remaining reads how many calls each window of a rate limit still allows.
	// It may be nil.
	Remaining func(r *http.Response) map[time.Duration]int
	Log       *slog.Logger // logs refusals; nil for no log
}

// Outcome is what a call reported about the provider's limits and health.
type Outcome struct {
	Remaining  map[time.Duration]int
	Limited    bool
	RetryAfter time.Duration
	Failed     bool // a 5xx, a timeout or a broken connection
}

// Admit waits until a call may be made. The Client calls done exactly once.
type Admit func(ctx context.Context) (done func(Outcome), err error)

// Request describes one call.
type Request struct {
	Operation string // name in logs: "list accounts"
	Method    string
	URL       string
	Query     url.Values
	Header    http.Header
	Token     secret.Text // a bearer token; empty for none
	Body      io.Reader   // nil for none
	Size      int64       // of Body; 0 if Body reports it
	Admit     Admit       // nil for a call without limits
	MaxBody   int64       // bytes of the response; 0 for the limit of the Client
	// Secrets are values in Body that no message of a refusal may repeat. Token and
	// Header need not be listed.
	Secrets []string
	// Unlogged suppresses the log line of a refusal, because the caller logs it.
	Unlogged bool
	// Redirect approves the address that a 3xx response of a stream names. The
	// Client requests it without the headers of the request. nil approves none.
	Redirect func(location string) (string, error)
}

// Response is a response that was read completely.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Stream is a response that is still being read. Body must be closed.
type Stream struct {
	Body      io.ReadCloser
	Size      int64 // -1 if unknown
	MediaType string
}

// Client makes calls. It is safe for concurrent use.
type Client struct {
	o    Options
	http *http.Client
}

// New returns a client. It makes no call.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBody <= 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Client{o: o, http: &http.Client{
		Transport: o.Transport,
		// Following a redirect would send the token to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Join appends path segments to an address. Each segment is sent as one.
func Join(address string, segments ...string) string {
	for _, s := range segments {
		address += "/" + url.PathEscape(s)
	}
	return address
}

// WithJSON sets a JSON body.
func (r Request) WithJSON(body any) (Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return r, &Failure{Operation: r.Operation, NotSent: true, cause: err}
	}
	r.Header = r.Header.Clone()
	r.SetHeader("Content-Type", "application/json")
	r.Body, r.Size = bytes.NewReader(raw), 0
	return r, nil
}

// SetHeader sets a header of the request.
func (r *Request) SetHeader(name, value string) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
}

// Do makes a call and reads its response. Every error is a *Failure; a status
// other than 2xx is one.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	l, err := c.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer l.close()
	resp, err := l.send(r)
	if err != nil {
		return nil, err
	}
	return l.finish(r, resp)
}

// JSON makes a call and decodes its response, unless into is nil.
func (c *Client) JSON(ctx context.Context, r Request, into any) error {
	resp, err := c.Do(ctx, r)
	if err != nil || into == nil {
		return err
	}
	return resp.Decode(r.Operation, into)
}

// Decode reads the JSON of a response.
func (r *Response) Decode(operation string, into any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" || json.Unmarshal(r.Body, into) != nil {
		return &Failure{Operation: operation, cause: errForeign}
	}
	return nil
}

// Open makes a call and returns its response before the body is read. Only
// status 200 is a success.
func (c *Client) Open(ctx context.Context, r Request) (Stream, error) {
	r.Header = r.Header.Clone()
	// A body that the transport decompresses has no length.
	r.SetHeader("Accept-Encoding", "identity")
	r.SetHeader("Accept", "*/*")
	l, err := c.open(ctx, r)
	if err != nil {
		return Stream{}, err
	}
	s, err := l.stream(r)
	if err != nil {
		l.close()
	}
	return s, err
}

// exchange is one admitted call. Its context ends with close or after the timeout.
type exchange struct {
	c     *Client
	ctx   context.Context
	outer context.Context
	timer *time.Timer
	done  func(Outcome)
	close func()
}

// open waits for admission and starts the timeout.
func (c *Client) open(ctx context.Context, r Request) (*exchange, error) {
	done := func(Outcome) {}
	if r.Admit != nil {
		var err error
		if done, err = r.Admit(ctx); err != nil {
			return nil, &Failure{Operation: r.Operation, NotSent: true, cause: err}
		}
	}
	bounded, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.o.Timeout, func() { cancel(errResponseTimeout) })
	return &exchange{c: c, ctx: bounded, outer: ctx, timer: timer, done: done, close: func() {
		timer.Stop()
		cancel(nil)
	}}, nil
}

// send sends the request. After an error the exchange is finished, but not closed.
func (l *exchange) send(r Request) (*http.Response, error) {
	req, err := r.build(l.ctx)
	if err == nil {
		var resp *http.Response
		if resp, err = l.c.http.Do(req); err == nil {
			return resp, nil
		}
	}
	l.done(Outcome{Failed: !errors.Is(l.outer.Err(), context.Canceled)})
	return nil, &Failure{Operation: r.Operation, NotSent: isNotSent(err), cause: StripURL(l.ctx, err)}
}

func (r Request) build(ctx context.Context) (*http.Request, error) {
	address := r.URL
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, r.Body)
	if err != nil {
		return nil, errInvalidAddress
	}
	if r.Size > 0 {
		req.ContentLength = r.Size
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if !r.Token.Empty() {
		req.Header.Set("Authorization", "Bearer "+r.Token.Reveal())
	}
	return req, nil
}

// finish reads a response completely. A status other than 2xx is a Failure.
func (l *exchange) finish(r Request, resp *http.Response) (*Response, error) {
	defer func() { _ = resp.Body.Close() }() // the body was read, or the read failed
	most := cmp.Or(r.MaxBody, l.c.o.MaxBody)
	if resp.StatusCode >= http.StatusMultipleChoices {
		most = maxRefusal
	}
	body, err := readAll(resp.Body, most)
	out := &Response{resp.StatusCode, resp.Header, body}
	failure := l.c.failure(r, out)
	outcome := Outcome{
		Limited: failure.Limited, Failed: err != nil || out.Status >= http.StatusInternalServerError && !failure.Limited,
		RetryAfter: failure.RetryAfter,
	}
	if l.c.o.Remaining != nil {
		outcome.Remaining = l.c.o.Remaining(resp)
	}
	l.done(outcome)
	switch {
	case err != nil:
		return nil, &Failure{Operation: r.Operation, cause: StripURL(l.ctx, err)}
	case out.Status < http.StatusOK || out.Status >= http.StatusMultipleChoices:
		if !r.Unlogged {
			l.c.Record(failure)
		}
		return nil, failure
	}
	return out, nil
}

// readAll reads at most the given number of bytes. A longer body is an error.
func readAll(r io.Reader, most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("the response is longer than %d bytes", most)
	}
	return body, err
}

// stream starts a stream, after at most one approved redirect.
func (l *exchange) stream(r Request) (Stream, error) {
	resp, err := l.send(r)
	if err != nil {
		return Stream{}, err
	}
	if isRedirect(resp.StatusCode) && r.Redirect != nil {
		if r, resp, err = l.redirect(r, resp); err != nil {
			return Stream{}, err
		}
	}
	if resp.StatusCode == http.StatusOK {
		l.done(Outcome{})
		return Stream{&streamBody{resp.Body, l}, resp.ContentLength, resp.Header.Get("Content-Type")}, nil
	}
	refused, err := l.finish(r, resp)
	if err == nil {
		err = &Failure{Operation: r.Operation, Status: refused.Status, cause: errForeign}
	}
	return Stream{}, err
}

// redirect requests the address that a response names, without the access token.
func (l *exchange) redirect(r Request, resp *http.Response) (Request, *http.Response, error) {
	discard(resp.Body)
	address, err := r.Redirect(resp.Header.Get("Location"))
	if err != nil {
		l.done(Outcome{})
		return r, nil, &Failure{Operation: r.Operation, cause: err}
	}
	next := Request{Operation: r.Operation + " content", Method: r.Method, URL: address, Header: http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"identity"}}}
	resp, err = l.send(next)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		// The provider refused the address, not the token.
		l.done(Outcome{})
		discard(resp.Body)
		err = &Failure{Operation: next.Operation, cause: errors.New("the address of the content is not accepted")}
	}
	return next, resp, err
}

// discard reads the rest of a short body, so that the connection can be reused.
func discard(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 4<<10))
	_ = body.Close()
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// streamBody fails if no data arrives within the timeout. Close ends the exchange.
type streamBody struct {
	io.ReadCloser
	l *exchange
}

// Read implements io.Reader.
func (s *streamBody) Read(into []byte) (int, error) {
	n, err := s.ReadCloser.Read(into)
	if n > 0 && s.l.ctx.Err() == nil {
		s.l.timer.Reset(s.l.c.o.Timeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = StripURL(s.l.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (s *streamBody) Close() error {
	s.l.close()
	return s.ReadCloser.Close()
}

// secrets lists the values of a request that no message may repeat.
func (r Request) secrets() (out []string) {
	out = slices.DeleteFunc(slices.Clone(r.Secrets), func(s string) bool { return s == "" })
	if !r.Token.Empty() {
		out = append(out, r.Token.Reveal())
	}
	if _, credential, found := strings.Cut(r.Header.Get("Authorization"), " "); found {
		out = append(out, credential)
	}
	return out
}
