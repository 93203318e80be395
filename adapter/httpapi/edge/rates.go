package edge

import (
	"context"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
)

// Rates limit the requests to the API (domain D25). A zero value sets no limit.
type Rates struct {
	PerCredential   int // requests a minute with one credential
	PerOrganization int // requests a minute by one organization
	PerAddress      int // requests a minute from one address without a valid credential
	AtOnce          int // concurrent requests with one credential

	// Take counts a request against quotas; nil counts nothing.
	Take func(ctx context.Context, quotas ...Quota) Result
	// Enter admits a request unless the maximum number of requests is running
	// under the key.
	Enter func(key string, limit int) (leave func(), admitted bool)
}

// Quota limits the requests per minute under a key.
type Quota struct {
	Key   string
	Limit int
}

// Result is the quota state of a caller after a request.
type Result struct {
	Limit, Remaining int           // of the most restrictive quota; a Limit of 0 means that none applies
	Reset            time.Duration // until that quota resets
	Refused          bool
}

// The headers of every response that a quota applies to.
const (
	headerRateLimit     = "RateLimit-Limit"
	headerRateRemaining = "RateLimit-Remaining"
	headerRateReset     = "RateLimit-Reset"
)

// count counts a request and sends the quota state to its caller.
func (e *edge) count(c *gin.Context, quotas ...Quota) Result {
	if e.Rates.Take == nil {
		return Result{}
	}
	s := e.Rates.Take(c.Request.Context(), quotas...)
	if s.Limit > 0 {
		header := c.Writer.Header()
		header.Set(headerRateLimit, strconv.Itoa(s.Limit))
		header.Set(headerRateRemaining, strconv.Itoa(s.Remaining))
		header.Set(headerRateReset, strconv.Itoa(int(math.Ceil(s.Reset.Seconds()))))
	}
	return s
}

// admit counts a request and refuses it if a quota is used up.
func (e *edge) admit(c *gin.Context, quotas ...Quota) bool {
	s := e.count(c, quotas...)
	if !s.Refused {
		return true
	}
	f := fault.New(fault.TooMany, fault.CodeRateLimited,
		"The limit of %d requests per minute is exceeded. Retry after the time in Retry-After.", s.Limit)
	f.RetryAfter = s.Reset
	WriteError(c, f)
	return false
}

// admitAddress is admit for a request without a valid credential. Webhooks and
// health checks are counted but never refused: webhooks are signed and would be
// lost, and other callers at the same address must not block health checks.
func (e *edge) admitAddress(c *gin.Context) bool {
	quota := Quota{Key: AddressKey(c.ClientIP()), Limit: e.Rates.PerAddress}
	s := stateOf(c)
	if s.operation != nil && s.operation.Signed || c.FullPath() == "/healthz" || c.FullPath() == "/readyz" ||
		c.Request.Method == http.MethodOptions {
		e.count(c, quota)
		return true
	}
	return e.admit(c, quota)
}

// AddressKey returns the key for requests of an address. For IPv6 it is the
// network prefix of the site.
func AddressKey(ip string) string {
	const prefix = "address:"
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return prefix + ip
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return prefix + a.String()
	}
	site, err := a.Prefix(64)
	if err != nil {
		return prefix + a.String()
	}
	return prefix + site.String()
}

// admitActor is admit for an authenticated caller.
func (e *edge) admitActor(c *gin.Context, a identity.Actor) bool {
	return e.admit(c,
		Quota{Key: "credential:" + credentialKey(a), Limit: e.Rates.PerCredential},
		Quota{Key: "organization:" + a.OrganizationID.String(), Limit: e.Rates.PerOrganization},
	)
}

// credentialKey returns the key of a credential: a session of docledger, or the
// token that the identity provider issued to a user for one client.
func credentialKey(a identity.Actor) string {
	key := string(a.Type) + ":" + a.UserID.String() + ":" + a.OrganizationID.String()
	if a.ClientID != "" {
		key += ":" + a.ClientID
	}
	return key + ":" + a.SessionID.String()
}

// atOnce limits the concurrent requests of one credential in this process.
func (e *edge) atOnce(c *gin.Context) {
	s := stateOf(c)
	if s.actor == nil || e.Rates.Enter == nil {
		return
	}
	leave, admitted := e.Rates.Enter(credentialKey(*s.actor), e.Rates.AtOnce)
	defer leave()
	if !admitted {
		WriteError(c, fault.New(fault.TooMany, fault.CodeRateLimited,
			"%d requests with this credential are already running. Wait until one of them ends.", e.Rates.AtOnce))
		return
	}
	c.Next()
}
