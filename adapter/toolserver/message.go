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

// maxBatch is how many messages one request may hold. Revision 2025-03-26 has
// such batches, whose calls all run at once.
const maxBatch = 20

// Bounds of what a message contains, so that no library decodes more.
const (
	// maxValues is the number of JSON values in a message. An invoice of 10,000
	// lines, each with ten changes, fits.
	maxValues = 120_000
	maxDepth  = check.MaxDepth + 8 // the protocol's own levels
	// decodedTimes is how often the bytes of a message are in memory at a time.
	decodedTimes = 4
)

// Lease is the memory that one message holds.
type Lease interface {
	// Grow takes n more bytes; false says that there are none left.
	Grow(n int64) bool
	// Release gives everything back.
	Release()
}

// leased reads within a lease.
type leased struct {
	io.Reader
	lease Lease
}

var errBusy = errors.New("no memory left for messages")

func (l leased) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 && !l.lease.Grow(decodedTimes*int64(n)) {
		return 0, errBusy
	}
	return n, err
}

// message reads the body of a request whole and puts it back, or answers why
// that cannot be. release gives back the memory that the message takes.
func (s *Server) message(w http.ResponseWriter, r *http.Request) (ok bool, release func()) {
	release = func() {}
	body := io.Reader(http.MaxBytesReader(w, r.Body, s.o.MaxBytes))
	if c, known := callOf(r.Context()); known && s.o.Memory != nil {
		lease := s.o.Memory(c.caller.Subject)
		body, release = leased{body, lease}, lease.Release
	}
	return s.read(w, r, body), release
}

// largeMessage is the size above which messages are decoded in turns, fewer at a
// time than there are processors, so that small ones never wait for many large
// ones.
const largeMessage = 32 << 10

func newTurns() chan struct{} { return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)) }

// turn waits until a large message may be decoded. The turn ends when its
// arguments were checked, before the API is called, and at the latest with end.
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

// held is a body that was read whole.
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
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The server is processing as many messages as it has memory for. Try again.")
		return false
	case errors.As(err, &tooLarge):
		answer(w, http.StatusRequestEntityTooLarge, "invalid_request", fmt.Sprintf("The message is larger than %d bytes.", s.o.MaxBytes))
		return false
	case err != nil:
		answer(w, http.StatusBadRequest, "invalid_request", "The message did not arrive whole, or too slowly.")
		return false
	}
	if values, depth := check.Weigh(body); values > maxValues || depth > maxDepth {
		answer(w, http.StatusBadRequest, "invalid_request",
			fmt.Sprintf("A message has at most %d values, which nest at most %d levels.", maxValues, maxDepth))
		return false
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) == nil && len(batch) > maxBatch {
			answer(w, http.StatusBadRequest, "invalid_request", fmt.Sprintf("A batch holds at most %d messages.", maxBatch))
			return false
		}
	}
	r.Body = &held{bytes.NewReader(body), len(body)}
	return true
}

// limited gives a connection its time limits: for the body to arrive, after
// which the server lifts it, and for all of the answer.
func (s *Server) limited(w http.ResponseWriter) {
	connection := http.NewResponseController(w)
	// Neither is there where a test has no connection.
	_ = connection.SetReadDeadline(time.Now().Add(s.o.ReadTimeout))
	_ = connection.SetWriteDeadline(time.Now().Add(s.o.Timeout + writeGrace))
}

// answer writes an error as OAuth clients read them.
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
