package toolserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docledger/domain/fault"

	"github.com/gin-gonic/gin"
)

// call is what a tool needs of the request that calls it.
type call struct {
	bearer string
	caller Caller
	// gone ends when nobody waits for the answer any more. The protocol's library
	// ends a call of earlier revisions only when it is told to.
	gone context.Context
	// checked ends the turn of a large message; nil for small ones.
	checked func()
}

type callKey struct{}

func callOf(ctx context.Context) (call, bool) {
	c, ok := ctx.Value(callKey{}).(call)
	return c, ok
}

// authenticate verifies the bearer token and returns a context that carries it.
// Otherwise it answers: a challenge that tells nothing of the reason, 429 where
// the caller sends too much, or 503 while tokens cannot be verified, since a
// client throws a refused token away.
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
		return context.WithValue(r.Context(), callKey{}, call{bearer: bearer, caller: caller, gone: r.Context()}), true
	}
	if unavailable := new(fault.Error); errors.As(err, &unavailable) && unavailable.Kind == fault.Unavailable {
		s.o.Log.WarnContext(r.Context(), "tokens cannot be verified", "error", err)
		w.Header().Set("Retry-After", seconds(unavailable.RetryAfter))
		answer(w, http.StatusServiceUnavailable, "temporarily_unavailable", "Tokens cannot be verified just now. Try again.")
		return nil, false
	}
	if r.Context().Err() == nil {
		s.o.Log.InfoContext(r.Context(), "a token was refused", "error", err)
		s.refuse(c, true)
	}
	return nil, false
}

// refuse answers a challenge, unless too many requests came from there.
func (s *Server) refuse(c *gin.Context, sent bool) {
	if length := c.Request.ContentLength; length < 0 || length > openBytes {
		// The rest of the body is not worth the connection.
		c.Header("Connection", "close")
	}
	if s.admitAddress(c) {
		s.challenge(c.Writer, sent)
	}
}

func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }

// bearerOf returns the token; sent says that there was a credential at all.
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
	if !isToken(token) {
		return "", token != ""
	}
	return token, true
}

// openBytes is what is read at most for a caller without a good token.
const openBytes = 16 << 10

const maxToken = 16 << 10

// isToken says that s is written as RFC 6750, section 2.1, writes tokens.
func isToken(s string) bool {
	body := strings.TrimRight(s, "=")
	return body != "" && len(s) <= maxToken && !strings.ContainsFunc(body, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~+/", r))
	})
}

// challenge says where to get a token (RFC 9728, 5.1; RFC 6750, 3).
func (s *Server) challenge(w http.ResponseWriter, sent bool) {
	text := fmt.Sprintf("Bearer resource_metadata=%q, scope=%q", s.MetadataURL(), scope)
	if sent {
		text += `, error="invalid_token", error_description="The access token is missing, expired or not valid"`
	}
	w.Header().Set("WWW-Authenticate", text)
	answer(w, http.StatusUnauthorized, "invalid_token", "Sign in with an OAuth client. See the resource_metadata of WWW-Authenticate.")
}

// scope is what makes the provider name an organization in a token (interface 5.8).
const scope = "user:org:read"
