package xero

import (
	"crypto/sha256"
	"io"
	"net/http"
	"time"
)

const longestKey = 128

// replay is the stored response of a key.
type replay struct {
	request [sha256.Size]byte
	answer  answer
	until   time.Time
}

// read reads a body up to the maximum size of its part of the API.
func (s *Server) read(r *http.Request, part string) ([]byte, *answer) {
	s.mu.Lock()
	most := s.limits.RequestBytes
	if part == "attachments" {
		most = s.limits.AttachmentBytes
	}
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil || int64(len(body)) > most {
		refused := gateway(http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "PayloadTooLarge")
		return nil, &refused
	}
	return body, nil
}

// once performs a call, or returns the stored response if its key was used within the window. It
// also stores error responses.
func (s *Server) once(c *call, do operation) answer {
	key := c.Header.Get("Idempotency-Key")
	if key == "" || c.Method == http.MethodGet {
		return do(c)
	}
	if len(key) > longestKey {
		return gateway(http.StatusBadRequest, "BadRequest", "The idempotency key is longer than 128 characters.")
	}
	now := s.Kit.Clock.Now()
	for name, old := range s.replays {
		if !now.Before(old.until) {
			delete(s.replays, name)
		}
	}
	h := sha256.New()
	for _, part := range []string{c.Method, c.URL.RequestURI(), c.book.organization.ID, string(c.body)} {
		_, _ = io.WriteString(h, part+"\x00") // a hash never fails
	}
	request := [sha256.Size]byte(h.Sum(nil))
	name := c.grant.client + " " + key
	if old := s.replays[name]; old != nil {
		if old.request != request {
			return gateway(http.StatusBadRequest, "BadRequest", "The idempotency key is used with a different request.")
		}
		return old.answer
	}
	out := do(c)
	s.replays[name] = &replay{request, out, now.Add(s.limits.IdempotencyWindow)}
	return out
}
