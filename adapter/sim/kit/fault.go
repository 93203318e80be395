package kit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

const maxFaults = 1000

// Fault is the failure of the next requests that match.
type Fault struct {
	Match  string `json:"match"`  // METHOD /path-glob
	Times  int    `json:"times"`  // number of requests; 0 for one
	Action string `json:"action"` // see the package comment
}

// armed is a parsed fault.
type armed struct {
	Fault
	method, glob string
	status       int
	inner        int // the status with which the simulated operation fails
	delay        time.Duration
}

// Inject queues a fault.
func (k *Kit) Inject(f Fault) error {
	a, err := arm(f)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.faults) >= maxFaults {
		return fmt.Errorf("more than %d faults wait; DELETE /_sim/faults first", maxFaults)
	}
	k.faults = append(k.faults, a)
	return nil
}

// Faults returns the queued faults with the remaining times.
func (k *Kit) Faults() []Fault {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]Fault, 0, len(k.faults))
	for _, a := range k.faults {
		out = append(out, a.Fault)
	}
	return out
}

// ClearFaults removes all faults.
func (k *Kit) ClearFaults() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.faults = nil
}

func arm(f Fault) (*armed, error) {
	a := &armed{Fault: f}
	var found bool
	if a.method, a.glob, found = strings.Cut(f.Match, " "); !found || !strings.HasPrefix(a.glob, "/") {
		return nil, fmt.Errorf("match must be METHOD /path-glob, not %q", f.Match)
	}
	if _, err := path.Match(a.glob, ""); err != nil {
		return nil, fmt.Errorf("match %q: %w", f.Match, err)
	}
	if f.Times < 0 {
		return nil, errors.New("times must not be negative")
	}
	if a.Times == 0 {
		a.Times = 1
	}
	name, value, _ := strings.Cut(f.Action, ":")
	var err error
	switch name {
	case "drop", "commit_then_drop", "garbage":
		if value != "" {
			err = errors.New("it takes no value")
		}
	case "status":
		if a.status, err = strconv.Atoi(value); err == nil && (a.status < 200 || a.status > 599) {
			err = errors.New("no such status")
		}
	case "fail":
		if a.inner, err = strconv.Atoi(value); err == nil && (a.inner < 500 || a.inner > 599) {
			err = errors.New("no such status of a server that fails")
		}
	case "delay":
		if a.delay, err = time.ParseDuration(value); err == nil && a.delay < 0 {
			err = errors.New("it must not be negative")
		}
	default:
		err = errors.New("no such action")
	}
	if err != nil {
		return nil, fmt.Errorf("action %q: %w", f.Action, err)
	}
	return a, nil
}

// take returns the fault for a request and counts its use.
func (k *Kit) take(method, at string) *armed {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, a := range k.faults {
		if (a.method != "*" && a.method != method) || !matches(strings.Split(a.glob, "/"), strings.Split(at, "/")) {
			continue
		}
		taken := *a
		if a.Times--; a.Times == 0 {
			k.faults = append(k.faults[:i:i], k.faults[i+1:]...)
		}
		return &taken
	}
	return nil
}

func matches(glob, at []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(at) + 1 {
				if matches(glob[1:], at[i:]) {
					return true
				}
			}
			return false
		}
		if len(at) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], at[0]); !ok || err != nil {
			return false
		}
		glob, at = glob[1:], at[1:]
	}
	return len(at) == 0
}

// apply applies a fault. It records the request before it cuts the connection, so that a client
// that sees the end finds the record.
func (k *Kit) apply(a *armed, w *answer, r *http.Request, next http.Handler, record func()) {
	switch {
	case a.status != 0:
		w.Header().Set("Content-Type", "application/json")
		if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(k.options.ErrorBody(a.status)) // a caller that disconnected needs no response
	case a.inner != 0:
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), failing{}, a.inner)))
	case a.Action == "drop":
		record()
		cut(w.ResponseWriter)
	case a.Action == "commit_then_drop":
		next.ServeHTTP(nowhere{http.Header{}}, r)
		record()
		cut(w.ResponseWriter)
	case a.Action == "garbage":
		next.ServeHTTP(nowhere{http.Header{}}, r)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>\x00\xff<p>upstream says: {{")) // as above
	default:
		timer := time.NewTimer(a.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}
}

// failing is the context key of the status with which an operation must fail.
type failing struct{}

// Failing returns the status with which the operation of a request must fail; 0 for none. A
// simulator calls it in the operations that can store a failed result.
func Failing(ctx context.Context) int {
	status, _ := ctx.Value(failing{}).(int)
	return status
}

// cut closes the connection within the first line of the response. If it closed the connection
// earlier, many clients would repeat the request automatically.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = conn.Write([]byte("HTTP/1.1 "))
	_ = conn.Close() // the failure is intended
}

// nowhere discards a response.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}
