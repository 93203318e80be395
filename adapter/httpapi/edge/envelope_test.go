package edge_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// TestEveryFailureHasTheEnvelope is the table of all the places an error can
// come from.
func TestEveryFailureHasTheEnvelope(t *testing.T) {
	t.Parallel()
	const secret = "pq: password of user docledger"
	fail := func(err error) answerFunc {
		return func(context.Context, string, any) (any, error) { return nil, err }
	}
	kind := func(k fault.Kind, code fault.Code) answerFunc { return fail(fault.New(k, code, "Do this next.")) }
	tests := map[string]struct {
		answer  answerFunc
		method  string
		path    string
		body    string
		headers []string
		status  int
		code    string
		fields  string // part of details.fields
	}{
		"unknown route":   {method: "GET", path: "/api/nothing", status: 404, code: "not_found"},
		"outside the API": {method: "GET", path: "/nothing", status: 404, code: "not_found"},
		"trailing slash":  {method: "GET", path: "/api/entities/", status: 404, code: "not_found"},
		"wrong method":    {method: "DELETE", path: "/api/entities/" + thing, status: 404, code: "not_found"},
		"no token":        {method: "GET", path: "/api/me", headers: []string{"Authorization", ""}, status: 401, code: "unauthorized"},
		"other scheme":    {method: "GET", path: "/api/me", headers: []string{"Authorization", "Basic eDp5"}, status: 401, code: "unauthorized"},
		"bad token":       {method: "GET", path: "/api/me", headers: []string{"Authorization", "Bearer stale"}, status: 401, code: "unauthorized"},
		"keys unreachable": {method: "GET", path: "/api/me", headers: []string{"Authorization", "Bearer " + downToken},
			status: 503, code: "unavailable"},
		"token before validation": {method: "GET", path: "/api/entities/123", headers: []string{"Authorization", ""}, status: 401, code: "unauthorized"},
		"bad path parameter": {method: "GET", path: "/api/entities/123", status: 400, code: "invalid_request",
			fields: `"field":"entity_id","reason":"must be a UUID`},
		"bad query parameter": {method: "GET", path: "/api/entities?limit=201", status: 400, code: "invalid_request",
			fields: `"field":"limit","reason":"must be at most 200"`},
		"unknown query parameter": {method: "GET", path: "/api/entities?page=2", status: 400, code: "invalid_request", fields: `"field":"page"`},
		"malformed JSON":          {method: "POST", path: "/api/entities", body: `{"name":`, status: 400, code: "invalid_request"},
		"schema violation": {method: "POST", path: "/api/entities", body: `{"country":"Germany","tax_ids":["x",7]}`, status: 400,
			code: "invalid_request", fields: `"field":"tax_ids[1]","reason":"must be a string"`},
		"empty body": {method: "POST", path: "/api/entities", status: 400, code: "invalid_request", fields: "needs a body"},
		"wrong content type": {method: "POST", path: "/api/entities", body: `{"name":"x"}`, headers: []string{"Content-Type", "text/plain"},
			status: 400, code: "unsupported_media_type"},
		"compressed body": {method: "POST", path: "/api/entities", body: `{"name":"x"}`, headers: []string{"Content-Encoding", "gzip"},
			status: 400, code: "unsupported_media_type"},
		"no boundary": {method: "POST", path: "/api/documents/upload", body: "x", headers: []string{"Content-Type", "multipart/form-data"},
			status: 400, code: "unsupported_media_type"},
		"too large": {method: "POST", path: "/api/entities", body: `{"name":"` + strings.Repeat("x", 2<<20) + `"}`, status: 400,
			code: "payload_too_large"},
		"invalid":         {answer: kind(fault.Invalid, fault.CodeInvalidRequest), status: 400, code: "invalid_request"},
		"conflict":        {answer: kind(fault.Conflict, fault.CodeConflict), status: 400, code: "conflict"},
		"unauthenticated": {answer: kind(fault.Unauthenticated, fault.CodeInvalidCredentials), status: 401, code: "invalid_credentials"},
		"forbidden":       {answer: kind(fault.Forbidden, fault.CodeForbidden), status: 403, code: "forbidden"},
		"not found":       {answer: kind(fault.NotFound, fault.CodeNotFound), status: 404, code: "not_found"},
		"too many":        {answer: kind(fault.TooMany, fault.CodeRateLimited), status: 429, code: "rate_limited"},
		"unavailable":     {answer: kind(fault.Unavailable, fault.CodeStillProcessing), status: 503, code: "still_processing"},
		"upstream":        {answer: kind(fault.Upstream, fault.CodeProviderUnavailable), status: 500, code: "provider_unavailable"},
		"internal fault":  {answer: kind(fault.Internal, fault.CodeInternal), status: 500, code: "internal"},
		"any other error": {answer: fail(errors.New(secret)), status: 500, code: "internal"},
		"no answer":       {answer: func(context.Context, string, any) (any, error) { return nil, nil }, status: 500, code: "internal"},
		"foreign answer":  {answer: func(context.Context, string, any) (any, error) { return 7, nil }, status: 500, code: "internal"},
		"panic":           {answer: func(context.Context, string, any) (any, error) { panic(secret) }, status: 500, code: "internal"},
		"cannot be encoded": {answer: func(context.Context, string, any) (any, error) {
			var answer backend.GetInvoice200JSONResponse
			answer.Body.Fields = backend.EvidenceMap{"x": {Confidence: math.NaN()}}
			return answer, nil
		}, status: 500, code: "internal"},
		"timeout": {answer: func(ctx context.Context, _ string, _ any) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, status: 503, code: "unavailable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.answer == nil {
				test.answer = missing
			}
			if test.method == "" {
				test.method, test.path = "GET", "/api/invoices/"+thing
			}
			b := setup(t, test.answer, func(o *edge.Options) {
				if name == "timeout" {
					o.Limits.Timeout = time.Millisecond
				}
			})
			r := b.send(t, b.request(t, test.method, test.path, test.body, test.headers...))
			checkEnvelope(t, r, test.status, test.code)
			if !strings.Contains(r.fields(), test.fields) {
				t.Errorf("details.fields are %s, want %s", r.fields(), test.fields)
			}
			if strings.Contains(string(r.body), "password") {
				t.Errorf("the response shows an internal text: %s", r.body)
			}
			if test.status == 500 && strings.Count(b.log.String(), `"request_id":"`+r.Header.Get("X-Request-Id")) != 2 {
				t.Errorf("want the access line and one about the failure, got %s", b.log)
			}
		})
	}
}

