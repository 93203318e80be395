package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Failure says why a call has not led to an answer of use. Its text holds
// nothing that people wrote, and no token.
type Failure struct {
	Doing      string
	Status     int  // 0 where there was no answer
	NotSent    bool // the provider surely never saw the request
	RetryAfter time.Duration
	Kind       string   // the provider's word: ValidationException; "" where it says none
	Number     int      // its ErrorNumber
	Detail     string   // of a refusal before the API; no words of people
	Messages   []string // of a validation; they may repeat what people wrote
	keyReused  bool
	cause      error
}

// Error implements error.
func (f *Failure) Error() string {
	switch {
	case f.Status == 0 && f.NotSent:
		return fmt.Sprintf("%s: not sent: %v", f.Doing, f.cause)
	case f.Status == 0:
		return fmt.Sprintf("%s: %v", f.Doing, f.cause)
	}
	return fmt.Sprintf("%s: status %d, type %q, number %d", f.Doing, f.Status, f.Kind, f.Number)
}

// Unwrap returns the cause, if any.
func (f *Failure) Unwrap() error { return f.cause }

// KeyReused says that the provider knows the idempotency key from another
// request.
func (f *Failure) KeyReused() bool { return f.keyReused }

// Recognized says that the refusal is the provider's own, and not that of
// something in between.
func (f *Failure) Recognized() bool { return f.Kind != "" || f.Detail != "" || f.keyReused }

// wireFailure holds all shapes of refusals: of the API, of what stands before
// it, and of the token endpoint.
type wireFailure struct {
	ErrorNumber int            `json:"ErrorNumber"`
	Type        string         `json:"Type"`
	Message     string         `json:"Message"`
	Detail      string         `json:"Detail"`
	Elements    []wireProblems `json:"Elements"`
}

type wireProblems struct {
	HasErrors        bool          `json:"HasErrors"`
	Status           string        `json:"StatusAttributeString"`
	ValidationErrors []wireMessage `json:"ValidationErrors"`
}

type wireMessage struct {
	Message string `json:"Message"`
}

func (p wireProblems) messages() (out []string) {
	for _, m := range p.ValidationErrors {
		if m.Message != "" {
			out = append(out, m.Message)
		}
	}
	return out
}

// failure reads a refusal. One that is no JSON keeps its status alone.
func (a answer) failure(doing string) *Failure {
	f := &Failure{Doing: doing, Status: a.status, RetryAfter: retryAfter(a.header)}
	// It is not told in which field, nor that it is JSON; a validation repeats
	// what people wrote and is none.
	f.keyReused = a.status == http.StatusBadRequest && bytes.Contains(a.body, []byte("different request")) &&
		!bytes.Contains(a.body, []byte("ValidationErrors"))
	var said wireFailure
	if json.Unmarshal(a.body, &said) != nil {
		return f
	}
	f.Kind, f.Number, f.Detail = clip(said.Type), said.ErrorNumber, clip(said.Detail)
	for _, e := range said.Elements {
		f.Messages = append(f.Messages, e.messages()...)
	}
	if len(f.Messages) == 0 && f.Kind == "ValidationException" && said.Message != "" {
		f.Messages = []string{said.Message}
	}
	return f
}

// clip bounds a word of the provider's.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
