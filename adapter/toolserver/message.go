package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"time"

	"docledger/gen/toolserver"
	"docledger/openapi/check"
)

// maxBatch is the maximum number of messages in one request. Revision
// 2025-03-26 has batches, whose calls run concurrently.
const maxBatch = 20

// Limits of the content of a message, so that no library decodes more.
const (
	// maxValues is the number of JSON values in a message. An invoice of 10,000
	// lines, each with ten changes, fits.
	maxValues = 120_000
	maxDepth  = check.MaxDepth + 8 // levels of the protocol
	// decodedTimes is the number of copies of a message in memory.
	decodedTimes = 4
)

// Lease is the memory that one message uses.
type Lease interface {
	// Grow reserves n more bytes. It returns false if none are left.
	Grow(n int64) bool
	// Release returns all reserved memory.
	Release()
}

// leased reads within a memory lease.
type leased struct {
	io.Reader
	lease Lease
}

var errBusy = errors.New("memory for messages used up")

func (l leased) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 && !l.lease.Grow(decodedTimes*int64(n)) {
		return 0, errBusy
	}
	return n, err
}

// message reads the whole body of a request and restores it. On failure it
// sends an error response. release returns the memory of the message.
func (s *Server) message(w http.ResponseWriter, r *http.Request) (ok bool, release func()) {
	release = func() {}
	body := io.Reader(http.MaxBytesReader(w, r.Body, s.o.MaxBytes))
	if c, known := callOf(r.Context()); known && s.o.Memory != nil {
		lease := s.o.Memory(c.caller.Subject)
		body, release = leased{body, lease}, lease.Release
	}
	return s.read(w, r, body), release
}

// largeMessage is the size above which the number of concurrently decoded
// messages is limited below the number of processors, so that small messages
// never wait for many large ones.
const largeMessage = 32 << 10

func newTurns() chan struct{} { return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)) }

// turn waits until a large message may be decoded. The turn ends after the
// arguments were validated, before the API call, and at the latest with end.
func (s *Server) turn(r *http.Request) (in *http.Request, end func(), err error) {
	body, ok := r.Body.(*held)
	c, known := callOf(r.Context())
	if !ok || !known || body.size <= largeMessage {
		return r, func() {}, nil
	}
	select {
	case s.turns <- struct{}{}:
	case <-r.Context().Done():
		return nil, nil, r.Context().Err()
	}
	c.checked = sync.OnceFunc(func() { <-s.turns })
	return r.WithContext(context.WithValue(r.Context(), callKey{}, c)), c.checked, nil
}

// held is a complete body.
type held struct {
	io.Reader
	size int
}

func (*held) Close() error { return nil }

func (s *Server) read(w http.ResponseWriter, r *http.Request, from io.Reader) bool {
	body, err := io.ReadAll(from)
	tooLarge := new(http.MaxBytesError)
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The memory for messages is used up. Retry later.")
		return false
	case errors.As(err, &tooLarge):
		answer(w, http.StatusRequestEntityTooLarge, "invalid_request", fmt.Sprintf("The message exceeds the limit of %d bytes.", s.o.MaxBytes))
		return false
	case err != nil:
		answer(w, http.StatusBadRequest, "invalid_request", "The message is incomplete or was too slow. Send it again.")
		return false
	}
	if values, depth := check.Weigh(body); values > maxValues || depth > maxDepth {
		answer(w, http.StatusBadRequest, "invalid_request",
			fmt.Sprintf("The message exceeds the limit of %d values or %d levels of nesting.", maxValues, maxDepth))
		return false
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) == nil && len(batch) > maxBatch {
			answer(w, http.StatusBadRequest, "invalid_request", fmt.Sprintf("The batch exceeds the limit of %d messages.", maxBatch))
			return false
		}
	}
	r.Body = &held{bytes.NewReader(body), len(body)}
	return true
}

// limited sets the time limits of a connection: one for reading the body, which
// the server then removes, and one for the whole response. Without a body the
// server already waits for the next request. A deadline would end that read, and
// with it the context of this and every later request of the connection.
func (s *Server) limited(w http.ResponseWriter, r *http.Request) {
	connection := http.NewResponseController(w)
	// The errors are ignored, because a test has no connection.
	if r.Body != nil && r.Body != http.NoBody {
		_ = connection.SetReadDeadline(time.Now().Add(s.o.ReadTimeout))
	}
	_ = connection.SetWriteDeadline(time.Now().Add(s.o.Timeout + writeGrace))
}

// answer writes an OAuth error.
func answer(w http.ResponseWriter, status int, code, description string) {
	body, err := json.Marshal(toolserver.OAuthError{Error: code, ErrorDescription: description})
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
