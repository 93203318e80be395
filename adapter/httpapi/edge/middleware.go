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
	"docledger/domain/oauthclient"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

const headerRequestID = "X-Request-Id"

// identify assigns an id to the request and finds its operation. docledger only
// logs an id that the caller sends, because it cannot trust that id.
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

// logAccess writes one log line per request. The line contains ids, but no path
// with names and no query string, because these can contain search terms.
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

// printable limits an external text to printable characters and a length that
// fits a log line.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, s[:min(len(s), 128)])
	return s
}

// recoverPanics responds to a panic with an internal error. It re-panics with
// ErrAbortHandler, which makes net/http close the connection.
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

// securityHeaders sets headers that restrict what browsers do with a response.
// The pages of the service relax the policy for themselves.
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

// cors allows browsers of the allowed origins to call the API and to read the
// headers that the client needs (domain D25).
func (e *edge) cors(c *gin.Context) {
	origin, header := c.GetHeader("Origin"), c.Writer.Header()
	// A cache must not return the response to another origin.
	header.Add("Vary", "Origin")
	if origin == "" || !e.allows(origin) {
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	// For the cookie of a consent alone: every other credential is a bearer token.
	header.Set("Access-Control-Allow-Credentials", "true")
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

// allows reports whether pages of an origin may call the API.
// http://localhost:* allows every port.
func (e *edge) allows(origin string) bool {
	return slices.ContainsFunc(e.AllowedOrigins, func(allowed string) bool {
		host, any := strings.CutSuffix(allowed, "*")
		return origin == allowed || any && strings.HasPrefix(origin, host) && strings.Trim(origin[len(host):], "0123456789") == ""
	})
}

// bound limits the body size and the duration of the request.
func (e *edge) bound(c *gin.Context) {
	limit, timeout := e.Limits.JSONBytes, e.Limits.Timeout
	s := stateOf(c)
	transfer := e.transferOf(c, s)
	stream := s.operation != nil && s.operation.Stream || transfer == TransferOut
	defer func() {
		if s.memory != nil {
			s.memory.Release()
		}
		if s.file != nil {
			_ = s.file.Close()
		}
	}()
	switch {
	case s.operation.streams(c.ContentType()) || transfer == TransferIn:
		limit, timeout = e.Limits.UploadBytes+multipartOverhead, e.Limits.UploadTimeout
	case s.operation != nil && s.operation.FileKey != "":
		limit = e.Limits.FileJSONBytes
		if length := c.Request.ContentLength; length < 0 || length > e.Limits.JSONBytes {
			timeout = e.Limits.UploadTimeout
		}
	case s.operation == nil || s.operation.Public:
		limit = min(limit, e.Limits.OpenBytes)
	}
	if stream {
		timeout = e.Limits.UploadTimeout
	}
	// A context does not end a read from an idle connection. The error is
	// ignored, because a test without a connection cannot set deadlines.
	now, connection := time.Now(), http.NewResponseController(c.Writer)
	if c.Request.Body != nil && c.Request.Body != http.NoBody {
		// Without a body the server already waits for the next request. A deadline would end
		// that read, and with it the context of every later request of the connection.
		_ = connection.SetReadDeadline(now.Add(timeout))
	}
	_ = connection.SetWriteDeadline(now.Add(max(timeout, e.Limits.UploadTimeout)))
	ctx, cancel := context.WithTimeout(c.Request.Context(), timeout)
	defer cancel()
	if stream {
		s.response, s.step = ctx, e.Limits.Timeout
		ctx, cancel = context.WithTimeout(ctx, s.step)
		defer cancel()
	}
	c.Request = c.Request.WithContext(ctx)
	s.body, s.sent = &trackedBody{ReadCloser: c.Request.Body}, c.Request.Body
	c.Request.Body = s.body
	if s.operation != nil && s.operation.Signed {
		c.Next()
		return
	}
	s.body.ReadCloser = http.MaxBytesReader(c.Writer, s.body.ReadCloser, limit)
	if c.Request.ContentLength > limit {
		s.tooLarge = s.operation.tooLarge(limit)
	}
	c.Next()
}

// streams reports whether the operation accepts this media type as a stream.
func (o *Operation) streams(mediaType string) bool {
	return o != nil && o.body != nil && strings.EqualFold(mediaType, multipartForm) && hasType(o.body, multipartForm)
}

func hasType(b *body, mediaType string) bool {
	_, ok := b.schemas[mediaType]
	return ok
}

// authenticate identifies the caller, unless the operation is public. It does
// not read the body. Routes outside the specification authenticate themselves;
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
			"The request has no token. Sign in and send the token as Authorization: Bearer."))
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

// refuse responds to a request with an unknown caller, after it counted the
// request for the address. It closes the connection if the body is large,
// because the server would otherwise read the rest of the body.
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
	token = strings.TrimLeft(token, " ")
	return token, found && oauthclient.IsToken(token) && strings.EqualFold(scheme, "Bearer")
}

// noRoute responds to unknown paths and unsupported methods. A wrong method is
// 404 (decisions 1); gin has set Allow if another method exists. GET includes HEAD.
func noRoute(c *gin.Context) {
	if allow := c.Writer.Header().Get("Allow"); allow != "" {
		if methods := strings.Split(allow, ", "); slices.Contains(methods, http.MethodGet) && !slices.Contains(methods, http.MethodHead) {
			allow += ", " + http.MethodHead
			c.Header("Allow", allow)
		}
		WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "This path does not support the method. Use %s.", allow))
		return
	}
	WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound,
		"The path does not exist. See the operations at /docs."))
}
