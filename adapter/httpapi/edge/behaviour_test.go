package edge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

func TestFieldsNameEveryFault(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	tests := map[string]struct{ method, path, body, want string }{
		"several at once": {"POST", "/api/entities", `{"legal_name":"","country":"xx","tax_ids":["a",null],"members":[{"user_id":"1","role":"OWNER"}]}`,
			`[{"field":"country","reason":"must be a country such as DE (ISO 3166-1 alpha-2)"},` +
				`{"field":"legal_name","reason":"must not be empty"},` +
				`{"field":"members[0].role","reason":"must be one of VIEWER, EDITOR, APPROVER"},` +
				`{"field":"members[0].user_id","reason":"must be a UUID such as 01936b1e-7c1a-7cc3-9d0e-2b7f0a4c1d11"},` +
				`{"field":"name","reason":"is required"},{"field":"tax_ids[1]","reason":"must not be null"}]`},
		"parameters and body": {"PATCH", "/api/invoices/1", `{"lines":[{"net_amount":"1e5"}],"status":"APPROVED"}`,
			`[{"field":"invoice_id","reason":"must be a UUID such as 01936b1e-7c1a-7cc3-9d0e-2b7f0a4c1d11"},` +
				`{"field":"lines[0].net_amount","reason":"must be a decimal number such as 12.50, with at most 15 digits before the point and 4 after it"},` +
				`{"field":"status","reason":"is not a known field"}]`},
		"a date that is none": {"PATCH", "/api/invoices/" + thing, `{"due_date":"2026-02-30"}`,
			`[{"field":"due_date","reason":"must be an existing date as YYYY-MM-DD"}]`},
		"a key twice": {"POST", "/api/entities", `{"name":"a","members":[{"role":"VIEWER","role":"APPROVER"}]}`,
			`[{"field":"members[0].role","reason":"appears twice in the same object"},{"field":"members[0].user_id","reason":"is required"}]`},
		"key in another case": {"POST", "/api/entities", `{"Name":"a","name":"b"}`,
			`[{"field":"Name","reason":"is not a known field"}]`},
		"NUL": {"POST", "/api/entities", `{"name":"a\u0000b"}`,
			`[{"field":"name","reason":"must not contain the NUL character"}]`},
		"repeated parameter": {"GET", "/api/invoices?q=ab&q=cd", "", `[{"field":"q","reason":"must be given once"}]`},
		"empty parameter":    {"GET", "/api/invoices?status=", "", `[{"field":"status","reason":"must not be empty"}]`},
		"unknown choice":     {"GET", "/api/documents?status=FAILED&status=LOST", "", `[{"field":"status[1]","reason":"must be one of UPLOADED, PROCESSING, EXTRACTED, FAILED, NOT_AN_INVOICE, SPLIT"}]`},
		"semicolons":         {"GET", "/api/invoices?a=1;b=2", "", `[{"field":"","reason":"has a malformed query string"}]`},
		"two values":         {"POST", "/api/entities", `{"name":"a"} {}`, `[{"field":"","reason":"needs a body that is one JSON value; the error is at byte 14"}]`},
		"deep":               {"POST", "/api/entities", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), `[{"field":"","reason":"has a body that nests deeper than 64 levels"}]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := b.send(t, b.request(t, test.method, test.path, test.body))
			checkEnvelope(t, r, 400, "invalid_request")
			if r.fields() != test.want {
				t.Errorf("details.fields\n got %s\nwant %s", r.fields(), test.want)
			}
		})
	}
}

func TestManyFaultsAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	body := `{"name":"a","members":[` + strings.TrimSuffix(strings.Repeat(`{"x":1},`, 900), ",") + `]}`
	r := b.send(t, b.request(t, "POST", "/api/entities", body))
	checkEnvelope(t, r, 400, "invalid_request")
	if len(r.body) > 20_000 {
		t.Errorf("the response has %d bytes", len(r.body))
	}
}

func TestHandlersSeeTheRequest(t *testing.T) {
	t.Parallel()
	seen := make(chan context.Context, 1)
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		actor, ok := edge.ActorFrom(ctx)
		if !ok || actor.RequestID != edge.RequestID(ctx).String() || edge.OperationFrom(ctx).ID != "getMe" {
			return nil, errors.New("the context is not that of the request")
		}
		if _, bounded := ctx.Deadline(); !bounded || ctx.Done() == nil {
			return nil, errors.New("the context does not end")
		}
		seen <- ctx
		return nil, fault.Missing("thing")
	})
	r := b.send(t, b.request(t, "GET", "/api/me", "", "X-Request-Id", "theirs"))
	checkEnvelope(t, r, 404, "not_found")
	<-seen
	if !strings.Contains(b.log.String(), `"client_request_id":"theirs"`) || r.Header.Get("X-Request-Id") == "theirs" {
		t.Errorf("an id from outside is to be logged, and ours answered: %s", b.log)
	}
}

// TestContextOutlivesItsRequest guards against gin's reuse of contexts: what a
// handler started may look at its context after the response.
func TestContextOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	var kept []context.Context
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		kept = append(kept, ctx)
		return nil, fault.Missing("thing")
	})
	ids := map[string]bool{}
	for range 20 {
		b.send(t, b.request(t, "GET", "/api/me", ""))
	}
	for _, ctx := range kept {
		ids[edge.RequestID(ctx).String()] = true
	}
	if len(ids) != 20 {
		t.Errorf("20 contexts know of %d requests", len(ids))
	}
}

func TestLogsHoldNoContent(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	b.send(t, b.request(t, "GET", "/api/invoices?q=Canary+Ltd", ""))
	b.send(t, b.request(t, "GET", "/api/nothing/Canary", ""))
	b.send(t, b.request(t, "POST", "/api/entities", `{"name":7,"legal_name":"Canary"}`, "Authorization", "Bearer Canary"))
	if strings.Contains(b.log.String(), "Canary") {
		t.Errorf("the log holds what the request said: %s", b.log)
	}
}

// TestUploadsAreNotRead lets the handler see the first part while the client
// still holds back the rest.
func TestUploadsAreNotRead(t *testing.T) {
	t.Parallel()
	first := make(chan string)
	b := setup(t, func(_ context.Context, _ string, request any) (any, error) {
		upload, _ := request.(backend.UploadDocumentRequestObject)
		part, err := upload.MultipartBody.NextPart()
		if err != nil {
			return nil, err
		}
		first <- part.FormName()
		_, err = io.Copy(io.Discard, part)
		return nil, errors.Join(fault.Missing("entity"), err)
	})
	body, send := io.Pipe()
	form := multipart.NewWriter(send)
	go func() {
		part, err := form.CreateFormFile("file", "a.pdf")
		if err == nil {
			_, err = io.WriteString(part, "%PDF")
		}
		<-first
		send.CloseWithError(errors.Join(err, form.Close()))
	}()
	req, err := http.NewRequestWithContext(t.Context(), "POST", b.server.URL+"/api/documents/upload", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", strings.Replace(form.FormDataContentType(), "multipart", "Multipart", 1))
	req.Header.Set("Authorization", "Bearer "+goodToken)
	checkEnvelope(t, b.send(t, req), 404, "not_found")
}

// readUpload reads the whole of a multipart upload, as a handler would.
func readUpload(_ context.Context, _ string, request any) (any, error) {
	upload, _ := request.(backend.UploadDocumentRequestObject)
	for {
		part, err := upload.MultipartBody.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, fault.Missing("entity")
		}
		if err != nil {
			return nil, fmt.Errorf("read the form: %w", err)
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return nil, fmt.Errorf("read a part: %w", err)
		}
	}
}

func TestBrokenUploadsAreTheCallersFault(t *testing.T) {
	t.Parallel()
	b := setup(t, readUpload, func(o *edge.Options) { o.Limits.UploadBytes = 1 << 20 })
	part := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
	tests := map[string]struct {
		body io.Reader
		code string
	}{
		"complete":                 {strings.NewReader(part + "abc\r\n--b--\r\n"), ""},
		"no end":                   {strings.NewReader(part + "abc"), "invalid_request"},
		"too large, length known":  {strings.NewReader(part + strings.Repeat("x", 3<<20) + "\r\n--b--\r\n"), "payload_too_large"},
		"too large, length hidden": {io.MultiReader(strings.NewReader(part + strings.Repeat("x", 3<<20) + "\r\n--b--\r\n")), "payload_too_large"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req, err := http.NewRequestWithContext(t.Context(), "POST", b.server.URL+"/api/documents/upload", test.body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			req.Header.Set("Authorization", "Bearer "+goodToken)
			r := b.send(t, req)
			if test.code == "" {
				checkEnvelope(t, r, 404, "not_found")
				return
			}
			checkEnvelope(t, r, 400, test.code)
		})
	}
}

// TestCutOffBody ends a body before its announced length.
func TestCutOffBody(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"application/json", "multipart/form-data; boundary=b"} {
		b := setup(t, readUpload)
		conn, err := net.Dial("tcp", b.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /api/documents/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n--b\r\n",
			goodToken, contentType)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.Contains(string(answer), "400 Bad Request") || !strings.Contains(string(answer), "invalid_request") {
			t.Errorf("%s: %v %s", contentType, err, answer)
		}
		if strings.Contains(b.log.String(), `"level":"ERROR"`) {
			t.Errorf("a cut-off body is no failure of ours: %s", b.log)
		}
	}
}

// TestClientGoneIsNoFailure cancels a request that a handler is busy with.
func TestClientGoneIsNoFailure(t *testing.T) {
	t.Parallel()
	busy := make(chan struct{})
	b := setup(t, func(ctx context.Context, _ string, _ any) (any, error) {
		close(busy)
		<-ctx.Done()
		return nil, fmt.Errorf("query: %w", ctx.Err())
	})
	ctx, cancel := context.WithCancel(t.Context())
	req := b.request(t, "GET", "/api/me", "").WithContext(ctx)
	go func() { <-busy; cancel() }()
	resp, err := b.server.Client().Do(req)
	if err == nil {
		resp.Body.Close()
		t.Fatal("the request was answered")
	}
	for !strings.Contains(b.log.String(), `"msg":"request"`) {
		select {
		case <-b.log.wrote:
		case <-time.After(5 * time.Second):
			t.Fatal("no access line")
		}
	}
	if strings.Contains(b.log.String(), "ERROR") || strings.Contains(b.log.String(), "WARN") {
		t.Errorf("a client that went away was logged as a failure: %s", b.log)
	}
}

// failing yields some bytes and then an error.
type failing struct{ sent bool }

func (f *failing) Read(p []byte) (int, error) {
	if f.sent {
		return 0, errors.New("the blob is damaged")
	}
	f.sent = true
	return copy(p, strings.Repeat("x", 10_000)), nil
}

func TestHalfAnAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	b := setup(t, func(context.Context, string, any) (any, error) {
		return backend.GetDocumentContent200AsteriskResponse{Body: &failing{}, ContentType: "text/plain"}, nil
	})
	resp, err := b.server.Client().Do(b.request(t, "GET", "/api/documents/"+thing+"/content", ""))
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("half a file looks like a whole one")
	}
}

func TestHeadAnswersLikeGet(t *testing.T) {
	t.Parallel()
	b := setup(t, missing)
	r := b.send(t, b.request(t, "HEAD", "/api/me", ""))
	if r.StatusCode != 404 || len(r.body) != 0 || r.Header.Get("X-Request-Id") == "" {
		t.Errorf("%d with %d bytes", r.StatusCode, len(r.body))
	}
	b.send(t, b.request(t, "HEAD", "/api/auth/login", ""))
}

func TestBrowsers(t *testing.T) {
	t.Parallel()
	const ours, theirs = "https://app.example.com", "https://evil.example.com"
	b := setup(t, missing, func(o *edge.Options) { o.AllowedOrigins = []string{ours} })
	tests := map[string]struct {
		method, origin, asked string
		status                int
		allowed               string
	}{
		"preflight":         {"OPTIONS", ours, "PATCH", 204, ours},
		"foreign preflight": {"OPTIONS", theirs, "PATCH", 404, ""},
		"plain OPTIONS":     {"OPTIONS", "", "", 404, ""},
		"request":           {"GET", ours, "", 404, ours},
		"foreign request":   {"GET", theirs, "", 404, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := b.send(t, b.request(t, test.method, "/api/invoices/"+thing, "", "Origin", test.origin, "Access-Control-Request-Method", test.asked))
			if r.StatusCode != test.status || r.Header.Get("Access-Control-Allow-Origin") != test.allowed {
				t.Errorf("%d, allowed %q", r.StatusCode, r.Header.Get("Access-Control-Allow-Origin"))
			}
			if r.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("security headers: %v", r.Header)
			}
		})
	}
}

func TestOptionalBody(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ context.Context, _ string, request any) (any, error) {
		if request.(backend.RefreshTokenRequestObject).Body == nil {
			return nil, fault.Missing("body")
		}
		return nil, fault.Denied("have a body")
	})
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/auth/refresh", "")), 404, "not_found")
	body := `{"organization_id":"` + uuid.NewString() + `"}`
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/auth/refresh", body)), 403, "forbidden")
	checkEnvelope(t, b.send(t, b.request(t, "POST", "/api/auth/refresh", body, "Content-Type", "Application/JSON; charset=UTF-8")), 403, "forbidden")
}

func TestMergePatchType(t *testing.T) {
	t.Parallel()
	b := setup(t, func(_ context.Context, _ string, request any) (any, error) {
		patch := request.(backend.UpdateInvoiceRequestObject)
		if patch.ApplicationMergePatchPlusJSONBody == nil || patch.JSONBody != nil {
			return nil, errors.New("the body was not bound")
		}
		if !patch.ApplicationMergePatchPlusJSONBody.Note.IsNull() || patch.ApplicationMergePatchPlusJSONBody.DueDate.IsSpecified() {
			return nil, errors.New("null and absent were not distinguished")
		}
		return nil, fault.Missing("invoice")
	})
	r := b.send(t, b.request(t, "PATCH", "/api/invoices/"+thing, `{"note":null}`, "Content-Type", "Application/Merge-Patch+JSON"))
	checkEnvelope(t, r, 404, "not_found")
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	tests := map[string]struct {
		header *string
		want   int
		fails  bool
	}{
		"none": {nil, 0, false}, "any": {text("*"), 0, false}, "ours": {text(edge.ETag(7)), 7, false},
		"another's": {text(`"abc"`), -1, false}, "weak": {text(`W/"7"`), 0, true}, "bare": {text("7"), 0, true},
		"several": {text(`"1", "2"`), 0, true}, "zero": {text(`"0"`), -1, false},
	}
	for name, test := range tests {
		got, err := edge.IfMatchVersion(test.header)
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
}
