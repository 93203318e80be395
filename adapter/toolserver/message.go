package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"docledger/adapter/toolserver/catalog"
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

var errBusy = errors.New("memory for messages used up")

// message reads the whole body of a request and restores it. A long file in base64 is decoded into a
// temporary file while it is received. On failure it sends an error response. release returns the
// memory and the file of the message.
func (s *Server) message(w http.ResponseWriter, r *http.Request) (ok bool, release func()) {
	grow, release := func(int64) error { return nil }, func() {}
	if slices.ContainsFunc(r.Header.Values("Content-Encoding"), func(coding string) bool { return coding != "" && !strings.EqualFold(coding, "identity") }) {
		answer(w, http.StatusUnsupportedMediaType, "invalid_request", "The Content-Encoding is not supported. Send the message without it.")
		return false, release
	}
	if c, known := callOf(r.Context()); known && s.o.Memory != nil {
		lease := s.o.Memory(c.caller.Subject)
		release = lease.Release
		grow = func(n int64) error {
			if !lease.Grow(decodedTimes * n) {
				return errBusy
			}
			return nil
		}
	}
	if r.ContentLength >= 0 && r.ContentLength <= largeMessage {
		return s.read(w, r, grow), release
	}
	s.extend(w)
	file, ok := s.readLarge(w, r, grow)
	if file == nil {
		return ok, release
	}
	free := release
	return ok, func() {
		_ = file.Close()
		free()
	}
}

// fileTime is the time to receive a large message.
const fileTime = 5 * time.Minute

// extend gives a large message of a known caller more time than limited.
func (s *Server) extend(w http.ResponseWriter) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(max(fileTime, s.o.ReadTimeout)))
	_ = connection.SetWriteDeadline(time.Now().Add(max(fileTime, s.o.ReadTimeout) + s.o.Timeout + writeGrace))
}

// inlineFile is the size up to which a file in base64 stays in its message.
const inlineFile = 64 << 10

func (s *Server) readLarge(w http.ResponseWriter, r *http.Request, grow func(int64) error) (file *os.File, ok bool) {
	x := check.Extraction{
		Path: []string{"params", "arguments", catalog.ArgContent}, Inline: inlineFile, Max: s.o.MaxBytes, Grow: grow,
		File: func() (io.Writer, error) {
			made, err := os.CreateTemp(s.o.TempDir, "upload-*")
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errStore, err)
			}
			file = made
			// An unlinked file is deleted even if this process crashes.
			if err := os.Remove(made.Name()); err != nil {
				return nil, fmt.Errorf("%w: %w", errStore, err)
			}
			return made, nil
		},
	}
	body, moved, err := x.Read(http.MaxBytesReader(w, r.Body, s.o.MaxFileBytes))
	if err == nil && moved {
		_, err = file.Seek(0, io.SeekStart)
	}
	if !s.accept(w, r, body, err) {
		return file, false
	}
	held := &held{Reader: bytes.NewReader(body), data: body}
	if moved {
		held.file = file
	}
	r.Body, r.ContentLength = held, int64(len(body))
	return file, true
}

var errStore = errors.New("store the file of a message")

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
	if !ok || !known {
		return r, func() {}, nil
	}
	c.file = body.file
	if len(body.data) <= largeMessage {
		return r.WithContext(context.WithValue(r.Context(), callKey{}, c)), func() {}, nil
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
	data []byte
	file *os.File // the decoded file of the message; nil if the body contains it
}

func (*held) Close() error { return nil }

func (s *Server) read(w http.ResponseWriter, r *http.Request, grow func(int64) error) bool {
	if err := grow(r.ContentLength); err != nil {
		return s.accept(w, r, nil, err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.o.MaxBytes))
	if !s.accept(w, r, body, err) {
		return false
	}
	r.Body = &held{Reader: bytes.NewReader(body), data: body}
	return true
}

// accept refuses a body that could not be read, or that contains too much.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, body []byte, err error) bool {
	tooLarge := new(http.MaxBytesError)
	switch {
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The memory for messages is used up. Retry later.")
		return false
	case errors.As(err, &tooLarge), errors.Is(err, check.ErrDocumentTooLong):
		limit := s.o.MaxBytes
		if tooLarge.Limit > 0 {
			limit = tooLarge.Limit
		}
		answer(w, http.StatusRequestEntityTooLarge, "invalid_request",
			fmt.Sprintf("The message exceeds the limit of %d bytes. Send a file with the tool create_upload_link.", limit))
		return false
	case errors.Is(err, errStore):
		s.o.Log.ErrorContext(r.Context(), "file of a message not stored", "error", err)
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The file could not be stored. Retry later.")
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
	if repeatsKey(body) {
		answer(w, http.StatusBadRequest, "invalid_request", "The message has a key twice in the same object.")
		return false
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) == nil && len(batch) > maxBatch {
			answer(w, http.StatusBadRequest, "invalid_request", fmt.Sprintf("The batch exceeds the limit of %d messages.", maxBatch))
			return false
		}
	}
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
