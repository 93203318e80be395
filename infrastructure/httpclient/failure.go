package httpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Limits of the stored parts of a refusal.
const (
	maxCode       = 100 // characters
	maxMessage    = 400
	maxCodes      = 10
	maxRetryAfter = 24 * time.Hour
)

var errInvalidAddress = errors.New("the provider's address is not valid")

// Refusal is the provider's explanation of a refused call, for users and logs.
type Refusal struct {
	Code      string
	Message   string
	RequestID string
}

// Failure describes why a call returned no usable response. Error contains neither
// tokens nor Messages, because Messages may repeat text of users.
type Failure struct {
	Operation  string
	Status     int  // 0 without a response
	NotSent    bool // the other side certainly never received the request
	Limited    bool // the call exceeded a rate limit
	RetryAfter time.Duration
	Kind       string   // class of the refusal: "ValidationFault"; "" for none
	Codes      []string // the provider's codes, the most specific one first
	Messages   []string // the provider's texts
	RequestID  string
	Location   string // of a 3xx or 410 response; the Client never requests it
	cause      error
}

// Broken returns a failure for a response without a required part.
func Broken(operation, reason string) *Failure {
	return &Failure{Operation: operation, cause: errors.New(reason)}
}

// Caused returns a failure without status.
func Caused(operation string, cause error) *Failure {
	return &Failure{Operation: operation, cause: cause}
}

// FailureOf returns the failure in err's chain; nil if there is none.
func FailureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// StatusOf returns the status of the refusal in err's chain; 0 if there is none.
func StatusOf(err error) int {
	if f := FailureOf(err); f != nil {
		return f.Status
	}
	return 0
}

// Error implements error.
func (f *Failure) Error() string {
	switch {
	case f.Status == 0 && f.NotSent:
		return fmt.Sprintf("%s: not sent: %v", f.Operation, f.cause)
	case f.Status == 0:
		return fmt.Sprintf("%s: %v", f.Operation, f.cause)
	}
	return fmt.Sprintf("%s: status %d, kind %q, codes %q, request id %q", f.Operation, f.Status, f.Kind, f.Codes, f.RequestID)
}

// Unwrap returns the cause, if any.
func (f *Failure) Unwrap() error { return f.cause }

// Code returns the most specific code; "" for none.
func (f *Failure) Code() string {
	if len(f.Codes) == 0 {
		return f.Kind
	}
	return f.Codes[0]
}

// Has reports whether the failure has one of the codes.
func (f *Failure) Has(codes ...string) bool {
	return slices.ContainsFunc(f.Codes, func(c string) bool { return slices.Contains(codes, c) })
}

// Recognized reports whether the refusal has the provider's format. A proxy writes
// other formats.
func (f *Failure) Recognized() bool { return f.Kind != "" || len(f.Codes) > 0 || len(f.Messages) > 0 }

// Words returns all messages as one text.
func (f *Failure) Words() string { return clip(strings.Join(f.Messages, " "), maxMessage) }

// Refusal returns the provider's explanation.
func (f *Failure) Refusal() Refusal { return Refusal{f.Code(), f.Words(), f.RequestID} }

// AddCode adds one code.
func (f *Failure) AddCode(code string) {
	if code = clean(code, maxCode); code != "" && len(f.Codes) < maxCodes {
		f.Codes = append(f.Codes, code)
	}
}

// AddMessage adds one text.
func (f *Failure) AddMessage(message string) {
	if message = clean(message, maxMessage); message != "" && len(f.Messages) < maxCodes {
		f.Messages = append(f.Messages, message)
	}
}

// SetRequestID sets the provider's request id, unless it is already set.
func (f *Failure) SetRequestID(id string) {
	if f.RequestID == "" {
		f.RequestID = clean(id, maxCode)
	}
}

// readOAuth reads a refusal of a token endpoint (RFC 6749, section 5.2), if the
// body is one.
func (f *Failure) readOAuth(body []byte) {
	var refused struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
		Trace       string `json:"trace_id"` // of some identity platforms
	}
	if json.Unmarshal(body, &refused) != nil || refused.Error == "" {
		return
	}
	f.AddCode(refused.Error)
	f.AddMessage(refused.Description)
	f.SetRequestID(refused.Trace)
}

// Refuse converts a response into a failure and logs it. The Client does this
// automatically for every status other than 2xx.
func (c *Client) Refuse(operation string, resp *Response) *Failure {
	return c.Record(c.failure(Request{Operation: operation}, resp))
}

// failure converts a response into a failure.
func (c *Client) failure(r Request, resp *Response) *Failure {
	f := &Failure{Operation: r.Operation, Status: resp.Status, Limited: resp.Status == http.StatusTooManyRequests}
	if resp.Status >= http.StatusBadRequest {
		f.RetryAfter = RetryAfter(resp.Header)
	}
	if resp.Status >= http.StatusMultipleChoices {
		f.Location = resp.Header.Get("Location")
	}
	for _, name := range c.o.RequestIDs {
		f.SetRequestID(resp.Header.Get(name))
	}
	f.readOAuth(resp.Body)
	if c.o.ReadRefusal != nil {
		c.o.ReadRefusal(f, resp.Body)
	}
	for _, secret := range r.secrets() {
		for i := range f.Messages {
			f.Messages[i] = strings.ReplaceAll(f.Messages[i], secret, "***")
		}
	}
	return f
}

// Record logs a refusal and returns it.
func (c *Client) Record(f *Failure) *Failure {
	LogRefusal(context.Background(), c.o.Log, c.o.Name, f)
	return f
}

// LogRefusal logs a provider's refusal. A missing resource and a rate limit are expected and logged at a
// lower level.
func LogRefusal(ctx context.Context, log *slog.Logger, provider string, f *Failure) {
	level := slog.LevelWarn
	if f.Limited || f.Status == http.StatusNotFound {
		level = slog.LevelInfo
	}
	refused := f.Refusal()
	log.Log(ctx, level, "provider refused call", "provider", provider, "operation", f.Operation, "status", f.Status,
		"code", refused.Code, "message", refused.Message, "request_id", refused.RequestID)
}

// RetryAfter returns the delay that the provider requests, in whole seconds, at most
// one day; 0 if it gives none. Some providers send fractions or use the header
// RateLimit-Reset.
func RetryAfter(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After", "RateLimit-Reset"} {
		seconds, err := strconv.ParseFloat(h.Get(name), 64)
		if err == nil && seconds > 0 && !math.IsInf(seconds, 0) {
			return time.Duration(math.Ceil(min(seconds, maxRetryAfter.Seconds()))) * time.Second
		}
	}
	return 0
}

// isNotSent reports whether a request certainly never reached the other side,
// because no connection was established.
func isNotSent(err error) bool {
	var op *net.OpError
	return errors.Is(err, errInvalidAddress) || errors.As(err, &op) && op.Op == "dial"
}

// StripURL removes the address of a request from an error, because its query may
// contain personal data. If the context has ended, the result is the cause of the
// context.
func StripURL(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var inURL *url.Error
	if errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}

var (
	queries = regexp.MustCompile(`(https?://[^\s?#"']*)[?#][^\s"']*`)
	jwts    = regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.[\w-]*`)
)

// clean returns a text of the provider as one limited line, without control and
// formatting characters, queries of addresses, and tokens.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = jwts.ReplaceAllString(queries.ReplaceAllString(s, "$1"), "***")
	return clip(strings.Join(strings.Fields(s), " "), most)
}

// clip limits a text to a number of characters.
func clip(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}
