package toolserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"docledger/gen/toolserver"
)

// maxBatch is how many messages one request may hold. Revision 2025-03-26 has
// such batches, whose calls all run at once.
const maxBatch = 20

// message reads the body of a request whole and puts it back, or answers why
// that cannot be.
func (s *Server) message(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.o.MaxBytes))
	tooLarge := new(http.MaxBytesError)
	switch {
	case errors.As(err, &tooLarge):
		answer(w, http.StatusRequestEntityTooLarge, "invalid_request", fmt.Sprintf("The message is larger than %d bytes.", s.o.MaxBytes))
		return false
	case err != nil:
		answer(w, http.StatusBadRequest, "invalid_request", "The message did not arrive whole, or too slowly.")
		return false
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) == nil && len(batch) > maxBatch {
			answer(w, http.StatusBadRequest, "invalid_request", fmt.Sprintf("A batch holds at most %d messages.", maxBatch))
			return false
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
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
