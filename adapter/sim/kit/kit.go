// Package kit contains what all simulators share: a clock, a record of the received requests,
// injected faults, and the control surface /_sim/ for all three:
//
//	GET    /_sim/requests   the latest requests, oldest first
//	GET    /_sim/state      the state of the simulator
//	GET    /_sim/faults     the queued faults
//	POST   /_sim/faults     {"match":"POST /v1/invoices/*/pay","times":1,"action":"commit_then_drop"}
//	DELETE /_sim/faults     remove all faults
//	POST   /_sim/clock      {"advance":"24h"}
//
// In a match, * is any method or one segment of a path, and ** is any number of segments. The
// actions:
//
//	status:503        respond with the status, do nothing
//	fail:500          fail the operation with the status, where a failed result is stored
//	delay:2s          wait in real time, then continue
//	drop              cut the connection, do nothing
//	commit_then_drop  perform the operation, then cut the connection without a response
//	garbage           perform the operation, then respond 200 with a body in no known format
package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	prefix             = "/_sim/"
	defaultMaxRequests = 1000
	maxRecordedBody    = 8 << 10 // bytes kept of each request
	maxControlBody     = 64 << 10
	maxFaultyBody      = 64 << 20
)

// Options are the differences between the simulators.
type Options struct {
	// Start is the fixed time of the simulator's clock, which then changes only by advances; zero
	// means that it runs with the machine's clock.
	Start time.Time
	// State returns the response of GET /_sim/state for encoding/json.
	State func() any
	// ErrorBody returns the vendor's body for a status that a fault requests.
	ErrorBody func(status int) []byte
	// MaxRequests is the number of recorded requests; 0 for 1000.
	MaxRequests int
}

// Kit is one simulator's control surface.
type Kit struct {
	Clock *Clock

	options Options
	mu      sync.Mutex
	log     []Request // a ring buffer
	count   int       // total number of requests
	faults  []*armed
}

// New returns a kit without faults.
func New(o Options) *Kit {
	if o.MaxRequests <= 0 {
		o.MaxRequests = defaultMaxRequests
	}
	if o.State == nil {
		o.State = func() any { return struct{}{} }
	}
	if o.ErrorBody == nil {
		o.ErrorBody = func(int) []byte { return []byte(`{}`) }
	}
	return &Kit{Clock: newClock(o.Start), options: o}
}

// Request is one received request. Credentials are removed.
type Request struct {
	Number    int               `json:"number"`
	At        time.Time         `json:"at"` // by the simulator's clock
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Query     string            `json:"query,omitempty"`
	Header    map[string]string `json:"header"`
	Body      string            `json:"body,omitempty"`
	Truncated bool              `json:"truncated,omitempty"`
	Status    int               `json:"status"`          // 0: no response
	Fault     string            `json:"fault,omitempty"` // the applied action
}

// Requests returns the recorded requests, oldest first.
func (k *Kit) Requests() []Request {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.log) < k.options.MaxRequests {
		return append([]Request{}, k.log...)
	}
	oldest := k.count % k.options.MaxRequests
	return append(append([]Request{}, k.log[oldest:]...), k.log[:oldest]...)
}

func (k *Kit) record(r Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r.Number = k.count + 1
	if len(k.log) < k.options.MaxRequests {
		k.log = append(k.log, r)
	} else {
		k.log[k.count%k.options.MaxRequests] = r
	}
	k.count++
}

// Handler wraps a simulator with the control surface, the record and the faults.
func (k *Kit) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, prefix) {
			k.control(w, r)
			return
		}
		seen := Request{
			At: k.Clock.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: visible(r.Header),
		}
		body := &head{}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, body), r.Body}
		answer := &answer{ResponseWriter: w}
		record := sync.OnceFunc(func() {
			seen.Body, seen.Truncated, seen.Status = body.String(), body.truncated, answer.status
			k.record(seen)
		})
		defer record()
		fault := k.take(r.Method, r.URL.Path)
		if fault == nil {
			next.ServeHTTP(answer, r)
			return
		}
		seen.Fault = fault.Action
		// net/http detects a disconnected caller only after the body was read.
		whole, err := io.ReadAll(io.LimitReader(r.Body, maxFaultyBody))
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(whole))
		k.apply(fault, answer, r, next, record)
	})
}

// visible copies a header without the credentials.
func visible(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name := range maps.Keys(h) {
		switch name {
		case "Authorization", "Proxy-Authorization", "Cookie":
			out[name] = "(left out)"
		default:
			out[name] = strings.Join(h.Values(name), ", ")
		}
	}
	return out
}

// head keeps the first bytes that are written to it.
type head struct {
	bytes.Buffer
	truncated bool
}

func (h *head) Write(p []byte) (int, error) {
	room := maxRecordedBody - h.Len()
	if len(p) > room {
		h.truncated = true
	}
	h.Buffer.Write(p[:min(room, len(p))])
	return len(p), nil
}

// answer records the status of the response.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController access the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (k *Kit) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + strings.TrimPrefix(r.URL.Path, prefix) {
	case "GET requests":
		show(w, http.StatusOK, k.Requests())
	case "GET state":
		show(w, http.StatusOK, k.options.State())
	case "GET faults":
		show(w, http.StatusOK, k.Faults())
	case "DELETE faults":
		k.ClearFaults()
		show(w, http.StatusOK, k.Faults())
	case "POST faults":
		var f Fault
		if err := decode(r, &f); err != nil {
			refuse(w, err)
		} else if err := k.Inject(f); err != nil {
			refuse(w, err)
		} else {
			show(w, http.StatusOK, k.Faults())
		}
	case "POST clock":
		k.moveClock(w, r)
	default:
		show(w, http.StatusNotFound, map[string]string{"error": "no such control: " + r.Method + " " + r.URL.Path})
	}
}

func (k *Kit) moveClock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Advance string `json:"advance"`
	}
	if err := decode(r, &in); err != nil {
		refuse(w, err)
		return
	}
	by, err := time.ParseDuration(in.Advance)
	if err != nil || by < 0 {
		refuse(w, fmt.Errorf("advance must be a duration such as 24h, not %q", in.Advance))
		return
	}
	k.Clock.Advance(by)
	show(w, http.StatusOK, map[string]time.Time{"now": k.Clock.Now()})
}

func decode(r *http.Request, v any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, maxControlBody))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func show(w http.ResponseWriter, status int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(strconv.Quote(err.Error()))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // a caller that disconnected needs no response
}

func refuse(w http.ResponseWriter, err error) {
	show(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
}
