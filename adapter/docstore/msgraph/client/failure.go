package client

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Codes of the provider's refusals that matter here.
const (
	CodeMalware  = "malwareDetected"
	codeNotKnown = "resyncRequired"
)

// Failure says why a call has not led to an answer of use. Its text holds
// nothing that people wrote, and no token.
type Failure struct {
	Doing      string
	Status     int  // 0 where there was no answer
	NotSent    bool // the provider surely never saw the request
	RetryAfter time.Duration
	// Codes are the provider's words, the general one first; of the token
	// endpoint, its error.
	Codes []string
	// Restart is where a feed begins anew whose position is lost: a link as
	// those of Page, or "".
	Restart string
	cause   error
}

// Error implements error.
func (f *Failure) Error() string {
	switch {
	case f.Status == 0 && f.NotSent:
		return fmt.Sprintf("%s: not sent: %v", f.Doing, f.cause)
	case f.Status == 0:
		return fmt.Sprintf("%s: %v", f.Doing, f.cause)
	}
	return fmt.Sprintf("%s: status %d, codes %q", f.Doing, f.Status, f.Codes)
}

// Unwrap returns the cause, if any.
func (f *Failure) Unwrap() error { return f.cause }

// Has says whether one of the codes is among the provider's words.
func (f *Failure) Has(codes ...string) bool {
	return slices.ContainsFunc(f.Codes, func(c string) bool { return slices.Contains(codes, c) })
}

// Limited says that the call was one too many.
func (f *Failure) Limited() bool {
	const bandwidth = 509
	return f.Status == http.StatusTooManyRequests || f.Status == bandwidth
}

// Lost says that the provider no longer knows a position in a feed.
func (f *Failure) Lost() bool {
	return f.Status == http.StatusGone || f.Has(codeNotKnown)
}

// wireFailure is a refusal: of the API an object, of the token endpoint a word.
type wireFailure struct {
	Error json.RawMessage `json:"error"`
}

// wireError is one of the API's words, with more particular ones within.
type wireError struct {
	Code  string     `json:"code"`
	Inner *wireError `json:"innerError"` // also spelled innererror
}

// failure reads a refusal. One that is no JSON keeps its status alone.
func (a answer) failure(doing string) *Failure {
	f := &Failure{Doing: doing, Status: a.status, RetryAfter: retryAfter(a.status, a.header)}
	var said wireFailure
	var word string
	var particular wireError
	switch {
	case json.Unmarshal(a.body, &said) != nil:
	case json.Unmarshal(said.Error, &word) == nil:
		f.Codes = []string{clip(word)}
	case json.Unmarshal(said.Error, &particular) == nil:
		const deepest = 10
		for e := &particular; e != nil && len(f.Codes) < deepest; e = e.Inner {
			f.Codes = append(f.Codes, clip(e.Code))
		}
	}
	return f
}

// clip bounds a word of the provider's.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// retryAfter is when the provider wants to be asked again, which it may say in
// fractions of a second; zero where it does not say.
func retryAfter(status int, h http.Header) time.Duration {
	const longest = 24 * time.Hour
	if status < http.StatusBadRequest {
		return 0
	}
	for _, name := range []string{"Retry-After", "RateLimit-Reset"} {
		seconds, err := strconv.ParseFloat(h.Get(name), 64)
		if err == nil && seconds > 0 && !math.IsInf(seconds, 0) {
			return time.Duration(math.Ceil(min(seconds, longest.Seconds()))) * time.Second
		}
	}
	return 0
}
