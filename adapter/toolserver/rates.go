package toolserver

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"docledger/adapter/toolserver/oauth"

	"github.com/gin-gonic/gin"
)

// Rates limit the requests to this server (domain D25). The API counts the
// requests of tools separately. A nil function counts nothing.
type Rates struct {
	// Address counts a request without a valid token; Caller counts a request
	// with one.
	Address func(ctx context.Context, address string) Result
	Caller  func(ctx context.Context, subject string) Result
}

// Result is the quota state of a caller after a request.
type Result struct {
	Limit, Remaining int           // requests per minute; a Limit of 0 means that none applies
	Reset            time.Duration // until the limit resets
	Refused          bool
}

// admitAddress counts a request by its address. It refuses the request if the
// address exceeds the limit.
func (s *Server) admitAddress(c *gin.Context) bool {
	return admit(c, s.o.Rates.Address, c.ClientIP())
}

// admitCaller is admitAddress for a request with a valid token.
func (s *Server) admitCaller(c *gin.Context, caller Caller) bool {
	if caller.Subject == "" {
		return s.admitAddress(c)
	}
	return admit(c, s.o.Rates.Caller, caller.Subject)
}

// limitAddress counts requests of the routes that need no token.
func (s *Server) limitAddress(c *gin.Context) {
	if c.FullPath() != oauth.ResourcePath && !s.admitAddress(c) {
		c.Abort()
	}
}

func admit(c *gin.Context, count func(context.Context, string) Result, who string) bool {
	if count == nil {
		return true
	}
	standing := count(c.Request.Context(), who)
	if standing.Limit > 0 {
		c.Header("RateLimit-Limit", strconv.Itoa(standing.Limit))
		c.Header("RateLimit-Remaining", strconv.Itoa(standing.Remaining))
		c.Header("RateLimit-Reset", strconv.Itoa(int(math.Ceil(standing.Reset.Seconds()))))
	}
	if !standing.Refused {
		return true
	}
	c.Header("Retry-After", seconds(standing.Reset))
	answer(c.Writer, http.StatusTooManyRequests, "temporarily_unavailable",
		"The limit of "+strconv.Itoa(standing.Limit)+" requests per minute is exceeded. Retry after the time in Retry-After.")
	return false
}
