package stripe

import (
	"net/http"
	"time"

	"docledger/adapter/sim/kit"
)

const maxKey = 255

// remembered is the result of the first request with a key.
type remembered struct {
	fingerprint string
	inFlight    bool
	requestID   string
	status      int
	body        any
	at          time.Time
}

// once performs an operation once per key. It stores every result, including a decline, except
// invalid parameters.
func (s *Server) once(w http.ResponseWriter, c *call, do operation) {
	w.Header().Set("Idempotency-Key", c.key)
	print := c.request.URL.Path + " " + c.node.canonical()
	s.mu.Lock()
	s.forget()
	if len(c.key) > maxKey {
		s.mu.Unlock()
		e := invalid("", "", "Idempotency keys can be up to %d characters long.", maxKey)
		answer(w, e.status, e.body())
		return
	}
	if known := s.keys[c.key]; known != nil {
		s.mu.Unlock()
		replay(w, c, known, print)
		return
	}
	mine := &remembered{fingerprint: print, inFlight: true, requestID: c.id, at: s.Kit.Clock.Now()}
	s.keys[c.key] = mine
	s.mu.Unlock()

	s.pause(c.request)
	s.mu.Lock()
	if status := kit.Failing(c.request.Context()); status != 0 {
		do = func(*call) (any, *apiError) { return nil, errorOfStatus(status) }
	}
	status, body, e := s.perform(c, do)
	if e != nil && e.validation {
		delete(s.keys, c.key)
	} else {
		s.keys[c.key] = &remembered{fingerprint: print, requestID: c.id, at: mine.at, status: status, body: body}
	}
	s.mu.Unlock()
	answer(w, status, body)
}

func replay(w http.ResponseWriter, c *call, known *remembered, print string) {
	e := &apiError{status: http.StatusBadRequest, kind: idempotencyError}
	switch {
	case known.fingerprint != print:
		e.message = "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
			"Try using a key other than '" + c.key + "' if you meant to execute a different request."
	case known.inFlight:
		e.status, e.code = http.StatusConflict, "idempotency_key_in_use"
		e.message = "There is currently another in-progress request using this Idempotent Key. Please try again later."
	default:
		w.Header().Set("Idempotent-Replayed", "true")
		w.Header().Set("Original-Request", known.requestID)
		answer(w, known.status, known.body)
		return
	}
	answer(w, e.status, e.body())
}

// forget removes expired keys.
func (s *Server) forget() {
	oldest := s.Kit.Clock.Now().Add(-s.limits.KeyLifetime)
	for key, k := range s.keys {
		if !k.inFlight && k.at.Before(oldest) {
			delete(s.keys, key)
		}
	}
}
