package toolserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/oauthclient"

	"github.com/gin-gonic/gin"
)

// call is the request data that a tool needs.
type call struct {
	bearer string
	caller Caller
	// gone is closed when the client no longer waits for the response. The
	// protocol library cancels a call of an earlier revision only on request.
	gone context.Context
	// checked ends the turn of a large message; nil for small messages.
	checked func()
	// file has the decoded file of the message; nil if the message itself contains it.
	file *os.File
	// answers are those of the calls of this request.
	answers *splices
}

type callKey struct{}

func callOf(ctx context.Context) (call, bool) {
	c, ok := ctx.Value(callKey{}).(call)
	return c, ok
}

// authenticate verifies the bearer token and returns a context that carries it.
// Otherwise it responds:
//   - a challenge without the reason: the token is missing or invalid.
//   - 429: the caller exceeds the rate limit.
//   - 503: tokens cannot be verified. A 401 would make the client discard its
//     token.
func (s *Server) authenticate(c *gin.Context) (context.Context, bool) {
	w, r := c.Writer, c.Request
	bearer, sent := bearerOf(r)
	if bearer == "" {
		s.refuse(c, sent)
		return nil, false
	}
	caller, err := s.o.Verify(r.Context(), bearer)
	if err == nil {
		if !s.admitCaller(c, caller) {
			return nil, false
		}
		return context.WithValue(r.Context(), callKey{}, call{bearer: bearer, caller: caller, gone: r.Context(), answers: new(splices)}), true
	}
	if unavailable := new(fault.Error); errors.As(err, &unavailable) && unavailable.Kind == fault.Unavailable {
		s.o.Log.WarnContext(r.Context(), "token keys unavailable", "error", err)
		w.Header().Set("Retry-After", seconds(unavailable.RetryAfter))
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The service cannot verify tokens. Retry later.")
		return nil, false
	}
	if r.Context().Err() == nil {
		s.o.Log.InfoContext(r.Context(), "token refused", "error", err)
		s.refuse(c, true)
	}
	return nil, false
}

// refuse sends a challenge unless the address exceeds the rate limit.
func (s *Server) refuse(c *gin.Context, sent bool) {
	if length := c.Request.ContentLength; length < 0 || length > openBytes {
		// Closing the connection avoids reading the rest of the body.
		c.Header("Connection", "close")
	}
	if s.admitAddress(c) {
		s.challenge(c.Writer, sent)
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }

// bearerOf returns the token. sent reports whether the request has a
// credential.
func bearerOf(r *http.Request) (bearer string, sent bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", len(values) > 1
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", values[0] != ""
	}
	if !oauthclient.IsToken(token) {
		return "", token != ""
	}
	return token, true
}

// openBytes limits the body of a caller without a valid token.
const openBytes = 16 << 10

// challenge sends the location of the metadata (RFC 9728, 5.1; RFC 6750, 3).
func (s *Server) challenge(w http.ResponseWriter, sent bool) {
	text := fmt.Sprintf("Bearer resource_metadata=%q, scope=%q", s.MetadataURL(), scope)
	if sent {
		text += `, error="invalid_token", error_description="The access token is missing, expired or invalid"`
	}
	w.Header().Set("WWW-Authenticate", text)
	answer(w, http.StatusUnauthorized, "invalid_token", "Sign in with an OAuth client. See the resource_metadata of WWW-Authenticate.")
}

// scope is the OAuth scopes that make the identity provider name an
// organization in a token (interface 5.8).
const scope = "user:org:read"
