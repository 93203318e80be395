package toolserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// InProcess sends requests to the API of this process without a connection. The API sees them as
// requests from this machine, and nothing of the context but its end. A response of more than the
// maximum of a tool ends with it.
type InProcess struct{ API http.Handler }

// RoundTrip implements http.RoundTripper.
func (p InProcess) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	body := r.Body
	if body == nil {
		body = http.NoBody
	}
	defer body.Close()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := &response{header: http.Header{}}
	defer func() {
		// The server of a connection does the same, and closes the connection.
		switch v := recover(); {
		case v == nil:
		case w.body.Len() > maxAnswer: // the caller reports a response that is too long
			resp, err = w.collected(r), nil
		default:
			resp, err = nil, fmt.Errorf("the API panicked: %v", v)
		}
	}()
	p.API.ServeHTTP(w, received(r, body))
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w.WriteHeader(http.StatusOK)
	return w.collected(r), nil
}

// received is r as a server receives it.
func received(r *http.Request, body io.ReadCloser) *http.Request {
	target := &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	length := r.ContentLength
	if length == 0 && body != http.NoBody {
		length = -1 // a client does not know the length of such a body
	}
	server := &http.Request{
		Method: r.Method, URL: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: r.Header.Clone(), Body: body,
		ContentLength: length, Host: host, RemoteAddr: "127.0.0.1:0", RequestURI: target.RequestURI(),
	}
	return server.WithContext(bare{r.Context()})
}

// bare is a context without the values of the one that it ends with.
type bare struct{ context.Context }

// Value implements context.Context.
func (bare) Value(any) any { return nil }

// response keeps what the API writes.
type response struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

// collected is the response to r so far.
func (w *response) collected(r *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, _ := w.body.Write(p[:min(len(p), maxAnswer+1-w.body.Len())])
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Flush implements http.Flusher.
func (w *response) Flush() { w.WriteHeader(http.StatusOK) }

// SetReadDeadline lets the API set the deadlines of a connection, which has none here. The body
// comes from the tool server, which has read it or limits its time.
func (w *response) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is as SetReadDeadline.
func (w *response) SetWriteDeadline(time.Time) error { return nil }
