package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

const headerRequestID = "X-Request-Id"

// identify gives the request its id and finds its operation. An id that the
// caller sends is only logged: theirs is not ours to vouch for.
func (e *edge) identify(c *gin.Context) {
	id, err := e.NewRequestID()
	if err != nil {
		id = uuid.New()
	}
	c.Header(headerRequestID, id.String())
	withState(c, &state{
		id: id, log: e.Logger, operation: e.operations.find(c.Request.Method, c.FullPath()), pagesURL: e.PagesURL, engine: e,
	})
}

// logAccess writes one line a request: ids, never paths with names in them nor
// query strings, which hold what people searched for.
func (e *edge) logAccess(c *gin.Context) {
	begun := time.Now()
	defer func() {
		s := stateOf(c)
		attributes := []any{
			"request_id", s.id, "method", c.Request.Method, "route", c.FullPath(), "operation", s.operationID(),
			"status", c.Writer.Status(), "bytes", max(c.Writer.Size(), 0), "duration_ms", time.Since(begun).Milliseconds(),
		}
		if theirs := c.GetHeader(headerRequestID); theirs != "" {
			attributes = append(attributes, "client_request_id", printable(theirs))
		}
		if s.actor != nil {
			attributes = append(attributes, "organization_id", s.actor.OrganizationID, "user_id", s.actor.UserID)
		}
		e.Logger.InfoContext(c, "request", attributes...)
		if e.Observe != nil {
			e.Observe(Observed{Context: c.Request.Context(), RequestID: s.id, Operation: s.operationID(), Status: c.Writer.Status(), Took: time.Since(begun)})
		}
	}()
	c.Next()
}

// printable bounds a text from outside to what a log line can take.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s[:min(len(s), 128)])
	return s
}

// recoverPanics answers a panic like any other error of ours. ErrAbortHandler
// is no error: it tells net/http to cut the connection.
func (e *edge) recoverPanics(c *gin.Context) {
	defer func() {
		panicked := recover()
		if panicked == nil {
			return
		}
		if err, ok := panicked.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(http.ErrAbortHandler)
		}
		WriteError(c, fmt.Errorf("panic: %v\n%s", panicked, debug.Stack()))
	}()
	c.Next()
}