// TestMessagesAboutTheWholeRequestAreSentences verifies that a reason without a
// field continues "The request …".
func TestMessagesAboutTheWholeRequestAreSentences(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	tests := map[string]struct{ path, body, want string }{
		"no body":    {"/api/entities", "", "The request needs a body."},
		"not JSON":   {"/api/entities", "{", "The request needs a body that is one JSON value; the error is at byte 1."},
		"not UTF-8":  {"/api/entities", "\"\xff\"", "The request needs a body in valid UTF-8."},
		"semicolons": {"/api/entities?a=1;b=2", `{"name":"a"}`, "The request has a malformed query string."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := b.send(t, b.request(t, "POST", test.path, test.body))
			checkEnvelope(t, r, 400, "invalid_request")
			if r.envelope.Error.Message != test.want {
				t.Errorf("the message is %q, want %q", r.envelope.Error.Message, test.want)
			}
		})
	}
}

func checkEnvelope(t *testing.T, r *reply, status int, code string) {
	t.Helper()
	if r.StatusCode != status || r.envelope.Error.Code != code {
		t.Fatalf("returned %d %s, want %d %s: %s", r.StatusCode, r.envelope.Error.Code, status, code, r.body)
	}
	if r.envelope.Error.Message == "" {
		t.Error("the message is empty")
	}
	id := r.Header.Get("X-Request-Id")
	if uuid.Validate(id) != nil || r.envelope.Error.Details["request_id"] != id {
		t.Errorf("X-Request-Id is %q, details.request_id %v", id, r.envelope.Error.Details["request_id"])
	}
	if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("Content-Type is %q", got)
	}
	if waits := status == 429 || status == 503; waits != (r.Header.Get("Retry-After") != "") {
		t.Errorf("Retry-After is %q on %d", r.Header.Get("Retry-After"), status)
	}
	if (status == 401) != (r.Header.Get("WWW-Authenticate") == "Bearer") {
		t.Errorf("WWW-Authenticate is %q on %d", r.Header.Get("WWW-Authenticate"), status)
	}
}

func TestWrongMethodNamesTheRightOnes(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	r := b.send(t, b.request(t, "DELETE", "/api/entities/"+thing, ""))
	allow := r.Header.Get("Allow")
	if !strings.Contains(allow, "GET") || !strings.Contains(allow, "PUT") || strings.Contains(allow, "DELETE") {
		t.Errorf("Allow is %q", allow)
	}
	if !strings.Contains(allow, "HEAD") || !strings.Contains(r.envelope.Error.Message, allow) {
		t.Errorf("Allow is %q, the message %q", allow, r.envelope.Error.Message)
	}
	if allow := b.send(t, b.request(t, "GET", "/api/auth/login", "")).Header.Get("Allow"); allow != "POST" {
		t.Errorf("Allow of an operation without GET is %q", allow)
	}
}

func TestFaultDetailsReachTheCaller(t *testing.T) {
	t.Parallel()
	b := setup(t, func(context.Context, string, any) (any, error) {
		busy := fault.New(fault.Conflict, fault.CodeConflict, "Wait.").With("status", "APPROVED")
		busy.RetryAfter = 1500 * time.Millisecond
		return nil, busy
	})
	r := b.send(t, b.request(t, "GET", "/api/invoices/"+thing, ""))
	if r.StatusCode != http.StatusBadRequest || r.envelope.Error.Details["status"] != "APPROVED" || r.Header.Get("Retry-After") != "2" {
		t.Errorf("%d %v Retry-After %q", r.StatusCode, r.envelope.Error.Details, r.Header.Get("Retry-After"))
	}
}

func TestEveryKindHasAStatus(t *testing.T) {
	t.Parallel()
	for kind := fault.Internal; kind <= fault.Upstream; kind++ {
		b := setup(t, func(context.Context, string, any) (any, error) { return nil, fault.New(kind, "code", "text") })
		r := b.send(t, b.request(t, "GET", "/api/me", ""))
		if (r.StatusCode == 500) != (kind == fault.Internal || kind == fault.Upstream) {
			t.Errorf("kind %d returns %d", kind, r.StatusCode)
		}
	}
}
