package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Reasons of the provider's refusals that matter here.
const (
	ReasonNotConfigured  = "accessNotConfigured"
	ReasonNoDownload     = "cannotDownloadFile"
	ReasonNotYet         = "fileNotDownloadable"
	ReasonHarmful        = "cannotDownloadAbusiveFile"
	ReasonTooLargeExport = "exportSizeLimitExceeded"
	ReasonNotExportable  = "fileNotExportable"
	reasonDaily          = "dailyLimitExceeded"
)

// Failure says why a call has not led to an answer of use. Its text holds
// nothing that people wrote, and no token.
type Failure struct {
	Doing      string
	Status     int  // 0 where there was no answer
	NotSent    bool // the provider surely never saw the request
	RetryAfter time.Duration
	Reason     string // the provider's word; of the token endpoint, its error
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
	return fmt.Sprintf("%s: status %d, reason %q", f.Doing, f.Status, f.Reason)
}

// Unwrap returns the cause, if any.
func (f *Failure) Unwrap() error { return f.cause }

// Limited says that the call was one too many: status 429, or 403 for one of
// the reasons that pass by themselves.
func (f *Failure) Limited() bool {
	return f.Status == http.StatusTooManyRequests || f.Status == http.StatusForbidden && limits(f.Reason)
}

func limits(reason string) bool {
	return slices.Contains([]string{
		"userRateLimitExceeded", "rateLimitExceeded", reasonDaily, "sharingRateLimitExceeded", "quotaExceeded",
	}, reason)
}

// wireFailure is a refusal: of the API an object, of the token endpoint a word.
type wireFailure struct {
	Error json.RawMessage `json:"error"`
}

type wireReasons struct {
	Errors []struct {
		Reason string `json:"reason"`
	} `json:"errors"`
	Status string `json:"status"`
}

// failure reads a refusal. One that is no JSON keeps its status alone.
func (a answer) failure(doing string) *Failure {
	f := &Failure{Doing: doing, Status: a.status}
	var said wireFailure
	var word string
	var reasons wireReasons
	switch {
	case json.Unmarshal(a.body, &said) != nil:
	case json.Unmarshal(said.Error, &word) == nil:
		f.Reason = clip(word)
	case json.Unmarshal(said.Error, &reasons) == nil && len(reasons.Errors) > 0:
		f.Reason = clip(reasons.Errors[0].Reason)
	default:
		f.Reason = clip(reasons.Status)
	}
	f.RetryAfter = retryAfter(f, a.header)
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