// securityHeaders keeps browsers from doing more with an answer than it is for.
// Pages of our own loosen the policy for themselves.
func (e *edge) securityHeaders(c *gin.Context) {
	header := c.Writer.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	if e.Secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// cors lets the browsers of allowed origins call the API and read the headers
// that the client needs (domain D25).
func (e *edge) cors(c *gin.Context) {
	origin, header := c.GetHeader("Origin"), c.Writer.Header()
	// Whoever caches an answer must not hand it to another origin.
	header.Add("Vary", "Origin")
	if origin == "" || !e.allows(origin) {
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers",
		"ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Deprecation, Sunset")
	asked := c.GetHeader("Access-Control-Request-Method")
	if c.Request.Method == http.MethodOptions && asked != "" {
		header.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, Idempotency-Key, X-Request-Id")
		header.Set("Access-Control-Max-Age", "600")
		e.admitAddress(c)
		c.AbortWithStatus(http.StatusNoContent)
	}
}

// allows says whether pages of an origin may call; http://localhost:* allows
// every port.
func (e *edge) allows(origin string) bool {
	return slices.ContainsFunc(e.AllowedOrigins, func(allowed string) bool {
		host, any := strings.CutSuffix(allowed, "*")
		return origin == allowed || any && strings.HasPrefix(origin, host) && strings.Trim(origin[len(host):], "0123456789") == ""
	})
}

// bound limits what the request may cost: the size of its body, and its time.
func (e *edge) bound(c *gin.Context) {
	limit, timeout := e.Limits.JSONBytes, e.Limits.Timeout
	s := stateOf(c)
	defer func() {
		if s.memory != nil {
			s.memory.Release()
		}
	}()
	switch {
	case s.operation.streams(c.ContentType()):
		limit, timeout = e.Limits.UploadBytes+multipartOverhead, e.Limits.UploadTimeout
	case s.operation == nil || s.operation.Public:
		limit = min(limit, e.Limits.OpenBytes)
	}
	// A context does not end a read from a connection that has gone quiet.
	// Where deadlines can't be set, as in tests, there is no connection.
	now, connection := time.Now(), http.NewResponseController(c.Writer)
	_ = connection.SetReadDeadline(now.Add(timeout))
	_ = connection.SetWriteDeadline(now.Add(max(timeout, e.Limits.UploadTimeout)))
	ctx, cancel := context.WithTimeout(c.Request.Context(), timeout)
	defer cancel()
	c.Request = c.Request.WithContext(ctx)
	s.body, s.sent = &trackedBody{ReadCloser: c.Request.Body}, c.Request.Body
	c.Request.Body = s.body
	if s.operation != nil && s.operation.Signed {
		c.Next()
		return
	}
	s.body.ReadCloser = http.MaxBytesReader(c.Writer, s.body.ReadCloser, limit)
	if c.Request.ContentLength > limit {
		s.tooLarge = payloadTooLarge(limit)
	}
	c.Next()
}

// streams says whether the operation takes this media type as a stream.
func (o *Operation) streams(mediaType string) bool {
	return o != nil && o.body != nil && strings.EqualFold(mediaType, multipartForm) && hasType(o.body, multipartForm)
}

func hasType(b *body, mediaType string) bool {
	_, ok := b.schemas[mediaType]
	return ok
}

// authenticate asks who is calling, unless the operation is public. It reads
// nothing of the body. Routes outside the specification do as they please, but
// there are none under /api.
func (e *edge) authenticate(c *gin.Context) {
	s := stateOf(c)
	switch {
	case s.operation == nil && strings.HasPrefix(c.FullPath(), "/api/"):
		WriteError(c, fmt.Errorf("route %s is not in the specification", c.FullPath()))
	case s.operation == nil || s.operation.Public:
		e.admitAddress(c)
	default:
		e.requireActor(c, s)
	}
}

func (e *edge) requireActor(c *gin.Context, s *state) {
	token, ok := bearer(c.Request.Header["Authorization"])
	if !ok {
		e.refuse(c, fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
			"This needs a token. Sign in and send it as Authorization: Bearer."))
		return
	}
	authenticate := e.Authenticator.Authenticate
	if r, ok := e.Authenticator.(RefreshAuthenticator); ok && s.operation.ID == refreshOperation {
		authenticate = r.AuthenticateRefresh
	}
	actor, err := authenticate(c.Request.Context(), token)
	if err != nil {
		e.refuse(c, err)
		return
	}
	actor.RequestID = s.id.String()
	s.actor = &actor
	e.admitActor(c, actor)
}

// refuse answers a request whose caller is not known, unless their address has
// sent too many. The server would read the rest of a body to keep the
// connection; a large one is not worth it.
func (e *edge) refuse(c *gin.Context, err error) {
	if length := c.Request.ContentLength; length < 0 || length > e.Limits.OpenBytes {
		c.Header("Connection", "close")
	}
	if e.admitAddress(c) {
		WriteError(c, err)
	}
}

func bearer(headers []string) (token string, ok bool) {
	if len(headers) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(headers[0], " ")
	token = strings.TrimSpace(token)
	return token, found && token != "" && strings.EqualFold(scheme, "Bearer")
}

// noRoute answers paths and methods that do not exist alike; gin has set Allow
// where another method would do (decisions 1: a wrong method is 404).
func noRoute(c *gin.Context) {
	if allow := c.Writer.Header().Get("Allow"); allow != "" {
		WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "This address takes only %s.", allow))
		return
	}
	WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound,
		"There is nothing under this address. The operations are listed at /docs."))
}
