package edge_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// list returns n copies of item as a JSON array.
func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// TestValidationStops sends bodies with very many errors: the response lists 20
// of them, and the memory that is used does not grow with their number.
// It runs alone, because it measures what the process allocates.
func TestValidationStops(t *testing.T) {
	b := setup(t, missing)
	unknown := &strings.Builder{}
	for i := range 80_000 {
		fmt.Fprintf(unknown, `,"k%d":1`, i)
	}
	for name, test := range map[string]struct {
		path, body string
		fields     string // "" for 20 of them, and more
	}{
		"items of a wrong type": {"/api/entities", `{"name":"a","aliases":` + list(40, "1") + `}`, ""},
		"too many items":        {"/api/entities", `{"name":"a","aliases":` + list(500_000, "1") + `}`, `[{"field":"aliases","reason":"must have at most 50 items"}]`},
		"unknown keys":          {"/api/entities", `{"name":"a"` + unknown.String() + `}`, `[{"field":"","reason":"must have at most 200 keys"}]`},
		"a list for a text":     {"/api/entities", `{"name":` + list(500_000, "1") + `}`, `[{"field":"name","reason":"must be a string"}]`},
		"lists in lists":        {"/api/entities", `{"name":"a","members":` + list(300_000, "[]") + `}`, `[{"field":"members","reason":"must have at most 1000 items"}]`},
		"under an unknown key":  {"/api/entities", `{"name":"a","x":` + list(500_000, "1") + `}`, `[{"field":"x","reason":"is not a known field"}]`},
		"lines of wrong type":   {"/api/invoices/" + thing, `{"lines":` + list(9_000, `{"id":1,"x":2}`) + `}`, ""},
		"a long text":           {"/api/entities", `{"name":"` + strings.Repeat("x", 1_000_000) + `"}`, `[{"field":"name","reason":"must have at most 200 characters"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			method := "POST"
			if strings.HasPrefix(test.path, "/api/invoices") {
				method = "PATCH"
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := b.send(t, b.request(t, method, test.path, test.body))
			runtime.ReadMemStats(&after)
			checkEnvelope(t, r, 400, "invalid_request")
			if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
				t.Errorf("refusing it allocated %d MB", used>>20)
			}
			fields, _ := r.envelope.Error.Details["fields"].([]any)
			more := r.envelope.Error.Details["more"]
			if test.fields != "" {
				if r.fields() != test.fields || more != nil {
					t.Errorf("more %v, fields %.500s", more, r.fields())
				}
				return
			}
			if len(fields) != 20 || more != true || !strings.HasPrefix(r.envelope.Error.Message, "More than 20 values") {
				t.Errorf("%d fields, more %v: %s", len(fields), more, r.envelope.Error.Message)
			}
		})
	}
}

// TestParametersStop bounds the errors of a query as those of a body.
func TestParametersStop(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	query := &strings.Builder{}
	for i := range 3_000 {
		fmt.Fprintf(query, "&p%d=1", i)
	}
	r := b.send(t, b.request(t, "GET", "/api/invoices?"+query.String()[1:], ""))
	checkEnvelope(t, r, 400, "invalid_request")
	if fields, _ := r.envelope.Error.Details["fields"].([]any); len(fields) != 20 || r.envelope.Error.Details["more"] != true {
		t.Errorf("%d fields", len(fields))
	}
}

// TestBodiesWithoutCredentialAreSmall holds login to 16 kB, and answers other
// operations without reading what was sent.
func TestBodiesWithoutCredentialAreSmall(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	login := func(size int) string {
		text := `{"email":"a@example.com","password":"x"}`
		return text + strings.Repeat(" ", size-len(text))
	}
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/auth/login", login(16<<10), "Authorization", "")), 404, "not_found")
	r := b.send(t, b.request(t, "POST", "/api/auth/login", login(16<<10+1), "Authorization", ""))
	checkEnvelope(t, r, 400, "payload_too_large")
	if r.envelope.Error.Details["limit_bytes"] != float64(16<<10) {
		t.Errorf("the error does not name the limit: %v", r.envelope.Error.Details)
	}
	hidden := b.request(t, "POST", "/api/auth/login", "x", "Authorization", "")
	hidden.Body, hidden.ContentLength = io.NopCloser(strings.NewReader(login(100_000))), -1
	checkEnvelope(t, b.send(t, hidden), 400, "payload_too_large")
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/entities", `{"name":"`+strings.Repeat("x", 100_000)+`"`)), 400, "invalid_request")

	for _, path := range []string{"/api/entities", "/api/documents/upload"} {
		conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{", path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 401 || !resp.Close {
			t.Errorf("%s without a credential: %d, connection closed: %v", path, resp.StatusCode, resp.Close)
		}
	}
}

// member authenticates somebody who administers nothing.
type member struct{}

func (member) Authenticate(context.Context, string) (identity.Actor, error) {
	return identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: uuid.New(), Role: identity.RoleMember}, nil
}

// TestOrderOfChecks sends requests with several faults: the response is that of
// the first check.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	asMember := setup(t, missing, func(o *edge.Options) { o.Authenticator = member{} })
	asAdmin := setup(t, missing)
	bad := `{"nme":1}`
	for name, test := range map[string]struct {
		b            *bundle
		method, path string
		headers      []string
		status       int
		code         string
	}{
		"unknown route before all":              {asMember, "POST", "/api/nothing", []string{"Authorization", ""}, 404, "not_found"},
		"authentication before the rest":        {asAdmin, "POST", "/api/entities", []string{"Authorization", "Bearer bad"}, 401, "unauthorized"},
		"organization role before validation":   {asMember, "POST", "/api/entities", nil, 403, "forbidden"},
		"organization role before a wrong type": {asMember, "PUT", "/api/settings/1", []string{"Content-Type", "text/plain"}, 403, "forbidden"},
		"organization role before the record":   {asMember, "PUT", "/api/entities/" + thing, nil, 403, "forbidden"},
		"validation before the record":          {asAdmin, "PUT", "/api/entities/" + thing, nil, 400, "invalid_request"},
		"validation before a role on an entity": {asMember, "PATCH", "/api/invoices/" + thing, nil, 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkEnvelope(t, test.b.send(t, test.b.request(t, test.method, test.path, bad, test.headers...)), test.status, test.code)
		})
	}
}

// few leases from a number of bytes.
type few struct {
	mu   sync.Mutex
	left int64
}

type fewLease struct {
	*few
	taken int64
}

func (l *fewLease) Grow(n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n > l.left {
		return false
	}
	l.left, l.taken = l.left-n, l.taken+n
	return true
}

func (l *fewLease) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left, l.taken = l.left+l.taken, 0
}

// TestMemoryOfBodiesIsBounded refuses bodies while others hold the memory, and
// gives it back with each request.
func TestMemoryOfBodiesIsBounded(t *testing.T) {
	t.Parallel()
	const total = 100_000
	memory := &few{left: total}
	origins := make(chan edge.Origin, 100)
	busy, done := make(chan struct{}), make(chan struct{})
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		if edge.OperationFrom(ctx).ID == "createEntity" {
			close(busy)
			<-done
		}
		return nil, fault.Missing("thing")
	}, func(o *edge.Options) {
		o.Memory = func(origin edge.Origin) edge.Lease { origins <- origin; return &fewLease{few: memory} }
	})
	large := `{"name":"a"` + strings.Repeat(" ", 30_000) + `}`
	first := make(chan *reply, 1)
	go func() { first <- b.send(t, b.request(t, "POST", "/api/entities", large)) }()
	select {
	case <-busy:
	case r := <-first:
		t.Fatalf("the first request was refused: %d %s", r.StatusCode, r.body)
	}
	r := b.send(t, b.request(t, "PUT", "/api/entities/"+thing, large))
	checkEnvelope(t, r, 503, "unavailable")
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	checkEnvelope(t, b.send(t, b.request(t, "PUT", "/api/entities/"+thing, `{"name":"b"}`)), 404, "not_found")
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/auth/login", `{"email":"a@example.com","password":"x"}`, "Authorization", "")), 404, "not_found")
	close(done)
	checkEnvelope(t, <-first, 404, "not_found")
	checkEnvelope(t, b.send(t, b.request(t, "PUT", "/api/entities/"+thing, large)), 404, "not_found")
	memory.mu.Lock()
	defer memory.mu.Unlock()
	if memory.left != total {
		t.Errorf("%d bytes were not released", total-memory.left)
	}
	kinds := map[bool]int{}
	for range len(origins) {
		kinds[(<-origins).Anonymous]++
	}
	if kinds[true] != 1 || kinds[false] != 4 {
		t.Errorf("origins: %v", kinds)
	}
}

// TestTheTimeOfARequestEndsItsWork has a handler see the end of the request's
// time, and the caller a response that says so. Later requests of the same
// connection have their own time.
func TestTheTimeOfARequestEndsItsWork(t *testing.T) {
	t.Parallel()
	working := make(chan error, 1)
	var requests atomic.Int32
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		if requests.Add(1) > 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, fault.Missing("thing")
		}
		<-ctx.Done()
		working <- ctx.Err()
		return nil, ctx.Err()
	}, func(o *edge.Options) { o.Limits.Timeout = 100 * time.Millisecond })
	checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/me", "")), 503, "unavailable")
	if err := <-working; err != context.DeadlineExceeded {
		t.Errorf("the work ended with %v", err)
	}
	for range 3 {
		checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/me", "")), 404, "not_found")
	}
}

// TestLongResponsesHaveStepsOfTheTimeOfARequest has the handler of a long response see that the
// request ends after its time, while the response does not.
func TestLongResponsesHaveStepsOfTheTimeOfARequest(t *testing.T) {
	t.Parallel()
	const limit = 100 * time.Millisecond
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		response, step := edge.LongResponse(ctx)
		<-ctx.Done()
		if response.Err() != nil || step != limit {
			return nil, fmt.Errorf("the response ended with %v, its steps have %v", response.Err(), step)
		}
		return nil, ctx.Err()
	}, func(o *edge.Options) { o.Limits.Timeout = limit })
	checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/invoices/export", "")), 503, "unavailable")
}

// TestHeadersOfPartsAreBounded sends a form whose part has megabytes of
// headers.
func TestHeadersOfPartsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, func(ctx context.Context, operation string, request any) (any, error) {
		defer edge.PartHeaders(ctx)()
		return readUpload(ctx, operation, request)
	})
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nX-Long: " + strings.Repeat("x", 5<<20) + "\r\n\r\nabc\r\n--b--\r\n"
	req := b.request(t, "POST", "/api/documents/upload", body, "Content-Type", "multipart/form-data; boundary=b")
	checkEnvelope(t, b.send(t, req), 400, "payload_too_large")
}
