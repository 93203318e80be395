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

// Rates bound how often the API may be called (domain D25). Zero values bound
// nothing.
type Rates struct {
	PerCredential   int // requests a minute with one credential
	PerOrganization int // requests a minute by one organization
	PerAddress      int // requests a minute from one address, without a good credential
	AtOnce          int // requests that run at a time with one credential

	// Take counts a request against quotas; nil counts none.
	Take func(ctx context.Context, quotas ...Quota) Result
	// Enter admits a request unless as many run under the key as may.
	Enter func(key string, limit int) (leave func(), admitted bool)
}

// Quota allows as many requests a minute under a key.
type Quota struct {
	Key   string
	Limit int
}

// Result is where a caller stands after a request.
type Result struct {
	Limit, Remaining int           // of the quota that matters most; a Limit of zero says that none applies
	Reset            time.Duration // until that quota starts over
	Refused          bool
}

// The headers of every answer that a quota applies to.
const (
	headerRateLimit     = "RateLimit-Limit"
	headerRateRemaining = "RateLimit-Remaining"
	headerRateReset     = "RateLimit-Reset"
)

// count counts a request and tells its caller where they stand.
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

// admit counts a request and answers it where the quotas are used up.
func (e *edge) admit(c *gin.Context, quotas ...Quota) bool {
	s := e.count(c, quotas...)
	if !s.Refused {
		return true
	}
	f := fault.New(fault.TooMany, fault.CodeRateLimited,
		"More than %d requests within a minute. Wait as long as Retry-After says, then send it again.", s.Limit)
	f.RetryAfter = s.Reset
	WriteError(c, f)
	return false
}

// admitAddress is admit for a request without a good credential. Events of
// other systems and a supervisor's questions are counted but never refused:
// events carry a signature and would be lost, and whoever supervises must not be
// shut out by others at the same address.
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

// AddressKey is the key under which requests of an address are counted: of
// itself, or of the network of a whole site where it is IPv6.
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

// credentialKey names a credential: a session of ours, or what a person was
// given by the identity provider for one client.
func credentialKey(a identity.Actor) string {
	key := string(a.Type) + ":" + a.UserID.String() + ":" + a.OrganizationID.String()
	if a.ClientID != "" {
		key += ":" + a.ClientID
	}
	return key + ":" + a.SessionID.String()
}

// atOnce bounds how many requests of one credential run at a time in this
// process.
func (e *edge) atOnce(c *gin.Context) {
	s := stateOf(c)
	if s.actor == nil || e.Rates.Enter == nil {
		return
	}
	leave, admitted := e.Rates.Enter(credentialKey(*s.actor), e.Rates.AtOnce)
	defer leave()
	if !admitted {
		WriteError(c, fault.New(fault.TooMany, fault.CodeRateLimited,
			"%d requests with this credential are running. Wait until some have been answered.", e.Rates.AtOnce))
		return
	}
	c.Next()
}
