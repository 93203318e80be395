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

// Rates bound how often this server may be called (domain D25); what tools ask
// of the API is counted there once more. A nil function counts nothing.
type Rates struct {
	// Address counts a request without a good token; Caller one with it.
	Address func(ctx context.Context, address string) Result
	Caller  func(ctx context.Context, subject string) Result
}

// Result is where a caller stands after a request.
type Result struct {
	Limit, Remaining int           // requests a minute; a Limit of zero says that none applies
	Reset            time.Duration // until the limit starts over
	Refused          bool
}

// admitAddress counts a request by where it comes from, and answers it where too
// many did.
func (s *Server) admitAddress(c *gin.Context) bool {
	return admit(c, s.o.Rates.Address, c.ClientIP())
}

// admitCaller is admitAddress for a request with a good token.
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
		"More than "+strconv.Itoa(standing.Limit)+" requests within a minute. Wait as long as Retry-After says, then try again.")
	return false
}
